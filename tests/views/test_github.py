"""Step summary and workflow commands: nothing gets out of its place."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.views import github
from tests.views.suites import ALL, BAD, EMPTY, GOOD, HOSTILE, run, skill, small, suite


def unescaped(text):
    """What the runner makes of a value."""
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


@pytest.mark.parametrize(
    ("level", "message", "properties", "line"),
    [
        ("error", "a", {}, "::error::a"),
        ("error", "100% a\nb: c, d", {}, "::error::100%25 a%0Ab: c, d"),
        (
            "warning",
            "m",
            {"file": "a,b:c%.py", "line": 3},
            "::warning file=a%2Cb%3Ac%25.py,line=3::m",
        ),
        ("error", "::set-env name=x::y", {"title": "t"}, "::error title=t::::set-env name=x::y"),
    ],
)
def test_commands(level, message, properties, line):
    assert github.command(level, message, **properties) == line


@given(st.text(), st.text())
def test_a_command_is_one_line_that_ends_where_it_should(message, title):
    line = github.command("error", message, title=title)
    assert not set(line) & set("\r\n")
    head, _, rest = line.removeprefix("::error title=").partition("::")
    assert not set(head) & set(":,")
    plain = message.isprintable() and title.isprintable() and "%" not in message + title
    if plain:
        assert (unescaped(head), unescaped(rest)) == (title, message)


def test_each_case_that_does_not_hold_is_named_with_its_place():
    lines = github.annotate(
        BAD,
        {"sums": "skills/sums/evals/cases.jsonl"},
        {("sums", "quarter"): 4},
    ).splitlines()
    place = "file=skills/sums/evals/cases.jsonl"
    assert lines[0] == f"::error {place},title=sums%3A add-1::add gave 4, not 3"
    assert lines[1].startswith(f"::error {place},line=4,title=sums%3A quarter::the verdict is fail")
    assert "Mend: Say 4.%0ASTEP_MISSING" in lines[1]
    assert lines[2] == (
        "::error title=steps-only%3A unproven::there is no run case, so nothing is shown"
    )
    assert lines[3].startswith(f"::warning {place},title=sums%3A month::month holds without")
    assert len(lines) == 4


def test_an_annotation_names_the_journal_as_the_reader_finds_it():
    lines = github.annotate(BAD, journals="eval-results").splitlines()
    told = [line for line in lines if "Journal: " in line]
    assert told and all("Journal: eval-results/" in line for line in told)


def test_a_pass_has_nothing_to_say():
    assert github.annotate(GOOD) == github.annotate(EMPTY) == ""


def test_no_more_than_github_shows_and_the_rest_is_counted():
    many = suite("fail", skill("s", [small(f"c{at}", "no") for at in range(30)], verdict="fail"))
    lines = github.annotate(many).splitlines()
    assert len(lines) == github.MOST_ANNOTATIONS
    assert lines[-1] == "::error::and 21 more; the report names them all"
    ten = suite("fail", skill("s", [small(f"c{at}", "no") for at in range(10)], verdict="fail"))
    assert "more;" not in github.annotate(ten)


def test_hostile_text_starts_no_command_of_its_own():
    lines = github.annotate(HOSTILE).splitlines()
    assert [re.match(r"::(\w+)", line)[1] for line in lines] == ["error", "warning"]


@pytest.mark.parametrize("results", ALL.values(), ids=ALL)
def test_the_summary_has_no_html(results):
    text = github.summary(results, GOOD)
    assert not re.search(r"(?<!\\)<", text)
    assert "://" not in text


def test_the_summary_says_it_all():
    text = github.summary(BAD, GOOD, "runs")
    assert text.startswith("## Evaluation: ✗ fail\n")
    for told in ("| sums | ✗ fail | 2 of 4 hold | 0.91 | 0.93 |", "Say 4\\.", "Worse than in the"):
        assert told.replace("\\.", ".") in text


@pytest.mark.parametrize("limit", [300, 1000, 2500])
def test_a_summary_that_is_too_long_is_cut_at_a_line(limit):
    whole, cut = github.summary(BAD), github.summary(BAD, limit=limit)
    assert len(cut.encode()) <= limit < len(whole.encode())
    kept, _, rest = cut.partition("\n\nThe rest is left out")
    assert rest
    assert whole.startswith(f"{kept}\n")


def test_the_limit_is_kept_by_many_cases():
    cases = [run(f"case-{at}", wrong=["ü" * 900]) for at in range(700)]
    text = github.summary(suite("fail", skill("s", cases, verdict="fail")))
    assert len(text.encode()) <= github.MOST_BYTES
