"""SKILL.md back into the prose cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from skills2_nb.convert.back import Back
from skills2_nb.convert.board import Slot
from skills2_nb.convert.folder import folder_of, read_folder
from skills2_nb.convert.merge import Part, Row, Verdict, align, is_reordered, verdicts
from skills2_nb.convert.plan import Plan
from skills2_nb.convert.prose import attachments, unquoted, with_files
from skills2_nb.convert.prose_blocks import shared_out
from skills2_nb.convert.shelf import Shelf
from skills2_nb.errors import UnreadableError
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.files import over_lf
from skills2_nb.formats.frontmatter import cut
from skills2_nb.formats.roles import Assignment, Role
from skills2_nb.formats.skill_md import (
    Layout,
    SkillMd,
    join,
    layout_of,
    needs_prose_tag,
    split,
)

PROSE = "SKILL.md"
_FRONT = "front"


@dataclass(frozen=True)
class _Side:
    """A SKILL.md as one side has it: front matter first (empty for none), then the pieces."""

    parts: tuple[Part, ...]
    layout: Layout

    def document(self, texts: Sequence[str]) -> SkillMd:
        return SkillMd(texts[0] or None, tuple(texts[1:]), self.layout)


def carry(back: Back, raw: bytes) -> None:
    """Put the edits of SKILL.md into the cells they came from.

    Args:
        raw: the file as it lies there, with its own line ends.
    """
    cells = [a for a in back.plan.assignments if a.role is Role.PROSE and a.text]
    shelf = Shelf(read_folder(folder_of(back.plan.notebook.path))[0], "", "")
    made = [a.text if a.explicit else shelf.attach(a) for a in cells]
    layout = _layout(back.plan)
    ours = _Side(_parts(_front_of(back.plan), made), layout)
    try:
        there = _document(raw, layout)
    except UnreadableError:
        back.leave(PROSE, "it is not UTF-8", "save it as UTF-8")
        return
    theirs = _Side((Part(_FRONT, there.front or ""), *shared_out(made, there.body)), there.layout)
    rows = align(ours.parts, theirs.parts)
    decided, kept = _decided(back, rows, ours, theirs, cells)
    if decided is not None:
        writer = _Writer(back, shelf, cells, made)
        writer.place(rows, decided, ours, theirs, kept)
    back.carried.append(PROSE)


def _parts(front: str, made: Sequence[str]) -> tuple[Part, ...]:
    return (Part(_FRONT, front), *(Part(str(at), text) for at, text in enumerate(made)))


def _layout(plan: Plan) -> Layout:
    """The layout that the notebook keeps."""
    holder = _holder(plan.assignments)
    if holder is None:
        return Layout()
    try:
        return layout_of(holder.cell.layout)
    except (UnreadableError, TypeError):
        return Layout()


def _holder(assignments: Sequence[Assignment]) -> Assignment | None:
    keys = set(Layout.__slots__)
    return next(
        (a for a in assignments if a.role is not Role.SKIP and keys & set(a.cell.layout)), None
    )


def _front_of(plan: Plan) -> str:
    """The front matter as the notebook makes it, its own or the one made for it."""
    cell = next((a for a in plan.assignments if a.role is Role.FRONT), None)
    if cell is not None:
        return cell.text
    return split(plan.files[PROSE]).front or ""


def _document(raw: bytes, layout: Layout) -> SkillMd:
    """The package's SKILL.md cut; front matter that does not parse is front matter all the same.

    Line ends of one kind are the checkout's, so the notebook's stay.
    """
    found = split(raw)
    if found.layout.newline != layout.newline and not found.layout.line_ends:
        found = split(over_lf(raw))
        found = replace(found, layout=replace(found.layout, newline=layout.newline))
    head = cut(over_lf(raw).decode("utf-8").removeprefix("\ufeff"))
    if found.front is not None or head is None:
        return found
    stand_in = split(b"---\nname: x\n---" + head[1].encode("utf-8"))
    lines = head[0].split("\n")
    kept = replace(
        found.layout, gap=stand_in.layout.gap, tail=stand_in.layout.tail, lead=0, front=True,
        fence=(lines[0], lines[-1]),
    )  # fmt: skip
    front = "\n".join(["---", *lines[1:-1], "---"])
    return SkillMd(front, stand_in.pieces, kept)


def _decided(
    back: Back, rows: Sequence[Row], ours: _Side, theirs: _Side, cells: Sequence[Assignment]
) -> tuple[list[Verdict] | None, Layout]:
    """What becomes of each row, and the layout; no rows where all cells stay as they are."""
    pairs = [
        (
            ours.parts[row.ours].text if row.ours is not None else None,
            theirs.parts[row.theirs].text if row.theirs is not None else None,
        )
        for row in rows
    ]
    if not back.both_moved(PROSE):
        return verdicts(pairs, None), theirs.layout
    if is_reordered(rows):
        texts = ["\n\n".join(part.text for part in side.parts) for side in (ours, theirs)]
        whole = back.settle("conflict", PROSE, PROSE, *texts)
        return (verdicts(pairs, None), theirs.layout) if whole == "take" else (None, ours.layout)
    layouts = list(dict.fromkeys((ours.layout, theirs.layout)))
    found: list[Verdict] = []
    base = ours.layout
    for base in layouts:
        found = verdicts(pairs, _fits(back, pairs, base))
        if "conflict" not in found:
            break
    layout = theirs.layout if base == ours.layout or "conflict" in found else ours.layout
    settled = [
        back.settle(verdict, PROSE, _label(row, theirs, cells), *pair)
        for verdict, row, pair in zip(found, rows, pairs, strict=True)
    ]
    return settled, layout


def _fits(
    back: Back, pairs: Sequence[tuple[str | None, str | None]], layout: Layout
) -> Callable[[Sequence[int]], bool]:
    """A test whether a choice of versions is what export wrote."""

    def fits(sides: Sequence[int]) -> bool:
        texts = [pair[side] for pair, side in zip(pairs, sides, strict=True)]
        pieces = tuple(text for text in texts[1:] if text is not None)
        return back.is_base(PROSE, join(SkillMd(texts[0] or None, pieces, layout)))

    return fits


def _label(row: Row, theirs: _Side, cells: Sequence[Assignment]) -> str:
    if row.ours == 0 or row.theirs == 0:
        return _FRONT
    if row.ours is not None:
        return str(cells[row.ours - 1].cell.number)
    assert row.theirs is not None  # a row has one side at least
    return theirs.parts[row.theirs].text.partition("\n")[0][:40]


@dataclass
class _Writer:
    """Puts prose into cells."""

    back: Back
    shelf: Shelf
    cells: Sequence[Assignment]
    made: Sequence[str]

    def place(
        self,
        rows: Sequence[Row],
        decided: Sequence[Verdict],
        ours: _Side,
        theirs: _Side,
        layout: Layout,
    ) -> None:
        """Write, add, skip and move prose cells, and promise the SKILL.md they make."""
        board, wanted, texts = self.back.board, [], []
        front = theirs.parts[0].text if decided[0] == "take" else ours.parts[0].text
        if decided[0] == "take":
            self._write_front(front)
        for row, verdict in zip(rows[1:], decided[1:], strict=True):
            cell = self.cells[row.ours - 1] if row.ours is not None else None
            text = theirs.parts[row.theirs].text if row.theirs is not None else None
            slot = board.slot(cell.cell.number) if cell is not None else None
            if verdict != "take":
                text = ours.parts[row.ours].text if row.ours is not None else None
            else:
                slot = self._taken(cell, row, text)
            if slot is not None and text is not None:
                wanted.append(slot)
                texts.append(text)
        head = next((slot for slot in board.slots if _is_front(slot)), None)
        board.arrange(wanted, PROSE, after=head)
        self._tag_first(wanted)
        self._keep(layout)
        promised = join(SkillMd(front or None, tuple(texts), layout))
        self.back.promises.append(lambda plan: _lacking(plan, promised))

    def _write_front(self, front: str) -> None:
        board = self.back.board
        there = next((slot for slot in board.slots if _is_front(slot)), None)
        if there is None and front:
            board.slots.insert(0, Slot(draft=Draft("raw", front), why=PROSE))
        elif there is not None and front:
            board.write(there, front, PROSE)
        elif there is not None:
            board.skip(there, PROSE)

    def _taken(self, cell: Assignment | None, row: Row, text: str | None) -> Slot | None:
        board = self.back.board
        if cell is None:
            assert text is not None  # a row has one side at least
            tags = ("prose",) if needs_prose_tag(text, first=False) else ()
            return Slot(draft=Draft("markdown", text, tags), why=PROSE)
        slot = board.slot(cell.cell.number)
        if text is None:
            board.skip(slot, PROSE)
            return None
        assert row.ours is not None  # the cell is one of ours
        restored = text if cell.explicit else self._restored(cell, self.made[row.ours - 1], text)
        board.write(slot, restored, PROSE)
        if restored == text and not cell.explicit and needs_prose_tag(text, first=False):
            board.say(slot, "prose", PROSE)
        return slot

    def _restored(self, cell: Assignment, made: str, edited: str) -> str:
        """Edited prose as the cell has it: images that were attached are attached again."""
        return restored(cell, made, edited, self.shelf)

    def _tag_first(self, wanted: Sequence[Slot]) -> None:
        """A first cell that would read as front matter says that it is prose."""
        first = self.back.board.slots[0] if self.back.board.slots else None
        if first is None or first not in wanted:
            return
        if first.draft is not None and needs_prose_tag(first.draft.source, first=True):
            first.draft = Draft("markdown", first.draft.source, ("prose",))
        elif first.text is not None and needs_prose_tag(first.text, first=True):
            self.back.board.say(first, "prose", PROSE)

    def _keep(self, layout: Layout) -> None:
        """Keep the layout in the first exported cell, beside what else the kit keeps there."""
        holder = _holder(self.back.plan.assignments)
        slots = [slot for slot in self.back.board.slots if slot.exported]
        number = holder.cell.number if holder is not None else -1
        held = next((slot for slot in slots if slot.number == number), None)
        slot = held or next(iter(slots), None)
        if slot is None or (held is not None and layout == _layout(self.back.plan)):
            return
        if held is None and layout == Layout():
            return
        kept = slot.cell.cell.layout if slot.cell is not None else {}
        rest = {key: value for key, value in kept.items() if key not in Layout.__slots__}
        slot.layout = rest | layout.to_dict()
        slot.why = slot.why or PROSE


def restored(cell: Assignment, made: str, edited: str, shelf: Shelf, up: str = "") -> str:
    """An edited text as the cell has it: links to what it attaches are ``attachment:`` again.

    Export keeps lines, so a line that is as it was made is the cell's own; in the others each
    link is put back where export would make the same line of it.

    Args:
        made: what export made of the cell.
        shelf: says where an attachment goes.
        up: what stands before ``assets/`` in links of that file.
    """
    if cell.text == made:
        return edited
    names = dict.fromkeys(name for name, _ in attachments(cell.text))
    paths = {name: _place(cell, name, shelf, up) for name in names}
    before, now, lines = made.split("\n"), edited.split("\n"), cell.text.split("\n")
    same: set[int] = set()
    for block in SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            now[block.b + step] = lines[block.a + step]
            same.add(block.b + step)
    return "\n".join(line if at in same else _attached(line, paths) for at, line in enumerate(now))


def _place(cell: Assignment, name: str, shelf: Shelf, up: str) -> str:
    link = f"![](attachment:{name})"
    return shelf.attach(replace(cell, text=link), up).removeprefix("![](").removesuffix(")")


def _attached(line: str, paths: dict[str, str]) -> str:
    for name, path in paths.items():
        link = re.compile(rf"(\]\([ \t]*<?|[\"'=:][ \t]*<?){re.escape(path)}")
        back = link.sub(rf"\g<1>attachment:{_escaped(name)}", line)
        if back != line and with_files(back, {name: path, unquoted(name): path}) == line:
            line = back
    return line


def _escaped(name: str) -> str:
    """A name as the replacement of a pattern."""
    return name.replace("\\", r"\\")


def _is_front(slot: Slot) -> bool:
    if slot.cell is None:
        return slot.draft is not None and slot.draft.kind == "raw" and not slot.draft.tags
    return slot.cell.role is Role.FRONT


def _lacking(plan: Plan, promised: bytes) -> str:
    """Where the SKILL.md of a new notebook is not the one that was promised."""
    made = plan.files[PROSE]
    if made == promised:
        return ""
    here, there = over_lf(made).split(b"\n"), over_lf(promised).split(b"\n")
    at = next(
        (n for n, (a, b) in enumerate(zip(here, there, strict=False), 1) if a != b),
        min(len(here), len(there)),
    )
    return f"{PROSE}: line {at} cannot be kept as it is"
