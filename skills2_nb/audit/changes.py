"""Small changes of a plain value."""

from __future__ import annotations

import datetime as dt
import itertools
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skills2_nb.contract import table
from skills2_nb.contract.canonical import BYTES_TAG, DIGEST_TAG, FLOAT_TAG
from skills2_nb.contract.invariants import shown

#: How deep a change may lie: a field of a model in a list of a model is at 3.
DEPTH = 4
#: How many parts of a mapping, and columns of a table, are changed at all.
PARTS = 24
_COLUMNS = 8
_SHORT = 32
_DIGITS = re.compile(r"\d+")
_SPAN = dt.timedelta(days=1)
Labels = Mapping[Any, tuple[Any, ...]]


class Change(NamedTuple):
    """One changed value and how it came about.

    Attributes:
        value: the whole value, changed.
        told: the change in words, such as ``211 -> 212`` or ``[2].count 5 -> 6``.
        boolean: whether nothing but a truth value was changed.
    """

    value: Any
    told: str
    boolean: bool = False


def changes(value: Any, labels: Labels, chance: random.Random, depth: int = 0) -> Iterator[Change]:
    """Changes of a plain value, the plainest first; what its type allows is not asked here.

    Args:
        value: plain, but that a table may stand there as a frame.
        labels: the other choices of each value that is one.
        chance: picks elements and rows.
        depth: how deep ``value`` lies.
    """
    if table.is_frame(value):
        yield from _of_table(value, chance)
    elif isinstance(value, list) and depth < DEPTH:
        yield from _of_list(value, labels, chance, depth)
    elif isinstance(value, dict) and _is_mapping(value):
        if depth < DEPTH:
            yield from _of_mapping(value, labels, chance, depth)
    else:
        yield from _of_scalar(value, labels)
    if value is not None:
        yield Change(None, f"{_told(value)} -> null", isinstance(value, bool))


