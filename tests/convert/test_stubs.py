"""The cells a transformed skill starts from."""

import ast
import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.convert.asking import questions
from skills2_nb.convert.signs import MOST_ANCHORS, against, anchors
from skills2_nb.convert.stubs import cases_cell, manifest_cell, stub_cell
from skills2_nb.formats.roles import STUB_LINE

SENTENCES = [
    ("Collect the inputs", "Collect the inputs."),
    ("Ask first. Then write", "Ask first.\n\nThen write."),
    ('He said "yes"', 'He said "yes".'),
    ('Three """ in a row', 'Three """ in a row.'),
    ("A path C:\\new\\table", "A path C:\\new\\table."),
    ("Ends with \\", "Ends with \\."),
    ("Is it \x00 so?", "Is it so?"),
]


@pytest.mark.parametrize(("says", "doc"), SENTENCES)
def test_the_prose_line_is_the_docstring(says: str, doc: str) -> None:
    function = ast.parse(stub_cell("ask", says).source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert ast.get_docstring(function) == doc


@given(st.text(min_size=1, max_size=300))
def test_any_line_makes_a_stub_that_says_so(says: str) -> None:
    cell = stub_cell("ask", says)
    function = ast.parse(cell.source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert ast.get_docstring(function)
    assert STUB_LINE.search(cell.source)
    assert cell.tags == ("step",)


@given(st.lists(st.text(max_size=60), max_size=5))
def test_manifest_and_cases_hold_any_text(texts: list[str]) -> None:
    clean = [text.encode("utf-8", "ignore").decode() for text in texts]
    tables = tomllib.loads(manifest_cell(clean, clean, [], clean).source)
    assert tables["triggers"]["phrases"] == tables["anchors"]["terms"] == clean
    calls = ast.parse(cases_cell(clean).source).body
    prompts = [ast.literal_eval(call.value.args[0]) for call in calls]  # type: ignore[attr-defined]
    assert prompts == clean


def test_anchors_tell_this_skill_from_others() -> None:
    body = (
        "# Flows\n\n## Overview\n\n**Note:** x\n\n## Workflow\n\n### 1. Count users\n\n"
        "A **flow** is `new_users`, `new_users` and flow.\n\n## Resources\n\n- `references/`\n"
    )
    assert anchors(body, ["Count users"]) == ("Flows", "Count users", "flow", "new_users")
    many = "\n\n".join(f"## Section {n} of it" for n in range(50))
    assert len(anchors(many)) == MOST_ANCHORS


def test_what_a_skill_is_not_for() -> None:
    body = "## When NOT to use\n\n- Single days\n- **Forecasts**\n\n## Steps\n\n- no"
    assert against("Sums weeks. Not for comparing weeks.", body) == (
        "comparing weeks",
        "Single days",
        "Forecasts",
    )


ASKED = [
    ('Use when the user says "what moved".', "", "What moved?"),
    ("Use when the user asks to design agents.", "", "Can you design agents?"),
    (
        "x",
        "## When to use\n\n- Writing a new report\n",
        "Can you help me with writing a new report?",
    ),
    (
        "x",
        "## When to use\n\n- A service has no runbook\n",
        "A service has no runbook. Can you help?",
    ),
    ("Use when you have a plan to carry out.", "", "I have a plan to carry out. Can you help?"),
    ("", "", "Can you help me with week notes?"),
]


@pytest.mark.parametrize(("description", "body", "first"), ASKED)
def test_questions_are_what_a_user_would_say(description: str, body: str, first: str) -> None:
    made = questions("week-notes", description, body)
    assert made[0] == first
    assert len({question.casefold() for question in made}) == 3


@given(st.text(max_size=200), st.text(max_size=200))
def test_there_are_always_three_different_questions(description: str, body: str) -> None:
    made = questions("x", description, body)
    assert len(set(made)) == 3
    assert json.loads(json.dumps(made)) == list(made)
