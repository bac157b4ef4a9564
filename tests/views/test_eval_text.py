"""An evaluation in a terminal."""

import re

import pytest

from skills2_nb.views import eval_text
from tests.views.suites import ALL, BAD, GOOD


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("results", ALL.values(), ids=ALL)
def test_sentences_keep_to_the_width_and_nothing_is_obeyed(results, width):
    for each in results["skills"]:
        text = eval_text.skill(each, GOOD, "runs", width=width)
        assert text.endswith("\n")
        assert not set(text) & set("\x1b\x00\r\u202e")
        for line in text.splitlines():
            if re.match(r" {6,}\w", line) and " " in line.strip():
                assert len(line) <= width


def test_the_verdict_comes_first_and_the_failures_are_whole():
    text = eval_text.report(BAD, GOOD, "runs")
    assert text.startswith("FAIL 0.61  sums\n  2 of 4 cases hold; ")
    for told in (
        "month (trial 2)  ✓ holds          pass, as expected    0.95   1.50 s",
        "✗ quarter\n  the verdict is fail, not pass\n",
        "Journal: runs/2026-01-02/20260102-030405-0123abcd.jsonl",
        "quarter          not there  does not hold  new",
        "UNPROVEN –  steps-only",
        "No versions: it has no prose",
    ):
        assert told in text
    assert text.endswith("\nFAIL\n")


def test_colour_is_asked_for():
    assert "\x1b[31mFAIL" in eval_text.report(BAD, color=True)
    assert "\x1b" not in eval_text.report(BAD)


def test_a_skill_without_cases():
    from tests.views.suites import skill, suite

    text = eval_text.report(suite("unproven", skill("s", [], rows=[])))
    assert "Cases\n  none\n" in text
