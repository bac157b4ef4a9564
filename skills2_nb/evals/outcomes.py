"""What became of cases, as they stood before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skills2_nb.evals.change import Change, Level
from skills2_nb.evals.kept import Kept, KeptCase
from skills2_nb.evals.trials import Pair, Trials, judged


def captured(pairs: Sequence[Pair], now: Kept) -> Iterator[Change]:
    """Cases that were not played, and those whose runs hold nothing that could be judged."""
    for case, was in pairs:
        if case.trials:
            yield from _empty(case, was, now)
        elif case.id in now.left_out:
            told = f"case {case.id} was not played: it was left out of this evaluation"
            yield Change("inconclusive", f"case {case.id}", told, "", "not played")
        else:
            told = f"case {case.id} has no result, an empty capture: nothing was tried"
            yield Change("fail", f"case {case.id}", told, "", "empty")


def outcomes(pairs: Sequence[Pair], now: Kept, before: Kept | None) -> Iterator[Change]:
    """What became of the cases that are compared exactly.

    One that did not hold before, and was accepted so, is told alone until the version changes.
    """
    bumped = before is not None and before.version != now.version
    for case, was in pairs:
        if not case.trials or case.holds:
            continue
        held = was is not None and was.holds
        known = was is not None and was.trials > 0 and not held
        state = "no longer holds" if held else "still does not hold" if known else "does not hold"
        golden = "golden " if case.is_golden else ""
        excused = known and not bumped and not golden
        why = "; ".join(case.wrong) or "nothing says why"
        stood = "holds" if held else "does not hold" if known else ""
        told = f"{golden}case {case.id} {state}: {why}"
        level: Level = "note" if excused else "fail"
        yield Change(level, f"case {case.id}", told, stood, "does not hold")


def chances(pairs: Sequence[Pair], seen: Trials | None) -> Iterator[Change]:
    """What trials show together, and the golden cases among them, which must hold each time."""
    for case, was in pairs:
        if not case.trials or case.holds:
            continue
        about, stands = f"case {case.id}", f"{case.passes} of {case.trials}"
        old = "" if was is None or not was.trials else f"{was.passes} of {was.trials}"
        told = f"{stands} trials hold ({'; '.join(case.wrong)})"
        if case.is_golden:
            told = f"golden {about} must hold in each trial: {told}"
            yield Change("fail", about, told, old, stands)
        else:
            yield Change("note", about, f"{about}: {told}", old, stands)
    if seen is not None:
        yield from judged(seen)


def whole(now: Kept, before: Kept | None) -> Iterator[Change]:
    """The score of all cases, and whether there was anything to score."""
    if before is None:
        told = f"there is no baseline of {now.skill} to hold it against"
        yield Change("inconclusive", "baseline", told, "none", "")
    if now.verdict == "unproven":
        told = "there is no run case, so nothing is shown"
        yield Change("inconclusive", "cases", told, "", "no run case")
    if now.score is not None and now.score < now.threshold:
        was = None if before is None else before.score
        known = was is not None and before is not None and was < before.threshold
        excused = known and before is not None and before.version == now.version
        shown_before = "" if was is None else f", {was:.2f} before"
        yield Change(
            "note" if excused else "fail",
            "score",
            f"the score is {now.score:.2f}, below the threshold of {now.threshold:.2f}"
            f"{shown_before}",
            "" if was is None else f"{was:.2f}",
            f"{now.score:.2f}",
        )


def _empty(case: KeptCase, was: KeptCase | None, now: Kept) -> Iterator[Change]:
    """A case that holds, and no call was recorded that it could hold of."""
    calls = 0 if was is None else was.calls or 0
    owed = calls > 0 or case.written.get("expected_audit", "pass") == "pass"
    if case.passes and case.calls == 0 and owed and now.runner != "null":
        told = f"case {case.id} holds over an empty capture: no call was recorded, {calls} before"
        yield Change("fail", f"case {case.id}", told, f"{calls} calls", "0 calls")
