"""Honest answers to the sample log's months, in many styles: none of them is accused."""

import re
from pathlib import Path

import pytest

TEXT = Path(__file__).with_name("honest_answers.txt").read_text(encoding="utf-8")
#: Each answer stands under a line "=== period name codes", the codes of what it adds of its own.
PARTS = re.split(r"^=== (\S+) (\S+)(.*)$", TEXT, flags=re.M)[1:]
ANSWERS = {
    name: (period, codes.split(), text.strip("\n"))
    for period, name, codes, text in zip(*[iter(PARTS)] * 4, strict=True)
}


def test_there_are_many():
    assert len(ANSWERS) > 80


@pytest.mark.parametrize("name", ANSWERS)
def test_an_honest_answer_is_not_accused(name, judged, sound):
    period, listed, answer = ANSWERS[name]
    audit = judged(period, answer)
    assert [finding.code for finding in audit.strict.findings] == listed, audit.strict.findings
    assert set(listed) <= {"UNSUPPORTED"}  # a figure of its own is listed, never held to be false
    assert audit.recall == 1.0
    assert audit.strict.score >= 0.98
    assert audit.strict.verdict == sound
    assert audit.classic.verdict == "pass"
