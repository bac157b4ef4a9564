"""Runs of an earlier evaluation, judged anew.

No step is called: a case's run is the one that was recorded for it. So a changed threshold, anchor
or expectation is tried on what was seen, and what a model did is paid for once. The audit may run
steps again behind its wall, as it does with every run.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.audit.auditor import Basis
from skills2_nb.contract.canonical import plain
from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.evals.proof import Proof, judge
from skills2_nb.formats.cases import RunCase
from skills2_nb.formats.files import cannot_write, read_bytes

#: What an evaluation leaves in its folder, and the records of one skill below it.
RESULTS, HOME = "results.json", "home"
#: The results whose runs replays judge, kept while replays write results of their own.
RECORDED = "recorded.json"


@dataclass(frozen=True)
class Recorded:
    """The runs that an evaluation has left.

    Attributes:
        place: its folder.
        home: where the records of the skill lie.
        runs: the run of each trial by case.
        runner: who played them.
    """

    place: Path
    home: Path
    runs: Mapping[str, tuple[str, ...]]
    runner: str = "chain"

    def run_of(self, case: RunCase, trial: int) -> str:
        """The run of a case's trial, counted from 0.

        Raises:
            UsageError: none is recorded.
        """
        found = self.runs.get(case.id, ())
        if trial < len(found):
            return found[trial]
        which = f"trial {trial + 1} of case {case.id!r}" if found else f"case {case.id!r}"
        raise UsageError(
            f"no run of {which} is recorded in {self.place} (runner {self.runner}); evaluate it "
            "by the runner chain first"
        )


def recorded(folder: Path, skill: str) -> Recorded:
    """The runs of a skill in the folder of an evaluation.

    Args:
        folder: what an evaluation wrote into, with its results.json.

    Raises:
        UnreadableError: there is no results.json, or it is none.
        UsageError: the skill is not in it.
    """
    kept = folder / RECORDED
    path = kept if kept.is_file() else folder / RESULTS
    for told in _skills(path):
        if told.get("skill") == skill:
            runs: dict[str, tuple[str, ...]] = {}
            for case in told.get("cases", ()):
                if case.get("kind") == "run" and isinstance(case.get("run"), str):
                    runs[case["case"]] = (*runs.get(case["case"], ()), case["run"])
            journals = told.get("journals") or f"{skill}/{HOME}/runs"
            return Recorded(folder, (folder / journals).parent, runs, str(told.get("runner")))
    raise UsageError(f"{path} tells of no skill {skill!r}; name the folder of an eval that does")


def bring(source: Path, home: Path) -> None:
    """Copy the records of a skill to where this evaluation keeps its own; the source stands.

    Raises:
        UsageError: there are no records.
        SetupError: they cannot be written there.
    """
    if home.resolve() == source.resolve():
        return
    if not source.is_dir():
        raise UsageError(f"there are no recorded runs in {source}; evaluate by chain first")
    try:
        shutil.copytree(source, home, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise cannot_write(home, error) from None


def proof(basis: Basis, runs: Recorded, case: RunCase, trial: int = 0) -> Proof:
    """Judge the recorded run of a case.

    Raises:
        UsageError: there is none, or it is of another question than the case asks now.
        UnknownRunError: its journal is gone.
    """
    run = runs.run_of(case, trial)
    judged = judge(basis, run, alone=True)
    state = judged.state
    if state is not None and state.run:
        changed = [name for name, differs in _changes(case, state.prompt, state.inputs) if differs]
        if changed:
            raise UsageError(
                f"run {run} was of another {' and '.join(changed)} than case {case.id!r} has now; "
                "evaluate the case by the runner chain anew"
            )
    return judged


def _changes(
    case: RunCase, prompt: str | None, inputs: Mapping[str, Any]
) -> Iterator[tuple[str, bool]]:
    """What a case asks, and whether a run was asked something else."""
    yield "prompt", prompt != case.prompt
    same = inputs.keys() == case.inputs.keys() and all(
        _is_same(inputs[name], plain(value)) for name, value in case.inputs.items()
    )
    yield "input", not same


def _is_same(kept: Any, asked: Any) -> bool:
    """Whether a run's input is a case's; a run keeps the whole path of a file."""
    if kept == asked:
        return True
    if not isinstance(kept, str) or not isinstance(asked, str) or not asked:
        return False
    return Path(kept).is_absolute() and kept.replace("\\", "/").endswith(f"/{asked}")


def _skills(path: Path) -> list[Mapping[str, Any]]:
    try:
        told = json.loads(read_bytes(path))
        skills = told["skills"]
    except (ValueError, KeyError, TypeError):
        raise UnreadableError(f"{path} is no results.json of an evaluation") from None
    return [each for each in skills if isinstance(each, dict)]