def swaps(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Pairs of keys that hold unequal numbers of one type, neighbours first."""
    numbers = [(key, item) for key, item in value.items() if type(item) in (int, float)]
    for apart in range(1, len(numbers)):
        for (one, first), (other, second) in zip(numbers, numbers[apart:], strict=False):
            if type(first) is type(second) and first != second:
                yield one, other


def in_turn(groups: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """One item of each group, then the next of each, until all are used up."""
    waiting = [iter(group) for group in groups]
    while waiting:
        left = []
        for group in waiting:
            item = next(group, _END)
            if item is not _END:
                yield item
                left.append(group)
        waiting = left


def joint(told: str) -> str:
    """A change in words, to stand behind the name of what was changed."""
    return told if told.startswith((".", "[", ":")) else f" {told}"


def _of_scalar(value: Any, labels: Labels) -> Iterator[Change]:
    if isinstance(value, bool):
        yield _scalar(value, not value, boolean=True)
        return
    for label in labels.get(_key(value), ()):
        yield _scalar(value, label)
    if isinstance(value, str):
        yield from _of_text(value)
    for item in _others(value):
        yield _scalar(value, item)
    if value is None:
        for label in itertools.chain.from_iterable(labels.values()):
            yield _scalar(value, label)
        yield Change(True, "null -> True", boolean=True)


def _others(value: Any) -> tuple[Any, ...]:
    """Another number for a number, something for nothing."""
    if isinstance(value, int):
        return (value + 1, value - 1, -value, value + (value // 10 or 2), 0)
    if isinstance(value, float):
        return (value + 1, value - 1, -value or 0.0, value * 1.1, 0.0)
    if value is None:
        return (1, "changed", 1.5, [], {})
    if isinstance(value, dict):
        return (1.0, 0.0) if FLOAT_TAG in value else ({BYTES_TAG: "AQ=="}, {BYTES_TAG: ""})
    return ()


def _of_text(text: str) -> Iterator[Change]:
    shifted = _shifted(text)
    if shifted is not None:
        yield _scalar(text, shifted)
    numbers = list(_DIGITS.finditer(text))
    for match in dict.fromkeys([*numbers[-1:], *numbers[:1]]):
        more = str(int(match[0][-15:]) + 1).zfill(len(match[0]))
        made = f"{text[: match.start()]}{more}{text[match.end() :]}"
        yield _text(text, made, f": {match[0]} -> {more} in it")
    yield _text(text, f"{text} changed" if " " in text else f"{text}x", ": text added")
    yield _text(text, text[: len(text) // 2], ": cut in half")
    yield _text(text, "", ": emptied")
    if numbers and numbers[0].start() == 0:
        yield _text(text, f"-{text}", ": a minus put before it")


def _text(before: str, after: str, told: str) -> Change:
    """A changed text; a long one is told by what was done to it."""
    return Change(after, told) if len(before) > _SHORT else _scalar(before, after)


def _shifted(text: str) -> str | None:
    """A date or an instant, a day later; None for any other text."""
    try:
        moved = dt.datetime.fromisoformat(text) + _SPAN
    except (ValueError, OverflowError):
        return None
    return moved.date().isoformat() if len(text) == 10 else moved.isoformat()


def _of_list(
    value: list[Any], labels: Labels, chance: random.Random, depth: int
) -> Iterator[Change]:
    boolean = bool(value) and all(isinstance(item, bool) for item in value)
    rows = ((_taken(value, at), told) for at, told in _rows(len(value), chance))
    whole = (Change(item, f": {told}", boolean) for item, told in rows)
    yield from in_turn([whole, *_elements(value, labels, chance, depth)])


def _elements(
    value: list[Any], labels: Labels, chance: random.Random, depth: int
) -> list[Iterator[Change]]:
    if not value:
        return []
    places = sorted({0, len(value) - 1, chance.randrange(len(value))})

    def of(at: int) -> Iterator[Change]:
        for change in changes(value[at], labels, chance, depth + 1):
            made = [*value[:at], change.value, *value[at + 1 :]]
            yield Change(made, f"[{at}]{joint(change.told)}", change.boolean)

    return [of(at) for at in places]


def _of_mapping(
    value: dict[str, Any], labels: Labels, chance: random.Random, depth: int
) -> Iterator[Change]:
    def of(key: str) -> Iterator[Change]:
        for change in changes(value[key], labels, chance, depth + 1):
            told = f".{key}{joint(change.told)}"
            yield Change({**value, key: change.value}, told, change.boolean)

    swapped = (
        Change({**value, one: value[other], other: value[one]}, f": {one} and {other} swapped")
        for one, other in swaps(value)
    )
    yield from in_turn([*map(of, list(value)[:PARTS]), swapped])


def _of_table(frame: Any, chance: random.Random) -> Iterator[Change]:
    rows = (Change(table.picked(frame, at), f": {told}") for at, told in _rows(len(frame), chance))
    names = list(frame.columns)[:_COLUMNS] if len(frame) else []
    yield from in_turn([rows, _cells(frame, names, chance)])


def _cells(frame: Any, names: Sequence[str], chance: random.Random) -> Iterator[Change]:
    for name in names:
        row = chance.randrange(len(frame))
        before = table.cell(frame, row, name)
        after = _another(before)
        if after is None:
            continue
        try:
            made = table.with_cell(frame, row, name, after)
        except Exception:  # a category that is not one, a value the column cannot hold
            continue
        told = f": row {row}, {name} {_told(before)} -> {_told(after)}"
        yield Change(made, told, isinstance(before, bool))


def _another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return f"{value}x"
    return value + _SPAN if isinstance(value, (dt.date, dt.timedelta)) else None


def _rows(count: int, chance: random.Random) -> Iterator[tuple[list[int], str]]:
    """Rows dropped, doubled and put in another order, as the places to take."""
    if not count:
        return
    every = list(range(count))
    at, last = chance.randrange(count), count - 1
    yield every[:at] + every[at + 1 :], f"row {at} dropped"
    yield [*every, at], f"row {at} doubled"
    yield every[::-1], "rows reversed"
    yield every[1:], "row 0 dropped"
    yield every[:-1], f"row {last} dropped"
    yield [*every[1:], 0], "row 0 put last"
    yield [], "all rows dropped"


def _taken(items: Sequence[Any], places: Iterable[int]) -> list[Any]:
    return [items[at] for at in places]


def _is_mapping(value: Mapping[str, Any]) -> bool:
    return not (len(value) == 1 and next(iter(value)) in (FLOAT_TAG, BYTES_TAG, DIGEST_TAG))


def _scalar(before: Any, after: Any, *, boolean: bool = False) -> Change:
    return Change(after, f"{_told(before)} -> {_told(after)}", boolean)


def _told(value: Any) -> str:
    if table.is_frame(value):
        return "a table"
    return "null" if value is None else shown.repr(value)


def _key(value: Any) -> Any:
    """A label's place among choices; 1 and True are two."""
    return (type(value), value) if isinstance(value, (str, int, float)) else None


_END = object()
