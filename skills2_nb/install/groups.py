"""Our groups in a settings text, put in and taken out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from skills2_nb.formats.json_spans import Member, elements, members, skip
from skills2_nb.install import layout
from skills2_nb.install.dispatcher import KEY, handlers_of, is_ours
from skills2_nb.install.layout import DECODER

Made = Literal["hooks", "event", "group"]


@dataclass(frozen=True)
class Trace:
    """How a group came into a text, so that it can leave without one.

    Attributes:
        made: what had to be made for it: the object of all hooks, the event's list, or nothing
            but the group.
        head: the characters that came with the group before it.
        tail: those that came after it.
    """

    made: Made
    head: str = ""
    tail: str = ""


@dataclass(frozen=True)
class Place:
    """Where something of ours stands.

    Attributes:
        hooks: where the object of all hooks begins.
        event: the event's name.
        span: begin and end.
        start: where the list around it begins.
        number: which of that list it is.
        value: the group, or in a group of others our handler.
        is_group: whether all of a group is ours.
    """

    hooks: int
    event: str
    span: tuple[int, int]
    start: int
    number: int
    value: Any
    is_group: bool


def found(text: str) -> list[Place]:
    """Everything of ours in a text, in order.

    Raises:
        FaultyError: the text is no JSON object, or its hooks have no one place in it.
    """
    hooks = _hooks(text)
    if hooks is None:
        return []
    places = [
        place
        for event in members(text, hooks.begin)
        if text[event.begin] == "["
        for place in _in_event(text, hooks.begin, event)
    ]
    for event in {place.event for place in places}:
        layout.member_of(text, hooks.begin, event)
    return places


def with_groups(
    text: str, wanted: Mapping[str, Any], traces: Mapping[str, Trace]
) -> tuple[str, dict[str, Trace]]:
    """Give each event its group; every character that is not ours stays.

    Args:
        text: the settings; blank ones become an object.
        wanted: group by event.
        traces: how groups came there that we put there.

    Returns:
        The text, and how each group came there, in the order in which they came.

    Raises:
        FaultyError: as :func:`found` says, or an event is no list.
    """
    _check_events(text, wanted)
    text = _without_strays(text, set(wanted), traces)
    after = {event: trace for event, trace in traces.items() if event in wanted}
    for event, group in wanted.items():
        place = next((item for item in found(text) if item.event == event), None)
        if place is None:
            old = after.pop(event, None)  # it comes anew, and last
            text, trace = _put(text, event, group)
            after[event] = _widened(trace, old is not None and old.made == "hooks")
        else:
            text = _overwritten(text, place, group)
            after.setdefault(event, Trace("hooks"))
    return text, after


def without_groups(text: str, traces: Mapping[str, Trace]) -> str:
    """Take everything of ours out, so that the text is what it was before.

    Where others have changed what stands around a group, the group goes and the rest stays.

    Args:
        traces: how the groups came there, in the order in which they came.

    Raises:
        FaultyError: as :func:`found` says.
    """
    alone = any(trace.made == "hooks" for trace in traces.values())
    for event in [*traces][::-1]:
        place = next((item for item in found(text) if item.event == event), None)
        if place is not None:
            text = _taken(text, place, _widened(traces[event], alone))
    return _without_strays(text, set(), {})


def is_bare(text: str) -> bool:
    """Whether a text says nothing."""
    return not text.strip() or not DECODER.decode(text)


def _hooks(text: str) -> Member | None:
    """The object of all hooks in a text that was found to be fit for it."""
    if not text.strip():
        return None
    layout.check(text)
    return layout.member_of(text, skip(text, 0), KEY, "{")


def _in_event(text: str, hooks: int, event: Member) -> Iterator[Place]:
    for number, (begin, end) in enumerate(elements(text, event.begin)):
        group = json.loads(text[begin:end])
        ours = [is_ours(handler) for handler in handlers_of(group)]
        if ours and all(ours):
            yield Place(hooks, event.key, (begin, end), event.begin, number, group, is_group=True)
        elif any(ours):
            inner = [member for member in members(text, begin) if member.key == "hooks"][-1].begin
            for at, span in enumerate(elements(text, inner)):
                if ours[at]:
                    value = group["hooks"][at]
                    yield Place(hooks, event.key, span, inner, at, value, is_group=False)


def _check_events(text: str, wanted: Mapping[str, Any]) -> None:
    hooks = _hooks(text)
    if hooks is not None:
        for event in wanted:
            layout.member_of(text, hooks.begin, event, "[")


def _without_strays(text: str, wanted: set[str], traces: Mapping[str, Trace]) -> str:
    """The text without what is ours and not the one group of an event that is to have one."""
    while True:
        kept: set[str] = set()
        for place in found(text):
            if place.event in wanted - kept and place.is_group:
                kept.add(place.event)
            else:
                text = _taken(text, place, _trace_of(place, traces, kept))
                break
        else:
            return text


def _trace_of(place: Place, traces: Mapping[str, Trace], kept: set[str]) -> Trace:
    if place.event in kept or not place.is_group:
        return Trace("group")
    return traces.get(place.event, Trace("hooks"))


def _put(text: str, event: str, group: Any) -> tuple[str, Trace]:
    """A group at the end of its event's list."""
    at, added, made = _addition(text, event, group)
    after = text[:at] + added + text[at:]
    hooks = _hooks(after)
    listed = layout.member_of(after, hooks.begin, event) if hooks else None
    begin, end = list(elements(after, listed.begin))[-1] if listed else (at, at)
    return after, Trace(made, after[at:begin], after[end : at + len(added)])


