"""A run's scores and verdicts, and what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from skills2_nb.audit.anchoring import ValueMatch
from skills2_nb.audit.finding import Finding
from skills2_nb.audit.replay import Replayed
from skills2_nb.audit.steps import StepView
from skills2_nb.audit.strength import Strength
from skills2_nb.contract.skill import Skill
from skills2_nb.formats.cases import Case

Verdict = Literal["pass", "fail", "unproven", "tampered"]
#: Checks that run the skill's code again, behind the wall; who asks for none has them unmade.
AGAIN = ("replay", "strength")


class Settings(Protocol):
    """``[audit]`` of skill.toml, as far as the score needs it."""

    @property
    def profile(self) -> str:
        """The profile whose verdict counts: ``strict`` or ``classic``."""

    @property
    def threshold(self) -> float:
        """The score a pass needs."""

    @property
    def weights(self) -> Sequence[float]:
        """Weights of coverage, consistency and anchoring."""

    @property
    def f1_floor(self) -> float:
        """The F1 of values below which ``strict`` fails."""


@dataclass(frozen=True)
class DefaultSettings:
    """The defaults of ``[audit]``."""

    profile: str = "strict"
    threshold: float = 0.80
    weights: tuple[float, float, float] = (0.40, 0.35, 0.25)
    f1_floor: float = 0.70


@dataclass(frozen=True)
class Basis:
    """What a run is judged by.

    Attributes:
        skill: the contract.
        body: the SKILL.md body.
        anchors: the anchor terms.
        settings: threshold, weights and floor.
        constants: numbers of the package's code that an answer may name.
        cases: its eval rows, which show what invariants notice where a run does not.
    """

    skill: Skill
    body: str = ""
    anchors: tuple[str, ...] = ()
    settings: Settings = DefaultSettings()
    constants: tuple[float, ...] = ()
    cases: tuple[Case, ...] = ()


@dataclass(frozen=True)
class Profile:
    """One way to score a run.

    Attributes:
        score: the weighted sum, 0 to 1.
        not_checked: checks that were not made.
    """

    score: float
    coverage: float
    consistency: float
    anchoring: float
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fixed shape of a profile."""
        return {
            "score": self.score,
            "coverage": self.coverage,
            "consistency": self.consistency,
            "anchoring": self.anchoring,
            "verdict": self.verdict,
            "findings": [item.to_dict() for item in self.findings],
            "not_checked": list(self.not_checked),
        }


@dataclass(frozen=True)
class Audit:
    """The judgement of one run.

    Attributes:
        run: the run's id, or None where there was no run.
        level: the evidence level reached.
        held: every level whose own conditions hold.
        provenance: ``package``, ``live`` (a kernel) or ``none``.
        answer: the text that was judged.
        steps: every step of the skill.
        values: every figure of the answer with its source.
        recall: share of the report fields found in the answer.
        precision: share of the answer's figures that come from the run.
        f1: harmonic mean of the two.
        by: the profile whose verdict counts.
        replayed: what came of running the steps again; None where nobody asked.
        strength: what the invariants notice; None where nobody asked.
    """

    run: str | None
    skill: str
    classic: Profile
    strict: Profile
    level: str
    answer: str | None
    steps: tuple[StepView, ...]
    values: tuple[ValueMatch, ...]
    held: tuple[str, ...] = ()
    provenance: Literal["package", "live", "none"] = "none"
    recall: float = 0.0
    precision: float = 0.0
    f1: float = 0.0
    by: str = "strict"
    replayed: Replayed | None = None
    strength: Strength | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict that counts."""
        return self.profile(self.by).verdict

    def profile(self, name: str) -> Profile:
        """``classic`` or ``strict``."""
        return self.classic if name == "classic" else self.strict

    def to_dict(self) -> dict[str, Any]:
        """``{"classic": {...}, "strict": {...}}``, the fixed shape."""
        return {"classic": self.classic.to_dict(), "strict": self.strict.to_dict()}
