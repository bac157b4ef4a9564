"""Values that a command line brings in: JSON, pairs, text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.formats.files import read_bytes

STDIN = "-"


def read_text(place: str) -> str:
    """The text of a file, or of stdin for ``-``.

    Raises:
        UnreadableError: there is no such file, or it is not UTF-8.
    """
    data = sys.stdin.buffer.read() if place == STDIN else read_bytes(Path(place))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"{_told(place)} is not UTF-8 text (byte offset {error.start}); save it as UTF-8"
        ) from None


def read_object(place: str) -> dict[str, Any]:
    """A JSON object from a file, or from stdin for ``-``.

    Raises:
        UnreadableError: it is not JSON, or no object, or a key stands twice.
    """
    text = read_text(place)
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise UnreadableError(
            f"{_told(place)} is not JSON: {error.msg} in line {error.lineno}, column "
            f'{error.colno}; write an object such as {{"daily": [1, 2, 3]}}'
        ) from None
    except (ValueError, RecursionError) as error:
        fault = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        if fault.startswith("Exceeds the limit"):
            fault = "a number in it has more digits than can be read; write it as text"
        raise UnreadableError(f"{_told(place)} cannot be read: {fault}") from None
    if not isinstance(value, dict):
        raise UnreadableError(
            f"{_told(place)} holds a JSON {_kind(value)}; inputs are an object such as "
            '{"daily": [1, 2, 3]}'
        )
    return value


def pairs(given: Iterable[str]) -> dict[str, str]:
    """``key=value`` words as texts by key.

    Raises:
        UsageError: a word has no ``=``, or no key, or a key that stands twice.
    """
    made: dict[str, str] = {}
    for word in given:
        key, mark, text = word.partition("=")
        if not mark or not key.strip():
            raise UsageError(f"-i {word!r} is not key=value; write for example -i period=1997-03")
        if key in made:
            raise UsageError(f"-i gives {key!r} twice; keep one of the two")
        made[key] = text
    return made


def _once(items: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(items)
    if len(made) != len(items):
        names = [name for name, _ in items]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice; keep one of the two")
    return made


def _told(place: str) -> str:
    return "what stdin brought" if place == STDIN else place


def _kind(value: Any) -> str:
    names = {list: "list", str: "text", bool: "truth value", int: "number", float: "number"}
    return names.get(type(value), "null")
