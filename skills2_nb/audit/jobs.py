"""Jobs asked of a skill in a fresh process behind the wall."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.contract.home import VARIABLE, home
from skills2_nb.sandbox.wall import Kind, Outcome, Wall, run_python

Told = dict[str, Any]
_PROGRAM = "skills2_nb.audit.again"
#: How often a process that a job took with it is followed by another.
LIVES = 4
#: Where a home keeps what runs came to; the tables of a call's arguments lie beside them.
_RECORDS = ("runs", "ledger", "index", "calls", "sessions", "keys")
MOST_SAID = 64 * 1024 * 1024
#: What keeps every hash seed of ours from that of the process asked.
_SEEDS = (7_919, 104_729, 1_299_709, 15_485_863, 32_452_843, 49_979_687, 67_867_967, 86_028_121)


@dataclass(frozen=True)
class Source:
    """The code that jobs are asked of: a package's folder, or a kernel's cells.

    Attributes:
        paths: folders in which modules are sought last.
    """

    name: str
    package: Path | None = None
    cells: tuple[str, ...] | None = None
    paths: tuple[Path, ...] = ()

    def request(self) -> Told:
        """What the program is told of it."""
        paths = [str(path) for path in self.paths]
        if self.cells is not None:
            return {"cells": list(self.cells), "name": self.name, "paths": paths}
        return {"package": str(self.package), "name": self.name, "paths": paths}


@dataclass(frozen=True)
class Bounds:
    """What the jobs may take.

    Attributes:
        seconds: for all of them, starting included.
        step_seconds: for each, and for the import of the skill.
        memory_mb: megabytes.
    """

    seconds: float = 120.0
    step_seconds: float = 60.0
    memory_mb: int = 2048


@dataclass(frozen=True)
class Answers:
    """What came of jobs.

    Attributes:
        told: by job ``{"outcome", ...}``: ``value``, ``declared``, ``raised``, ``tripped``,
            ``timeout``, ``memory``, ``crashed`` or ``not asked``; all but the first two have a
            ``why``.
        wall: which wall stood; None where nothing was run.
        fault: why no job could be asked, said once; else None.
        own: whether that is the skill's doing: its import trips, raises or hangs.
        left: seconds of the bound that were not used.
    """

    told: tuple[Told, ...]
    wall: Kind | None
    fault: str | None = None
    own: bool = False
    left: float = 0.0


def seeds() -> list[int]:
    """Hash seeds that are neither 0 nor this process's own."""
    own = os.environ.get("PYTHONHASHSEED")
    return [seed for seed in _SEEDS if str(seed) != own]


def ask(
    source: Source,
    jobs: Sequence[Mapping[str, Any]],
    seed: int,
    bounds: Bounds,
    meanwhile: Callable[[], object] | None = None,
) -> Answers:
    """Ask jobs in order, in one process; one that takes the process with it ends alone.

    Args:
        jobs: each with the ``kind`` that the program knows it by.
        seed: the process's hash seed.
        meanwhile: is called once while the process starts; the time for the jobs counts from its
            return.
    """
    until = time.monotonic() + bounds.seconds

    def aside() -> None:
        nonlocal until
        if meanwhile is not None:
            meanwhile()
            until = time.monotonic() + bounds.seconds

    done: dict[int, Told] = {}
    wall: Kind | None = None
    for life in range(LIVES):
        left = [number for number in range(len(jobs)) if number not in done]
        seconds = until - time.monotonic()
        if not left or seconds <= 0:
            break
        asked = _request(source, [jobs[number] for number in left], bounds)
        outcome = _process(asked, seed, seconds, bounds, None if life else aside)
        wall = outcome.wall or wall
        said = _said(outcome.stdout)
        fault = _load_fault(outcome, said)
        if fault is not None:
            told = tuple(_not_asked(fault) for _ in jobs)
            return Answers(told, wall, fault, own=outcome.ended != "no wall")
        done |= {left[number]: answer for number, answer in _read(outcome, said).items()}
        if outcome.ended == "timeout":
            break
    left_over = until - time.monotonic()
    late = _not_asked(
        f"{LIVES} steps before it ended their process"
        if left_over > 0
        else f"the {bounds.seconds:.0f} s for all steps were over"
    )
    told = tuple(done.get(number, late) for number in range(len(jobs)))
    return Answers(told, wall, left=left_over)


def _request(source: Source, jobs: Sequence[Mapping[str, Any]], bounds: Bounds) -> bytes:
    timed = [{"seconds": bounds.step_seconds, **job} for job in jobs]
    request = {**source.request(), "seconds": bounds.step_seconds, "jobs": timed}
    return json.dumps(request).encode("ascii")


def _process(
    request: bytes,
    seed: int,
    seconds: float,
    bounds: Bounds,
    meanwhile: Callable[[], object] | None,
) -> Outcome:
    return run_python(
        _PROGRAM,
        request,
        Wall(
            hide=tuple(home() / name for name in _RECORDS),
            memory_mb=bounds.memory_mb,
            seconds=seconds,
            output_bytes=MOST_SAID,
        ),
        env={"PYTHONHASHSEED": str(seed), VARIABLE: str(home())},
        meanwhile=meanwhile,
    )


def _said(data: bytes) -> list[Told]:
    """The whole lines of what the program said."""
    lines = []
    for line in data.split(b"\n")[:-1]:
        try:
            lines.append(json.loads(line))
        except (ValueError, RecursionError):
            break
    return lines


def _load_fault(outcome: Outcome, said: Sequence[Told]) -> str | None:
    """Why the skill is not there to be asked, else None."""
    if outcome.ended == "no wall":
        return f"no wall could be put up: {outcome.stderr.decode(errors='replace').strip()}"
    if said and said[0].get("loaded"):
        return None
    if said:
        why = str(said[0].get("why"))
        return why if said[0].get("outcome") == "raised" else f"the import of the skill {why}"
    return f"the import of the skill {_fate(outcome)['why']}"


def _read(outcome: Outcome, said: Sequence[Told]) -> dict[int, Told]:
    begun = [line["begin"] for line in said if "begin" in line]
    done = {line["job"]: line for line in said if "job" in line}
    if begun and begun[-1] not in done:
        done[begun[-1]] = _fate(outcome)
    return done


def _fate(outcome: Outcome) -> Told:
    """What became of a job that has not answered."""
    return {
        "timeout": {"outcome": "timeout", "why": "takes longer than there was time"},
        "memory": {"outcome": "memory", "why": "runs out of memory"},
        "output": {"outcome": "crashed", "why": f"returns more than {MOST_SAID} bytes"},
    }.get(outcome.ended, {"outcome": "crashed", "why": "ends its process"})


def _not_asked(why: str) -> Told:
    return {"outcome": "not asked", "why": why}
