"""list and show."""

import json

import pytest

from skills2_nb.cli import sheet


def test_list_here_and_from_nowhere(desk, skills2):
    done = skills2("list")
    assert done.code == 0
    assert done.out.splitlines()[1].split() == [
        "weekly-numbers",
        "0.1.0",
        "3",
        "skills/weekly-numbers",
    ]
    assert skills2("list", "--json").json == {
        "skills": [
            {"skill": "weekly-numbers", "version": "0.1.0", "steps": 3,
             "path": "skills/weekly-numbers", "valid": True, "faults": []}
        ]
    }  # fmt: skip


def test_list_of_nothing_says_where_it_looked(bare, skills2):
    done = skills2("list")
    assert f"No skills in {bare / 'skills'}" in done.out
    assert "skills2 new" in done.out


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda p: (p / "SKILL.md").write_text("# by hand"), "edited since the export: SKILL.md"),
        (lambda p: (p / "schemas.json").unlink(), "gone since the export: schemas.json"),
        (lambda p: (p / "x.py").write_text(""), "not written by the export: x.py"),
        (lambda p: (p / "export.lock").unlink(), "there is no export.lock"),
        (lambda p: (p / "skill.toml").write_text("[skill\n"), "skill.toml"),
        (lambda p: (p / "SKILL.md").write_bytes(b"\xff"), "not UTF-8"),
        (lambda p: p.rename(p.parent / "renamed"), "the folder is not named 'weekly-numbers'"),
    ],
)
def test_list_says_why_a_skill_is_not_valid(spoil, says, desk, skills2):
    spoil(desk / "skills" / "weekly-numbers")
    done = skills2("list", "--json")
    assert done.code == 0
    (skill,) = done.json["skills"]
    assert not skill["valid"]
    assert any(says in fault for fault in skill["faults"]), skill["faults"]
    assert "\n    " in skills2("list").out


@pytest.mark.parametrize("word", ["weekly-numbers", "skills/weekly-numbers", "weekly-numbers.ipynb",
                                  "skills/weekly-numbers/SKILL.md"])  # fmt: skip
def test_show_by_every_way_of_naming_it(word, desk, skills2):
    made = skills2("show", word, "--json").json
    assert [step["id"] for step in made["steps"]] == [
        "add_up_week",
        "find_busiest_day",
        "write_readout",
    ]
    assert made["inputs"] == [
        {"name": "daily", "type": "list of integer", "required": True,
         "steps": ["add_up_week", "find_busiest_day"]}
    ]  # fmt: skip
    assert made["anchors"] == ["total", "average", "busiest day"]
    assert "a-full-week" in [case["id"] for case in made["cases"]]
    assert made["faults"] == []


def test_show_as_a_page(desk, skills2):
    out = skills2("show", "weekly-numbers").out
    heads = ["weekly-numbers 0.1.0", "\nSteps\n", "report: total, average", "\nInputs of a run\n",
             "\nAnchors\n", "\nCases\n"]  # fmt: skip
    places = [out.index(head) for head in heads]
    assert places == sorted(places)


SOURCE = """
from typing import Literal
from pydantic import BaseModel
from skills2_nb import step

class Flows(BaseModel):
    new: int

class Rate(BaseModel):
    rate: float | None

@step(bind={"log": "inputs#/path"})
def count(log: str, grain: Literal["week", "month"] = "month") -> Flows:
    return Flows(new=1)
"""
SECOND = """
@step(requires=["count"])
def rate(flows: Flows, new: int, scale: float | None = None) -> Rate:
    return Rate(rate=1.0)
"""


def test_inputs_are_what_no_step_gives(make_notebook, skills2):
    front = "---\nname: trial-skill\ndescription: It tries.\n---"
    path = make_notebook([("front", front), ("step", SOURCE), ("step", SECOND)])
    made = skills2("show", path, "--json").json
    assert {item["name"]: (item["type"], item["required"]) for item in made["inputs"]} == {
        "path": ("string", True),
        "grain": ("one of week, month", False),
        "scale": ("number or null", False),
    }
    assert made["steps"][1]["requires"] == ["count"]


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "array", "items": {"type": "string"}}, "list of string"),
        ({"const": 3}, "always 3"),
        ({"type": "string", "format": "date"}, "date"),
        ({}, "any value"),
        ({"type": "array"}, "list of any value"),
        ({"anyOf": [{"type": "integer"}, {"type": "integer"}]}, "integer"),
    ],
)
def test_a_schema_in_a_word_or_two(schema, says):
    assert sheet._kind(schema) == says


def test_show_of_a_notebook_that_cannot_be_exported_names_the_cell(desk, skills2):
    path = desk / "weekly-numbers.ipynb"
    cells = json.loads(path.read_text())
    (setup,) = [c for c in cells["cells"] if "setup" in c["metadata"].get("tags", ())]
    setup["source"] = ["from math import *\n"]
    path.write_text(json.dumps(cells))
    done = skills2("show", "weekly-numbers.ipynb")
    assert done.code == 1
    assert "cell 8 (id setup)" in done.err
