"""A server's entry in a JSON text, put in and taken out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.json_spans import Member, members, skip

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
#: There is no such entry.
ABSENT = object()
Made = Literal["file", "container", "entry"]


@dataclass(frozen=True)
class Trace:
    """How an entry came into a text, so that it can leave without one.

    Attributes:
        made: what had to be made for it: the file, the object that holds the entries, or nothing
            but the entry.
        added: the characters put in, in one piece; empty where none were.
        replaced: the text of the value that stood there before, where somebody's was overwritten.
    """

    made: Made
    added: str = ""
    replaced: str | None = None


@dataclass(frozen=True)
class Slot:
    """Where an entry stands or would stand.

    Attributes:
        key: the member of the outermost object that holds the entries.
        name: the entry's key there.
    """

    key: str
    name: str


class FaultyError(UnreadableError):
    """A text that is no JSON object with room for the entry."""

    kind = "settings"

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def value_of(text: str, slot: Slot) -> Any:
    """The entry that is there, numbers as text; ``ABSENT`` where there is none.

    Raises:
        FaultyError: the text is no JSON object, or the entry has no one place in it.
    """
    member = _checked(text, slot)
    return ABSENT if member is None else _DECODER.decode(text[member.begin : member.end])


def put(text: str, slot: Slot, value: Any) -> tuple[str, Trace]:
    """Put a new entry in; every character that is there stays.

    Args:
        text: the settings; blank ones become an object.
        value: a plain value; the slot is empty.

    Raises:
        FaultyError: as :func:`value_of` says.
    """
    if not text.strip():
        made = fresh(slot, value)
        return text + made, Trace("container", made)
    _checked(text, slot)
    root = skip(text, 0)
    container = _only(text, root, slot.key)
    if container is None:
        at, added = _inserted(text, root, slot.key, {slot.name: value})
        return text[:at] + added + text[at:], Trace("container", added)
    at, added = _inserted(text, container.begin, slot.name, value)
    return text[:at] + added + text[at:], Trace("entry", added)


def fresh(slot: Slot, value: Any) -> str:
    """A file that holds the entry and nothing else."""
    return json.dumps({slot.key: {slot.name: value}}, indent=2, ensure_ascii=False) + "\n"


def overwrite(text: str, slot: Slot, value: Any, trace: Trace | None) -> tuple[str, Trace]:
    """Give the entry another value, in its place.

    Args:
        trace: how the entry came there, where we put it there; else the value that goes is kept
            as ``replaced``.
    """
    member = _there(text, slot)
    old = text[member.begin : member.end]
    new = _dumped(text, value, _lead(text, member.at))
    trace = Trace("entry", replaced=old) if trace is None else trace
    trace = replace(trace, added=trace.added.replace(old, new, 1))
    return text[: member.begin] + new + text[member.end :], trace


def take(text: str, slot: Slot, trace: Trace) -> str | None:
    """Take the entry out, so that the text is what it was before; ``None`` where it was no file.

    Where others have changed what stands around it, the entry goes and the rest stays.

    Raises:
        FaultyError: as :func:`value_of` says.
    """
    member = _checked(text, slot)
    if member is None:
        return text
    if trace.replaced is not None:
        return text[: member.begin] + trace.replaced + text[member.end :]
    left = _undone(text, member, slot, trace)
    if left is None:
        left = _without(text, slot, whole=trace.made != "entry")
    return None if trace.made == "file" and _is_bare(left) else left


def _undone(text: str, member: Member, slot: Slot, trace: Trace) -> str | None:
    """The text without the very characters put in; None where they are there no longer."""
    width = len(trace.added)
    at = text.find(trace.added, max(0, member.end - width), member.at + width)
    if not width or not at <= member.at <= member.end <= at + width:
        return None
    left = text[:at] + text[at + width :]
    value = _DECODER.decode(text)
    del value[slot.key][slot.name]
    if trace.made != "entry" and not value[slot.key]:
        del value[slot.key]
    try:
        same = (_DECODER.decode(left) if left.strip() else {}) == value
    except ValueError:
        return None
    return left if same else None


def _without(text: str, slot: Slot, *, whole: bool) -> str:
    """The text without the entry, and without an empty object around it where we made that."""
    root = skip(text, 0)
    container = next(m for m in members(text, root) if m.key == slot.key)
    inside = list(members(text, container.begin))
    if whole and len(inside) == 1:
        return _cut(text, root, list(members(text, root)), slot.key)
    return _cut(text, container.begin, inside, slot.name)


def _cut(text: str, start: int, inside: Sequence[Member], key: str) -> str:
    at = next(number for number, member in enumerate(inside) if member.key == key)
    if at:
        return text[: inside[at - 1].end] + text[inside[at].end :]
    if len(inside) > 1:
        return text[: inside[0].at] + text[inside[1].at :]
    return text[: start + 1] + text[skip(text, inside[0].end) :]


def _is_bare(text: str) -> bool:
    return not text.strip() or not _DECODER.decode(text)


def _inserted(text: str, start: int, key: str, value: Any) -> tuple[int, str]:
    """Where a member goes into the object at ``start``, and its characters, comma and all."""
    inside = list(members(text, start))
    if inside:
        lead = _lead(text, inside[-1].at)
        gap = "" if _is_tight(text) else " "
        made = f"{json.dumps(key)}:{gap}{_dumped(text, value, lead)}"
        return inside[-1].end, f",{gap if lead is None else lead}{made}"
    first = next(members(text, skip(text, 0)), None)
    if first is not None and _lead(text, first.at) is None:
        gap = "" if _is_tight(text) else " "
        return start + 1, f"{json.dumps(key)}:{gap}{_dumped(text, value, None)}"
    line = text[text.rfind("\n", 0, start) + 1 : start]
    margin = _newline(text) + line[: len(line) - len(line.lstrip(" \t"))]
    lead = margin + _step(text)
    blank = text[start + 1 : skip(text, start + 1)]
    made = f"{lead}{json.dumps(key)}: {_dumped(text, value, lead)}"
    return start + 1, made if "\n" in blank else made + margin


def _dumped(text: str, value: Any, lead: str | None) -> str:
    """The value in the style of the text; on one line where ``lead`` is None."""
    ascii_only = text.isascii()
    if lead is None:
        apart = (",", ":") if _is_tight(text) else (", ", ": ")
        return json.dumps(value, separators=apart, ensure_ascii=ascii_only)
    made = json.dumps(value, indent=_step(text), ensure_ascii=ascii_only)
    return made.replace("\n", lead)


def _lead(text: str, at: int) -> str | None:
    """The line end and the blanks before a place; None where it does not begin its line."""
    found = re.search(r"\r?\n[ \t]*\Z", text[max(0, at - 200) : at])
    return found.group() if found else None


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


def _there(text: str, slot: Slot) -> Member:
    member = _checked(text, slot)
    if member is None:
        raise RefusedError(f"there is no entry {slot.name!r} to change")
    return member


def _checked(text: str, slot: Slot) -> Member | None:
    """The entry's place in a text that was found to be fit for it."""
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise FaultyError(_said(error), error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise FaultyError(f"it is no JSON ({error})", 1) from None
    if not isinstance(value, dict):
        raise FaultyError("its outermost value is no object", 1)
    root = skip(text, 0)
    container = _only(text, root, slot.key)
    if container is None:
        return None
    if text[container.begin] != "{":
        raise FaultyError(f"{slot.key!r} is no object there", _line(text, container.begin))
    return _only(text, container.begin, slot.name)


def _only(text: str, start: int, key: str) -> Member | None:
    found = [member for member in members(text, start) if member.key == key]
    if len(found) > 1:
        raise FaultyError(f"the key {key!r} stands twice there", _line(text, found[1].at))
    return found[0] if found else None


def _said(error: json.JSONDecodeError) -> str:
    at = skip(error.doc, error.pos)
    if error.doc.startswith(("//", "/*"), at):
        return "it has comments, which would be lost"
    if error.doc[at : at + 1] in ("}", "]") and error.doc[:at].rstrip().endswith(","):
        return "a comma stands before the end of an object or list"
    return f"it is no JSON ({error.msg})"


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")
