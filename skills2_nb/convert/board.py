"""A notebook's cells as they shall be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.convert.merge import steady
from skills2_nb.convert.plan import Plan
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.patch_cells import Kept, rebuild
from skills2_nb.formats.roles import Assignment, Role

_SAID = re.compile(r"(skills2[ \t]*:[ \t]*)\S+", re.IGNORECASE)


@dataclass(eq=False)
class Slot:
    """A place in the notebook: a cell of it, or a new one.

    Attributes:
        cell: the cell with its role; None for a new one.
        draft: the new cell; None for one of the notebook.
        text: the text the cell shall have; None to leave it.
        word: the role it shall say; None to leave it.
        layout: what the kit shall keep in it; None to leave that.
        moved: whether it stands elsewhere now.
        why: the file of the package that asks for it.
    """

    cell: Assignment | None = None
    draft: Draft | None = None
    text: str | None = None
    word: str | None = None
    layout: Mapping[str, Any] | None = None
    moved: bool = False
    why: str = ""

    @property
    def number(self) -> int:
        """The cell's number in the notebook as it is; 0 for a new one."""
        return self.cell.cell.number if self.cell is not None else 0

    @property
    def skipped(self) -> bool:
        """Whether the cell is taken out of the export."""
        return self.word == Role.SKIP.word

    @property
    def exported(self) -> bool:
        """Whether the cell will go anywhere."""
        was = self.cell is None or self.cell.role is not Role.SKIP
        return was and not self.skipped


@dataclass
class Board:
    """The cells of a notebook in the order they shall have."""

    plan: Plan
    slots: list[Slot] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.slots = [Slot(cell=assignment) for assignment in self.plan.assignments]
        self._by_number = {slot.number: slot for slot in self.slots}

    def slot(self, number: int) -> Slot:
        """The place of a cell of the notebook."""
        return self._by_number[number]

    def write(self, slot: Slot, text: str, why: str) -> None:
        """Give a cell another text."""
        if slot.cell is not None and text != slot.cell.text:
            slot.text, slot.why = text, why

    def say(self, slot: Slot, word: str, why: str) -> None:
        """Give a cell another role."""
        slot.word, slot.why = word, why

    def skip(self, slot: Slot, why: str) -> None:
        """Take a cell out of the export; it stays in the notebook."""
        self.say(slot, Role.SKIP.word, why)

    def arrange(self, wanted: Sequence[Slot], why: str, *, after: Slot | None = None) -> None:
        """Make cells stand in this order; as few move as can, each to follow its predecessor.

        Args:
            after: what the first one follows, where none of them is in the notebook yet; left out,
                the last cell.
        """
        places = [self.slots.index(slot) if slot in self.slots else -1 for slot in wanted]
        there = [at for at, place in enumerate(places) if place >= 0]
        kept = {there[k] for k in steady([places[at] for at in there])}
        anchor = wanted[min(kept)] if kept else None
        for at, slot in enumerate(wanted):
            if at in kept:
                continue
            if slot in self.slots:
                self.slots.remove(slot)
                slot.moved = True
            slot.why = slot.why or why
            self.slots.insert(self._place(wanted, at, anchor, after), slot)

    def _place(
        self, wanted: Sequence[Slot], at: int, anchor: Slot | None, after: Slot | None
    ) -> int:
        if at > 0:
            return self.slots.index(wanted[at - 1]) + 1
        if anchor is not None:
            return self.slots.index(anchor)
        return self.slots.index(after) + 1 if after is not None else len(self.slots)

    def text(self) -> str:
        """The notebook's new JSON text; the old one where nothing is to change."""
        return rebuild(self.plan.notebook.text, [_made(slot) for slot in self.slots])

    @property
    def changed(self) -> tuple[Slot, ...]:
        """The places at which something changes, in order."""
        return tuple(
            slot
            for slot in self.slots
            if slot.draft is not None
            or slot.moved
            or any(item is not None for item in (slot.text, slot.word, slot.layout))
        )


def _made(slot: Slot) -> Kept | Draft:
    if slot.cell is None:
        assert slot.draft is not None  # a place is one or the other
        kept = slot.layout if slot.layout is not None else slot.draft.kept
        return Draft(slot.draft.kind, slot.draft.source, slot.draft.tags, kept)
    tags, lines = slot.cell.cell.tags, _before(slot.cell)
    if slot.word is not None:
        tags, lines = _with_role(slot.cell, slot.word, lines)
    changed = slot.text is not None or lines != _before(slot.cell)
    text = slot.cell.text if slot.text is None else slot.text
    return Kept(
        slot.number,
        source="\n".join([*lines, text]) if changed else None,
        tags=tags if tags != slot.cell.cell.tags else None,
        layout=slot.layout,
        stale=slot.text is not None and slot.cell.cell.kind == "code",
    )


def _before(assignment: Assignment) -> list[str]:
    """The lines of a cell above its text, a directive among them."""
    return assignment.cell.text.split("\n")[: assignment.offset]


def _with_role(
    assignment: Assignment, word: str, lines: list[str]
) -> tuple[tuple[str, ...], list[str]]:
    """Tags and first lines of a cell that shall say another role, said where the old one is."""
    tags = assignment.cell.tags
    said = [t for t in tags if assignment.explicit and _head(t) == assignment.word]
    if said:
        return tuple(dict.fromkeys(word if tag in said else tag for tag in tags)), lines
    if assignment.explicit and assignment.word:
        return tags, [_SAID.sub(rf"\g<1>{word}", line, count=1) for line in lines]
    return (*tags, word), lines


def _head(tag: str) -> str:
    return tag.partition(":")[0].strip()
