"""P7: evals of several skills, beside papermill; and cases beside their bare steps."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.attacks import ROOT
from benchmarks.table import Row
from benchmarks.timing import Contender, measure
from skills2_nb.cli.starter import notebook
from skills2_nb.contract.home import elsewhere
from skills2_nb.contract.walk import walk
from skills2_nb.convert.exporter import export
from skills2_nb.evals.evaluation import Settings, evaluate
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.suite import Job, executed
from skills2_nb.formats.cases import RunCase

GOAL = "eight skills as fast as a forked pool of papermill alone"
LIMITS = {"floor": 1.2}
CASES_GOAL = "told without a limit: a case is a recorded run, judged, its steps run again"
NOTEBOOK = ROOT / "notebooks" / "evals" / "skill.ipynb"
SKILLS, AT_ONCE, ROUNDS, CASE_ROUNDS = 8, 4, 1, 3


def made(folder: Path, name: str) -> Path:
    """A skill of two steps and five cases."""
    source = folder / f"{name}.ipynb"
    source.write_bytes(notebook(name))
    return export(source, folder / "skills").folder


def papermilled(skill: Path, out: Path, **engine: Any) -> None:
    """The eval notebook by papermill, with the kernel that it chooses."""
    import papermill

    out.mkdir(parents=True)
    papermill.execute_notebook(
        str(NOTEBOOK),
        str(out / "eval.ipynb"),
        {"skill": str(skill), "runner": "chain", "out": str(out)},
        progress_bar=False,
        kernel_name="python3",
        **engine,
    )


def pooled(skill: Path, out: Path) -> None:
    """The same with a kernel that is ended at once: what a worker of a pool does."""
    papermilled(skill, out, shutdown_kernel="immediate")


def suites(folder: Path) -> Row:
    """Eight notebooks: ours, a bare pool, one after the other."""
    skills = [made(folder, f"skill-{number}") for number in range(SKILLS)]
    place = (folder / f"out-{number}" for number in itertools.count())

    def ours() -> None:
        out = next(place)
        jobs = [Job(each.name, NOTEBOOK, out / each.name, _given(each, out)) for each in skills]
        for job in jobs:
            job.folder.mkdir(parents=True)
        assert all(done.is_green for _, done in executed(jobs, AT_ONCE))

    def pool() -> None:
        out = next(place)
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(AT_ONCE, mp_context=context) as workers:
            list(workers.map(pooled, skills, [out / each.name for each in skills]))

    def in_turn() -> None:
        out = next(place)
        for each in skills:
            papermilled(each, out / each.name)

    samples = measure(
        [
            Contender("skills2: evals.suite.executed", ours),
            Contender("floor: papermill in a forked pool", pool),
            Contender("papermill in turn", in_turn),
        ],
        ROUNDS,
    )
    return Row("P7", f"evals of {SKILLS} skills, {AT_ONCE} at a time", GOAL, samples, LIMITS)


def cases(folder: Path) -> Row:
    """The cases of one skill in one process: judged, recorded alone, the bare functions."""
    package = made(folder, "weekly-numbers")
    basis = basis_of(package)
    wanted = [case for case in basis.cases if isinstance(case, RunCase)]
    with _home(folder):
        calls = list(_calls(basis, wanted))

    def judged() -> None:
        done = evaluate(package, folder / "stubs", Settings(versions=False))
        assert done.verdict == "pass"

    def bare() -> None:
        for call in calls:
            call()

    with _home(folder):
        samples = measure(
            [
                Contender("skills2: evaluate", judged),
                Contender("the runs alone, recorded", lambda: list(_calls(basis, wanted))),
                Contender("the steps called as functions", bare),
            ],
            CASE_ROUNDS,
        )
    count = len(basis.cases)
    rates = [f"{count / sample.spread[1]:,.0f}" for sample in samples]
    told = (
        f"{CASES_GOAL}; cases a second: {' judged, '.join(rates[:2])} recorded, {rates[2]} called"
    )
    return Row("P7b", f"{count} cases of two steps", told, samples)


def rows(folder: Path) -> list[Row]:
    """Measure in `folder`, which is thrown away afterwards."""
    return [suites(folder), cases(folder)]


def _given(skill: Path, out: Path) -> dict[str, Any]:
    return {"skill": str(skill), "runner": "chain", "out": str(out / skill.name)}


def _calls(basis: Any, wanted: list[RunCase]) -> Iterator[Callable[[], object]]:
    """Run each case, and give its calls as plain ones."""
    from skills2_nb.contract.run import Run

    for case in wanted:
        with Run.start(basis.skill, case.inputs, prompt=case.prompt) as run:
            walk(run)
            for call in run.state.last.values():
                fn, args = basis.skill.step(call.step).fn, dict(call.args)
                yield partial(fn, **args)


@contextmanager
def _home(folder: Path) -> Iterator[None]:
    os.environ["SKILLS2_HOME"] = str(folder / "home-evals")
    with elsewhere(folder / "home-evals"):
        yield
