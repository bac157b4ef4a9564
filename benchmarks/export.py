"""P3 and P4: a notebook to a package, in process and whole process."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import jupytext
import nbformat
from nbconvert import PythonExporter

from benchmarks import export_floor, notebook
from benchmarks.table import Row
from benchmarks.timing import Contender, measure
from skills2_nb.convert.exporter import export

#: What reads the notebook at the first path and writes into a new folder at the second.
Work = Callable[[Path, Path], object]

SIZES = (30, 500)
HAS_NBDEV = importlib.util.find_spec("nbdev") is not None
ABSENT = "" if HAS_NBDEV else "; nbdev is not installed, so nobody measured it"
IN_PROCESS_GOAL = f"at most 2.5 times the floor, and at most a quarter of nbdev{ABSENT}"
WHOLE_PROCESS_GOAL = f"at most half of nbdev-export{ABSENT}"
#: The files of a package, so that a floor can write as many.
PACKAGE = ("export.lock", "skill.toml", "__init__.py", "models.py", "steps.py", "validators.py")
#: What would make every process compile what it imports, on each run anew.
_UNCOMPILED = "PYTHONDONTWRITEBYTECODE"
PROJECT = """[project]
name = "bench"
version = "0.1.0"

[tool.nbdev]
nbs_path = "nbs"
lib_path = "bench"
"""


def ours(source: Path, target: Path) -> None:
    """The kit's export; importing the package to write its schemas is left out."""
    export(source, target, verify=False)


def floor(source: Path, target: Path) -> None:
    """JSON, `ast`, two files."""
    export_floor.export(str(source), str(target))


def floor_of_a_package(source: Path, target: Path) -> None:
    """The same, with six small files more: what a disk asks for eight files."""
    export_floor.export(str(source), str(target))
    (target / "runtime").mkdir()
    for name in PACKAGE:
        (target / "runtime" / name).write_bytes(b"# made\n")


def project_of(source: Path) -> Path:
    """A project of nbdev around a copy of the notebook, beside it."""
    project = source.parent / "nbdev"
    if not project.exists():
        (project / "nbs").mkdir(parents=True)
        (project / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
        shutil.copy(source, project / "nbs" / source.name)
    return project


def with_nbdev(source: Path, target: Path) -> None:
    """The export of a project that holds the notebook alone."""
    from nbdev.doclinks import nbdev_export

    nbdev_export(path=str(project_of(source)))
    assert (project_of(source) / "bench" / "skill.py").exists()


def with_jupytext(source: Path, target: Path) -> None:
    """Read the notebook and write it as `py:percent`."""
    target.mkdir()
    jupytext.write(jupytext.read(source), target / "out.py", fmt="py:percent")


def with_nbconvert(source: Path, target: Path) -> None:
    """Read the notebook and write it as a script."""
    target.mkdir()
    read = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]  # it has no types
    exporter = PythonExporter()  # type: ignore[no-untyped-call]  # nor has nbconvert
    body, _ = exporter.from_notebook_node(read)
    (target / "out.py").write_text(body, encoding="utf-8")


def process(*words: str) -> Work:
    """A whole process of these words, which may keep the modules it compiles.

    `{in}` and `{out}` stand for the two paths, `{project}` for a project of nbdev.
    """

    def run(source: Path, target: Path) -> None:
        places = {"{in}": str(source), "{out}": str(target), "{project}": ""}
        if "{project}" in words:
            places["{project}"] = str(project_of(source))
        said = [_placed(word, places) for word in words]
        done = subprocess.run(
            said,
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={key: value for key, value in os.environ.items() if key != _UNCOMPILED},
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(said)} ended with {done.returncode}: {done.stderr}")

    return run


def _placed(word: str, places: Mapping[str, str]) -> str:
    for mark, place in places.items():
        word = word.replace(mark, place)
    return word


def beside(script: str) -> str:
    """A console script of this environment."""
    return str(Path(sys.executable).with_name(script))


def compare(place: Path, cells: int, works: Mapping[str, Work], rounds: int) -> Row:
    """One row: every work on the same notebook, each time into a folder nobody wrote before."""
    place.mkdir()
    source = notebook.write(place / "bench-skill.ipynb", cells)
    count = itertools.count()

    def once(work: Work) -> None:
        work(source, place / f"out-{next(count)}")

    contenders = [Contender(name, partial(once, work)) for name, work in works.items()]
    return Row("", f"{cells} cells", "", measure(contenders, rounds))


def in_process(folder: Path) -> list[Row]:
    """P3: with everything imported already."""
    works: dict[str, Work] = {
        "skills2 export, not verified": ours,
        "floor: json, ast, two files": floor,
        "the floor with the files of a package": floor_of_a_package,
        **({"nbdev project export": with_nbdev} if HAS_NBDEV else {}),
        "jupytext to py:percent": with_jupytext,
        "nbconvert to script": with_nbconvert,
    }
    rows = [compare(folder / f"p3-{cells}", cells, works, rounds=15) for cells in SIZES]
    limits = {"floor: json": 2.5, "nbdev": 0.25}
    return [Row("P3", f"export, {row.work}", IN_PROCESS_GOAL, row.samples, limits) for row in rows]


def whole_process(folder: Path) -> list[Row]:
    """P4: from the command to its end, with compiled modules."""
    script = str(export_floor.__file__)
    works: dict[str, Work] = {
        "skills2 export --no-verify": process(
            beside("skills2"), "export", "{in}", "-o", "{out}", "--no-verify"
        ),
        "floor: python -I -S, json, ast": process(
            sys.executable, "-I", "-S", script, "{in}", "{out}"
        ),
        **(
            {"nbdev-export": process(beside("nbdev-export"), "--path", "{project}")}
            if HAS_NBDEV
            else {}
        ),
        "jupytext --to py:percent": process(
            beside("jupytext"), "--to", "py:percent", "--output", "{out}.py", "{in}"
        ),
        "jupyter nbconvert --to script": process(
            beside("jupyter-nbconvert"), "--to", "script", "--output", "{out}", "{in}"
        ),
    }
    rows = [compare(folder / f"p4-{cells}", cells, works, rounds=7) for cells in SIZES]
    return [
        Row("P4", f"export process, {row.work}", WHOLE_PROCESS_GOAL, row.samples, {"nbdev": 0.5})
        for row in rows
    ]
