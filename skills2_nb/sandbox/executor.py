"""A skill's script, run with bounds.

The words go to the program as they are: no shell reads them. Behind a wall where one stands, which
shows the script its skill's folder, a place for temporary files, and no network; elsewhere with
bounds of time and output alone. Its process group ends with it either way.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.errors import SetupError, UsageError
from skills2_nb.sandbox import wall
from skills2_nb.sandbox.wall import Kind, Outcome, Wall

FOLDER = "scripts"
SECONDS = 60.0
OUTPUT_BYTES = 256 * 1024
#: What runs a file, by its ending; a file of another one runs itself.
_PROGRAMS = {".py": sys.executable, ".sh": "bash", ".js": "node", ".rb": "ruby", ".pl": "perl"}


@dataclass(frozen=True)
class Ran:
    """How a script ended.

    Attributes:
        ended: ``exit``, or the bound it ran into: ``timeout``, ``memory``, ``output``, ``killed``.
        exit_code: None where it did not end by itself.
        stdout: its text, cut at the bound.
        wall: the wall that stood; None where there was none.
    """

    ended: str
    exit_code: int | None
    stdout: str
    stderr: str
    wall: Kind | None


def run(
    folder: Path,
    script: Path,
    words: Sequence[str] = (),
    *,
    seconds: float = SECONDS,
    output_bytes: int = OUTPUT_BYTES,
) -> Ran:
    """Run a file of a skill's ``scripts/`` folder; its working folder is the skill's.

    Args:
        folder: the skill's folder.
        script: the file, with every link followed.
        words: its arguments.

    Raises:
        UsageError: the file is not below ``scripts/``, or nothing is known to run it.
        SetupError: what runs it is not installed.
    """
    home = folder.resolve()
    place = script.resolve()
    if not place.is_relative_to(home / FOLDER) or not place.is_file():
        raise UsageError(f"{script.name} is no file of {FOLDER}/; only those are run")
    argv = [*_program(place), str(place), *words]
    with tempfile.TemporaryDirectory(prefix="skills2-script-") as spare:
        bounds = Wall(
            read=(home,), write=(Path(spare),), seconds=seconds, output_bytes=output_bytes
        )
        outcome = wall.run(argv, b"", bounds, cwd=home)
        if outcome.ended == "no wall":
            outcome = wall.bounded(argv, b"", bounds, cwd=home)
    return _ran(outcome, place)


def _program(place: Path) -> list[str]:
    name = _PROGRAMS.get(place.suffix)
    if name is not None:
        found = shutil.which(name)
        if found is None:
            raise SetupError(f"{place.name} needs {name}, which is not installed")
        return [found]
    if os.access(place, os.X_OK):
        return []
    raise UsageError(f"{place.name} is no program: make it executable, or end its name with .py")


def _ran(outcome: Outcome, place: Path) -> Ran:
    if outcome.ended == "no wall":
        raise SetupError(f"{place.name} cannot be started: {outcome.stderr.decode()}")
    return Ran(
        outcome.ended,
        outcome.returncode,
        outcome.stdout.decode("utf-8", "replace"),
        outcome.stderr.decode("utf-8", "replace"),
        outcome.wall,
    )
