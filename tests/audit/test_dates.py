"""Dates and periods as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.audit.dates import Stamp, relation, take_dates


def read(text):
    return [figure.readings for figure in take_dates(text)[0]]


@pytest.mark.parametrize(
    ("text", "stamps"),
    [
        ("1998-03-15", [Stamp(1998, 3, 15)]),
        ("1998-03-15T10:20:30Z", [Stamp(1998, 3, 15)]),
        ("1998-03-15 10:20", [Stamp(1998, 3, 15)]),
        ("1998/03/15", [Stamp(1998, 3, 15)]),
        ("1998-03", [Stamp(1998, 3)]),
        ("03/1998", [Stamp(1998, 3)]),
        ("March 1998", [Stamp(1998, 3)]),
        ("MARCH 1998", [Stamp(1998, 3)]),
        ("Mar. 1998", [Stamp(1998, 3)]),
        ("Mar-1998", [Stamp(1998, 3)]),
        ("März 1998", [Stamp(1998, 3)]),
        ("March of 1998", [Stamp(1998, 3)]),
        ("Dezember 2001", [Stamp(2001, 12)]),
        ("Mai 2001", [Stamp(2001, 5)]),
        ("March 15, 1998", [Stamp(1998, 3, 15)]),
        ("March 15th 1998", [Stamp(1998, 3, 15)]),
        ("15 March 1998", [Stamp(1998, 3, 15)]),
        ("15th of March, 1998", [Stamp(1998, 3, 15)]),
        ("15. März 1998", [Stamp(1998, 3, 15)]),
        ("15. März", [Stamp(None, 3, 15)]),
        ("March 15", [Stamp(None, 3, 15)]),
        ("15.03.1998", [Stamp(1998, 3, 15)]),
        ("15.3.1998", [Stamp(1998, 3, 15)]),
        ("15.03.98", [Stamp(1998, 3, 15)]),
        ("15/03/98", [Stamp(1998, 3, 15)]),
        ("03/15/1998", [Stamp(1998, 3, 15)]),
        ("Q1 1998", [Stamp(1998, quarter=1)]),
        ("1998-Q1", [Stamp(1998, quarter=1)]),
        ("1998 Q1", [Stamp(1998, quarter=1)]),
        ("1. Quartal 1998", [Stamp(1998, quarter=1)]),
        ("KW 12/1998", [Stamp(1998, week=12)]),
        ("1998-W12", [Stamp(1998, week=12)]),
        ("week 12 of 1998", [Stamp(1998, week=12)]),
        ("Mar '98", [Stamp(1998, 3)]),
    ],
)
def test_one_date(text, stamps):
    assert read(f"on {text}, then") == [tuple(stamps)]


def test_day_and_month_in_doubt_keep_both():
    assert read("03/04/1998") == [(Stamp(1998, 4, 3), Stamp(1998, 3, 4))]


@pytest.mark.parametrize(
    "text", ["KW 10", "week 10", "Calendar week 10", "die 10. Kalenderwoche", "CW10"]
)
def test_a_week_needs_no_year(text):
    assert read(text) == [(Stamp(week=10),)]


@pytest.mark.parametrize("text", ["week 10%", "week 10.5", "week 2 of 5", "a 10 week window"])
def test_no_week(text):
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "rest"),
    [("at 24:00", "at"), ("0:90", "0:90"), ("12:30 Uhr", ""), ("at 25:00", "at 25:00")],
)
def test_a_clock_has_sixty_minutes(text, rest):
    assert take_dates(text)[1].strip() == rest


def test_ranges_are_two():
    assert read("1997–1998") == [(Stamp(1997),), (Stamp(1998),)]
    assert read("1997/98") == [(Stamp(1997),)]
    assert read("1998-03 – 1998-05") == [(Stamp(1998, 3),), (Stamp(1998, 5),)]


@pytest.mark.parametrize(
    "text",
    ["you may 5 times", "we march 12 miles", "1998", "12.5", "1.234.567", "31.02.1998",
     "33 March", "version 2.3.4", "1/2", "in March", "a Mayor 12", "+49 30 1998-0312"],
)  # fmt: skip
def test_no_date(text):
    assert read(text) == []


def test_what_is_taken_is_blanked_in_place():
    text = "In March 1998 at 12:30: 211"
    _, rest = take_dates(text)
    assert len(rest) == len(text)
    assert rest.split() == ["In", "at", ":", "211"]


@pytest.mark.parametrize(
    ("said", "known", "expected"),
    [
        (Stamp(1998, 3), Stamp(1998, 3), "same"),
        (Stamp(1998, 3), Stamp(1998, 3, 15), "same"),
        (Stamp(1998), Stamp(1998, 3), "same"),
        (Stamp(1998, quarter=1), Stamp(1998, 3), "same"),
        (Stamp(None, 3, 15), Stamp(1998, 3, 15), "same"),
        (Stamp(1998, 3, 31), Stamp(1998, 3), "edge"),
        (Stamp(1998, 3, 1), Stamp(1998, 3), "edge"),
        (Stamp(1998, 3, 12), Stamp(1998, 3), None),
        (Stamp(1998, 2), Stamp(1998, 3), "near"),
        (Stamp(1997, 12), Stamp(1998, 1), "near"),
        (Stamp(1997, 3), Stamp(1998, 3), "near"),
        (Stamp(1998, 5), Stamp(1998, 3), None),
        (Stamp(1998, 2), Stamp(1998, quarter=1), "edge"),
        (Stamp(1997, quarter=4), Stamp(1998, quarter=1), "near"),
        (Stamp(2004), Stamp(1998, 3), None),
        (Stamp(None, week=10), Stamp(1998, week=10), "same"),
        (Stamp(None, week=11), Stamp(1998, week=10), None),
        (Stamp(1998, 3, 2), Stamp(1998, week=10), "edge"),
        (Stamp(1998, 3, 8), Stamp(1998, week=10), "edge"),
        (Stamp(1998, 3, 5), Stamp(1998, week=10), None),
    ],
)
def test_relation(said, known, expected):
    assert relation(said, known) == expected


@pytest.mark.parametrize(
    ("stamp", "text"),
    [(Stamp(1998), "1998"), (Stamp(1998, 3), "1998-03"), (Stamp(1998, 3, 5), "1998-03-05"),
     (Stamp(1998, quarter=2), "1998-Q2"), (Stamp(1998, week=7), "1998-W07")],
)  # fmt: skip
def test_a_stamp_is_written_as_iso(stamp, text):
    assert str(stamp) == text


@given(st.dates(min_value=__import__("datetime").date(1900, 1, 1)).filter(lambda d: d.year < 2100))
def test_any_day_reads_back(day):
    for text in (day.isoformat(), f"{day:%d.%m.%Y}", f"{day:%d %B %Y}", f"{day:%B %d, %Y}"):
        assert Stamp(day.year, day.month, day.day) in read(text)[0]
