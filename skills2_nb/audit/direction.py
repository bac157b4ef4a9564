"""A rise or fall told against its own two figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from skills2_nb.audit.numbers import NumberFigure
from skills2_nb.audit.page import Page, Span
from skills2_nb.audit.sources import Source

_RISE = (
    "rose|rise[sn]?|rising|grew|grows?|grown|growing|increased?|increases|increasing|climbed|up|"
    "stieg|stiegen|steigt|steigen|gestiegen|wuchs|wuchsen|wächst|gewachsen"
)
_FALL = (
    "fell|falls?|fallen|falling|declined?|declines|declining|decreased?|decreases|dropped|drops?|"
    "shrank|shrunk|shrinks|sank|slipped|down|fiel|fielen|fällt|fallen|gefallen|sanken|gesunken|"
    "schrumpfte|schrumpften"
)
_ABOUT = r"(?:about|around|roughly|nearly|rund|etwa|circa|ca\.?)?[\s~≈]*"
_WORD = re.compile(
    rf"\b(?:(?P<rise>{_RISE})|(?P<fall>{_FALL}))\b"
    rf"(?:\s+(?:\w+ly|by|um|again|wieder|leicht|deutlich))*[\s,(]*{_ABOUT}"
)
_FROM = re.compile(rf"[\s,)–—-]*(?:from|von)\s+{_ABOUT}")
_PERIOD = r"(?:\([^()\n]{0,40}\)|(?:in|im)\s[^.;\n]{0,30}?)"
_TO = re.compile(rf"\s*(?:{_PERIOD}\s*)?\b(?:to|auf)\s+(?:only|just|nur)?\s*{_ABOUT}")


_NOUN = re.compile(
    rf"\b(?:(?P<rise>increase|rise|gain|growth|anstieg|zuwachs|wachstum)"
    rf"|(?P<fall>decline|decrease|drop|fall|loss|reduction|rückgang|verlust))"
    rf"\s+(?:of|by|um|von)\s+{_ABOUT}"
)
_CHANGE = re.compile(r"growth|chang|delta|\bnet\b|veränder|wachstum")


@dataclass(frozen=True)
class Turn(Span):
    """From the word to the second figure: ``fell from 157 to 211``.

    Attributes:
        word: how the change is told.
    """

    word: str


def turns(page: Page, figures: Sequence[NumberFigure]) -> Iterator[Turn]:
    """The places where a rise is told of a fall, or a fall of a rise. Pure.

    Only the plain form is read: a word of the change, at most the size of it, "from" a figure
    "to" a figure, each perhaps with its period. What rises when its number falls (a rank) is told
    in other words.

    Args:
        page: the answer.
        figures: its numbers in order.
    """
    starts = {figure.start: figure for figure in figures}
    for match in _WORD.finditer(page.flat):
        size = starts.get(match.end())
        first = _after(_FROM, page, size.end if size else match.end(), starts)
        second = _after(_TO, page, first.end, starts) if first else None
        if first is None or second is None:
            continue
        change = _change(first, second)
        if change and (change > 0) != bool(match["rise"]):
            yield Turn(match.start(), second.end, match["rise"] or match["fall"])


def turned_sizes(
    page: Page, figures: Sequence[NumberFigure], sources: Iterable[Source]
) -> Iterator[Turn]:
    """The places where the size of a change is told as the other change. Pure.

    "A decline of 34.4%" of a growth rate of 0.344, "grew by 3.4%" of one of -0.034.

    Args:
        page: the answer.
        figures: its numbers in order.
        sources: what the run knows; a change is known by its name.
    """
    known = [s.number for s in sources if s.place == "result" and _CHANGE.search(" ".join(s.names))]
    changes = [number for number in known if number]
    starts = {figure.start: figure for figure in figures}
    for match in (*_WORD.finditer(page.flat), *_NOUN.finditer(page.flat)):
        size = starts.get(match.end())
        if size is None or size.signed or not size.percent or _after(_FROM, page, size.end, starts):
            continue
        signs = {_sign(change) for change in changes if size.matches(abs(change))}
        if signs == {-1 if match["rise"] else 1}:
            yield Turn(match.start(), size.end, match["rise"] or match["fall"])


def _after(
    pattern: re.Pattern[str], page: Page, at: int, starts: dict[int, NumberFigure]
) -> NumberFigure | None:
    """The figure that stands directly behind a joining word."""
    match = pattern.match(page.flat, at)
    return starts.get(match.end()) if match else None


def _change(first: NumberFigure, second: NumberFigure) -> int:
    """The change from the one to the other; 0 where their readings do not agree on its sign."""
    here, there = first.readings, second.readings
    alike = first.percent == second.percent and len(here) == len(there)
    pairs = zip(here, there, strict=True) if alike else product(here, there)
    found = {_sign(later.value - earlier.value) for earlier, later in pairs}
    return found.pop() if len(found) == 1 else 0


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
