"""Figures in running text, with every value they may mean."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from skills2_nb.audit.dates import DateFigure, take_dates
from skills2_nb.audit.masking import mask, unmark
from skills2_nb.audit.number_words import spelled

_GAP = "\u00a0\u202f\u2009"  # no-break, narrow no-break and thin space
_MINUS = "\u2212"
_EPSILON = 1e-9

_SCALES = {
    "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "B": 1e9, "bn": 1e9, "Bn": 1e9, "mn": 1e6, "tn": 1e12,
    "thousand": 1e3, "tsd": 1e3, "tausend": 1e3,
    "million": 1e6, "millions": 1e6, "mio": 1e6, "millionen": 1e6,
    "billion": 1e9, "billions": 1e9, "mrd": 1e9, "milliarde": 1e9, "milliarden": 1e9,
    "trillion": 1e12, "billionen": 1e12,
}  # fmt: skip
# Read as they stand too: "5 m" may be metres, "5 K" kelvin; "4K" is four thousand.
_DOUBTFUL = frozenset({"k", "K", "m", "M", "B"})
_ABOUT = (
    "about|around|approximately|approx|roughly|nearly|almost|over|more than|under|less than|"
    "just over|just under|circa|ca|c|etwa|rund|ungefähr|knapp|fast|gut|über|mehr als|weniger als"
)
_NUMBER = re.compile(
    rf"""(?P<about>(?:(?<![\w.])(?:{_ABOUT})\.?\s+|[~≈]\s?))?
    (?P<lead>[$€£¥]\s?|(?:USD|EUR|GBP|CHF|US\$)[ {_GAP}]?)?
    (?P<sign>(?<![\w.,)\]%])[-{_MINUS}+\u2013])?
    (?P<coin>[$€£¥][ {_GAP}]?)?
    (?<!\w)(?<!\d\.)(?<![^\W\d_][-{_MINUS}])
    (?P<digits>
        (?<!\d,)[1-9]\d{{0,2}}(?:(?P<group>[.,'’ {_GAP}])\d{{3}})(?:(?P=group)\d{{3}})*
            (?:(?!(?P=group))[.,]\d+)?(?![.,]?\d)
      | (?<!\d,)\d+[.,]\d+(?![.,]?\d)
      | \d+
      | (?<!\.)\.\d+(?![.,]?\d)
    )
    (?P<power>[eE][-+]?\d{{1,3}}(?!\w))?
    (?P<unit>[ {_GAP}]?(?:%|‰|(?:per\s?cent|prozentpunkte?n?|prozent|percentage[ ]points?|pp|ppt)
        (?![^\W\d_])))?
    (?P<scale>[ {_GAP}]?(?:(?:thousand|tausend|millions?|millionen|billions?|billionen|milliarden?|
        trillion|bn|mn|tn|(?-i:[kKmMB]))(?![^\W_]|\^)|(?:tsd|mio|mrd)(?![^\W_])\.?))?
    """,
    re.X | re.I,
)
_POINTS = re.compile(r"punkt|point|pp", re.I)
# A loss as a ledger writes it: (3.4)% is -3.4%.
_LEDGER = re.compile(r"\((\d+(?:[.,]\d+)?)\)(\s?)%")
_GLUED = re.compile(
    r"(?:x|h|s|ms|us|min|d|w|y|kg|g|km|cm|mm|t|[kKMGT]B|pts?|days?|years?|°?C|er)(?![^\W_])"
)
_WORDS = {
    word: value
    for value, words in enumerate(
        (
            "zero no none nobody null niemand kein keine keinen keiner keines",
            "one single eins ein eine einen einem einer",
            "two zwei",
            "three drei",
            "four vier",
            "five fünf",
            "six sechs",
            "seven sieben",
            "eight acht",
            "nine neun",
        )
    )
    for word in words.split()
}
_WORD = re.compile(
    r"(?<![\w-])(?:" + "|".join(sorted(_WORDS, key=len, reverse=True)) + r")(?!\w)", re.I
)


@dataclass(frozen=True)
class Reading:
    """One value a figure may mean, and how far off the true value may be.

    Attributes:
        value: the value, scale and percent applied.
        slack: half a unit of the last digit shown; of the last non-zero digit where the text says
            "about" or gives K, M or bn.
        doubtful: whether it takes the comma of "4,000" or "1,500" for a decimal one: these are
            thousands, unless a result is the float 4.0 or 1.5.
    """

    value: float
    slack: float
    doubtful: bool = False

    def matches(self, true: float) -> bool:
        """Whether ``true`` rounds to what is shown; a tie may be rounded either way."""
        if self.value == 0 and true != 0 and self.slack == 0.5:
            return False
        return abs(self.value - true) <= self.slack * (1 + _EPSILON) + abs(true) * 1e-12


@dataclass(frozen=True)
class NumberFigure:
    """A number as it stands in a text.

    Attributes:
        readings: what it may mean; a separator in doubt gives two.
        percent: whether a percent sign or word follows.
        points: whether they are percentage points, a difference of two percentages.
        signed: whether a sign is written.
        digits: significant digits shown.
        word: whether it is a word ("no", "two"), which can carry a value but claims none.
        code: whether it stands in code, where it can carry a value but claims none.
        parts: the figures it falls into where a space or comma was no thousands separator.
    """

    text: str
    start: int
    end: int
    readings: tuple[Reading, ...]
    percent: bool = False
    points: bool = False
    signed: bool = False
    digits: int = 1
    word: bool = False
    code: bool = False
    parts: tuple[NumberFigure, ...] = field(default=(), compare=False)

    @property
    def claims(self) -> bool:
        """Whether it is held against the answer when nothing gives it."""
        return not (self.word or self.code)

    def matches(self, true: float, *, loosely: bool = False) -> bool:
        """Whether any reading matches; the doubtful ones are asked ``loosely`` only."""
        return any(
            reading.matches(true) for reading in self.readings if loosely or not reading.doubtful
        )


Figure = NumberFigure | DateFigure


def figures(text: str, names: tuple[str, ...] = ()) -> tuple[Figure, ...]:
    """The numbers and dates of a text in order.

    Dates and periods are matched first and removed; ordinals, list markers, references ("step 5
    of 10"), code, addresses and ``names`` are none.

    Args:
        text: an answer, prompt or prose.
        names: words that are no figures whatever they hold, such as the skill's name.
    """
    masked = mask(text, names)
    dates, prose = take_dates(masked.prose)
    numbers = tuple(_numbers(_LEDGER.sub(r"-\1\2 %", unmark(prose))))
    in_code = tuple(_as_code(figure) for figure in _numbers(masked.code))
    words = tuple(_number_words(prose))
    return tuple(
        sorted((*dates, *numbers, *in_code, *words), key=lambda figure: (figure.start, figure.end))
    )


@functools.lru_cache(maxsize=32)  # each call of a run is held against the same prompt and inputs
def literals(text: str) -> tuple[Figure, ...]:
    """The numbers and dates that a prompt or prose gives as sources: code counts, words do not."""
    return tuple(
        figure for figure in figures(text) if isinstance(figure, DateFigure) or not figure.word
    )


def number_in(text: str) -> float | None:
    """The number that a whole text is ("12.50" of a decimal), else None."""
    return float(text) if _PLAIN.fullmatch(text) else None


_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")


def _numbers(text: str) -> Iterator[NumberFigure]:
    at = 0
    while match := _NUMBER.search(text, at):
        at = max(match.end(), at + 1)
        if _is_glued(text, match):
            continue
        yield _figure(match)


def _is_glued(text: str, match: re.Match[str]) -> bool:
    """Whether letters follow at once that are no unit: 2FA, 1990s, 3D."""
    rest = text[match.end() : match.end() + 8]
    if match["scale"] or match["unit"] or (not rest[:1].isalpha() and rest[:1] != "_"):
        return False
    return not _GLUED.match(rest)


def _figure(match: re.Match[str]) -> NumberFigure:
    start = match.start("digits")
    for name in ("coin", "sign", "lead"):
        if match[name]:
            start = match.start(name)
    digits = match["digits"]
    percent = match["unit"] is not None
    readings = tuple(_readings(match))
    shown = re.sub(r"\D", "", digits).lstrip("0")
    return NumberFigure(
        match.string[start : match.end()].rstrip(),
        start,
        start + len(match.string[start : match.end()].rstrip()),
        readings,
        percent=percent,
        points=_POINTS.search(match["unit"] or "") is not None,
        signed=bool(match["sign"]),
        digits=max(len(shown), 1),
        parts=_parts(match, start),
    )


def _readings(match: re.Match[str]) -> Iterator[Reading]:
    sign = -1.0 if match["sign"] and match["sign"] != "+" else 1.0
    power = 10.0 ** int(match["power"][1:]) if match["power"] else 1.0
    unit = (match["unit"] or "").strip()
    for plain, doubtful in _plain_forms(match["digits"], match["group"]):
        for scale, loose in _scales(match["scale"], bool(match["about"])):
            slack = _slack(plain, loose) * scale * power
            value = sign * float(plain) * scale * power
            yield Reading(value, slack, doubtful)
            if unit:
                share = 1e-3 if unit == "‰" else 1e-2
                yield Reading(value * share, slack * share, doubtful)


def _plain_forms(digits: str, group: str | None) -> Iterator[tuple[str, bool]]:
    """The digits with a decimal point, in one or two readings (2.357 and 1,234 are in doubt).

    Each with whether a nought is the last of three digits behind the point.
    """
    if group is None:
        yield digits.replace(",", "."), False
        return
    whole = digits.replace(group, "")
    yield whole.replace(",", "."), False
    if group in ".," and digits.count(group) == 1 and whole.isdigit():
        yield digits.replace(",", "."), digits.endswith("0")


def _scales(scale: str | None, about: bool) -> Iterator[tuple[float, bool]]:
    """Factors, each with whether half a unit of the last non-zero digit is allowed."""
    word = (scale or "").strip().rstrip(".")
    if word:
        factor = _SCALES.get(word) or _SCALES.get(word.lower())
        if factor:
            yield factor, True
        if word not in _DOUBTFUL or (word != "m" and word == scale):
            return
    yield 1.0, about


def _slack(plain: str, loose: bool) -> float:
    whole, _, decimals = plain.partition(".")
    if loose:
        if decimals.strip("0"):
            decimals = decimals.rstrip("0")
        else:
            decimals = ""
            stripped = whole.rstrip("0")
            return 0.5 * 10.0 ** (len(whole) - len(stripped) if stripped else 0)
    return float(0.5 * 10.0 ** -len(decimals))


def _parts(match: re.Match[str], start: int) -> tuple[NumberFigure, ...]:
    group = match["group"]
    if group is None or group not in ", ":
        return ()
    made: list[NumberFigure] = []
    at = match.start("digits")
    pieces = match["digits"].split(group)
    for number, piece in enumerate(pieces):
        begin = start if number == 0 else at
        end = match.end() if number == len(pieces) - 1 else at + len(piece)
        inner = _NUMBER.fullmatch(match.string[begin:end].rstrip())
        if inner is None:
            return ()
        figure = _figure(inner)
        made.append(_moved(figure, begin))
        at += len(piece) + 1
    return tuple(made)


def _moved(figure: NumberFigure, by: int) -> NumberFigure:
    return replace(figure, start=figure.start + by, end=figure.end + by, parts=())


def _as_code(figure: NumberFigure) -> NumberFigure:
    return replace(figure, word=False, code=True, parts=())


def _number_words(text: str) -> Iterator[NumberFigure]:
    """Small number words, which claim nothing, and larger ones, which are as good as digits."""
    large = list(spelled(text))
    for item in large:
        readings = [Reading(float(item.value), 0.5)]
        if item.percent:
            readings.append(Reading(item.value / 100, 0.005))
        yield NumberFigure(
            text[item.start : item.end],
            item.start,
            item.end,
            tuple(readings),
            percent=item.percent,
            digits=len(str(item.value)),
        )
    for match in _WORD.finditer(text):
        if any(item.start <= match.start() < item.end for item in large):
            continue
        reading = Reading(float(_WORDS[match[0].lower()]), 0.0)
        yield NumberFigure(match[0], match.start(), match.end(), (reading,), word=True)
