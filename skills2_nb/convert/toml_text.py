"""One value changed in a hand-written TOML text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

import tomli_w

_TABLE = re.compile(r"[ \t]*\[[ \t]*([A-Za-z0-9_-]+)[ \t]*\][ \t]*(?:#.*)?")
_ANY_TABLE = re.compile(r"[ \t]*\[")
_KEY = re.compile(r"[ \t]*(?:([A-Za-z0-9_-]+)|\"([^\"]+)\")[ \t]*=")


def with_value(text: str, table: str, key: str, value: Any) -> str | None:
    """A text in which one key has another value; None where that has to be done by hand.

    The key's line is replaced, or added at the end of its table, or the table is added at the
    end; comments and every other line stay.
    """
    lines = text.split("\n") if text else []
    line = tomli_w.dumps({key: value}).rstrip("\n").split("\n")
    span = _section(lines, table)
    if span is None:
        made = [*lines, *([""] if lines else []), f"[{table}]", *line]
    else:
        start, end = span
        held = _value(lines[start:end], key)
        if held is None:
            last = max((at for at in range(start, end) if lines[at].strip()), default=start - 1)
            made = [*lines[: last + 1], *line, *lines[last + 1 :]]
        else:
            first, after = start + held[0], start + held[1]
            line[-1] += _comment(lines[first:after])
            made = [*lines[:first], *line, *lines[after:]]
    changed = "\n".join(made)
    return changed if _tables(changed) == _wanted(text, table, key, value) else None


def _tables(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def _wanted(text: str, table: str, key: str, value: Any) -> dict[str, Any] | None:
    tables = _tables(text)
    if tables is None or not isinstance(tables.get(table, {}), dict):
        return {"": None}  # which no text says
    return {**tables, table: {**tables.get(table, {}), key: value}}


def _section(lines: Sequence[str], table: str) -> tuple[int, int] | None:
    """First line after a table's header, and the line its section ends before."""
    heads = (_TABLE.fullmatch(line) for line in lines)
    start = next((at + 1 for at, head in enumerate(heads) if head and head[1] == table), None)
    if start is None:
        return None
    ends = (at for at in range(start, len(lines)) if _ANY_TABLE.match(lines[at]))
    return start, next((at for at in ends if _tables("\n".join(lines[start:at])) is not None),
                       len(lines))  # fmt: skip


def _value(lines: Sequence[str], key: str) -> tuple[int, int] | None:
    """The lines on which a key and its value stand."""
    for first, line in enumerate(lines):
        match = _KEY.match(line)
        if match is None or (match[1] or match[2]) != key:
            continue
        for after in range(first + 1, len(lines) + 1):
            if _tables("\n".join(lines[first:after])) is not None:
                return first, after
    return None


def _comment(lines: Sequence[str]) -> str:
    """The comment behind a value on its last line, with the blanks before it."""
    last = lines[-1]
    held = _tables("\n".join(lines))
    for match in re.finditer(r"[ \t]*#", last):
        if _tables("\n".join([*lines[:-1], last[: match.start()]])) == held:
            return last[match.start() :]
    return ""
