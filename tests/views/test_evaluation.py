"""What every view reads of an evaluation."""

import pytest

from skills2_nb.views import evaluation as said
from tests.views.suites import BAD, GOOD, skill, small, step

SUMS, STEPS = BAD["skills"]


def test_a_case_that_was_tried_twice_has_two_names():
    names = [(row.name, row.ok, row.idle) for row in said.rows(SUMS)]
    assert names == [
        ("add-1", False, False),
        ("month (trial 1)", True, True),
        ("month (trial 2)", True, True),
        ("quarter", False, False),
    ]


@pytest.mark.parametrize(
    ("name", "count"), [("all", 4), ("do not hold", 2), ("hold", 2), ("show nothing", 2)]
)
def test_filters(name, count):
    assert name in said.FILTERS
    assert len(said.picked(said.rows(SUMS), name)) == count


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("", 4),
        ("QUARTER", 1),
        ("lacks 4.2", 1),
        ("4.2 lacks", 1),
        ("classic", 3),
        ("does not hold", 2),
        ("nobody", 0),
    ],
)
def test_words_are_sought_in_all_that_is_said_of_a_case(words, names):
    assert len(said.searched(said.rows(SUMS), words)) == names


@pytest.mark.parametrize(
    ("verdict", "expected", "told"),
    [
        ("pass", "pass", "pass, as expected"),
        ("fail", "pass", "fail, expected pass"),
        ("fail", None, "fail, as expected"),
        (None, None, "–"),
    ],
)
def test_verdict_beside_the_expected_one(verdict, expected, told):
    case = small("x") | {"verdict": verdict, "expected": expected}
    assert said.Row("x", case, idle=False).expected == told


def test_calls_stand_one_after_the_other_across_steps():
    steps = [
        step("a", "ok", (2, "failed", 10), (6, "ok", 40)),
        step("b", "ok", (4, "ok", 30)),
        step("c", "missing"),
    ]
    bars = said.bars(small("x") | {"steps": steps})
    assert [(bar.step, bar.status, bar.start, bar.us) for bar in bars] == [
        ("a", "failed", 0, 10),
        ("b", "ok", 10, 30),
        ("a", "ok", 40, 40),
    ]
    assert [said.status(each) for each in steps] == ["ok", "ok", "not called"]


def test_the_profile_in_force_is_read():
    case = SUMS["cases"][-1]
    assert said.score(SUMS, case) == 0.41
    assert said.score(SUMS | {"profile": "classic"}, case) == 1.0
    assert len(said.findings(SUMS, case)) == 9
    assert said.findings(SUMS, SUMS["cases"][0]) == []


def test_sentences():
    assert said.summary(SUMS).startswith("2 of 4 cases hold; runner chain, profile strict")
    assert said.summary(STEPS).startswith("1 of 1 case holds;")
    assert said.idle(GOOD["skills"][0]) == ""
    assert said.idle(SUMS).endswith("and so shows nothing: month.")
    two = skill("s", [small("x")], undiscriminating=["a", "b"])
    assert said.idle(two).endswith("and so show nothing: a, b.")
    assert said.left_out(SUMS) == ""
    assert said.left_out(SUMS | {"left_out": ["a"]}) == "1 case was not played: a."
    assert said.left_out(SUMS | {"left_out": ["a", "b"]}) == "2 cases were not played: a, b."


def test_one_skill_is_a_suite_of_one():
    assert list(said.skills(SUMS)) == [SUMS]
    assert list(said.skills(BAD)) == [SUMS, STEPS]
