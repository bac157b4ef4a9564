"""Dates and periods, as English and German write them."""

from __future__ import annotations

import contextlib
import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from skills2_nb.audit.masking import spaces

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar jänner jan",
            "february februar feb",
            "march märz mär mar mrz",
            "april apr",
            "may mai",
            "june juni jun",
            "july juli jul",
            "august aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dezember dec dez",
        ),
        start=1,
    )
    for name in names.split()
}
# Capitalised only: "may" and "march" are verbs.
_MONTH = (
    "(?:"
    + "|".join(
        f"{name.capitalize()}|{name.upper()}" for name in sorted(_MONTHS, key=len, reverse=True)
    )
    + r")(?![^\W\d_])\.?"
)
_CLOCK = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?Z|\s?[+-]\d{2}:?\d{2})?)?"
_YEAR = r"(?:19|20)\d{2}"
_EDGE = r"(?<![\w.,/-])"
_TAIL = r"(?![\w/]|-\d|[.,]\d)"

# Tried in this order: the longer reading of one place comes first.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![\w/])(?P<y>\d{{4}})-(?P<m>\d{{2}})-(?P<d>\d{{2}}){_CLOCK}(?![\w-])",
        rf"{_EDGE}(?P<y>\d{{4}})/(?P<m>\d{{2}})/(?P<d>\d{{2}}){_TAIL}",
        rf"(?<![\w/])(?P<y>{_YEAR})-?[Ww](?P<w>\d{{2}})(?![\w-])",
        r"\b(?:KW|CW|[Ww]eek|W)\s?(?P<w>\d{1,2})(?:\s?/\s?|\s+(?:of\s+)?)(?P<y>(?:19|20)\d{2})\b",
        r"\b(?P<w>\d{1,2})\.\s?Kalenderwoche(?:\s+(?P<y>(?:19|20)\d{2}))?\b",
        r"\b(?:KW|CW|[Ww]eek|Kalenderwoche)\s?(?P<w>\d{1,2})(?![\w%]|[.,:/-]\d|\s?(?:%|of\b|von\b))",
        rf"(?<![\w/])(?P<y>{_YEAR})[- ]?Q(?P<q>[1-4])(?!\w)",
        r"\bQ(?P<q>[1-4])[ /-]?(?:of\s+)?(?P<y>(?:19|20)\d{2})\b",
        r"(?<!\w)(?P<q>[1-4])\.\s?Quartal(?:\s+(?P<y>(?:19|20)\d{2}))?\b",
        rf"(?<![\w/])(?P<y>{_YEAR})-(?P<m>0[1-9]|1[0-2])(?![\w-])",
        rf"{_EDGE}(?P<y>{_YEAR})/(?P<m>0[1-9]|1[0-2]){_TAIL}",
        rf"\b(?P<b>{_MONTH})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>{_YEAR})\b",
        rf"(?<![\w.,])(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<b>{_MONTH})"
        rf"(?:,?\s+(?P<y>{_YEAR})\b)?",
        rf"\b(?P<b>{_MONTH})[ \-/]?\s?(?:of\s+)?(?P<y>{_YEAR})\b",
        rf"\b(?P<b>{_MONTH})\s?['’](?P<s>\d{{2}})\b",
        rf"\b(?P<b>{_MONTH})\s+(?P<d>[12]?\d|3[01])(?:st|nd|rd|th)?(?![\w%]|[.,:]\d|\s?%)",
        rf"{_EDGE}(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<y>{_YEAR})(?!\w)",
        rf"{_EDGE}(?P<d>\d{{2}})\.(?P<m>\d{{2}})\.(?P<s>\d{{2}})(?![\w.]|,\d)",
        rf"{_EDGE}(?P<d>\d{{1,2}})/(?P<m>\d{{1,2}})/(?P<y>{_YEAR}){_TAIL}",
        rf"{_EDGE}(?P<d>\d{{1,2}})/(?P<m>\d{{1,2}})/(?P<s>\d{{2}}){_TAIL}",
        rf"{_EDGE}(?P<m>0?[1-9]|1[0-2])/(?P<y>{_YEAR}){_TAIL}",
        rf"{_EDGE}(?P<y>{_YEAR})\s?[/\u2013-]\s?\d{{2}}(?!\w|[.,]\d|/)",
        rf"{_EDGE}(?P<y>{_YEAR})(?=\s?[/\u2013-]\s?{_YEAR}(?!\w|[.,]\d|/))",
        rf"(?<=[/\u2013-])(?P<y>{_YEAR})(?![\w.,]\d)",
    )
)
_TIME = re.compile(
    r"(?<![\w:.])(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:\s?(?:am|pm|AM|PM|Uhr|UTC|h)\b)?(?!\w|:\d)"
)


