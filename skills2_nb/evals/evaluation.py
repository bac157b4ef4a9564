"""A skill's cases, all of them, and what they come to."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

from skills2_nb.audit.auditor import Basis
from skills2_nb.contract.errors import Skills2Error
from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.evals.chosen import Chosen
from skills2_nb.evals.declared import declared
from skills2_nb.evals.play import Stage
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.replayed import Recorded
from skills2_nb.evals.result import Result, pass_rate, typical
from skills2_nb.evals.standings import Arm, case_rows, table
from skills2_nb.evals.versions import Told, arms_of, null_arm, played
from skills2_nb.formats.cases import Case, RunCase
from skills2_nb.formats.package import read_package

Verdict = Literal["pass", "fail", "unproven"]
#: The form of results.json.
FORM = 1
_AXES = ("score", "coverage", "consistency", "anchoring")


@dataclass(frozen=True)
class Settings:
    """How a skill is evaluated.

    Attributes:
        runner: who plays the model: ``chain``, ``null`` or ``replay``.
        profile: the profile that judges; None = the skill's own.
        threshold: the score a pass needs; None = the skill's own.
        trials: how often each run case is tried; None = as the case says.
        versions: whether the cases are also tried on the prose and on stubs.
    """

    runner: str = "chain"
    profile: str | None = None
    threshold: float | None = None
    trials: int | None = None
    versions: bool = True

    def __post_init__(self) -> None:
        if self.profile not in (None, "strict", "classic"):
            raise UsageError(f"there is no profile {self.profile!r}; it is strict or classic")
        if self.threshold is not None and not _is_share(self.threshold):
            raise UsageError(f"the threshold is {self.threshold!r}; it lies between 0 and 1")
        if self.trials is not None and not (_is_whole(self.trials) and self.trials >= 1):
            raise UsageError(f"trials is {self.trials!r}; it is a whole number, 1 at least")


@dataclass(frozen=True)
class Evaluation:
    """What came of a skill's cases.

    Attributes:
        skill: its name.
        version: of its manifest.
        digest: of its package.
        settings: as they were in force, nothing left open.
        results: one a case and trial.
        arms: the cases on the prose and on stubs too; empty where they were not asked for.
        unmade: why there are no such arms, where they were asked for.
        left_out: the cases that were not chosen, or that the runner cannot try.
        declared: its cases, steps and invariants; see :mod:`skills2_nb.evals.declared`.
    """

    skill: str
    version: str
    digest: str | None
    settings: Settings
    results: tuple[Result, ...]
    arms: tuple[Arm, ...] = ()
    unmade: str = ""
    left_out: tuple[str, ...] = ()
    declared: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def runs(self) -> tuple[Result, ...]:
        """The results of run cases."""
        return tuple(result for result in self.results if result.kind == "run")

    @property
    def failed(self) -> tuple[Result, ...]:
        """The cases that do not hold."""
        return tuple(result for result in self.results if not result.ok)

    @property
    def why(self) -> tuple[str, ...]:
        """What keeps it from a pass, in sentences; empty where nothing does."""
        return tuple(self._reasons())

    @property
    def verdict(self) -> Verdict:
        """``pass`` where every case holds and the score is reached; no run case proves nothing."""
        if self.failed:
            return "fail"
        if not self.runs:
            return "unproven"
        return "fail" if self.why else "pass"

    @property
    def undiscriminating(self) -> tuple[str, ...]:
        """Cases that hold without a single step being called, and so show nothing."""
        own = (arm for arm in self.arms if arm.version == "v1" and not arm.generated)
        return tuple(dict.fromkeys(r.case for arm in own for r in arm.runs if r.ok))

    def axes(self) -> dict[str, float | None]:
        """The median of each axis over the cases that expect ``pass``, by the profile in force."""
        honest = [
            result.audit.profile(self.settings.profile or "strict")
            for result in self.runs
            if result.audit is not None and result.expected == "pass"
        ]
        return {
            axis: median(getattr(p, axis) for p in honest) if honest else None for axis in _AXES
        }

    def to_dict(self) -> dict[str, Any]:
        """One skill of results.json."""
        return {
            "skill": self.skill,
            "version": self.version,
            "digest": self.digest,
            **dataclasses.asdict(self.settings),
            "verdict": self.verdict,
            "why": list(self.why),
            "pass_rate": pass_rate(self.results),
            "classic": typical(self.results, "classic"),
            "strict": typical(self.results, "strict"),
            "axes": self.axes(),
            "undiscriminating": list(self.undiscriminating),
            "cases": [result.to_dict() for result in self.results],
            "rows": table(self.skill, self.arms),
            "case_rows": case_rows(self.skill, self.arms),
            "unmade": self.unmade,
            "left_out": list(self.left_out),
            "declared": dict(self.declared),
        }

    def _reasons(self) -> Iterator[str]:
        failed = self.failed
        if failed:
            names = ", ".join(dict.fromkeys(result.case for result in failed))
            yield f"{len(failed)} of {len(self.results)} cases do not hold: {names}"
        if not self.runs:
            yield "there is no run case, so nothing is shown"
        score, threshold = self.axes()["score"], self.settings.threshold
        if score is not None and threshold is not None and score < threshold:
            yield f"the score is {score:.2f}, below the threshold of {threshold:.2f}"


def evaluate(
    folder: Path,
    place: Path,
    settings: Settings | None = None,
    *,
    told: Told | None = None,
    chosen: Chosen | None = None,
    recorded: Recorded | None = None,
) -> Evaluation:
    """Play every case of a package.

    Runs are recorded in the home in force; put it elsewhere with ``contract.home.elsewhere``.

    Args:
        folder: the package.
        place: an empty folder, for the stubs.
        told: hears of each version and case before it is played.
        chosen: which cases; left out, all.
        recorded: the runs that the runner ``replay`` judges; it tries no step case.

    Raises:
        PackageError: the folder is no package, or does not load.
        UnreadableError: a case or the manifest is not as it must be.
        UsageError: a word of the choice fits no case.
    """
    asked = settings or Settings()
    _check(folder)
    basis = _set(basis_of(folder), asked)
    inforce = dataclasses.replace(
        asked, profile=basis.settings.profile, threshold=basis.settings.threshold
    )
    stage = Stage(basis, (Path.cwd(), folder), asked.runner, recorded)
    picked = _playable((chosen or Chosen()).of(basis.cases), asked.runner)
    cases = [_tries(case, asked.trials) for case in picked]
    results = tuple(played(stage, cases, _heard(told, "contract")))
    arms, unmade = _versions(folder, place, asked, results, told, chosen)
    skill, left = basis.skill, tuple(c.id for c in basis.cases if c not in picked)
    facts = declared(basis, results, stage.folders)
    return Evaluation(
        skill.name, skill.version, skill.digest, inforce, results, arms, unmade, left, facts
    )


def suite(evaluations: Sequence[Evaluation], kit: str) -> dict[str, Any]:
    """results.json: every skill, and the tables over all of them.

    Args:
        kit: the version of the kit.
    """
    return gathered([each.to_dict() for each in evaluations], kit)


def gathered(told: Sequence[Mapping[str, Any]], kit: str) -> dict[str, Any]:
    """The same of evaluations that are plain values already.

    Args:
        told: each as :meth:`Evaluation.to_dict` makes it.
        kit: the version of the kit.
    """
    verdicts = {each["verdict"] for each in told}
    worst = next((v for v in ("fail", "unproven") if v in verdicts), "pass")
    return {
        "v": FORM,
        "kit": kit,
        "verdict": worst if told else "unproven",
        "skills": list(told),
        "rows": [row for each in told for row in each["rows"]],
        "case_rows": [row for each in told for row in each["case_rows"]],
    }


def _check(folder: Path) -> None:
    """See that the whole package can be read: a case that was passed over would not be missed."""
    faults = [p.sentence() for p in read_package(folder).problems if p.level == "error"]
    if faults:
        more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
        raise UnreadableError(f"{folder.name}: {faults[0]}{more}")


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _set(basis: Basis, settings: Settings) -> Basis:
    changed: Mapping[str, Any] = {
        name: getattr(settings, name)
        for name in ("profile", "threshold")
        if getattr(settings, name) is not None
    }
    made: Any = basis.settings
    return dataclasses.replace(basis, settings=dataclasses.replace(made, **changed))


def _playable(cases: Sequence[Case], runner: str) -> tuple[Case, ...]:
    """Without step cases where no step may be called."""
    return tuple(case for case in cases if runner != "replay" or isinstance(case, RunCase))


def _tries(case: Case, trials: int | None) -> Case:
    if trials is None or not isinstance(case, RunCase):
        return case
    return dataclasses.replace(case, trials=trials)


def _versions(
    folder: Path,
    place: Path,
    settings: Settings,
    results: tuple[Result, ...],
    told: Told | None,
    chosen: Chosen | None,
) -> tuple[tuple[Arm, ...], str]:
    """The arms, and why there are none where none could be made."""
    if not settings.versions:
        return (), ""
    own = Arm("contract", results) if settings.runner == "chain" else None
    try:
        return arms_of(folder, place, contract=own, told=told, chosen=chosen), ""
    except Skills2Error as error:
        return (null_arm(folder, told, chosen),), str(error)


def _heard(told: Told | None, version: str) -> Callable[[str], None] | None:
    return None if told is None else (lambda case: told(version, case))
