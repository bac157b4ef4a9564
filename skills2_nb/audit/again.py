"""A skill behind the wall, asked for one job after another.

This program reads one request from stdin and says one JSON line for each thing that it does::

    {"package": <folder>} | {"cells": [...]}, "name", "paths", "seconds", "jobs": [{"kind", ...}]

    {"loaded": true | false, "why"}  {"begin": n}  {"job": n, "outcome", ...}

It is told no recorded result: what it says can be compared, and not copied.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from skills2_nb.audit.strength import measure, samples_of
from skills2_nb.audit.surroundings import Watch
from skills2_nb.contract.blobs import sheltered
from skills2_nb.contract.body import Within, completed
from skills2_nb.contract.canonical import decode, encode_plain
from skills2_nb.contract.cells import load_cells
from skills2_nb.contract.errors import PackageError, told
from skills2_nb.contract.journal import read
from skills2_nb.contract.loader import forget, load
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import fold
from skills2_nb.contract.table import remembered
from skills2_nb.sandbox.guard import Trip, standing

Told = dict[str, Any]
#: Seconds after which a job that does not heed its bound takes the process with it.
GRACE = 2.0


class _TooLongError(BaseException):
    """A job has run longer than it may; the message says so."""


def main() -> int:
    """Do the jobs of the request on stdin, and end at once."""
    request = json.load(sys.stdin.buffer)
    say = _quiet()
    sys.path += request["paths"]
    skills: list[Skill] = []
    loading = _attempt(lambda: _load(request, skills), request["seconds"], _own)
    say({"loaded": loading["outcome"] == "value", **loading})
    if loading["outcome"] == "value":
        with remembered():
            for number, job in enumerate(request["jobs"]):
                say({"begin": number})
                say({"job": number, **_attempt(_bound(request, skills, job), job["seconds"])})
    os._exit(0)  # threads that a skill started, and what it wants done at its end, are its own


def _quiet() -> Callable[[Told], None]:
    """Keep stdout for what is said here; whatever a skill prints goes nowhere."""
    out = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)

    def say(line: Told) -> None:
        data = memoryview(f"{encode_plain(line)}\n".encode("ascii"))
        while data:
            data = data[os.write(out, data) :]

    return say


def _load(request: Mapping[str, Any], into: list[Skill]) -> Told:
    cells = request.get("cells")
    into.append(
        load(Path(request["package"])) if cells is None else load_cells(cells, request["name"])
    )
    return {"outcome": "value"}


def _bound(
    request: Mapping[str, Any], skills: list[Skill], job: Mapping[str, Any]
) -> Callable[[], Told]:
    def work() -> Told:
        if job["kind"] in ANEW:
            forget()
            _load(request, skills)
        return KINDS[job["kind"]](skills[-1], job)

    return work


def _call(skill: Skill, job: Mapping[str, Any]) -> Told:
    """A step's body on recorded arguments.

    Args:
        job: ``{"step", "args", "closely"}``; looked at closely, what it asks of its surroundings
            and the rows of its tables are told too.
    """
    spec = skill.step(job["step"])
    if spec.effects:
        return {"outcome": "declared", "effects": list(spec.effects)}
    closely = job.get("closely", False)
    watch = Watch(_code_of(spec.fn))
    within, tables = Within(), dict[str, bytes]()
    with sheltered(tables):
        inputs = spec.validate({name: decode(item) for name, item in job["args"].items()})
        with within, watch if closely else contextlib.nullcontext():
            result = completed(spec.fn, inputs)
        output = spec.plain_output(spec.validate_output(result))
    rows = {sha: data.decode("ascii") for sha, data in tables.items()} if closely else {}
    return {
        "outcome": "value",
        "output": output,
        "files": within.files(),
        "saw": sorted(watch.saw),
        "tables": rows,
    }


def _strength(skill: Skill, job: Mapping[str, Any]) -> Told:
    """What the invariants notice of a run's calls.

    Args:
        job: ``{"journal"}``, the run's file.
    """
    with standing().shown():
        state = fold(read(Path(job["journal"])))
    return {"outcome": "value", "strength": measure(skill, samples_of(skill, state)).to_dict()}


def _code_of(fn: Any) -> str:
    """How the file names of a skill's code begin: its ``runtime/``, or its cells."""
    name: str = fn.__code__.co_filename
    if name.startswith("<"):
        return name.partition(" ")[0]
    return f"{Path(name).parent}{os.sep}"


#: What may be asked of a skill behind the wall: ``(skill, job) -> what came of it``.
KINDS: Mapping[str, Callable[[Skill, Mapping[str, Any]], Told]] = {
    "call": _call,
    "strength": _strength,
}
#: What is asked of the skill's code as it is after its import: steps leave things behind in it.
ANEW = frozenset({"strength"})


def _own(trips: Sequence[Trip]) -> Sequence[Trip]:
    """What libraries try at their own import is refused, and not the skill's doing."""
    return [trip for trip in trips if not trip.library]


def _attempt(
    work: Callable[[], Told],
    seconds: float,
    chosen: Callable[[Sequence[Trip]], Sequence[Trip]] = lambda trips: trips,
) -> Told:
    """Do it within its time; a trip on the wall counts whatever became of it."""
    guard = standing()
    before = len(guard.trips)
    try:
        with _bounded(seconds):
            done = work()
    except BaseException as error:
        done = _fault(error)
    trips = dict.fromkeys(trip.deed for trip in chosen(guard.trips[before:]))
    return {"outcome": "tripped", "why": ", ".join(trips)[:1_000]} if trips else done


def _fault(error: BaseException) -> Told:
    causes = [error]
    while (inner := causes[-1].__cause__) is not None:
        causes.append(inner)
    if any(isinstance(cause, MemoryError) for cause in causes):
        return {"outcome": "memory", "why": "runs out of memory"}
    late = next((cause for cause in causes if isinstance(cause, _TooLongError)), None)
    if late is not None:
        return {"outcome": "timeout", "why": str(late)}
    sentence = str(error) if isinstance(error, PackageError) else f"raises {told(error)}"
    return {"outcome": "raised", "why": sentence[:1_000]}


@contextlib.contextmanager
def _bounded(seconds: float) -> Iterator[None]:
    """An exception at the bound; the end of the process where that is not heeded."""

    def stop(*_: object) -> NoReturn:
        raise _TooLongError(f"takes longer than {seconds:g} s")

    signal.signal(signal.SIGALRM, stop)
    faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=2)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
