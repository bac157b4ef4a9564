"""Packages to notebooks and back: the same files."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills2_nb.convert.exporter import export
from skills2_nb.convert.importer import bring
from skills2_nb.formats.draft import Draft, as_notebook
from skills2_nb.formats.notebook import read_notebook, write_notebook
from skills2_nb.formats.package import check_lock

GROWTH = Path(__file__).resolve().parents[2] / "skills/growth-accounting"
FRONT = Draft("raw", "---\nname: weekly\ndescription: Counts. Use when counting.\n---")
SETUP = "from pydantic import BaseModel\n\nfrom skills2_nb import case, step"
COUNT = '''class Count(BaseModel):
    total: int


def total_is_sum(a, b, total):
    return total == a + b


@step(invariants=[total_is_sum], report=["total"])
def count(a: int, b: int) -> Count:
    """Add two numbers."""
    return Count(total=a + b)'''
DOUBLE = '''class Double(BaseModel):
    twice: int


@step(id="double_it", report=["twice"])
def double(total: int) -> Double:
    """Take it twice."""
    return Double(twice=2 * total)'''
STUB = "# skills2: stub\n@step\ndef later() -> Count:\n    ..."
CASES = """count.case(1, 2, id="small", expect={"total": 3})
count.case(1, 2, id="wrong", expect={"total": 4})
case("How many?", inputs={"a": 1, "b": 2}, must_call=["count"], tags=["x", "y"])"""
MANIFEST = '[skill]\nversion = "1.2.3"\n\n[runtime]\ntimeout = 60.0\nredact = ["a"]'


def code(source: str, *tags: str) -> Draft:
    return Draft("code", source, tags)


def prose(source: str) -> Draft:
    return Draft("markdown", source)


BASE = (FRONT, prose("# Weekly\n\nCounts **things**."), code(SETUP, "setup"))
NOTEBOOKS = {
    "steps and cases": (
        *BASE,
        prose("## 1. `count`"),
        code(COUNT, "step"),
        prose("## 2. `double_it`"),
        code(DOUBLE, "step"),
        code(CASES, "cases"),
        Draft("raw", MANIFEST, ("manifest",)),
    ),
    "code without steps": (*BASE, code("LIMIT = 3", "helper")),
    "headings in another order": (
        *BASE,
        prose("## `double_it`"),
        prose("## `count`"),
        code(COUNT, "step"),
        code(DOUBLE, "step"),
    ),
    "no heading names a step": (*BASE, code(COUNT, "step"), code("A = 1", "helper")),
    "shared code between steps": (
        *BASE,
        prose("## count"),
        code(COUNT, "step"),
        code("HALF = 0.5", "helper"),
        prose("## double_it"),
        code(DOUBLE, "step"),
        code("LAST = 1", "setup"),
    ),
    "futures": (
        *BASE[:2],
        code(f"from __future__ import annotations\n\n{SETUP}", "setup"),
        code("from __future__ import annotations, division  # so\nX = 1", "setup"),
        code("from __future__ import (\n    annotations,\n)\nY = 2", "setup"),
        code(COUNT, "step"),
    ),
    "a future beside code": (
        *BASE[:2],
        code("from __future__ import annotations; import re", "setup"),
        code(SETUP, "setup"),
        code(COUNT, "step"),
    ),
    "a marker in a string": (
        *BASE,
        code('TEXT = """\n\n\n# %% setup NOT\nx = 1\n"""', "setup"),
        code(COUNT, "step"),
    ),
    "a marker in a comment": (
        *BASE,
        code("A = 1\n\n\n# %% setup other\nB = 2\n\n\n# %% notes\nC = 3", "setup"),
        code(COUNT, "step"),
    ),
    "directives": (
        *BASE,
        code("# skills2: setup\n# skills2: helper\nA = 1"),
        code("# skills2: step\n" + COUNT),
        code(STUB, "step"),
    ),
    "cells with odd edges": (*BASE, code("\n\nA = 1\n  \n\n", "setup"), code(COUNT, "step")),
    "cases in another order than steps": (
        *BASE,
        code(COUNT, "step"),
        code(DOUBLE, "step"),
        code('double.case(2)\ncount.case(1, 2)\ndouble.case(3, id="three")', "cases"),
    ),
    "cases as lines": (
        *BASE,
        code(COUNT, "step"),
        Draft(
            "raw",
            '{"id": "é", "step": "count", "args": {"a": 1, "b": 1e3}, "expect": null}\n'
            '{"id": "n", "prompt": "a\\"\\u0000\\u2028b", "inputs": {"x": [true, null, -0.0]}}',
            ("cases",),
        ),
    ),
    "cases without the import": (
        *BASE[:2],
        code(SETUP.replace("case, ", ""), "setup"),
        code(COUNT, "step"),
        code('from skills2_nb import case\n\ncase("Why?", inputs={"a": 1, "b": 1})', "cases"),
    ),
    "a step with odd parameters": (
        *BASE,
        code("@step\ndef odd(id: int, expect: int) -> int:\n    return id + expect", "step"),
        Draft("raw", '{"id": "o", "step": "odd", "args": {"id": 1, "expect": 2}}', ("cases",)),
    ),
    "files of cells": (
        *BASE,
        code(COUNT, "step"),
        Draft("markdown", "# Notes", ("reference:notes.md",)),
        Draft("code", "print(1)", ("script:run.py",)),
        Draft("raw", "a,b", ("asset:data.csv",)),
    ),
}


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def round_trip(cells, place: Path, *, verify: bool = False):
    """Export, import, export: the files before and after, and the import."""
    write_notebook(place / "weekly.ipynb", as_notebook(cells))
    before = export(place / "weekly.ipynb", place / "one", verify=verify)
    (place / "again").mkdir()
    brought = bring(before.folder, place / "again" / "weekly.ipynb")
    after = export(brought.notebook, place / "two", verify=verify)
    return files_of(before.folder), files_of(after.folder), brought


