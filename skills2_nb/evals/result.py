"""What came of one case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from skills2_nb.audit.auditor import Audit
from skills2_nb.audit.steps import StepView

Kind = Literal["run", "step"]


@dataclass(frozen=True)
class Result:
    """One case, tried once.

    Attributes:
        case: its id.
        kind: ``run`` or ``step``.
        wrong: what does not hold, in sentences; empty is a case that holds.
        expected: the verdict that a run case expects.
        audit: the judgement of the run; None for a step case, and where the case could not be
            tried at all.
        run: the run's id; None where no step was called.
        runner: who played the model.
        seconds: how long it took.
        tags: the case's own words.
        label: the prompt, or the call, in a few words.
    """

    case: str
    kind: Kind
    wrong: tuple[str, ...] = ()
    expected: str | None = None
    audit: Audit | None = None
    run: str | None = None
    runner: str = "chain"
    seconds: float = 0.0
    tags: tuple[str, ...] = ()
    label: str = ""

    @property
    def ok(self) -> bool:
        """Whether the case holds."""
        return not self.wrong

    @property
    def verdict(self) -> str | None:
        """The verdict that counts; None where nothing was judged."""
        return None if self.audit is None else self.audit.verdict

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for results.json."""
        return {
            "case": self.case,
            "kind": self.kind,
            "ok": self.ok,
            "wrong": list(self.wrong),
            "label": self.label,
            "expected": self.expected,
            "verdict": self.verdict,
            "run": self.run,
            "runner": self.runner,
            "seconds": round(self.seconds, 3),
            "tags": list(self.tags),
            "audit": None if self.audit is None else self.audit.to_dict(),
            "steps": [] if self.audit is None else [_step(view) for view in self.audit.steps],
        }


def pass_rate(results: Iterable[Result]) -> float:
    """The share of cases that hold; none prove nothing: 0."""
    held = [result.ok for result in results]
    return sum(held) / len(held) if held else 0.0


def typical(results: Iterable[Result], profile: str) -> float | None:
    """The median score over the cases that expect ``pass``; None where there is none."""
    scores = [
        result.audit.profile(profile).score
        for result in results
        if result.audit is not None and result.expected == "pass"
    ]
    return median(scores) if scores else None


def _step(view: StepView) -> dict[str, Any]:
    """A step's part in the run: its calls in time, and what its invariants said."""
    return {
        "id": view.step,
        "status": "stale" if view.stale else view.status,
        "us": sum(call.us for call in view.calls),
        "passed": sum(check.ok for check in view.invariants),
        "invariants": len(view.invariants),
        "calls": [{"seq": call.seq, "status": call.status, "us": call.us} for call in view.calls],
    }
