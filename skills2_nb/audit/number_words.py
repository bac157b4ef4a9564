"""Numbers written out, in English and German."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FROM_ZERO = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
_SMALL = {word: value for value, word in enumerate(_FROM_ZERO.split())}
_FROM_TWENTY = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * value for value, word in enumerate(_FROM_TWENTY.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_ANY = "|".join(sorted((*_SMALL, *_TENS, *_SCALES), key=len, reverse=True))
_ENGLISH = re.compile(rf"(?<![\w-])(?:{_ANY})(?:(?:[ -]+(?:and )?)(?:{_ANY}))*(?!-?\w)", re.I)
_VON_NULL = """
    null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
    sechzehn siebzehn achtzehn neunzehn
"""
_KLEIN = {word: value for value, word in enumerate(_VON_NULL.split())} | {"eins": 1, "eine": 1}
_VON_ZWANZIG = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_ZEHNER = {word: 10 * value for value, word in enumerate(_VON_ZWANZIG.split(), start=2)}
_GERMAN = re.compile(r"(?<![\w-])[a-zäöüß]*(?:zehn|zig|ßig|hundert|tausend)[a-zäöüß]*(?!\w)", re.I)
_PERCENT = re.compile(r"[ -]?(?:per ?cent|percent|prozent|%)(?![^\W\d_])", re.I)
_LEAST = 13


@dataclass(frozen=True)
class Spelled:
    """A number in words with its place.

    Attributes:
        percent: whether a percent sign or word follows; it lies within the place.
    """

    start: int
    end: int
    value: int
    percent: bool


def spelled(text: str) -> Iterator[Spelled]:
    """The numbers from 13 on that a text writes out, and smaller ones with a percent behind.

    A "hundred" or "tausend" alone is a manner of speaking.
    """
    for pattern, value_of in ((_ENGLISH, _english), (_GERMAN, _german)):
        for match in pattern.finditer(text):
            value = value_of(match[0].lower())
            percent = _PERCENT.match(text, match.end())
            if value is not None and (value >= _LEAST or percent):
                end = percent.end() if percent else match.end()
                yield Spelled(match.start(), end, value, percent is not None)


def _english(phrase: str) -> int | None:
    """The value of ``two hundred and forty-one``; None where its words do not make a number."""
    words = [word for word in re.split(r"[ -]+", phrase) if word != "and"]
    if words[0] in _SCALES:
        return None
    whole, part = 0, 0
    for before, word in zip([None, *words], words, strict=False):
        if word in _SCALES:
            scale = _SCALES[word]
            whole, part = (whole, part * scale) if scale == 100 else (whole + part * scale, 0)
        elif before in _SMALL or (before in _TENS and _SMALL.get(word, 10) > 9):
            return None
        else:
            part += _SMALL.get(word, 0) + _TENS.get(word, 0)
    return whole + part


def _german(word: str) -> int | None:
    """The value of ``zweihunderteinundvierzig``; None where it is no number."""
    if word in ("hundert", "tausend"):
        return None
    for name, scale in (("tausend", 1000), ("hundert", 100)):
        head, found, tail = word.partition(name)
        if found:
            left = _german(head) if head else 1
            right = _german(tail.removeprefix("und")) if tail else 0
            return None if left is None or right is None else left * scale + right
    if word in _KLEIN or word in _ZEHNER:
        return _KLEIN.get(word, 0) + _ZEHNER.get(word, 0)
    unit, found, tens = word.partition("und")
    if found and 0 < _KLEIN.get(unit, 0) < 10 and tens in _ZEHNER:
        return _KLEIN[unit] + _ZEHNER[tens]
    return None
