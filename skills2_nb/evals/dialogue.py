"""Whether a message is an answer, or a turn of a dialogue.

A model that asks back has not answered yet, and a word of thanks claims nothing. Neither is held
against a run that was never begun, and a question leaves an open run as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from skills2_nb.audit.numbers import NumberFigure, figures

_SENTENCE = re.compile(r"(?<=[.!?\uff1f])[)\"'\u201d*_]*\s+|\n+")
_ASKS = re.compile(r"[?\uff1f][\s)\"'\u201d*_`]*\Z")
_YEARS = range(1900, 2101)


def claims(text: str, known: Iterable[str] = ()) -> bool:
    """Whether a text gives a figure that is in none of the known ones.

    Sentences that ask, dates, years and the markers of lists give none.

    Args:
        known: the prompt, the skill's prose: what may be said again.
    """
    given = [value for text in known for value in _values(text)]
    told = "\n".join(part for part in _SENTENCE.split(text) if not _ASKS.search(part))
    return any(not any(figure.matches(value) for value in given) for figure in _figures(told))


def asks_back(text: str, known: Iterable[str] = ()) -> bool:
    """Whether a message ends with a question and gives no figure of its own."""
    return _is_question(text) and not claims(text, known)


def is_talk(text: str, known: Iterable[str] = ()) -> bool:
    """Whether a message needs no run: it gives no figure, or asks and counts what it asks about.

    "There are 3 files here. Which one is it?" is told of what was seen, not of what was computed.
    """
    given = list(known)
    counts = [digit for digit in "23456789" if _is_question(text)]
    return not claims(text, [*given, *counts])


def _is_question(text: str) -> bool:
    return _ASKS.search(text.rstrip()) is not None


def _figures(text: str) -> list[NumberFigure]:
    return [
        figure
        for figure in figures(text)
        if isinstance(figure, NumberFigure) and figure.claims and not _is_year(figure)
    ]


def _is_year(figure: NumberFigure) -> bool:
    plain = figure.text.isdecimal() and len(figure.text) == 4
    return plain and int(figure.text) in _YEARS


def _values(text: str) -> Iterable[float]:
    for figure in figures(text):
        if isinstance(figure, NumberFigure) and not figure.word:
            yield from (reading.value for reading in figure.readings)
