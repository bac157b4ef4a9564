"""Edits of evals/cases.jsonl, back in the cases cells."""

import json

import pytest

from tests.conftest import ADD, CELLS, FRONT, SETUP
from tests.convert.pulling import Desk

CASES = "evals/cases.jsonl"


def rows(desk):
    return [json.loads(line) for line in (desk.folder / CASES).read_text().splitlines()]


def write(desk, made):
    text = "".join(json.dumps(row) + "\n" for row in made)
    (desk.folder / CASES).write_text(text)


def after(desk, made, number):
    """The notebook with those cases pulled: one cell alone changed, and the package says them."""
    write(desk, made)
    changed = desk.changed(desk.pull)
    assert list(changed) == [number]
    ids = {row["id"]: row for row in made}
    assert {row["id"]: row for row in rows(desk)} == ids
    return changed[number]


@pytest.fixture
def desk(skill_notebook):
    return Desk(skill_notebook)


@pytest.mark.parametrize(
    ("at", "change", "old", "new"),
    [
        (0, {"expect": {"total": 4}}, '{"total": 3}', '{"total": 4}'),
        (0, {"args": {"values": [1, 2, 3]}}, "[1, 2]", "[1, 2, 3]"),
        (1, {"prompt": 'Say "so".'}, '"What is the sum of 20, 30 and 41?"', '"Say \\"so\\"."'),
        (1, {"tags": ["é"]}, 'must_call=["add"]', 'must_call=["add"], tags=["é"]'),
        (1, {"trigger": True}, 'must_call=["add"]', 'must_call=["add"], trigger=True'),
        (2, {"trials": 3}, '["STEP_MISSING"]}', '["STEP_MISSING"]},\n     trials=3'),
        (2, {"inputs": {"values": [2]}}, '{"values": [1]}', '{"values": [2]}'),
    ],
)
def test_a_changed_case_changes_what_differs_in_its_call(desk, at, change, old, new):
    made = rows(desk)
    made[at] |= change
    before, now = after(desk, made, 7)
    assert now == before.replace(old, new, 1)


def test_a_value_that_goes_makes_the_call_anew(desk):
    made = rows(desk)
    del made[1]["must_call"]
    before, now = after(desk, made, 7)
    lines = before.split("\n")
    call = 'case("What is the sum of 20, 30 and 41?", inputs={"values": [20, 30, 41]}, id="case-1")'
    assert now.split("\n") == [lines[0], call, *lines[2:]]


def test_a_new_case_is_appended_to_the_last_cell(desk):
    made = [
        *rows(desk),
        {"id": "negative", "step": "add", "args": {"values": [-1]}, "expect": {"total": -1}},
        {"id": "asked", "prompt": "Sum?", "inputs": {"values": [1]}},
    ]
    before, now = after(desk, made, 7)
    assert now == before + (
        '\nadd.case(values=[-1], expect={"total": -1}, id="negative")'
        '\ncase("Sum?", inputs={"values": [1]}, id="asked")'
    )


def test_a_new_case_stands_apart_where_the_others_do(make_notebook):
    text = CELLS[6][1].replace("\ncase(", "\n\ncase(")
    desk = Desk(make_notebook([*CELLS[:6], ("cases", text)]))
    before, now = after(desk, [*rows(desk), {"id": "x", "step": "add", "args": {"values": [1]}}], 7)
    assert now == before + '\n\nadd.case(values=[1], id="x")'


def test_a_case_that_is_gone_goes_and_others_keep_their_ids(desk):
    made = rows(desk)
    before, now = after(desk, [made[0], made[2]], 7)
    first, _, *last = before.split("\n")
    assert now == "\n".join([first, *last])[:-1] + ',\n     id="case-2")'


def test_all_cases_gone_leave_the_cell_tagged_skip(desk):
    (desk.folder / CASES).write_text("")
    desk.pull()
    cell = desk.cells()[6]
    assert cell["metadata"]["tags"] == ["skip"] and cell["source"] == CELLS[6][1]


