"""What is no figure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.audit.masking import mask, unmark


def left(text, *names):
    return unmark(mask(text, names).prose).split()


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("1. one\n2) two", ["one", "two"]),
        ("- 3. three", ["three"]),
        ("## 4.1 Four", ["Four"]),
        ("see step 5 of 10 now", ["see", "now"]),
        ("Schritt 5/10 now", ["now"]),
        ("the 7th day", ["the", "day"]),
        ("am 3. Tag", ["am", "Tag"]),
        ("it was 3. Then", ["it", "was", "3.", "Then"]),
        ("`x = 5` and `5`", ["and", "5"]),
        ("a [link](http://e.org/5) there", ["a", "[link", "there"]),
        ("v1.2.3 or 1.2.3", ["or"]),
        ("~~5~~ 6, ~7 or ~ 8", ["6,", "~7", "or", "~", "8"]),
        ("1.234.567 stays", ["1.234.567", "stays"]),
        ("table 102 stays", ["table", "102", "stays"]),
        ("step 5% stays", ["step", "5%", "stays"]),
        ("<!-- 5 -->six", ["six"]),
        ("```\n5\n```\nsix", ["six"]),
        ("~~~\n5", []),
        ("the 1990s", ["the"]),
        ("(1) one (2) two", ["one", "two"]),
        ("churned (90) was", ["churned", "(90)", "was"]),
        ("note [1], then [2]", ["note", ",", "then"]),
        ("churned [90] was", ["churned", "[90]", "was"]),
        ("as said[^7] here", ["as", "said", "here"]),
    ],
)
def test_what_is_left(text, rest):
    assert left(text) == rest


def test_names_are_blanked():
    assert left("cohort-7-day, 7", "cohort-7-day") == [",", "7"]


def test_code_is_kept_aside():
    masked = mask("a `b 5` c\n```py\n6\n```")
    assert masked.code.split() == ["b", "5", "```py", "6", "```"]


@given(st.text(alphabet="`~\n ab5[](/.)-#<!>*|", max_size=80))
def test_both_sides_are_as_long_as_the_text(text):
    masked = mask(text)
    assert len(masked.prose) == len(masked.code) == len(unmark(masked.prose)) == len(text)
    assert masked.prose.count("\n") <= text.count("\n")
