"""Fixtures every test may lean on: a home, shared data, notebooks."""

import json
import os
import secrets
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# Slow machines are no fault of the code: hypothesis looks for wrong answers, not late ones.
settings.register_profile("house", deadline=None, print_blob=True)
settings.load_profile("house")

KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "version": "3.11.0"},
}
MARKDOWN = {None, "", "prose", "markdown"}
RAW = {"front", "raw", "manifest"}
UNTAGGED = {None, "", "prose", "markdown", "code", "front", "raw"}


def pytest_configure(config: pytest.Config) -> None:
    """Workers of one run share a hash seed: a set in a test's id has one name among them.

    The seed differs from run to run, and processes that tests start do not inherit it.
    """
    if hasattr(config, "workerinput"):
        os.environ.pop("PYTHONHASHSEED", None)
    elif getattr(config.option, "numprocesses", None):
        os.environ.setdefault("PYTHONHASHSEED", str(secrets.randbelow(2**32)))


def pytest_report_header() -> str | None:
    """The seed, for whoever has to see a failure again."""
    seed = os.environ.get("PYTHONHASHSEED")
    return f"PYTHONHASHSEED={seed}" if seed else None


@pytest.fixture(scope="session", autouse=True)
def home_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fixtures that outlive a test run before its `home`: their records stay out of the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLS2_HOME", str(tmp_path_factory.mktemp("session") / "skills2"))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh `SKILLS2_HOME` and `HOME` for each test; gives the path of the first."""
    base = tmp_path_factory.mktemp("home")
    kit = base / "skills2"
    monkeypatch.setenv("HOME", str(base))
    monkeypatch.setenv("USERPROFILE", str(base))
    monkeypatch.setenv("SKILLS2_HOME", str(kit))
    monkeypatch.setenv("IPYTHONDIR", str(base / "ipython"))
    for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.delenv(f"XDG_{kind}_HOME", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return kit


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data and corpora, `SKILLS2_SHARED` or `../shared`; else a skip."""
    folder = Path(os.environ.get("SKILLS2_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set SKILLS2_SHARED to its folder")
    return folder


def notebook_cell(number: int, role: Any, source: str, kind: str | None = None) -> dict[str, Any]:
    """One nbformat 4.5 cell of a `(role, source[, kind])` entry, with the id `cell-NN`."""
    tags = list(role) if isinstance(role, (list, tuple)) else [] if role in UNTAGGED else [role]
    if kind is None:
        first = tags[0] if tags else role
        aside = isinstance(first, str) and first.startswith(("reference:", "asset:"))
        kind = "markdown" if first in MARKDOWN or aside else "raw" if first in RAW else "code"
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{number:02d}",
        "metadata": {"tags": tags} if tags else {},
        "source": source.splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def notebook_dict(pairs: Iterable[tuple[Any, ...]], **meta: Any) -> dict[str, Any]:
    """The notebook of the pairs as nbformat 4.5 JSON; `meta` updates its metadata."""
    cells = [notebook_cell(number, *pair) for number, pair in enumerate(pairs, start=1)]
    return {"cells": cells, "metadata": KERNEL | meta, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def make_notebook(tmp_path: Path) -> Callable[..., Path]:
    """Write a notebook from pairs and give its path.

    `make_notebook(pairs, path=None, **meta)`: each pair is `(role, source)` or
    `(role, source, kind)`. A role is

    * `"front"` (raw, no tag), `"prose"` or `None` (markdown, no tag), `"code"`, `"raw"` (no tag);
    * a tag: `"step"`, `"setup"`, `"cases"`, `"skip"` (code), `"manifest"` (raw),
      `"reference:x.md"`, `"asset:x"` (markdown), `"script:x.py"` (code);
    * a list of tags (by the first of them).

    `kind` (`"markdown"`, `"code"`, `"raw"`) overrides. `path` defaults to
    `tmp_path/notebooks/trial-skill.ipynb`; a relative one is sought under `tmp_path`.
    Same pairs, same bytes.
    """

    def make(pairs: Iterable[tuple[Any, ...]], path: str | Path | None = None, **meta: Any) -> Path:
        target = tmp_path / (path or "notebooks/trial-skill.ipynb")
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(notebook_dict(pairs, **meta), indent=1, ensure_ascii=False)
        target.write_text(text + "\n", encoding="utf-8", newline="\n")
        return target

    return make


@pytest.fixture
def load_notebook() -> Callable[[Path], ModuleType]:
    """Run the code cells of a notebook, in order, in one fresh module: what a kernel would hold.

    Cells tagged `skip` are left out.
    """

    def load(path: Path) -> ModuleType:
        module = ModuleType(f"notebook_{uuid.uuid4().hex}")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code" and "skip" not in cell["metadata"].get("tags", []):
                code = compile("".join(cell["source"]), f"{path.name}#{cell['id']}", "exec")
                exec(code, module.__dict__)
        return module

    return load


# A small skill notebook that runs: two steps, three cases.
FRONT = """---
name: trial-skill
description: "Adds up a list of numbers and says the total. Use it when someone asks for a sum."
---"""
PROSE = """# Adding up

The **total** of a list, and nothing else. When to use: someone asks for a sum."""
SETUP = """from pydantic import BaseModel

from skills2_nb import case, step"""
ADD = '''class Sum(BaseModel):
    total: int
    count: int


def total_is_sum(values, total, count):
    return total == sum(values) and count == len(values)


@step(invariants=[total_is_sum], report=["total"])
def add(values: list[int]) -> Sum:
    """Add up."""
    return Sum(total=sum(values), count=len(values))'''
TELL = '''class Report(BaseModel):
    readout: str


def names_total(readout, total):
    return str(total) in readout


@step(invariants=[names_total])
def tell(total: int) -> Report:
    """Say it."""
    return Report(readout=f"Adding up gives a total of {total}.")'''
CASES = """add.case([1, 2], expect={"total": 3})
case("What is the sum of 20, 30 and 41?", inputs={"values": [20, 30, 41]}, must_call=["add"])
case("Tell before you add.", inputs={"values": [1]}, calls=[{"step": "tell"}],
     expected_audit="fail", expect={"findings": ["STEP_MISSING"]})"""
MANIFEST = """[anchors]
terms = ["total", "adding up"]"""
CELLS = [
    ("front", FRONT),
    ("prose", PROSE),
    ("manifest", MANIFEST),
    ("setup", SETUP),
    ("step", ADD),
    ("step", TELL),
    ("cases", CASES),
]


@pytest.fixture
def skill_notebook(make_notebook: Callable[..., Path]) -> Path:
    """``notebooks/trial-skill.ipynb``: two steps, three cases."""
    return make_notebook(CELLS)