COMMENTED = """# What matters.
DATA = [1, 2]
add.case(DATA, expect={"total": 3}, id="one")  # plain
r = await add.case((1 + 0,), expect={"total": 1}, id="odd") if False else 0
"""


def test_comments_and_constants_stay(make_notebook):
    text = COMMENTED.rsplit("r = ", 1)[0] + 'add.case(\n    [5],\n    id="two",\n)\n# The end.'
    desk = Desk(make_notebook([*CELLS[:6], ("cases", text)]))
    made = rows(desk)
    made[0]["args"]["values"] = [7]
    made[1]["expect"] = {"total": 5}
    before, now = after(desk, made, 7)
    assert now == before.replace("add.case(DATA", "add.case([7]").replace(
        'id="two",\n', 'id="two",\n    expect={"total": 5},\n'
    )


def test_raw_lines_change_by_line(make_notebook):
    lines = [
        '{"id": "a",   "step": "add", "args": {"values": [1]}}',
        '{"step": "add", "args": {"values": [2]}}',
    ]
    desk = Desk(make_notebook([*CELLS[:6], ("cases", "\n".join(lines), "raw")]))
    made = [*rows(desk), {"id": "c", "step": "add", "args": {"values": [3]}}]
    made[1]["args"] = {"values": [9]}
    _, now = after(desk, made, 7)
    assert now.split("\n") == [lines[0], *(json.dumps(row) for row in made[1:])]


@pytest.mark.parametrize("known", [True, False])
def test_without_a_cases_cell_there_is_a_new_one(make_notebook, known):
    setup = SETUP if known else SETUP.replace("case, ", "")
    desk = Desk(make_notebook([("front", FRONT), ("setup", setup), ("step", ADD)]))
    (desk.folder / "evals").mkdir(exist_ok=True)
    write(desk, [{"id": "x", "prompt": "Sum?", "inputs": {"values": [1]}}])
    planned, _ = desk.pull()
    assert planned.extra == ()
    cell = desk.cells()[3]
    assert cell["metadata"]["tags"] == ["cases"]
    assert cell["source"] == ("" if known else "from skills2_nb import case\n\n") + (
        'case("Sum?", inputs={"values": [1]}, id="x")'
    )


def test_a_notebook_whose_cases_are_gone_since_is_asked_about(desk):
    raw = json.loads(desk.notebook.read_text())
    raw["cells"][6]["metadata"]["tags"] = ["skip"]
    desk.notebook.write_text(json.dumps(raw, indent=1))
    desk.edit(CASES, '"total": 3', '"total": 4')
    planned = desk.look()
    assert [conflict.label for conflict in planned.conflicts] == ["add-1", "case-1", "case-2"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ('{"id": "x", "prompt": 3}', "prompt"),
        ('{"id": "x", "promt": ""}', "promt"),
    ],
)
def test_a_file_that_cannot_be_read_is_left(desk, line, said):
    (desk.folder / CASES).write_text((desk.folder / CASES).read_text() + line + "\n")
    planned, done = desk.pull()
    assert said in planned.left[0].message and done.export is None


def test_a_case_of_no_step_is_left(desk):
    before = desk.notebook.read_bytes()
    made = [*rows(desk), {"id": "x", "step": "subtract", "args": {}}]
    write(desk, made)
    planned, done = desk.pull()
    assert "the case 'x' is of 'subtract', which is no step" in planned.left[0].message
    assert desk.notebook.read_bytes() == before and done.export is None and rows(desk) == made


def test_a_byte_order_mark_is_no_edit_of_a_case(desk):
    before = desk.notebook.read_bytes()
    for path in ("evals/cases.jsonl", "skill.toml", "runtime/skill.py"):
        file = desk.folder / path
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    planned, _ = desk.pull()
    assert desk.notebook.read_bytes() == before and not planned.left


def test_order_alone_is_the_notebooks(desk):
    made = rows(desk)
    before = desk.notebook.read_bytes()
    write(desk, made[::-1])
    desk.pull()
    assert desk.notebook.read_bytes() == before and rows(desk) == made
