"""What adopting a notebook would change, cell by cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from skills2_nb.views.lines import BOLD, DIM, GREEN, RED, WIDTH, clean, counted, joined, paint, wrap

if TYPE_CHECKING:
    from skills2_nb.convert.adopt import Change

#: Lines that stay, shown above and below what changes.
_AROUND = 1
#: Lines of a cell that only gets a tag.
_MOST = 6
_STYLES = {"+": GREEN, "-": RED, " ": DIM}


def told(
    changes: Iterable[Change],
    notes: Iterable[tuple[int, str]] = (),
    *,
    width: int = WIDTH,
    color: bool = False,
) -> str:
    """Every change with its reason and its diff, then what stays as it is.

    Args:
        notes: by cell, why something in it is no step.
        width: columns to cut long lines at.
        color: whether to colour; callers honour ``NO_COLOR`` and pipes.
    """
    parts = [change(each, width=width, color=color) for each in changes]
    parts.append(left(notes, width=width, color=color))
    return "\n".join(part for part in parts if part)


def change(each: Change, *, width: int = WIDTH, color: bool = False) -> str:
    """One change: where, what, why, and the lines that go and come."""
    lines = [paint(_heading(each), BOLD, color), *wrap(each.reason, width, "  ", 2)]
    shown = list(_difference(each))
    for sign, line in shown[: _MOST if each.before == each.after else None]:
        cut = _cut(f"  {sign} {line}".rstrip(), width)
        lines.append(paint(cut, _STYLES[sign], color))
    if each.before == each.after and len(shown) > _MOST:
        rest = counted(len(shown) - _MOST, "more line")
        lines.append(paint(f"    … {rest}, as they are", DIM, color))
    return joined(lines)


def left(notes: Iterable[tuple[int, str]], *, width: int = WIDTH, color: bool = False) -> str:
    """What is left as it is, with the reason, a line a cell; nothing = an empty text."""
    lines = [
        line
        for cell, why in notes
        for line in wrap(f"cell {cell}: {why.rstrip('.')}", width, "  ", 2)
    ]
    return joined([paint("Left as it is", BOLD, color), *lines]) if lines else ""


def _heading(each: Change) -> str:
    if not each.cells:
        return clean(f"new cell: {each.title}")
    numbers = ", ".join(map(str, each.cells))
    return clean(f"cell {numbers}: {each.title}")


def _difference(each: Change) -> Iterator[tuple[str, str]]:
    """The lines of a change with their signs; lines that stay are shown around them only."""
    old, new = (text.split("\n") if text else [] for text in (each.before, each.after))
    if old == new:
        yield from ((" ", line) for line in old)
        return
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from _kept(old[a:b], at_top=a == 0, at_end=b == len(old))
        else:
            yield from (("-", line) for line in old[a:b])
            yield from (("+", line) for line in new[c:d])


def _kept(lines: list[str], *, at_top: bool, at_end: bool) -> Iterator[tuple[str, str]]:
    """Lines that stay, those far from any change left out."""
    head = [] if at_top else lines[:_AROUND]
    tail = [] if at_end else lines[-_AROUND:]
    if len(lines) <= len(head) + len(tail) + 1:
        yield from ((" ", line) for line in lines)
        return
    yield from ((" ", line) for line in head)
    yield " ", "…"
    yield from ((" ", line) for line in tail)


def _cut(line: str, width: int) -> str:
    text = clean(line).expandtabs(4)
    return text if len(text) <= width else f"{text[: width - 1]}…"
