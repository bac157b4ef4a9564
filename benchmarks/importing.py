"""P3b: a thousand skills imported and exported again, in one process."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.attacks import ROOT
from benchmarks.table import Row, duration
from benchmarks.timing import Contender, measure
from skills2_nb.convert.exporter import export
from skills2_nb.convert.importer import bring

SKILLS = 1_000
#: After so many the memory that a thousand may not pass is measured.
FEW = 100
#: Seconds, and how much of the memory after the first hundred a thousand may need.
MOST, MOST_GROWTH = 20.0, 1.1
ROUNDS = 3
_CHILD = "import sys; from benchmarks.importing import told; told(*sys.argv[1:])"


def sources() -> list[Path]:
    """The public skills of the shared corpus; where it is absent, the skill of this repository."""
    shared = Path(os.environ.get("SKILLS2_SHARED", ROOT.parent / "shared"))
    found = sorted(path.parent for path in shared.glob("corpus/*/SKILL.md"))
    return found or [ROOT / "skills" / "growth-accounting"]


def written(folder: Path, count: int) -> list[Path]:
    """So many skill folders: the sources again and again, each under a name of its own."""
    made = []
    for number, source in zip(range(count), itertools.cycle(sources()), strict=False):
        skill = folder / f"skill-{number:04d}"
        skill.mkdir(parents=True)
        text = (source / "SKILL.md").read_bytes()
        named = text.replace(_name_line(text), b"name: " + skill.name.encode(), 1)
        (skill / "SKILL.md").write_bytes(named)
        made.append(skill)
    return made


def ours(skills: list[Path], place: Path) -> Iterator[int]:
    """Import and export each; gives the count after each."""
    for number, skill in enumerate(skills, 1):
        brought = bring(skill, place / "notebooks" / f"{skill.name}.ipynb")
        made = export(brought.notebook, place / "skills", verify=False)
        same = (made.folder / "SKILL.md").read_bytes() == (skill / "SKILL.md").read_bytes()
        assert same, f"{skill.name} came back otherwise"
        yield number


def floor(skills: list[Path], place: Path) -> None:
    """The same files without looking: SKILL.md as JSON of one cell, read back, four files."""
    (place / "notebooks").mkdir(parents=True)
    for skill in skills:
        text = (skill / "SKILL.md").read_bytes().decode("utf-8")
        lines = text.splitlines(keepends=True)
        cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": lines}
        raw = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        notebook = place / "notebooks" / f"{skill.name}.ipynb"
        notebook.write_text(json.dumps(raw, indent=1, ensure_ascii=False), encoding="utf-8")
        read = json.loads(notebook.read_text(encoding="utf-8"))
        folder = place / "skills" / skill.name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(
            "".join(read["cells"][0]["source"]), encoding="utf-8", newline=""
        )
        for name in ("skill.toml", "export.lock"):
            (folder / name).write_bytes(b"# made\n")


def told(folder: str, place: str) -> None:
    """In a process of its own: the peak of memory after the few, and after all, in MiB."""
    import resource

    peaks = {}
    unit = 2**20 if sys.platform == "darwin" else 2**10
    skills = sorted(Path(folder).iterdir())
    for number in ours(skills, Path(place)):
        if number in (min(FEW, len(skills)), len(skills)):
            peaks[number] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    print(json.dumps([min(peaks.values()), max(peaks.values())]))


def memory(folder: Path, place: Path) -> tuple[float, float]:
    """Peaks of a fresh process, in MiB: after a hundred skills, and after all of them."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(folder), str(place)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    few, many = json.loads(done.stdout)
    return few, many


def rows(folder: Path) -> list[Row]:
    """Measure in `folder`; the floor writes the same text without looking at it."""
    skills = written(folder / "sources", SKILLS)

    def fresh() -> Path:
        place = folder / "made"
        shutil.rmtree(place, ignore_errors=True)
        return place

    samples = measure(
        [
            Contender("skills2: bring, export", lambda: list(ours(skills, fresh()))),
            Contender("floor: JSON and files", lambda: floor(skills, fresh())),
        ],
        ROUNDS,
    )
    few, many = memory(folder / "sources", fresh())
    goal = (
        f"under {MOST:.0f} s, {_met(samples[0].spread[1] < MOST)} "
        f"({duration(samples[0].spread[1])}); memory flat: {few:.0f} MiB after {FEW}, "
        f"{many:.0f} MiB after {len(skills)}, {_met(many <= few * MOST_GROWTH)}"
    )
    return [Row("P3b", f"import and export of {len(skills):,} skills", goal, samples)]


def _met(kept: bool) -> str:
    return "met" if kept else "**missed**"


def _name_line(text: bytes) -> bytes:
    lines = (line for line in text.splitlines() if line.startswith(b"name:"))
    return next(lines, b"\0 no such line \0")
