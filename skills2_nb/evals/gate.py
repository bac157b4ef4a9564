"""Whether an evaluation may go on, by the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from skills2_nb.evals.change import Change, Level
from skills2_nb.evals.kept import Kept
from skills2_nb.evals.outcomes import captured, chances, outcomes, whole
from skills2_nb.evals.statistics import RATE
from skills2_nb.evals.trials import Trials, by_chance, shown
from skills2_nb.evals.weaker_cases import weaker_cases
from skills2_nb.evals.weaker_settings import weaker_settings
from skills2_nb.evals.weaker_steps import weaker_steps

Word = Literal["pass", "fail", "inconclusive"]
_ORDER: tuple[Word, ...] = ("fail", "inconclusive")
_RANKS = (*_ORDER, "note")


@dataclass(frozen=True)
class Rules:
    """How strict a gate is.

    Attributes:
        ablate: whether a case that holds without a step being called is a reason to fail.
        rate: the pass rate that trials have to show where chance has a part.
    """

    ablate: bool = False
    rate: float = RATE


@dataclass(frozen=True)
class Decision:
    """What a gate says of one skill.

    Attributes:
        version: of its manifest now.
        before: the version of the baseline; None where there is none.
        exact: how many cases were compared exactly.
        trials: what the others show; None where there are none.
        changes: what differs, the weightiest first.
    """

    skill: str
    version: str
    before: str | None
    exact: int
    trials: Trials | None
    changes: tuple[Change, ...]

    @property
    def word(self) -> Word:
        """``fail`` or ``inconclusive`` where a change says so, else ``pass``."""
        return _word(self.changes)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is no pass, in sentences."""
        return tuple(change.message for change in self.changes if change.level != "note")

    def to_dict(self) -> dict[str, Any]:
        """One skill of ``gate --json``."""
        return {
            "skill": self.skill,
            "decision": self.word,
            "version": self.version,
            "before": self.before,
            "exact": self.exact,
            "trials": None if self.trials is None else self.trials.to_dict(),
            "reasons": list(self.reasons),
            "changes": [change.to_dict() for change in self.changes],
        }


def decide(now: Kept, before: Kept | None, rules: Rules | None = None) -> Decision:
    """Hold one skill's evaluation against its baseline.

    Scripted trials are compared exactly: a case that held must hold. Where chance has a part, the
    trials must show the wanted pass rate and no fall. Whatever asks for less than before is a
    reason to fail until it is accepted, and a new version needs a pass.

    Args:
        now: the evaluation.
        before: what was accepted; None where nothing was.
    """
    asked = rules or Rules()
    exact, chance = by_chance(now, before)
    seen = shown(chance, asked.rate)
    if now.broken:
        return _undecided(now, before)
    changes = [
        *captured((*exact, *chance), now),
        *outcomes(exact, now, before),
        *chances(chance, seen),
        *whole(now, before),
        *_ablated(now, asked),
    ]
    if before is not None:
        changes += [*weaker_settings(before, now), *weaker_cases(before, now)]
        changes += weaker_steps(before, now)
        changes += _version(before, now, _word(changes))
    ranked = sorted(changes, key=lambda change: _RANKS.index(change.level))
    was = None if before is None else before.version
    return Decision(now.skill, now.version, was, len(exact), seen, tuple(ranked))


def _undecided(now: Kept, before: Kept | None) -> Decision:
    """The decision on a skill that was not evaluated: there is nothing to compare."""
    level: Level = "inconclusive" if now.verdict == "unproven" else "fail"
    told = f"{now.skill} could not be evaluated: {now.broken}"
    was = None if before is None else before.version
    change = Change(level, "evaluation", told, "" if before is None else before.verdict, "none")
    return Decision(now.skill, now.version, was, 0, None, (change,))


def gate(
    now: Sequence[Kept], before: Mapping[str, Kept], rules: Rules | None = None
) -> list[Decision]:
    """The decisions of several skills, in their order; then those that were not evaluated."""
    here = {each.skill for each in now}
    lost = [_missing(kept) for name, kept in before.items() if name not in here]
    return [decide(each, before.get(each.skill), rules) for each in now] + (lost if now else [])


def _missing(before: Kept) -> Decision:
    """The decision on a skill that the baseline holds and the results do not."""
    told = f"{before.skill} stands in the baseline and was not evaluated"
    change = Change("inconclusive", "evaluation", told, before.verdict, "none")
    return Decision(before.skill, before.version, before.version, 0, None, (change,))


def worst(decisions: Sequence[Decision]) -> Word:
    """The decision over all; nothing evaluated is an empty capture, which fails."""
    words = {each.word for each in decisions}
    return next((word for word in _ORDER if word in words), "pass" if words else "fail")


def unfit(now: Kept) -> tuple[str, ...]:
    """Why an evaluation should not become a baseline: sentences; empty where it may."""
    if now.broken:
        return (f"{now.skill} could not be evaluated: {now.broken}",)
    alone = [change.message for change in decide(now, None).changes if change.level == "fail"]
    if now.left_out:
        alone.append(f"cases were left out: {', '.join(now.left_out)}")
    if not alone and now.verdict == "unproven":
        alone.append("there is no run case, so nothing is shown")
    return tuple(alone)


def _version(before: Kept, now: Kept, word: Word) -> Iterator[Change]:
    """A new version needs a pass; a changed package under an old version is told."""
    if before.version != now.version:
        needs = "" if word == "pass" else f": a new version needs a pass, and this is {word}"
        told = f"the version is {now.version}, {before.version} before{needs}"
        level: Level = "note" if word == "pass" else "fail"
        yield Change(level, "version", told, before.version, now.version)
    elif before.digest != now.digest:
        told = f"the package changed, and its version is still {now.version}"
        yield Change("note", "package", told, _mark(before), _mark(now))


def _ablated(now: Kept, rules: Rules) -> Iterator[Change]:
    """Cases that hold although no step is called."""
    if rules.ablate and not now.ablated:
        told = "the null arm was not played, so nobody knows which cases show nothing"
        yield Change("inconclusive", "null arm", told, "", "not played")
    for id_ in now.undiscriminating:
        told = f"case {id_} shows nothing: the null arm, which calls no step, passes it too"
        level: Level = "fail" if rules.ablate else "note"
        yield Change(level, f"case {id_}", told, "", "null passes")


def _word(changes: Sequence[Change]) -> Word:
    levels = {change.level for change in changes}
    return next((word for word in _ORDER if word in levels), "pass")


def _mark(kept: Kept) -> str:
    return (kept.digest or "none")[:8]