def _addition(text: str, event: str, group: Any) -> tuple[int, str, Made]:
    """Where characters go in, which, and what is made by them."""
    if not text.strip():
        made = json.dumps({KEY: {event: [group]}}, indent=2, ensure_ascii=False) + "\n"
        return len(text), made, "hooks"
    root = skip(text, 0)
    hooks = layout.member_of(text, root, KEY, "{")
    if hooks is None:
        return *layout.with_member(text, root, KEY, {event: [group]}), "hooks"
    listed = layout.member_of(text, hooks.begin, event, "[")
    if listed is None:
        return *layout.with_member(text, hooks.begin, event, [group]), "event"
    return *layout.with_element(text, listed.begin, group), "group"


def _overwritten(text: str, place: Place, group: Any) -> str:
    """The text with another group in the place of ours."""
    if place.value == group:
        return text
    begin, end = place.span
    lead = layout.lead_inside(text, begin, end)
    return text[:begin] + layout.dumped(text, group, lead) + text[end:]


def _widened(trace: Trace, alone: bool) -> Trace:
    """The trace where the object of all hooks is our making, and goes when it is empty."""
    return replace(trace, made="hooks") if alone and trace.made == "event" else trace


def _taken(text: str, place: Place, trace: Trace) -> str:
    left = _undone(text, place, trace)
    return _cut(text, place, trace) if left is None else left


def _undone(text: str, place: Place, trace: Trace) -> str | None:
    """The text without the very characters put in; None where they are there no longer."""
    begin, end = place.span
    if not (text.endswith(trace.head, 0, begin) and text.startswith(trace.tail, end)):
        return None
    left = text[: begin - len(trace.head)] + text[end + len(trace.tail) :]
    if not left.strip():
        return left if trace.made == "hooks" else None
    try:
        same = DECODER.decode(left) == DECODER.decode(_cut(text, place, trace))
    except ValueError:
        return None
    return left if same else None


def _cut(text: str, place: Place, trace: Trace) -> str:
    """The text without what is ours, and without what we made around it and is empty now."""
    inside = list(elements(text, place.start))
    if len(inside) > 1 or not place.is_group or trace.made == "group":
        return layout.without(text, place.start, inside, place.number)
    if trace.made == "event" or len(list(members(text, place.hooks))) > 1:
        return _without_member(text, place.hooks, place.event)
    return _without_member(text, skip(text, 0), KEY)


def _without_member(text: str, start: int, key: str) -> str:
    inside = list(members(text, start))
    at = next(number for number, member in enumerate(inside) if member.key == key)
    return layout.without(text, start, [(member.at, member.end) for member in inside], at)
