"""Figures and their readings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.audit.numbers import NumberFigure, figures, literals, number_in


def numbers(text):
    return [f for f in figures(text) if isinstance(f, NumberFigure) and not f.word]


def values(text):
    return [tuple(reading.value for reading in figure.readings) for figure in numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1060", [(1060,)]),
        ("1,060", [(1060, 1.06)]),
        ("1.060", [(1060, 1.06)]),
        ("0.060", [(0.06,)]),
        ("1.060,5", [(1060.5,)]),
        ("1,060.5", [(1060.5,)]),
        ("1.234.567", [(1234567,)]),
        ("1 234 567", [(1234567,)]),
        ("12\u00a0345,6", [(12345.6,)]),
        ("1’060", [(1060,)]),
        ("3,5", [(3.5,)]),
        (".5", [(0.5,)]),
        ("-5", [(-5,)]),
        ("\u22125", [(-5,)]),
        ("(-5)", [(-5,)]),
        ("+5", [(5,)]),
        ("10-12", [(10,), (12,)]),
        ("10 - 12", [(10,), (12,)]),
        ("1e3", [(1000,)]),
        ("16.7%", [(16.7, 0.167)]),
        ("16,7 Prozent", [(16.7, 0.167)]),
        ("5 ‰", [(5, 0.005)]),
        ("3 pp", [(3, 0.03)]),
        ("1.2K", [(1200,)]),
        ("4 K", [(4000, 4)]),  # kelvin
        ("1.2 Mio. €", [(1200000,)]),
        ("2 billion", [(2e9,)]),
        ("3 Mrd. Euro", [(3e9,)]),
        ("5 b", [(5,)]),
        ("€3m", [(3e6, 3)]),
        ("1,2,3", [(1,), (2,), (3,)]),
        ("157,0,156", [(157,), (0,), (156,)]),
        ("12-week", [(12,)]),
        ("2.5x", [(2.5,)]),
        ("2FA 3D B2B Q1 x86", []),
        ("3:1", [(3,), (1,)]),
        ("", []),
        ("...", []),
        ("5.", [(5,)]),
        ("5.Next", [(5,)]),
    ],
)
def test_readings(text, expected):
    found = values(text)
    assert [tuple(map(pytest.approx, e)) for e in expected] == found


@pytest.mark.parametrize(
    ("text", "true", "matches"),
    [
        ("1.53", 1.5294, True),
        ("1.53", 1.535, True),  # a tie may go either way
        ("1.53", 1.5351, False),
        ("2", 1.53, True),
        ("0", 0.3, False),
        ("0.0", 0.03, True),
        ("0", 0, True),
        ("1,200", 1234, False),
        ("about 1,200", 1234, True),
        ("~1,200", 1251, False),
        ("rund 1.200", 1234, True),
        ("ca. 1200", 1234, True),
        ("over 1,200", 1234, True),
        ("1.2K", 1249, True),
        ("1.2K", 1251, False),
        ("10M", 12e6, True),  # half a unit of the last non-zero digit
        ("10M", 16e6, False),
        ("58%", 0.575, True),
        ("58%", 58.4, True),
        ("58%", 0.586, False),
        ("-46", 46, False),
    ],
)
def test_rounding_at_the_digits_shown(text, true, matches):
    (figure,) = numbers(text)
    assert figure.matches(true) is matches


def test_words_and_code_claim_nothing():
    found = figures("no new users, `df[7]`, two more")
    assert [(f.text, f.claims) for f in found] == [("no", False), ("7", False), ("two", False)]


def test_a_code_span_with_a_figure_alone_is_emphasis():
    (figure,) = numbers("`1,53`")
    assert figure.claims


def test_prompts_give_numbers_in_code_and_none_in_words():
    assert [f.text for f in literals("two of `12`")] == ["12"]


@pytest.mark.parametrize(
    ("text", "number"),
    [("12.50", 12.5), ("-3", -3), ("007", None), ("12 %", None), ("1,5", None), ("", None)],
)
def test_number_in(text, number):
    assert number_in(text) == number


@given(st.text(alphabet="0123456789.,'’ \u00a0-+%kKMx|()$€eE:/#", max_size=60))
def test_any_soup_of_digits_is_read(text):
    for figure in figures(text):
        assert text[figure.start : figure.end] == figure.text
        assert figure.readings


@given(st.integers(0, 10**9), st.integers(0, 3))
def test_what_is_written_is_read(number, places):
    value = number / 10**places
    (figure,) = numbers(f"{value:.{places}f}")
    assert figure.matches(value, loosely=True)


def test_fifteen_hundred_is_not_one_and_a_half():
    (figure,) = numbers("1,500")
    assert not figure.matches(1.5)


@pytest.mark.parametrize("text", ["4,000", "4.000"])
def test_four_thousand_is_not_four(text):
    (figure,) = numbers(text)
    assert figure.matches(4000)
    assert not figure.matches(4)
    assert figure.matches(4, loosely=True)  # a result that is the float 4.0, to three places
