"""The cases of a package, measured behind the wall.

They are run for an audit that did not ask for them, and an invariant may never come back from a
changed call: so they have a process of their own, bounded in time and memory, that writes to a
throw-away home alone.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from skills2_nb.audit.strength import Strength
from skills2_nb.contract.home import VARIABLE
from skills2_nb.contract.loader import load
from skills2_nb.contract.skill import Skill
from skills2_nb.evals import strength
from skills2_nb.formats.cases import Case, dump, parse_cases
from skills2_nb.sandbox.wall import Wall, run_python

#: Seconds for all cases together.
SECONDS = 60.0


def of_cases(
    skill: Skill,
    cases: Sequence[Case],
    folders: Sequence[Path],
    seconds: float | None = None,
    *,
    thorough: bool = False,
) -> Strength:
    """What ``evals.strength.of_cases`` gives of a package's folder; nothing where it is late.

    Args:
        skill: one with a folder.
        folders: where relative paths among inputs are sought.
        seconds: for all of them together; left out, ``SECONDS``.
        thorough: as in ``evals.strength.of_cases``.
    """
    asked = {
        "package": str(skill.folder),
        "cases": dump(cases),
        "folders": [str(place) for place in folders],
        "thorough": thorough,
    }
    with tempfile.TemporaryDirectory(prefix="skills2-") as place:
        outcome = run_python(
            "skills2_nb.evals.apart",
            json.dumps(asked).encode("ascii"),
            Wall(
                write=(Path(place),), memory_mb=skill.runtime.memory_mb, seconds=seconds or SECONDS
            ),
            env={VARIABLE: place},
        )
    try:
        return Strength.from_dict(json.loads(outcome.stdout))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Strength()


def main() -> int:
    """Measure what stdin asks for; stdout is for the result, and not for what a skill prints."""
    asked = json.load(sys.stdin.buffer)
    out, nowhere = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    cases, _ = parse_cases(asked["cases"])
    folders = tuple(map(Path, asked["folders"]))
    made = strength.of_cases(
        load(Path(asked["package"])), cases, folders, thorough=asked["thorough"]
    )
    with os.fdopen(out, "wb") as result:
        result.write(json.dumps(made.to_dict()).encode("ascii"))
        result.flush()
        os._exit(0)  # what a skill left running is its own
