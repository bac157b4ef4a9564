"""`python -m benchmarks [--write] [P2 ...]`: print the table; `--write` keeps it."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks import audit, export, startup, step_call
from benchmarks.table import Row, markdown, versions

RESULTS = Path(__file__).with_name("results.md")
PARTS = {
    "P2": step_call.rows,
    "P3": export.in_process,
    "P4": export.whole_process,
    "P9": audit.rows,
    "P10": startup.rows,
}
LIBRARIES = ("skills2-nb", "pydantic", "jupytext", "nbconvert", "nbformat")
INTRO = """# Benchmarks

`make bench` measures, `make bench ARGS=--write` keeps the table here. Each round times every
contender once, in turn, and the ratio columns compare within a round. Absolute times move with the
machine: only the ratios count.
"""


def main() -> None:
    """Measure the rows asked for, in order, and print them as they come."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(PARTS)}; all")
    parser.add_argument("--write", action="store_true", help=f"keep the table in {RESULTS.name}")
    chosen = parser.parse_args()
    unknown = set(chosen.rows) - set(PARTS)
    if unknown:
        parser.error(f"no row {', '.join(sorted(unknown))}; choose of {', '.join(PARTS)}")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="skills2-bench-") as folder:
        for code in chosen.rows or PARTS:
            rows += PARTS[code](Path(folder))
    text = f"{markdown(rows)}\n\n{versions(LIBRARIES)}"
    print(text)
    if chosen.write:
        RESULTS.write_text(f"{INTRO}\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
