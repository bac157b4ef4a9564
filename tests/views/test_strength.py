"""Strength as text, Markdown and HTML."""

import re
from html.parser import HTMLParser

import pytest

from skills2_nb.audit.weakness import FieldStrength, InvariantStrength, StepStrength
from skills2_nb.views import strength

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e|`*"
STRONG = StepStrength(
    "add",
    1,
    True,
    1,
    40,
    (InvariantStrength("is_sum", 12, 40, True),),
    (FieldStrength("output", "total", 5, 5, True), FieldStrength("inputs", "values", 3, 9)),
    (),
    (),
)
WEAK = StepStrength(
    "tell_" + "long" * 12,
    2,
    True,
    2,
    80,
    (InvariantStrength("never", 0, 80, False), InvariantStrength("own", 2, 80, False)),
    (FieldStrength("output", HOSTILE, 0, 5, True), FieldStrength("output", "b", 0, 2)),
    (f"{HOSTILE}: text added", "b 1 -> 2"),
    ("b",),
)
NEVER = StepStrength("ask", 3, True, 0, 0, (), (), (), (), "it has no invariant")
STEPS = (STRONG, WEAK, NEVER)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_asked(width):
    text = strength.text("s", STEPS, "case one", width=width)
    assert text.endswith("\n") and not text.endswith("\n\n")
    assert max(map(len, text.splitlines())) <= width
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_what_is_told():
    text = " ".join(strength.text("s", STEPS, "case one").split())
    for said in (
        "s: 1 of 3 invariants effective, 1 of 2 report fields checked",
        "120 mutants of 3 calls: case one.",
        "✓ is_sum 12/40",
        "✗ never 0/80",
        "notices a truth value alone",
        "total* 5/5",
        "values 3/9",
        "unread b: no invariant of the step looks there.",
        "unnoticed b 1 -> 2",
        "not measured it has no invariant.",
        "* report field",
    ):
        assert said in text


def test_color_only_when_asked_and_nothing_but_color():
    plain, colored = (strength.text("s", STEPS, "x", color=color) for color in (False, True))
    assert "\x1b" not in plain and "\x1b" in colored
    assert re.sub(r"\x1b\[\d+m", "", colored) == plain


def test_nothing_breaks_out_of_any_form():
    data = strength.bundle("s", STEPS, HOSTILE).data
    assert set(data) == {"text/plain", "text/markdown", "text/html"}
    assert all("\x1b" not in text and "\u202e" not in text for text in data.values())
    assert "<script>" not in data["text/html"]
    assert "<script>" not in data["text/markdown"].replace("\\<", "")


def test_the_html_is_whole():
    stack = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag != "wbr":
                stack.append(tag)

        def handle_endtag(self, tag):
            assert stack.pop() == tag

    reader = Reader()
    reader.feed(str(strength.fragment("s", STEPS, "x")))
    assert stack == []


def test_a_skill_without_steps():
    assert "0 of 0 invariants effective" in strength.text("s", (), "no case could be run")
    assert "<table" in str(strength.fragment("s", (), "x"))
