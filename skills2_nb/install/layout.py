"""JSON texts changed in the style they are written in."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from skills2_nb.errors import UnreadableError
from skills2_nb.formats.json_spans import Member, elements, members, skip

#: Numbers stay text here: no digit of somebody else's may be lost.
DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


class FaultyError(UnreadableError):
    """A text that is no JSON object with room for the entry."""

    kind = "settings"

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def check(text: str) -> None:
    """See that a text is one JSON object.

    Raises:
        FaultyError: it is not; with the line.
    """
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise FaultyError(_said(error), error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise FaultyError(f"it is no JSON ({error})", 1) from None
    if not isinstance(value, dict):
        raise FaultyError("its outermost value is no object", 1)


def member_of(text: str, start: int, key: str, kind: str = "") -> Member | None:
    """The one member of that key in the object at ``start``; None where there is none.

    Args:
        kind: the sign its value has to begin with: ``{`` or ``[``.

    Raises:
        FaultyError: the key stands twice, or its value is of another kind.
    """
    found = [member for member in members(text, start) if member.key == key]
    if len(found) > 1:
        raise FaultyError(f"the key {key!r} stands twice there", line_of(text, found[1].at))
    if found and kind and text[found[0].begin] != kind:
        name = "object" if kind == "{" else "list"
        raise FaultyError(f"{key!r} is no {name} there", line_of(text, found[0].begin))
    return found[0] if found else None


def line_of(text: str, at: int) -> int:
    """The 1-based line of a place."""
    return text.count("\n", 0, at) + 1


def with_member(text: str, start: int, key: str, value: Any) -> tuple[int, str]:
    """Where a member goes into the object at ``start``, and its characters, comma and all."""
    inside = list(members(text, start))
    name = f"{json.dumps(key)}:"
    if not inside:
        return start + 1, _first(text, start, value, name)
    lead, gap = lead_of(text, inside[-1].at), _gap(text)
    return inside[-1].end, f",{gap if lead is None else lead}{name}{gap}{dumped(text, value, lead)}"


def with_element(text: str, start: int, value: Any) -> tuple[int, str]:
    """Where an element goes into the list at ``start``, at its end, and its characters."""
    inside = list(elements(text, start))
    if not inside:
        return start + 1, _first(text, start, value, "")
    begin, end = inside[-1]
    before = lead_of(text, begin)
    made = dumped(text, value, lead_inside(text, begin, end))
    return end, f",{_gap(text) if before is None else before}{made}"


def without(text: str, start: int, inside: Sequence[tuple[int, int]], at: int) -> str:
    """The text without one of the members or elements of what stands at ``start``.

    Args:
        inside: begin and end of each of them.
        at: the number of the one that goes.
    """
    if at:
        return text[: inside[at - 1][1]] + text[inside[at][1] :]
    if len(inside) > 1:
        return text[: inside[0][0]] + text[inside[1][0] :]
    return text[: start + 1] + text[skip(text, inside[0][1]) :]


def dumped(text: str, value: Any, lead: str | None) -> str:
    """The value in the style of the text; on one line where ``lead`` is None."""
    ascii_only = text.isascii()
    if lead is None:
        apart = (",", ":") if _is_tight(text) else (", ", ": ")
        return json.dumps(value, separators=apart, ensure_ascii=ascii_only)
    made = json.dumps(value, indent=_step(text), ensure_ascii=ascii_only)
    return made.replace("\n", lead)


def lead_of(text: str, at: int) -> str | None:
    """The line end and the blanks before a place; None where it does not begin its line."""
    found = re.search(r"\r?\n[ \t]*\Z", text[max(0, at - 200) : at])
    return found.group() if found else None


def lead_inside(text: str, begin: int, end: int) -> str | None:
    """What the closing line of a value begins with; None where it stands on one line."""
    lead = lead_of(text, begin)
    return _margin(text, begin) if lead is None and "\n" in text[begin:end] else lead


def _first(text: str, start: int, value: Any, name: str) -> str:
    """The characters of the first thing in the object or list at ``start``."""
    first = next(members(text, skip(text, 0)), None)
    if first is not None and lead_of(text, first.at) is None:
        return f"{name}{_gap(text) if name else ''}{dumped(text, value, None)}"
    margin = _margin(text, start)
    lead = margin + _step(text)
    blank = text[start + 1 : skip(text, start + 1)]
    made = f"{lead}{name}{' ' if name else ''}{dumped(text, value, lead)}"
    return made if "\n" in blank else made + margin


def _margin(text: str, at: int) -> str:
    """The line end of the text and the indent of the line that a place is in."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return _newline(text) + line[: len(line) - len(line.lstrip(" \t"))]


def _gap(text: str) -> str:
    return "" if _is_tight(text) else " "


def _step(text: str) -> str:
    """One step of indent: what stands before the first key."""
    first = re.match(r"\s*\{\r?\n([ \t]+)\"", text)
    return first.group(1) if first else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_tight(text: str) -> bool:
    """Whether the text is written without blanks: ``{"a":1}``."""
    first = next(members(text, skip(text, 0)), None)
    return first is not None and text[first.begin - 1] == ":"


def _said(error: json.JSONDecodeError) -> str:
    at = skip(error.doc, error.pos)
    if error.doc.startswith(("//", "/*"), at):
        return "it has comments, which would be lost"
    if error.doc[at : at + 1] in ("}", "]") and error.doc[:at].rstrip().endswith(","):
        return "a comma stands before the end of an object or list"
    return f"it is no JSON ({error.msg})"


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")
