"""A case, played by a runner and judged."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from skills2_nb.audit.auditor import Basis, audit
from skills2_nb.contract.errors import Skills2Error
from skills2_nb.contract.trial import tried
from skills2_nb.errors import UsageError
from skills2_nb.evals import replayed
from skills2_nb.evals.checks import amiss
from skills2_nb.evals.proof import Proof, judge
from skills2_nb.evals.result import Kind, Result
from skills2_nb.evals.runners import chain, explicit
from skills2_nb.evals.surroundings import guarded
from skills2_nb.formats.cases import Case, RunCase, StepCase, to_dict

#: Who may play the model without one.
RUNNERS = ("chain", "null", "replay")


@dataclass(frozen=True)
class Stage:
    """Where cases are played.

    Attributes:
        basis: the skill, and what its runs are judged by.
        folders: where relative paths among a case's inputs and files are sought, in order.
        runner: ``chain`` calls the owed steps in order; ``null`` calls none and answers with the
            prose, which is what a skill without a contract can show; ``replay`` calls none either
            and judges the runs in ``recorded``.
        recorded: runs of an earlier evaluation.
    """

    basis: Basis
    folders: tuple[Path, ...]
    runner: str = "chain"
    recorded: replayed.Recorded | None = None

    def __post_init__(self) -> None:
        if self.runner not in RUNNERS:
            raise UsageError(
                f"there is no runner {self.runner!r}; it is one of {', '.join(RUNNERS)}"
            )
        if self.runner == "replay" and self.recorded is None:
            raise UsageError("the runner replay needs the folder of an earlier evaluation")


def play(stage: Stage, case: Case) -> Iterator[Result]:
    """The results of a case: one a trial. Nothing that a skill's code raises gets out.

    A case that cannot be tried at all, for a file it needs is not there or the journal cannot be
    written, is one that does not hold, and says why.
    """
    for trial in range(case.trials if isinstance(case, RunCase) else 1):
        began = time.perf_counter()
        try:
            with guarded():
                result = _tried(stage, case, trial)
        except BaseException as error:
            if isinstance(error, (Exception, KeyboardInterrupt)) and not _is_told(error):
                raise
            kind: Kind = "step" if isinstance(case, StepCase) else "run"
            said = str(error) or type(error).__name__
            result = Result(case.id, kind, (said,), runner=stage.runner)
        yield _timed(result, case, time.perf_counter() - began)


def _is_told(error: BaseException) -> bool:
    """Whether an error is one sentence for a reader; any other exception is a fault of the kit."""
    return isinstance(error, Skills2Error)


def judged(basis: Basis, case: RunCase, audited: Proof) -> tuple[str, ...]:
    """What does not hold of a case, by the proof of its run."""
    wrong = amiss(to_dict(case), audited.audit, audited.state)
    if wrong and audited.error is not None:
        wrong[0] += f" ({audited.error})"
    return tuple(wrong)


def _tried(stage: Stage, case: Case, trial: int) -> Result:
    return _step(stage, case) if isinstance(case, StepCase) else _run(stage, case, trial)


def _run(stage: Stage, case: RunCase, trial: int) -> Result:
    lost = [name for name in case.files if not _there(name, stage.folders)]
    if lost:
        raise UsageError(
            f"case {case.id!r} needs {', '.join(lost)}, which is not in "
            f"{', '.join(str(folder) for folder in stage.folders)}"
        )
    proof = _proof(stage, case, trial)
    return Result(
        case.id,
        "run",
        judged(stage.basis, case, proof),
        case.expected_audit,
        proof.audit,
        proof.run,
        stage.runner,
    )


def _proof(stage: Stage, case: RunCase, trial: int) -> Proof:
    if stage.recorded is not None:
        return replayed.proof(stage.basis, stage.recorded, case, trial)
    return _null(stage.basis) if stage.runner == "null" else _played(stage, case)


def _null(basis: Basis) -> Proof:
    """No step is called, and the answer is the prose."""
    judgement = audit(basis, None, answer=basis.body)
    return Proof(None, basis.skill, basis, None, judgement, answer=basis.body)


def _played(stage: Stage, case: RunCase) -> Proof:
    basis = stage.basis
    if case.calls:
        outcome = explicit(
            basis.skill,
            case.calls,
            case.inputs,
            prompt=case.prompt,
            vouched="case",
            folders=stage.folders,
            body=basis.body,
        )
    else:
        outcome = chain(
            basis.skill,
            case.inputs,
            prompt=case.prompt,
            vouched="case",
            folders=stage.folders,
            body=basis.body,
        )
    proof = judge(basis, outcome.run.id, alone=True)
    return replace(proof, error=outcome.error, step=outcome.step)


def _step(stage: Stage, case: StepCase) -> Result:
    spec = stage.basis.skill.step(case.step)
    trial = tried(spec, case.args, case.expect, case.fails)
    wrong = () if trial.ok else (trial.detail,)
    return Result(case.id, "step", wrong, label=trial.label, runner=stage.runner)


def _timed(result: Result, case: Case, seconds: float) -> Result:
    if isinstance(case, StepCase):
        return replace(result, seconds=seconds)
    limit = case.budget.get("s")
    wrong = result.wrong
    if isinstance(limit, (int, float)) and seconds > limit:
        wrong = (*wrong, f"it took {seconds:.1f} s, more than its budget of {limit:g} s")
    return replace(result, wrong=wrong, seconds=seconds, tags=case.tags, label=case.prompt)


def _there(name: str, folders: Iterable[Path]) -> bool:
    return any((folder / name).is_file() for folder in folders)