@pytest.mark.parametrize("cells", NOTEBOOKS.values(), ids=NOTEBOOKS.keys())
def test_a_package_comes_back_byte_for_byte(cells, tmp_path):
    before, after, brought = round_trip(cells, tmp_path)
    assert after == before
    assert not {problem.code for problem in brought.problems} & {"F326", "F327", "F328"}


PARTS = st.sampled_from(
    [
        *(
            "A = 1",
            "# note\nB = 2",
            "\n\nC = '''\n\n\n# %% setup C\n'''",
            "import re",
            "D = 4\n\n\n# x",
        ),
        *(
            "from __future__ import annotations\nE = 1",
            "F = 1\n\n\n# %% setup A",
            "# skills2: stub\nG=1",
        ),
        "from __future__ import annotations; H = 1",
        'def i():\n    """\n\n\n# %% step i\n"""',
    ]
)
WORDS = st.sampled_from(["setup", "helper", "model", "invariant"])
HEADINGS = st.sampled_from(["## `count`", "## `double_it`", "## Other", "text", "# %% setup A"])


@settings(max_examples=150)
@given(
    st.lists(st.tuples(WORDS, PARTS), max_size=6, unique_by=lambda pair: pair[1]),
    st.lists(HEADINGS, max_size=4),
    st.lists(st.sampled_from(["count", "double", "run"]), max_size=5),
    st.integers(0, 6),
)
def test_any_small_package_comes_back(setups, headings, cases, at):
    shared = [code(text, word) for word, text in setups]
    steps = [*shared[:at], code(COUNT, "step"), *shared[at:], code(DOUBLE, "step")]
    calls = {"count": "count.case(1, 2)", "double": "double.case(2)", "run": 'case("Why?")'}
    tried = code("\n".join(calls[word] for word in cases), "cases")
    cells = [*BASE, *map(prose, headings), *steps, *([tried] if cases else [])]
    with tempfile.TemporaryDirectory() as place:
        before, after, _ = round_trip(cells, Path(place))
    assert after == before


