"""A change as a reader sees it before saying yes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from skills2_nb.formats.files import is_text
from skills2_nb.formats.paths import shown
from skills2_nb.install.hunk import Hunk, hunk, hunks, shared

if TYPE_CHECKING:
    from skills2_nb.install.clients import Machine
    from skills2_nb.install.file import FileChange
    from skills2_nb.install.folder import FolderChange
    from skills2_nb.install.plan import Plan

_BOLD, _RED, _GREEN, _CYAN, _DIM = "1", "31", "32", "36", "2"
_STYLES = {"+": _GREEN, "-": _RED, "~": _CYAN, " ": _DIM}
#: Signs that two lines may share before they are cut, and how many of them stay then.
_SHARED, _EDGE = 30, 4
#: Lines up to which an exact count of changes is worth its time.
_MOST_LINES = 2000
_MOST_FILES = 40
#: Lines said before that are left out: our hook stands in each event.
_REPEATED = 6


def told(plan: Plan, machine: Machine, *, width: int = 80, color: bool = False) -> str:
    """Every change of a plan, ready for the terminal.

    Args:
        width: columns; longer lines go on in the next.
        color: whether to colour; callers honour ``NO_COLOR`` and pipes.
    """
    parts = [_folder(change, machine) for change in plan.folders]
    parts += [_file(change, machine, width) for change in plan.files]
    return "\n".join("".join(_painted(line, color) for line in part) for part in parts)


def place(path: Path, machine: Machine) -> str:
    """A path as the reader would write it: below the project, below the home, or whole."""
    text = shown(str(path))
    for base, mark in ((machine.cwd, ""), (machine.home, f"~{os.sep}")):
        if path.is_relative_to(base) and path != base:
            return mark + shown(str(path.relative_to(base)))
    return text


def size(count: int) -> str:
    """Bytes as a reader says them: ``512 B``, ``1.2 kB``."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _folder(change: FolderChange, machine: Machine) -> Iterator[tuple[str, str]]:
    """The heading and one line a file; each with the sign it is painted by."""
    yield "#", f"{place(change.folder, machine)}{os.sep}  ({_summed(change)})"
    rows = [*_written(change), *(("-", path, "") for path in change.remove)]
    rows.sort(key=lambda row: row[1])
    wide = max((len(path) for _, path, _ in rows[:_MOST_FILES]), default=0)
    for sign, path, note in rows[:_MOST_FILES]:
        yield sign, f"  {sign} {shown(path):<{wide}}{note:>10}".rstrip()
    if len(rows) > _MOST_FILES:
        yield " ", f"    … and {len(rows) - _MOST_FILES} more files"


def _summed(change: FolderChange) -> str:
    if change.gone:
        return f"removed, {_counted(len(change.remove), 'file')}"
    if not change.unchanged and not change.replaced:
        total = size(sum(map(len, change.write.values())))
        return f"new, {_counted(len(change.write), 'file')}, {total}"
    return f"{_counted(len(change.write) + len(change.remove), 'file')} to change"


def _written(change: FolderChange) -> Iterator[tuple[str, str, str]]:
    for path, data in change.write.items():
        note = size(len(data))
        if path not in change.replaced:
            yield "+", path, note
            continue
        old = change.replaced[path]
        if is_text(old) and is_text(data):
            note = _tally(hunk(old, data))
        yield "~", path, note


def _tally(each: Hunk) -> str:
    """How many lines come and go between the first and the last that differ."""
    old, new = each.old, each.new
    if max(len(old), len(new)) <= _MOST_LINES:
        same = sum(
            block.size
            for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        )
        return f"+{len(new) - same} -{len(old) - same}"
    return f"+{len(new)} -{len(old)}"


def _file(change: FileChange, machine: Machine, width: int) -> Iterator[tuple[str, str]]:
    what = "removed" if change.after is None else "new" if change.before is None else "changed"
    yield "#", f"{place(change.path, machine)}  ({what})"
    room = max(width - 4, 20)
    said: list[str] = []
    parts: dict[tuple[str, ...], list[Hunk]] = {}
    for each in hunks(change.before, change.after):
        parts.setdefault(tuple(sign + line.strip() for sign, line in each.lines), []).append(each)
    for number, (each, *same) in enumerate(parts.values()):
        if number:
            yield " ", "    ⋮"
        for sign, line in (
            *((" ", _cut(text, room)) for text in each.above),
            *_folded(_changed(each, room), said),
            *((" ", _cut(text, room)) for text in each.below),
        ):
            yield sign, f"  {sign} {line}".rstrip()
        if same:
            yield " ", f"    ⋮ and the same in {_counted(len(same), 'other place')}"
    if change.backup:
        yield " ", f"    The file as it is now is kept as {change.path.name}.skills2-backup."


def _folded(lines: Iterable[tuple[str, str]], said: list[str]) -> Iterator[tuple[str, str]]:
    """The lines without what was said before, but for its indent and in one piece.

    Args:
        said: what was said before; it grows.
    """
    rows = list(lines)
    bare = [f"{sign}{line.strip()}" for sign, line in rows]
    at = 0
    while at < len(rows):
        same = _said_before(bare[at:], said)
        if same < _REPEATED:
            said.append(bare[at])
            yield rows[at]
            at += 1
        else:
            indent = len(rows[at][1]) - len(rows[at][1].lstrip())
            yield " ", f"{'':{indent}}… {same} lines as above"
            said.extend(bare[at : at + same])
            at += same


def _said_before(bare: list[str], said: list[str]) -> int:
    """How many lines at the beginning were said before, in the same order."""
    best = 0
    for start in range(len(said)):
        count = 0
        while (
            count < len(bare) and start + count < len(said) and bare[count] == said[start + count]
        ):
            count += 1
        best = max(best, count)
    return best


def _changed(each: Hunk, room: int) -> Iterator[tuple[str, str]]:
    """The lines that go and come, long ones in pieces; of one long line what changes in it."""
    lines = each.lines
    if len(each.old) == len(each.new) == 1:
        lines = tuple(zip("-+", _around(each.old[0], each.new[0]), strict=True))
    for sign, line in lines:
        text = shown(line.expandtabs(4))
        for at in range(0, max(len(text), 1), room):
            yield sign, text[at : at + room]


def _around(old: str, new: str) -> tuple[str, str]:
    """Both lines without what they share, but for a few signs: it may be long, and secret."""
    head = shared(old, new)
    short = min(len(old), len(new)) - head
    tail = shared(old[len(old) - short :][::-1], new[len(new) - short :][::-1])
    begin = head - _EDGE if head > _SHARED else 0
    rest = tail - _EDGE if tail > _SHARED else 0
    front, back = "…" if begin else "", "…" if rest else ""
    cut_old, cut_new = (front + text[begin : len(text) - rest] + back for text in (old, new))
    return cut_old, cut_new


def _cut(line: str, room: int) -> str:
    text = shown(line.expandtabs(4))
    return text if len(text) <= room else text[: room - 1] + "…"


def _painted(line: tuple[str, str], color: bool) -> str:
    sign, text = line
    style = _BOLD if sign == "#" else _STYLES[sign]
    return f"\x1b[{style}m{text}\x1b[0m\n" if color else f"{text}\n"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
