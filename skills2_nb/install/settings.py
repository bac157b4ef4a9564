"""A server's entry in a JSON text, put in and taken out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from skills2_nb.errors import RefusedError
from skills2_nb.formats.json_spans import Member, members, skip
from skills2_nb.install import layout
from skills2_nb.install.layout import DECODER

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


def value_of(text: str, slot: Slot) -> Any:
    """The entry that is there, numbers as text; ``ABSENT`` where there is none.

    Raises:
        FaultyError: the text is no JSON object, or the entry has no one place in it.
    """
    member = _checked(text, slot)
    return ABSENT if member is None else DECODER.decode(text[member.begin : member.end])


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
    container = layout.member_of(text, root, slot.key)
    if container is None:
        at, added = layout.with_member(text, root, slot.key, {slot.name: value})
        return text[:at] + added + text[at:], Trace("container", added)
    at, added = layout.with_member(text, container.begin, slot.name, value)
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
    new = layout.dumped(text, value, layout.lead_of(text, member.at))
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
    value = DECODER.decode(text)
    del value[slot.key][slot.name]
    if trace.made != "entry" and not value[slot.key]:
        del value[slot.key]
    try:
        same = (DECODER.decode(left) if left.strip() else {}) == value
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
    return layout.without(text, start, [(member.at, member.end) for member in inside], at)


def _is_bare(text: str) -> bool:
    return not text.strip() or not DECODER.decode(text)


def _there(text: str, slot: Slot) -> Member:
    member = _checked(text, slot)
    if member is None:
        raise RefusedError(f"there is no entry {slot.name!r} to change")
    return member


def _checked(text: str, slot: Slot) -> Member | None:
    """The entry's place in a text that was found to be fit for it."""
    layout.check(text)
    container = layout.member_of(text, skip(text, 0), slot.key, "{")
    return layout.member_of(text, container.begin, slot.name) if container else None