def test_growth_accounting_comes_back_and_imports(tmp_path):
    pytest.importorskip("pandas")
    brought = bring(GROWTH, tmp_path / "growth-accounting.ipynb")
    assert brought.problems == ()
    made = export(brought.notebook, tmp_path / "out")
    before = {
        path: data for path, data in files_of(GROWTH).items() if path != "evals/baseline.json"
    }
    assert files_of(made.folder) == before
    assert check_lock(made.folder).is_clean


def test_cells_stand_where_a_reader_looks_for_them(tmp_path):
    _, _, brought = round_trip(NOTEBOOKS["steps and cases"], tmp_path)
    told = [
        (cell.kind, *cell.tags, cell.source.split("\n")[0])
        for cell in read_notebook(brought.notebook).cells
    ]
    assert told == [
        ("raw", "---"),
        ("markdown", "# Weekly"),
        ("code", "skip", "%load_ext skills2_nb"),
        ("code", "setup", "from pydantic import BaseModel"),
        ("markdown", "## 1. `count`"),
        ("code", "step", "class Count(BaseModel):"),
        ("code", "cases", 'count.case(a=1, b=2, expect={"total": 3}, id="small")'),
        ("markdown", "## 2. `double_it`"),
        ("code", "step", "class Double(BaseModel):"),
        ("raw", "manifest", "[skill]"),
        ("code", "cases", 'case("How many?", inputs={"a": 1, "b": 2}, must_call=["count"], '
         'tags=["x", "y"], id="case-1")'),
    ]  # fmt: skip


def test_the_manifest_cell_holds_what_differs_and_no_more(tmp_path):
    _, _, brought = round_trip(NOTEBOOKS["steps and cases"], tmp_path)
    cell = next(c for c in read_notebook(brought.notebook).cells if "manifest" in c.tags)
    assert cell.source == (
        '[skill]\nversion = "1.2.3"\n\n[runtime]\ntimeout = 60.0\nredact = [\n    "a",\n]'
    )


def test_a_verified_package_comes_back_with_its_schemas(tmp_path):
    before, after, _ = round_trip(NOTEBOOKS["steps and cases"], tmp_path, verify=True)
    assert "schemas.json" in before
    assert after == before


def test_the_notebook_that_made_it_is_named_where_it_has_another_name(tmp_path):
    write_notebook(tmp_path / "weekly.ipynb", as_notebook(NOTEBOOKS["steps and cases"]))
    made = export(tmp_path / "weekly.ipynb", tmp_path / "one", verify=False)
    brought = bring(made.folder, tmp_path / "other.ipynb")
    (problem,) = [p for p in brought.problems if p.code == "F328"]
    assert problem.message.endswith("its first line names weekly.ipynb, from which it was made")


MODELS = '''"""Models."""
from pydantic import BaseModel


class Count(BaseModel):
    total: int
'''
VALIDATORS = "def total_is_sum(a, b, total):\n    return total == a + b\n"
STEPS = '''"""The steps."""

from skills2_nb import step

from .models import Count  # the output
from runtime.validators import total_is_sum

__all__ = ["count"]

LIMIT = 3


# adds
@step(order=1, invariants=["runtime.validators:total_is_sum"], output_schema=Count)
def count(a: int, b: int):
    return Count(total=a + b)


def helper():
    return LIMIT
'''


