"""What pull prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import TYPE_CHECKING

from skills2_nb.views.lines import BOLD, DIM, GREEN, RED, WIDTH, clean, counted, joined, paint, wrap

if TYPE_CHECKING:
    from skills2_nb.convert.back import Conflict, Left
    from skills2_nb.convert.board import Slot
    from skills2_nb.convert.pull import Pull

_STYLES = {"-": RED, "+": GREEN, "@": DIM}


def planned(pull: Pull, *, width: int = WIDTH, color: bool = False) -> str:
    """What a pull would do, cell by cell, what is to be decided, and what cannot be carried."""
    lines: list[str] = []
    for slot in pull.slots:
        lines += [paint(clean(_headline(slot)), BOLD, color), *_painted(_change(slot), color)]
    for path in pull.writes:
        lines.append(paint(f"{pull.notebook.stem}/{clean(path)}: the file is copied", BOLD, color))
    for conflict in pull.conflicts:
        lines += [*_conflict(conflict, color)]
    for left in pull.left:
        lines += wrap(_left(left), width, "", 2)
    lines += [line for path in _offered(pull) for line in wrap(_extra(path), width, "", 2)]
    return joined(lines)


def tally(pull: Pull) -> str:
    """A pull in a few words: ``3 cells to change, 1 conflict``."""
    told = [
        counted(len(pull.slots), "cell") + " to change" if pull.slots else "",
        counted(len(pull.writes), "file") + " to copy" if pull.writes else "",
        counted(len(pull.conflicts), "conflict") if pull.conflicts else "",
        f"{counted(len(pull.left), 'edit')} that no cell can hold" if pull.left else "",
    ]
    if pull.edited and not any(told):
        return "nothing in the cells to change; the layout of the package's files differs"
    return ", ".join(filter(None, told)) or "nothing to pull"


def what(slot: Slot) -> str:
    """What happens to a cell, in one word or two."""
    if slot.draft is not None:
        return "new"
    if slot.skipped:
        return "skipped"
    told = [
        "changed" if slot.text is not None else "",
        "moved" if slot.moved else "",
        f"tagged {slot.word}" if slot.word is not None else "",
    ]
    return ", ".join(filter(None, told)) or "layout"


def texts(slot: Slot) -> tuple[str, str]:
    """A cell's text before and after."""
    if slot.cell is None:
        return "", slot.draft.source if slot.draft is not None else ""
    before = slot.cell.text
    return before, before if slot.text is None else slot.text


def diff(before: str, after: str) -> list[str]:
    """Two texts as ``diff -u`` shows them, without its heading."""
    found = list(unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=2))
    return found[2:]


def _headline(slot: Slot) -> str:
    if slot.cell is None:
        tags = slot.draft.tags if slot.draft is not None else ()
        place = f"new cell ({', '.join(tags) or 'prose'})"
    else:
        place = f"cell {slot.number} ({slot.cell.word or slot.cell.role.word})"
    return f"{place}: {_said(slot)}  {slot.why}".rstrip()


def _said(slot: Slot) -> str:
    if slot.skipped:
        return "gone from the package; tagged skip, it stays in the notebook"
    return what(slot)


def _change(slot: Slot) -> Iterator[str]:
    before, after = texts(slot)
    if slot.cell is None:
        yield from (f"+{line}" for line in after.split("\n"))
    elif before != after:
        yield from diff(before, after)


def _conflict(conflict: Conflict, color: bool) -> Iterator[str]:
    label = clean(conflict.label)
    yield paint(f"conflict {label}: {conflict.file} and the notebook differ", BOLD, color)
    if conflict.notebook is None or conflict.package is None:
        side = "package" if conflict.notebook is None else "notebook"
        yield f"  Only the {side} has this:"
    yield from _painted(diff(conflict.notebook or "", conflict.package or ""), color)
    word = f"'{label}'" if " " in label or "#" in label else label
    yield f"  - notebook, + package. Decide: --take package:{word} or --take notebook:{word}"


def _painted(lines: Iterable[str], color: bool) -> Iterator[str]:
    for line in lines:
        yield paint(f"  {clean(line.expandtabs(4))}", _STYLES.get(line[:1], ""), color)


def _left(left: Left) -> str:
    return f"{left.file}: not carried, for {left.message}. Mend: {left.mend}."


def _extra(path: str) -> str:
    return f"{path}: no export wrote it; --files takes it into the notebook's folder."


def _offered(pull: Pull) -> list[str]:
    """Files that could still be taken along."""
    return [p for p in pull.extra if p not in pull.writes and p.partition("/")[0] in
            ("references", "scripts", "assets")]  # fmt: skip
