"""Where the values of a JSON text stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_BLANK = re.compile(r"[ \t\r\n]*")
#: Numbers stay text here: only where they end is wanted.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


class Member(NamedTuple):
    """A member of an object: its key, where the key begins, where the value begins and ends."""

    key: str
    at: int
    begin: int
    end: int


def members(text: str, start: int) -> Iterator[Member]:
    """The members of the object whose brace stands at ``start``, in order.

    Args:
        text: JSON that is known to be well formed.
        start: the place of the brace, or of blanks before it.
    """
    position = skip(text, skip(text, start) + 1)
    while text[position] != "}":
        key, after = _DECODER.raw_decode(text, position)
        begin = skip(text, skip(text, after) + 1)
        _, end = _DECODER.raw_decode(text, begin)
        yield Member(key, position, begin, end)
        position = _next(text, end)


def elements(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Begin and end of each element of the array whose bracket stands at ``start``."""
    position = skip(text, start + 1)
    while text[position] != "]":
        _, end = _DECODER.raw_decode(text, position)
        yield position, end
        position = _next(text, end)


def skip(text: str, position: int) -> int:
    """The first place from ``position`` on that holds no blank."""
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _next(text: str, position: int) -> int:
    position = skip(text, position)
    return skip(text, position + 1) if text[position] == "," else position