def hand_written(folder: Path, **files: str) -> Path:
    files = {"SKILL.md": f"{FRONT.source}\n\n# Weekly\n\n## count\n", **files}
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_modules_written_by_hand_become_cells_that_export(tmp_path):
    skill = hand_written(
        tmp_path / "weekly",
        **{
            "skill.toml": '[skill]\nversion = "2.0.0"\nowner = "me"\n',
            "runtime/__init__.py": '"""Runtime."""\n',
            "runtime/models.py": MODELS,
            "runtime/validators.py": VALIDATORS,
            "runtime/steps.py": STEPS,
            "runtime/data.json": "{}",
        },
    )
    brought = bring(skill, tmp_path / "nb" / "weekly.ipynb")
    cells = [(c.tags, c.source) for c in read_notebook(brought.notebook).cells if c.tags]
    assert [tags[0] for tags, _ in cells] == [
        *("skip", "setup", "setup", "setup", "step", "setup", "manifest", "skip", "skip")
    ]
    assert ".models" not in cells[3][1]
    assert "__all__" not in cells[3][1]
    assert cells[4][1].startswith("# adds\n@step(order=1")
    kept = {source.partition(",")[0]: source for tags, source in cells[-2:]}
    assert kept.keys() == {"runtime/data.json", "skill.toml"}
    assert 'owner = "me"' in kept["skill.toml"]
    told = {problem.code for problem in brought.problems}
    assert {"F327", "F328"} <= told
    assert not any(problem.blocks for problem in brought.problems)
    made = export(brought.notebook, tmp_path / "out")
    assert (made.folder / "SKILL.md").read_bytes() == (skill / "SKILL.md").read_bytes()
    assert json.loads((made.folder / "schemas.json").read_text())
    assert 'version = "2.0.0"' in (made.folder / "skill.toml").read_text()


def test_what_is_no_package_keeps_its_runtime_in_cells(tmp_path):
    skill = hand_written(tmp_path / "weekly", **{"runtime/tool.js": "x()", "schemas.json": "{}"})
    (skill / "runtime" / "image.png").write_bytes(b"\x89\x00")
    brought = bring(skill, tmp_path / "nb" / "weekly.ipynb")
    aside = [c.source for c in read_notebook(brought.notebook).cells if "skip" in c.tags]
    assert aside == [
        "runtime/tool.js, as it was in the skill:\n\nx()",
        "schemas.json, as it was in the skill:\n\n{}",
    ]
    assert [p.code for p in brought.problems] == ["F327", "F327", "F327"]
    assert export(brought.notebook, tmp_path / "out", verify=False).name == "weekly"


BROKEN = {
    "code that is no Python": {"runtime/skill.py": "# %% step count\ndef count(:\n  @step\n"},
    "a manifest that is no TOML": {"skill.toml": "[skill\n"},
    "a manifest of another layout": {"skill.toml": "[skill]\nname = 3\n[other]\na = 1\n"},
    "steps that are no Python": {"skill.toml": "", "runtime/steps.py": "@step\ndef f(:\n"},
    "cases that are no JSON": {"skill.toml": "", "evals/cases.jsonl": "{\n"},
    "cases with keys of others": {"skill.toml": "", "evals/cases.jsonl": '{"id": 1, "q": "x"}\n'},
    "a lock that is none": {"skill.toml": "", "export.lock": "{}"},
}


@pytest.mark.parametrize("files", BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_be_read_is_kept_as_text(files, tmp_path):
    skill = hand_written(tmp_path / "weekly", **files)
    brought = bring(skill, tmp_path / "nb" / "weekly.ipynb")
    text = "\n".join(c.source for c in read_notebook(brought.notebook).cells)
    for content in files.values():
        assert content.partition("\n")[2].strip("\n") in text
        assert content.strip("\n") in text or "# %%" in content


def test_a_byte_order_mark_of_the_manifest_is_no_text_of_its_own(tmp_path):
    write_notebook(tmp_path / "weekly.ipynb", as_notebook([*BASE, code(COUNT, "step")]))
    folder = export(tmp_path / "weekly.ipynb", tmp_path / "skills", verify=False).folder
    (folder / "skill.toml").write_bytes(b"\xef\xbb\xbf" + (folder / "skill.toml").read_bytes())
    brought = bring(folder, tmp_path / "again/weekly.ipynb")
    assert {problem.code for problem in brought.problems} & {"F327", "F328"} == {"F328"}
