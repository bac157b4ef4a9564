"""P10: what it costs to import the kit, and to ask for help."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.export import beside, process
from benchmarks.table import Row
from benchmarks.timing import Contender, measure

GOAL = "the import at most 1.3 times a bare interpreter, `skills2 --help` at most 8 times"
ROUNDS = 11
BARE = "import sys\nsys.exit(0)\n"


def rows(folder: Path) -> list[Row]:
    """Whole processes with compiled modules; the floor is an interpreter that does nothing."""
    script = folder / "bare.py"
    script.write_text(BARE, encoding="utf-8")

    def python(*words: str) -> Contender:
        run = process(sys.executable, *words)
        return Contender(" ".join(("python", *words)), lambda: run(folder, folder))

    help_text = process(beside("skills2"), "--help")
    imported = measure(
        [python("-c", "import skills2_nb"), python("-c", "pass"), python("-c", "import papermill")],
        ROUNDS,
    )
    helped = measure(
        [
            Contender("skills2 --help", lambda: help_text(folder, folder)),
            Contender("floor: a script that ends at once", python(str(script)).run),
            Contender("python -c 'import click'", python("-c", "import click").run),
        ],
        ROUNDS,
    )
    return [
        Row("P10", "import", GOAL, imported, {"python -c pass": 1.3}),
        Row("P10", "help", "", helped, {"floor": 8.0}),
    ]
