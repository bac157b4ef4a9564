"""Cases that chance has a part in, held against the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from skills2_nb.evals.change import Change
from skills2_nb.evals.kept import SCRIPTED, Kept, KeptCase
from skills2_nb.evals.statistics import (
    CONFIDENCE,
    RATE,
    Interval,
    pairs_needed,
    sign_flip,
    trials_needed,
    wilson,
)

#: A case and how it stood before, where it was there.
Pair = tuple[KeptCase, KeptCase | None]


@dataclass(frozen=True)
class Trials:
    """What many trials show.

    Attributes:
        now: the pass rate of the trials, all cases together.
        before: that of the same cases in the baseline; None where it has none of them.
        pairs: how many cases both have.
        p: how likely the cases fall this far by chance; None where there is no pair.
        rate: the pass rate that was to be shown.
    """

    now: Interval
    before: Interval | None
    pairs: int
    p: float | None
    rate: float = RATE

    @property
    def is_worse(self) -> bool:
        """Whether the cases fell further than chance allows."""
        return self.p is not None and self.p <= 1 - CONFIDENCE

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON."""
        before = None if self.before is None else self.before.to_dict()
        return {
            "now": self.now.to_dict(),
            "before": before,
            "pairs": self.pairs,
            "p": self.p,
            "rate": self.rate,
        }


def by_chance(now: Kept, before: Kept | None) -> tuple[list[Pair], list[Pair]]:
    """The cases that are compared exactly, and those that statistics speak of.

    A scripted runner does the same each time, so one trial of it says all, and a case that holds
    in none is no chance; a step case has no model in it.
    """
    old = {} if before is None else {case.id: case for case in before.cases}
    exact: list[Pair] = []
    chance: list[Pair] = []
    for case in now.cases:
        was = old.get(case.id)
        tried = max(case.trials, was.trials if was is not None else 0)
        never = case.trials > 0 and not case.passes
        is_sure = case.kind == "step" or (now.runner in SCRIPTED and (tried <= 1 or never))
        (exact if is_sure else chance).append((case, was))
    return exact, chance


def shown(pairs: Sequence[Pair], rate: float = RATE) -> Trials | None:
    """What the trials of these cases show; None where there are none."""
    tried = [(case, was) for case, was in pairs if case.trials]
    if not tried:
        return None
    both = [(case, was) for case, was in tried if was is not None and was.trials]
    old = [was for _, was in both]
    return Trials(
        _pooled([case for case, _ in tried]),
        _pooled(old) if old else None,
        len(both),
        sign_flip(_share(case) - _share(was) for case, was in both) if both else None,
        rate,
    )


def judged(seen: Trials) -> Iterator[Change]:
    """What trials decide: nothing where they show the rate and no fall."""
    now, before = seen.now, seen.before
    held = f"{now.passes} of {now.trials} trials hold"
    was = "" if before is None else f"{before.passes} of {before.trials}"
    if seen.is_worse:
        yield Change(
            "fail",
            "trials",
            f"the pass rate fell: {held}, {was} before (paired sign-flip test over "
            f"{seen.pairs} cases, p = {seen.p:.3f})",
            was,
            f"{now.passes} of {now.trials}",
        )
    if now.high < seen.rate:
        told = f"the pass rate is below {seen.rate:.2f}: {now}"
        yield Change("fail", "trials", told, was, f"{now.passes} of {now.trials}")
    elif now.low < seen.rate:
        told = f"the trials leave open whether the pass rate reaches {seen.rate:.2f}: {now}"
        way = f"{trials_needed(seen.rate)} trials that all hold would show it"
        mark = f"{now.passes} of {now.trials}"
        yield Change("inconclusive", "trials", f"{told}; {way}", was, mark)
    if before is not None and not seen.is_worse and now.rate < before.rate:
        told = f"{held}, {was} before, which chance explains (p = {seen.p:.3f})"
        if seen.pairs < pairs_needed():
            told += f"; fewer than {pairs_needed()} cases cannot show a fall"
        yield Change("note", "trials", told, was, f"{now.passes} of {now.trials}")


def _pooled(cases: Sequence[KeptCase]) -> Interval:
    return wilson(sum(case.passes for case in cases), sum(case.trials for case in cases))


def _share(case: KeptCase) -> Fraction:
    return Fraction(case.passes, case.trials)
