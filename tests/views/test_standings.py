"""The tables of versions and symptoms: every figure in every form, and nothing broken by a name."""

import re

import pytest

from skills2_nb.views import standings

KEYS = ("skill", "version", "cases", "pass_rate", "classic", "strict")
ROWS = [
    dict(zip(KEYS, row, strict=True))
    for row in (
        ("one", "v1", 4, 0.0, 0.25, 0.05),
        ("one", "stubs", 4, 0.0, 0.53, None),
        ("one", "contract", 4, 1.0, 1.0, 1.0),
        ("<b>|x", "v1", 1, 0.5, 0.2, 0.1),
    )
]
SINGLE = [row | {"case": f"case-{number}"} for number, row in enumerate(ROWS)]
SEEN = [
    {
        "symptom": "wrong <label>",
        "says": "The answer | names another.",
        "prose": {"passes": True, "anchors": 1.0},
        "output_checks": {"passes": False, "wrong": ["it lacks 3"]},
        "contract": {"verdict": "fail", "code": "CONTRADICTED", "message": "it is \x1b[31mthree"},
    },
    {
        "symptom": "missed",
        "says": "Nobody sees it.",
        "prose": {"passes": True, "anchors": 1.0},
        "output_checks": {"passes": True, "wrong": []},
        "contract": {"verdict": "pass", "code": None, "message": ""},
    },
]


@pytest.mark.parametrize("rows", [ROWS, SINGLE], ids=["skills", "cases"])
def test_every_figure_stands_in_every_form(rows):
    forms = standings.text(rows), standings.markdown(rows), standings.page(rows, "Skills")
    for form in forms:
        for figure in ("0.25", "0.53", "1.00", "0.05", "100%", "50%"):
            assert figure in form
        assert "0.40 x 0.7" not in form  # a skill here has figures of its own
    for form in (
        standings.text(rows[:3]),
        standings.markdown(rows[:3]),
        standings.page(rows[:3], ""),
    ):
        assert "0.40 x 0.7 = 0.53" in " ".join(form.split())
    assert [line.count("|") for line in forms[1].splitlines() if line.startswith("| one")] == [
        7 + ("case" in rows[0])
    ] * 3
    assert "<b>|x" not in forms[2]


def test_a_figure_that_is_not_there_is_a_dash():
    assert re.search(r"stubs.*0\.53 +–", standings.text(ROWS))


def test_symptoms_in_every_form():
    text, marked = standings.symptoms_text(SEEN), standings.symptoms_markdown(SEEN)
    page = standings.symptoms_page(SEEN, "Symptoms")
    assert "output checks  objects" in text
    assert "contract       CONTRADICTED (verdict fail)" in text
    assert "contract       missed (verdict pass)" in text
    assert "\x1b[31m" not in text
    assert "| passes | objects | `CONTRADICTED` | fail |" in marked
    assert "| passes | passes | misses | pass |" in marked
    assert "<label>" not in page
    assert page.startswith("<!DOCTYPE html>")


def test_colour_is_asked_for():
    assert "\x1b[32m" in standings.text(ROWS, color=True)
    assert "\x1b" not in standings.text(ROWS)
