"""The first program behind a wall.

It sets the limits, then becomes what was asked for. Started as a file, so that it needs nothing
but the standard library where the kit is out of sight.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import sys
from collections.abc import Mapping
from typing import Any

#: How it ends where memory ran out, and where the wall could not be put up.
OUT_OF_MEMORY = 81
NO_WALL = 82
#: Interpreter, libraries and thread stacks take address space that they never fill.
SPARE = 1024 * 1024 * 1024


def main(argv: list[str]) -> int:
    """Do as a wall says.

    Args:
        argv: the settings as JSON, ``{"memory", "cpu", "file", "guard": {"write", "network",
            "hidden"} | null}``, then the program: a module of which ``main()`` is called, where
            there is a guard, else a command.
    """
    settings, command = json.loads(argv[0]), argv[1:]
    try:
        _limit(settings)
        if settings["guard"] is None:
            os.execvp(command[0], command)
        guard = importlib.import_module("skills2_nb.sandbox.guard")
        program = importlib.import_module(command[0])
        bounds = settings["guard"]
        guard.stand(tuple(bounds["write"]), bounds["network"], tuple(bounds["hidden"]))
    except (OSError, ValueError, ImportError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - for who put up the wall
        return NO_WALL
    try:
        return int(program.main(*command[1:]) or 0)
    except MemoryError:
        return OUT_OF_MEMORY


def _limit(settings: Mapping[str, Any]) -> None:
    """Bounds that the kernel holds. A bound on processes would be one on the user's threads too."""
    with contextlib.suppress(ValueError, OSError):  # some systems know the word and not the bound
        _lower(resource.RLIMIT_AS, settings["memory"] + SPARE)
    _lower(resource.RLIMIT_CPU, settings["cpu"], 2)
    _lower(resource.RLIMIT_FSIZE, settings["file"])
    _lower(resource.RLIMIT_CORE, 0)


def _lower(which: int, value: int, beyond: int = 0) -> None:
    """The bound, and by how much more it is the last: in between comes a signal that tells why."""
    _, hard = resource.getrlimit(which)
    most = value + beyond if hard == resource.RLIM_INFINITY else min(value + beyond, hard)
    resource.setrlimit(which, (min(value, most), most))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
