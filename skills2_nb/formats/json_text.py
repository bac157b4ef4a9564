"""JSON of others, read strictly."""

from __future__ import annotations

import json
from typing import Any

#: Digits beyond which Python will not make an integer of a text.
MOST_DIGITS = 4000


class DuplicateKeyError(ValueError):
    """A key that stands twice in one object; ``args[0]`` is the key."""

    def __str__(self) -> str:
        """The fault in words."""
        return f"the key {self.args[0]!r} stands twice in one object"


def read(text: str, *, lenient: bool = False) -> Any:
    """The value of a JSON text; a key that stands twice is refused, never dropped.

    Args:
        text: the JSON.
        lenient: take ``NaN`` and ``Infinity``, which Python writes, and integers of more digits
            than Python reads, which come as text.

    Raises:
        DuplicateKeyError: a key stands twice in one object.
        ValueError: it is not JSON (``json.JSONDecodeError`` where the place is known).
        RecursionError: it is nested too deeply.
    """
    if not lenient:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (json.JSONDecodeError, DuplicateKeyError):
        raise
    except ValueError:  # a long integer; only now is each one worth a look
        return json.loads(text, object_pairs_hook=_unique, parse_int=_integer)


def storable(value: Any) -> str:
    """Why a value cannot be stored as UTF-8 JSON; empty where it can."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        return "it holds half a character (a lone surrogate)"
    except (ValueError, TypeError, OverflowError):
        return "it holds a value that JSON has no form for"
    except RecursionError:
        return "it is nested too deeply"
    return ""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise DuplicateKeyError(key)
        seen.add(key)
    return made


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")