@dataclass(frozen=True)
class Stamp:
    """A day, week, month, quarter or year; parts not said are None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    week: int | None = None

    def __str__(self) -> str:
        """As ISO writes it: 1998, 1998-Q1, 1998-W12, 1998-03, 1998-03-15."""
        year = "" if self.year is None else f"{self.year:04d}"
        if self.quarter is not None:
            return f"{year}-Q{self.quarter}".lstrip("-")
        if self.week is not None:
            return f"{year}-W{self.week:02d}".lstrip("-")
        rest = [f"{part:02d}" for part in (self.month, self.day) if part is not None]
        return "-".join([year, *rest])


@dataclass(frozen=True)
class DateFigure:
    """A date as it stands in a text, with every stamp it may mean."""

    text: str
    start: int
    end: int
    readings: tuple[Stamp, ...]


Relation = Literal["same", "edge", "near"]


def take_dates(text: str) -> tuple[tuple[DateFigure, ...], str]:
    """The dates of a text, in order, and the text with dates and clock times blanked.

    Numeric day and month in doubt (03/04/1998) keep both readings. A month without day or year
    ("in March") is a word, not a date.
    """
    found: list[DateFigure] = []
    for pattern in _PATTERNS:
        matches = list(_read_all(pattern, text))
        for figure in matches:
            text = text[: figure.start] + spaces(figure.text) + text[figure.end :]
        found += matches
    text = _TIME.sub(lambda match: spaces(match[0]), text)
    return tuple(sorted(found, key=lambda figure: figure.start)), text


def relation(said: Stamp, known: Stamp) -> Relation | None:
    """How a date of the answer stands to a known date.

    Returns:
        "same" when it is that date or a coarser name of it (March 1998 for 1998-03-15); neither
        proof nor fault are "edge", a first or last day of the known period (31 March for 1998-03),
        and "near", the period before or after or the same period a year off. None when they have
        nothing in common.
    """
    if _within(known, said):
        return "same"
    if _is_edge(said, known):
        return "edge"
    return "near" if _is_neighbour(said, known) else None


def _read_all(pattern: re.Pattern[str], text: str) -> Iterator[DateFigure]:
    for match in pattern.finditer(text):
        readings = tuple(stamp for stamp in _stamps(match.groupdict()) if _is_real(stamp))
        if readings:
            yield DateFigure(match[0], match.start(), match.end(), readings)


def _stamps(parts: dict[str, str | None]) -> Iterator[Stamp]:
    number = {key: int(value) for key, value in parts.items() if value and key != "b"}
    year = number.get("y")
    if year is None and "s" in number:
        year = number["s"] + (1900 if number["s"] >= 70 else 2000)
    month, day = number.get("m"), number.get("d")
    name = parts.get("b")
    if name:
        month = _MONTHS[name.rstrip(".").lower()]
    yield Stamp(year, month, day, number.get("q"), number.get("w"))
    if not name and day is not None and month is not None and day != month:
        yield Stamp(year, day, month)


def _is_real(stamp: Stamp) -> bool:
    if stamp.week is not None and not 1 <= stamp.week <= 53:
        return False
    if stamp.month is None:
        return True
    return 1 <= stamp.month <= 12 and (
        stamp.day is None or 1 <= stamp.day <= monthrange(stamp.year or 2000, stamp.month)[1]
    )


def _within(inner: Stamp, outer: Stamp) -> bool:
    """Whether every part the outer stamp says is said alike by the inner one."""
    quarter = inner.quarter or (inner.month and (inner.month + 2) // 3)
    pairs = (
        (outer.year, inner.year),
        (outer.month, inner.month),
        (outer.day, inner.day),
        (outer.week, inner.week),
        (outer.quarter, quarter),
    )
    return all(said is None or said == has for said, has in pairs)


def _is_edge(said: Stamp, known: Stamp) -> bool:
    if said.year not in (None, known.year):
        return False
    if known.week is not None and known.year is not None:
        return _is_week_edge(said, known.year, known.week)
    if known.day is None and said.day is not None and known.month is not None:
        last = monthrange(known.year or 2000, known.month)[1]
        return said.month == known.month and said.day in (1, last)
    return (
        known.quarter is not None
        and said.month is not None
        and (said.month + 2) // 3 == known.quarter
    )


def _is_week_edge(said: Stamp, year: int, week: int) -> bool:
    """Whether a day is the Monday or Sunday of an ISO week."""
    with contextlib.suppress(ValueError):
        ends = [date.fromisocalendar(year, week, day) for day in (1, 7)]
        return (said.month, said.day) in {(end.month, end.day) for end in ends}
    return False


def _is_neighbour(said: Stamp, known: Stamp) -> bool:
    here, there = _ordinal(said), _ordinal(known)
    if here is None or there is None or here[0] != there[0]:
        return False
    kind, gap = here[0], abs(here[1] - there[1])
    return gap == 1 or gap == {"month": 12, "quarter": 4}.get(kind, 1)


def _ordinal(stamp: Stamp) -> tuple[str, int] | None:
    """The kind of a period and its running number, so that neighbours differ by one."""
    if stamp.year is None:
        return None
    if stamp.week is not None:
        return "week", stamp.year * 52 + stamp.week
    if stamp.quarter is not None:
        return "quarter", stamp.year * 4 + stamp.quarter
    if stamp.month is None:
        return "year", stamp.year
    if stamp.day is None:
        return "month", stamp.year * 12 + stamp.month
    return None
