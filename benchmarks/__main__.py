"""`python -m benchmarks [--write] [P2 ... attacks]`: print the tables; `--write` keeps them."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks import (
    attacks,
    audit,
    evals,
    export,
    hooks,
    importing,
    judging,
    opening,
    serving,
    startup,
    step_call,
    triggering,
)
from benchmarks.table import Row, markdown, versions

RESULTS = Path(__file__).with_name("results.md")
PARTS = {
    "P1": hooks.rows,
    "P2": step_call.rows,
    "P2b": opening.rows,
    "P3": export.in_process,
    "P3b": importing.rows,
    "P4": export.whole_process,
    "P5": serving.cold_rows,
    "P6": serving.call_rows,
    "P7": evals.rows,
    "P9": audit.rows,
    "P9b": judging.rows,
    "P10": startup.rows,
}
LIBRARIES = ("skills2-nb", "pydantic", "nbdev", "jupytext", "nbconvert", "nbformat")
ATTACKS = "attacks"
TRIGGERS = "triggers"
INTRO = """# Benchmarks

`make bench` measures, `make bench ARGS=--write` keeps the table here. Each round times every
contender once, in turn, and the ratio columns compare within a round. Absolute times move with the
machine: only the ratios count.
"""


def main() -> None:
    """Measure the rows asked for, in order, and print them as they come."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = (*PARTS, TRIGGERS, ATTACKS)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(names)}; all")
    parser.add_argument("--write", action="store_true", help="keep the tables beside the code")
    chosen = parser.parse_args()
    unknown = set(chosen.rows) - set(names)
    if unknown:
        parser.error(f"no row {', '.join(sorted(unknown))}; choose of {', '.join(names)}")
    wanted = chosen.rows or names
    measured = [code for code in wanted if code in PARTS]
    if measured:
        _show(f"{INTRO}\n", _measured(measured), RESULTS if chosen.write else None)
    if TRIGGERS in wanted:
        kept = triggering.HERE / "triggers.md" if chosen.write else None
        _show(f"{triggering.INTRO}\n", triggering.markdown(), kept)
    if ATTACKS in wanted:
        with tempfile.TemporaryDirectory(prefix="skills2-attacks-") as folder:
            text = attacks.markdown(attacks.rows(Path(folder)))
        _show(f"{attacks.INTRO}\n", text, attacks.RESULTS if chosen.write else None)


def _measured(codes: list[str]) -> str:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="skills2-bench-") as folder:
        for code in codes:
            rows += PARTS[code](Path(folder))
    return f"{markdown(rows)}\n\n{versions(LIBRARIES)}"


def _show(intro: str, text: str, keep: Path | None) -> None:
    print(text)
    if keep is not None:
        keep.write_text(f"{intro}{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
