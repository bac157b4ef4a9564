"""P2b: going on with a long run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from benchmarks.step_call import ARGUMENTS, adds_up, net_flow
from benchmarks.table import Row
from benchmarks.timing import Contender, measure
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.snapshot import place_of
from skills2_nb.contract.step import step

GOAL = "milliseconds, whatever the length of the run"
ROUNDS, CALLS = 15, 10_000
#: No line of this run is longer.
LONGEST = 4096


def long_run(folder: Path) -> tuple[Skill, Run]:
    """A run of many calls that its process has let go."""
    os.environ["SKILLS2_HOME"] = str(folder / "home-opening")
    skill = Skill.collect({"net_flow": step(invariants=[adds_up])(net_flow)}, name="bench")
    run = Run.start(skill, inputs={})
    for _ in range(CALLS):
        run.call("net_flow", ARGUMENTS)
    run.close()
    return skill, run


def opened(skill: Skill, id: str) -> Callable[[], None]:
    """Resume a run, ready for its next call."""

    def once() -> None:
        run = Run.resume(skill, id)
        assert run.state.count == CALLS + 1
        run.close()

    return once


def without_snapshot(skill: Skill, run: Run) -> Callable[[], None]:
    """The same from the journal alone, as after a copy from another machine."""
    once = opened(skill, run.id)

    def first() -> None:
        place_of(run.path).unlink()
        once()

    return first


def tail(path: Path) -> None:
    """The least: where the last line ends, and what it is."""
    with path.open("rb") as file:
        file.seek(-min(LONGEST, file.seek(0, os.SEEK_END)), os.SEEK_END)
        assert json.loads(file.read().splitlines()[-1])["seq"] == CALLS + 1


def all_lines(path: Path) -> None:
    """Every line as JSON, nothing done with it."""
    with path.open("rb") as file:
        assert sum(json.loads(line)["v"] for line in file) == CALLS + 1


def rows(folder: Path) -> list[Row]:
    """Measure in `folder`, which is thrown away afterwards."""
    skill, run = long_run(folder)
    samples = measure(
        [
            Contender("skills2: Run.resume", opened(skill, run.id)),
            Contender("floor: json.loads of the last line", lambda: tail(run.path)),
            Contender("json.loads of all lines", lambda: all_lines(run.path)),
            Contender("skills2, without a snapshot", without_snapshot(skill, run)),
        ],
        ROUNDS,
    )
    return [Row("P2b", f"opening a run of {CALLS:,} calls", GOAL, samples)]
