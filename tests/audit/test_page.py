"""What stands beside what."""

import pytest

from skills2_nb.audit.page import Page, Span

TABLE = "| period | quick ratio |\n|---|---|\n| 1998-03 | 1.53 |\n"


def spots(text, *parts):
    return [Span(text.index(part), text.index(part) + len(part)) for part in parts]


@pytest.mark.parametrize(
    ("text", "words"),
    [("ratio 1.53", 1), ("ratio is 1.53", 2), ("1.53 is the ratio", 3), ("ratio - is - 1.53", 2)],
)
def test_distance_counts_words(text, words):
    page = Page(text)
    assert page.distance(*spots(text, "ratio", "1.53")) == words


@pytest.mark.parametrize(
    ("text", "tight"),
    [
        ("ratio 1.53", True),
        ("ratio: 1.53", True),
        ("ratio = **1.53**", True),
        ("ratio is about 1.53", True),
        ("ratio beträgt rund 1,53 1.53", False),
        ("ratio of users 1.53", False),
        ("ratio. Then 1.53", False),
        ("ratio, 1.53", False),
        ("ratio\n1.53", False),
        ("1.53: ratio", False),
        ("1.53 ratio", True),
    ],
)
def test_tight(text, tight):
    page = Page(text)
    assert page.is_tight(*spots(text, "ratio", "1.53")) is tight


def test_a_longer_name_holds_a_shorter_one():
    page = Page("The Quick-Ratio and the ratio")
    found = page.mentions({"quick ratio": ["a"], "ratio": ["b"]})
    assert [(m.name, sorted(m.refs)) for m in found] == [("quick ratio", ["a"]), ("ratio", ["b"])]


@pytest.mark.parametrize(
    "text", ["quick_ratio", "**Quick ratio**", "quick ratios", "`quick_ratio`"]
)
def test_names_are_found_in_any_dress(text):
    assert len(Page(text).mentions({"quick ratio": ["a"]})) == 1


@pytest.mark.parametrize("text", ["quick. ratio", "quickratio", "quick rationale", ""])
def test_other_words_are_no_names(text):
    assert Page(text).mentions({"quick ratio": ["a"]}) == ()


def test_a_table_cell_stands_under_its_head():
    page = Page(TABLE)
    head, cell, other, row = spots(TABLE, "quick ratio", "1.53", "period", "1998-03")
    assert page.is_column_head(head)
    assert page.is_headed(cell, head)
    assert page.is_headed(cell, row)
    assert not page.is_headed(cell, other)
    assert page.is_near(head, cell)
    assert not page.is_near(other, cell)


def test_a_place_has_its_line_and_words():
    text = "one\ntwo three four"
    (three,) = spots(text, "three")
    assert Page(text).place(three) == "line 2, column 5: “two three four”"


def test_an_excerpt_cuts_no_word():
    text = f"{'before ' * 9}here{' after' * 9}"
    (here,) = spots(text, "here")
    assert Page(text).place(here) == (
        "line 1, column 64: “… before before before before before here after after after after …”"
    )
    (solid,) = spots("x" * 50 + "here" + "y" * 40, "here")
    assert "…" not in Page("x" * 50 + "here" + "y" * 40).place(solid)
