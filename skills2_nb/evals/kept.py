"""What a gate knows of an evaluation, now or before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from skills2_nb.evals.typed import read_as
from skills2_nb.formats.cases import build

#: Cases with this tag must hold, whatever the statistics say.
GOLDEN = "golden"
#: Runners that do the same each time: one trial of theirs says all.
SCRIPTED = ("chain", "null", "replay")


@dataclass(frozen=True)
class KeptInvariant:
    """One invariant; ``killed`` of ``made`` changed results were refused, None where not counted.

    Attributes:
        text: its code, the same for the same code.
        effective: None where its step was not measured.
    """

    name: str
    text: str = ""
    effective: bool | None = None
    killed: int | None = None
    made: int | None = None


@dataclass(frozen=True)
class KeptStep:
    """One step, as ``evals/declared.py`` tells of it.

    Attributes:
        when: the name of its guard; empty where it is always owed.
        guard: the guard's code; empty where that was not kept.
        requires: the steps it stands on.
        hollow: whether its output can prove nothing.
        unchecked: report fields that no invariant checks.
        measured: whether its invariants were asked about changed results.
    """

    id: str
    required: bool = True
    when: str = ""
    guard: str = ""
    requires: tuple[str, ...] = ()
    hollow: bool = False
    report: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    measured: bool = False
    invariants: tuple[KeptInvariant, ...] = ()


@dataclass(frozen=True)
class KeptCase:
    """One case: what it asks, and how its trials went.

    Attributes:
        written: its keys, as ``evals/cases.jsonl`` has them.
        calls: calls recorded in the trial with the fewest, of those that held if any did; None
            for a step case.
        wrong: what did not hold, of the first trial that did not.
    """

    id: str
    kind: str = "run"
    passes: int = 0
    trials: int = 0
    classic: float | None = None
    strict: float | None = None
    calls: int | None = None
    wrong: tuple[str, ...] = ()
    written: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.passes <= self.trials:
            raise ValueError(f"case {self.id}: {self.passes} of {self.trials} trials hold")
        _, faults = build(self.written, 1) if self.written else (None, [])
        if faults:
            raise ValueError(f"case {self.id}: {faults[0][0]}")

    @property
    def holds(self) -> bool:
        """Whether every trial held, and there was one."""
        return 0 < self.trials == self.passes

    @property
    def is_golden(self) -> bool:
        """Whether its author wants it to hold each time."""
        return GOLDEN in self.written.get("tags", ())


@dataclass(frozen=True)
class Kept:
    """One skill.

    Attributes:
        digest: of the package.
        verdict: of the evaluation: ``pass``, ``fail`` or ``unproven``.
        axes: the medians over the cases that expect ``pass``: ``score``, ``coverage`` …
        broken: why there was no evaluation to speak of; empty where there was.
        reason: why it was accepted although it fails; empty where it does not.
        undiscriminating: cases that hold without a step being called.
        ablated: whether that was asked.
        left_out: cases that were not played.
    """

    skill: str
    version: str
    digest: str | None
    runner: str
    profile: str
    threshold: float
    weights: tuple[float, ...]
    f1_floor: float
    anchors: tuple[str, ...]
    verdict: str
    axes: Mapping[str, float | None] = field(default_factory=dict)
    broken: str = ""
    reason: str = ""
    undiscriminating: tuple[str, ...] = ()
    ablated: bool = False
    left_out: tuple[str, ...] = ()
    cases: tuple[KeptCase, ...] = ()
    steps: tuple[KeptStep, ...] = ()

    def __post_init__(self) -> None:
        for what, ids in (
            ("cases", [case.id for case in self.cases]),
            ("steps", [step.id for step in self.steps]),
        ):
            twice = [id_ for id_, count in Counter(ids).items() if count > 1]
            if twice:
                raise ValueError(f"two {what} of {self.skill} are called {twice[0]}")

    @property
    def score(self) -> float | None:
        """The median score; None where no case expects ``pass``."""
        return self.axes.get("score")

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON; a view reads it as it reads a skill of results.json."""
        trials = sum(case.trials for case in self.cases)
        held = sum(case.passes for case in self.cases)
        cases = [{"case": case.id, "ok": case.holds, **asdict(case)} for case in self.cases]
        for case in cases:
            del case["id"]
        return {**asdict(self), "pass_rate": held / trials if trials else 0.0, "cases": cases}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Kept:
        """What :meth:`to_dict` gave.

        Raises:
            ValueError, TypeError, AttributeError: it is something else.
        """
        cases = [{**case, "id": case.get("case")} for case in value.get("cases", [])]
        return read_as(cls, {**value, "cases": cases}, "it")
