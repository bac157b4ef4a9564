"""skill-creator's evals.json becomes run cases, and no check is made up."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.errors import UnreadableError
from skills2_nb.evals.creator import read
from skills2_nb.formats.cases import dump, parse_cases, to_dict

FILE = {
    "skill_name": "weekly-numbers",
    "evals": [
        {
            "id": 1,
            "prompt": "How did the week go?",
            "expected_output": "A sentence with the total",
            "files": ["evals/files/week.csv"],
            "expectations": ["The total is 115", "The busiest day is named"],
        },
        {"id": "tie", "prompt": "Two days tie.", "assertions": [{"text": "Both are named"}]},
        {"prompt": "No id at all."},
    ],
}


def test_each_prompt_becomes_a_case_with_its_files_and_nothing_made_up():
    made = read(json.dumps(FILE))
    assert made.skill == "weekly-numbers"
    assert [to_dict(case) for case in made.cases] == [
        {"id": "eval-1", "prompt": "How did the week go?", "files": ["evals/files/week.csv"]},
        {"id": "tie", "prompt": "Two days tie."},
        {"id": "eval-3", "prompt": "No id at all."},
    ]
    assert all(case.expected_audit == "pass" for case in made.cases)


def test_what_no_program_can_check_is_left_with_what_to_do():
    left = read(json.dumps(FILE)).left
    assert [(item.case, item.what, item.text) for item in left] == [
        ("eval-1", "expected_output", "A sentence with the total"),
        ("eval-1", "expectations", "The total is 115"),
        ("eval-1", "expectations", "The busiest day is named"),
        ("tie", "assertions", "Both are named"),
    ]
    assert "must_mention" in left[0].mend and "must_call" in left[1].mend


def test_the_cases_are_rows_that_our_own_files_hold():
    made = read(json.dumps(FILE))
    assert parse_cases(dump(made.cases)) == (list(made.cases), ())


def test_the_list_alone_and_an_unknown_key():
    made = read('[{"id": 4, "prompt": "Hi", "grader": "x"}]')
    assert (made.skill, made.cases[0].id) == ("", "eval-4")
    assert made.left[0].to_dict() == {
        "case": "eval-4",
        "what": "grader",
        "text": "x",
        "mend": "nobody reads it here",
    }


WRONG = {
    "no JSON": ("{", "not JSON"),
    "a key twice": ('{"evals": [], "evals": []}', "stands twice"),
    "no list": ('{"skill_name": "x"}', "has no list of evals"),
    "an empty list": ('{"evals": []}', "has no list of evals"),
    "a text": ('"evals"', "has no list of evals"),
    "a row that is a text": ('["Hi"]', "eval 1 is no object"),
    "no prompt": ('[{"id": 1}]', "eval 1 has no prompt"),
    "an empty prompt": ('[{"prompt": " "}]', "eval 1 has no prompt"),
    "files of numbers": ('[{"prompt": "Hi", "files": [1]}]', "eval 1: 'files[0]' is 1"),
    "one id twice": ('[{"id": 1, "prompt": "a"}, {"id": 1, "prompt": "b"}]', "eval 2 has the id"),
    "half a character": ('[{"prompt": "\\ud800"}]', "cannot be stored"),
    "deep": ("[" * 100_000, "not JSON"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_what_is_no_such_file_is_said_with_its_place(text, said):
    with pytest.raises(UnreadableError) as raised:
        read(text, "evals.json")
    assert said in str(raised.value) and str(raised.value).startswith("evals.json")


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
KEYS = st.sampled_from(["id", "prompt", "files", "expectations", "expected_output", "other"])


@given(st.lists(st.dictionaries(KEYS, ANY), max_size=3))
def test_any_list_gives_one_case_a_prompt_or_a_sentence(evals):
    try:
        made = read(json.dumps({"evals": evals}))
    except UnreadableError:
        return
    assert [case.prompt for case in made.cases] == [item["prompt"] for item in evals]
    assert len({case.id for case in made.cases}) == len(evals)
    assert {item.case for item in made.left} <= {case.id for case in made.cases}
