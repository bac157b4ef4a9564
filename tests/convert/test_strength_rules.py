"""Lint of what invariants can notice."""

import json
import re
from pathlib import Path

import pytest

from skills2_nb.convert.plan import plan_path

ROOT = Path(__file__).parents[2]
FRONT = ("front", "---\nname: trial-skill\ndescription: Counts.\n---")
SETUP = ("setup", "from pydantic import BaseModel, Field\n\nfrom skills2_nb import step")
MODEL = "class M(BaseModel):\n    total: int\n    note: str\n\n\n"
CODES = ("S524", "S525", "S526")


def lint(planned, *cells):
    plan = planned([FRONT, SETUP, *(("step", cell) for cell in cells)])
    return [p for p in plan.problems if p.code in CODES]


def one(invariant, report="['total']", model=MODEL, more=""):
    return (
        f"{model}def check({invariant}\n\n\n@step(invariants=[check], report={report}{more})\n"
        "def f(a: int) -> M:\n    return M(total=a, note='')"
    )


GOOD = one("total, a):\n    return total == a")
LATER = (
    "class N(BaseModel):\n    x: int\n\n\ndef seen({0}\n\n\n"
    "@step(invariants=[seen]{2})\ndef g({1}) -> N:\n    return N(x=1)"
)
#: The invariant of the first step, then the cells after it; what is found.
ROWS = {
    "by name": ([GOOD], []),
    "by attribute": ([one("output, a):\n    return output.total == a")], []),
    "by key": ([one("output, a):\n    return output['total'] == a")], []),
    "as a whole": ([one("output, a):\n    return check_all(output, a)")], []),
    "by the run": ([one("run, a):\n    return run.inputs.a == a")], []),
    "another field": ([one("output, a):\n    return output.note == str(a)")], ["S526"]),
    "inputs alone": ([one("inputs):\n    return inputs.a > 3")], ["S526"]),
    "one of two": ([one("total, a):\n    return total == a", "['total', 'note']")], ["S526"]),
    "nothing reported": ([one("note, a):\n    return note == str(a)", "[]")], []),
    "constant": ([one("total):\n    return True")], ["S524"]),
    "own type": ([one("total):\n    return isinstance(total, int)")], ["S524"]),
    "no invariant": (
        [MODEL + "@step(report=['total'])\ndef f(a: int) -> M:\n    return M(total=a, note='')"],
        ["S526"],
    ),
    "later, by name": (
        [
            one("note, a):\n    return note == str(a)"),
            LATER.format("total):\n    return total > 1", "total: int", ""),
        ],
        [],
    ),
    "later, not taken": (
        [
            one("note, a):\n    return note == str(a)"),
            LATER.format("x):\n    return x > 1", "b: int", ""),
        ],
        ["S526"],
    ),
    "later, whole": (
        [
            one("note, a):\n    return note == str(a)"),
            LATER.format("m):\n    return m.total > 1", "m: M", ""),
        ],
        [],
    ),
    "later, whole and passed on": (
        [
            one("note, a):\n    return note == str(a)"),
            LATER.format("m):\n    return fits(m)", "m: M", ""),
        ],
        [],
    ),
    "later, whole, another field": (
        [
            one("note, a):\n    return note == str(a)"),
            LATER.format("m):\n    return m.note == ''", "m: M", ""),
        ],
        ["S526"],
    ),
    "later, by bind": (
        [
            one("note, a):\n    return note == str(a)"),
            LATER.format("b):\n    return b > 1", "b: int", ", bind={'b': 'f#/total'}"),
        ],
        [],
    ),
    "later, by bind of another": (
        [
            one("note, a):\n    return note == str(a)"),
            LATER.format("b):\n    return b > 1", "b: str", ", bind={'b': 'f#/note'}"),
        ],
        ["S526"],
    ),
    "later, by inputs": (
        [
            one("note, a):\n    return note == str(a)"),
            LATER.format("inputs):\n    return inputs.total > 1", "total: int", ""),
        ],
        [],
    ),
    "a stub": ([MODEL + "@step(report=['total'])\ndef f(a: int) -> M:\n    ..."], []),
}


@pytest.mark.parametrize(("cells", "wanted"), ROWS.values(), ids=ROWS)
def test_report_fields_and_tautologies(planned, cells, wanted):
    found = lint(planned, *cells)
    assert [problem.code for problem in found] == wanted
    assert all(problem.mend and problem.line for problem in found)


MODELS = {
    "required": ("    total: int\n    note: str = ''", False),
    "field with a title": ("    total: int = Field(title='x')\n    note: str = ''", False),
    "field with dots": ("    total: int = Field(..., ge=0)\n    note: str = ''", False),
    "all with defaults": ("    total: int = 0\n    note: str = ''", True),
    "field with a default": ("    total: int = Field(0)\n    note: str = Field(default='')", True),
    "field with a factory": (
        "    total: int = Field(default_factory=int)\n    note: str = ''",
        True,
    ),
    "none at all": ("    pass", True),
    "config": ("    model_config = {}\n    total: int = 0", False),
}


@pytest.mark.parametrize(("fields", "wanted"), MODELS.values(), ids=MODELS)
def test_models_that_an_empty_result_fits(planned, fields, wanted):
    model = f"class M(BaseModel):\n{fields}\n\n\n"
    found = lint(planned, one("output, a):\n    return fits(output, a)", "[]", model))
    assert [problem.code for problem in found] == (["S525"] if wanted else [])


def test_an_inherited_field_may_be_the_required_one(planned):
    model = MODEL.replace("class M", "class Base") + "class M(Base):\n    more: int = 0\n\n\n"
    assert lint(planned, one("total, a):\n    return total == a", model=model)) == []


def test_levels(planned):
    (unseen,) = lint(planned, *ROWS["another field"][0])
    (constant,) = lint(planned, *ROWS["constant"][0])
    assert (unseen.level, unseen.blocks, constant.level) == ("error", False, "warning")
    assert constant.cell == 3 and constant.line == 6


def test_a_tautology_of_two_steps_is_told_once(planned):
    second = LATER.format("x):\n    return x > 1", "b: int", "").replace("[seen]", "[seen, check]")
    cells = [one("total):\n    return True"), second.replace("b: int", "total: int")]
    assert [p.code for p in lint(planned, *cells)] == ["S524"]


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_the_notebooks_of_the_house_are_clean(path):
    assert [p for p in plan_path(path).problems if p.code in CODES] == []


def test_the_starter_is_clean(tmp_path):
    from skills2_nb.cli.starter import notebook

    path = tmp_path / "weekly-numbers.ipynb"
    path.write_bytes(notebook("weekly-numbers"))
    assert plan_path(path).problems == ()


def test_the_steps_of_the_pages_are_clean(planned):
    """Examples that name their invariants have none that proves nothing."""
    for page in sorted((ROOT / "docs").glob("*.md")):
        for code in re.findall(r"```python[^\n]*\n(.*?)```", page.read_text(), re.S):
            if "@step(" in code and "invariants=" in code:
                cells = [
                    ("setup", part) if "@step" not in part else ("step", part) for part in [code]
                ]
                found = planned([FRONT, *cells]).problems
                assert [p.code for p in found if p.code in ("S524", "S525")] == [], json.dumps(code)
