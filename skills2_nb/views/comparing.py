"""An evaluation beside its baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skills2_nb.views.evaluation import AXES, Evaluation, figure, skills

#: Differences below this are rounding.
_SAME = 0.005


@dataclass(frozen=True)
class Change:
    """One figure before and now.

    Attributes:
        tone: ``good``, ``bad``, or ``mute`` where nothing changed.
        word: ``better``, ``worse``, ``same``, or another word that says what happened.
    """

    what: str
    before: str
    now: str
    word: str
    tone: str


@dataclass(frozen=True)
class Comparison:
    """What changed since the baseline.

    Attributes:
        figures: the share of cases that hold, each axis, the threshold.
        cases: the cases whose outcome changed, that came or that went.
    """

    version: str
    figures: tuple[Change, ...]
    cases: tuple[Change, ...]

    @property
    def worse(self) -> tuple[Change, ...]:
        """All that is worse now."""
        return tuple(each for each in (*self.figures, *self.cases) if each.tone == "bad")

    @property
    def said(self) -> str:
        """The outcome in one sentence."""
        if not self.worse:
            return (
                f"No case and no figure is worse than in the baseline (version {self.version}); "
                "`skills2 gate` also compares what the invariants notice."
            )
        named = ", ".join(each.what for each in self.worse)
        return f"Worse than in the baseline (version {self.version}): {named}."


def against(evaluation: Evaluation, baseline: Mapping[str, Any] | None) -> Comparison | None:
    """What changed since a baseline; None where it knows nothing of the skill.

    Args:
        baseline: another results.json, or one skill of it.
    """
    same = (old for old in skills(baseline or {"skills": []}))
    before = next((old for old in same if old["skill"] == evaluation["skill"]), None)
    if before is None:
        return None
    return Comparison(
        str(before.get("version", "")), _figures(evaluation, before), _cases(evaluation, before)
    )


def _figures(now: Evaluation, before: Evaluation) -> tuple[Change, ...]:
    pairs = [("cases that hold", before.get("pass_rate"), now.get("pass_rate"), True)]
    old, new = before.get("axes") or {}, now.get("axes") or {}
    pairs += [(axis, old.get(axis), new.get(axis), False) for axis in AXES]
    made = [_figure(*pair) for pair in pairs]
    limit, limit_now = before.get("threshold"), now.get("threshold")
    if limit != limit_now:
        low = limit is not None and (limit_now is None or limit_now < limit)
        word, tone = ("lowered", "bad") if low else ("raised", "good")
        made.append(Change("threshold", figure(limit), figure(limit_now), word, tone))
    return tuple(made)


def _figure(what: str, before: float | None, now: float | None, share: bool) -> Change:
    if before is None or now is None:
        word, tone = ("same", "mute") if before is now else ("not measured", "warn")
    elif abs(now - before) < _SAME:
        word, tone = "same", "mute"
    else:
        word, tone = ("better", "good") if now > before else ("worse", "bad")
    said = _share if share else figure
    return Change(what, said(before), said(now), word, tone)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _cases(now: Evaluation, before: Evaluation) -> tuple[Change, ...]:
    old, new = _outcomes(before["cases"]), _outcomes(now["cases"])
    left = frozenset(now.get("left_out") or ())
    made = []
    for id_ in dict.fromkeys([*new, *old]):
        was, is_ = old.get(id_), new.get(id_)
        if was == is_:
            continue
        word, tone = ("not played", "mute") if id_ in left else _moved(was, is_)
        made.append(Change(id_, _word(was), _word(is_), word, tone))
    return tuple(made)


def _moved(was: bool | None, is_: bool | None) -> tuple[str, str]:
    if is_ is None:
        return "removed", "bad"
    if was is None:
        return ("new", "good") if is_ else ("new", "bad")
    return ("mended", "good") if is_ else ("broken", "bad")


def _word(ok: bool | None) -> str:
    return {True: "holds", False: "does not hold", None: "not there"}[ok]


def _outcomes(cases: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """Whether every try of each case holds."""
    told: dict[str, bool] = {}
    for case in cases:
        told[case["case"]] = told.get(case["case"], True) and bool(case["ok"])
    return told
