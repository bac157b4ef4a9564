"""runtime/skill.py back into the code cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from skills2_nb.convert.back import Back
from skills2_nb.convert.board import Slot
from skills2_nb.convert.markers import (
    Marked,
    Piece,
    cut_edited,
    look_alikes,
    pieces_of,
    written,
)
from skills2_nb.convert.merge import Part, Row, Verdict, align, is_reordered, verdicts
from skills2_nb.convert.module import header
from skills2_nb.convert.plan import SKILL, Plan
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.roles import Assignment, Role

_FUTURE = re.compile(r"from __future__ import ([\w, \t]+)")
Cells = list[tuple[str, str]]


def carry(back: Back) -> None:
    """Put the edits of runtime/skill.py into the cells they came from."""
    text = back.text(SKILL)
    if text is None:
        return
    ours = [piece for piece in pieces_of(back.plan.module) if piece.text.strip()]
    aside, clash = look_alikes(ours)
    if clash:
        back.leave(
            SKILL,
            f"a cell holds the line `{clash}`, which is a marker too",
            "write that comment another way in the notebook, and export with --force after "
            "carrying the edit over by hand",
        )
        return
    there = _lifted(cut_edited(text, aside), cut_edited(back.plan.module.text, aside))
    theirs = [piece for piece in there.pieces if piece.text.strip()]
    if len(ours) > 1 and not cut_edited(text, aside).pieces:
        back.leave(SKILL, "no `# %%` marker is left in it, so nothing tells its cells apart",
                   "put the markers back where they stood")  # fmt: skip
        return
    rows = align(_parts(ours), _parts(theirs))
    decided = _decided(back, rows, ours, theirs, there.futures)
    if decided is not None:
        _place(back, rows, decided, ours, theirs)
    back.carried.append(SKILL)


def _parts(pieces: Sequence[Piece]) -> list[Part]:
    return [Part(piece.said, piece.text) for piece in pieces]


def _lifted(there: Marked, made: Marked) -> Marked:
    """What somebody wrote above the first marker, as a cell of its own in front."""
    fresh = [line for line in there.futures if line not in made.futures]
    loose = "\n".join([*fresh, *([there.loose] if there.loose else [])])
    if not loose:
        return there
    return Marked("", there.futures, (Piece("setup", "setup", loose), *there.pieces))


def _decided(
    back: Back,
    rows: Sequence[Row],
    ours: Sequence[Piece],
    theirs: Sequence[Piece],
    futures: Sequence[str],
) -> list[Verdict] | None:
    """What becomes of each row; None where all cells stay as they are."""
    pairs = [
        (
            _compared(ours[row.ours]) if row.ours is not None else None,
            _compared(theirs[row.theirs]) if row.theirs is not None else None,
        )
        for row in rows
    ]
    if not back.both_moved(SKILL):
        return verdicts(pairs, None)
    if is_reordered(rows):
        whole = back.settle("conflict", SKILL, SKILL, _heads(ours), _heads(theirs))
        return verdicts(pairs, None) if whole == "take" else None
    found = verdicts(pairs, lambda sides: _fits(back, rows, ours, theirs, futures, sides))
    return [
        back.settle(
            verdict,
            SKILL,
            _label(back, row, theirs),
            ours[row.ours].text if row.ours is not None else None,
            theirs[row.theirs].text if row.theirs is not None else None,
        )
        for verdict, row in zip(found, rows, strict=True)
    ]


def _heads(pieces: Sequence[Piece]) -> str:
    """The order of pieces, to be looked at."""
    return "\n".join(f"# %% {piece.said}" for piece in pieces)


def _compared(piece: Piece) -> str:
    """A piece as the two sides are compared: its role's word and its text."""
    return f"{piece.word}\n{piece.text}"


def _label(back: Back, row: Row, theirs: Sequence[Piece]) -> str:
    if row.ours is not None:
        return str(_cells(back)[row.ours].cell.number)
    assert row.theirs is not None  # a row has one side at least
    return theirs[row.theirs].said


def _fits(
    back: Back,
    rows: Sequence[Row],
    ours: Sequence[Piece],
    theirs: Sequence[Piece],
    futures: Sequence[str],
    sides: Sequence[int],
) -> bool:
    """Whether this choice of versions is what export wrote."""
    picked = []
    for row, side in zip(rows, sides, strict=True):
        at = row.theirs if side else row.ours
        if at is not None:
            picked.append(theirs[at] if side else ours[at])
    heads = back.text(SKILL) or ""
    firsts = dict.fromkeys((heads.partition("\n")[0], header(back.plan.notebook.name)))
    tops = dict.fromkeys((tuple(futures), cut_edited(back.plan.module.text).futures))
    return any(
        back.is_base(SKILL, written(first, top, picked).encode())
        for first in firsts
        for top in tops
    )


def _cells(back: Back) -> list[Assignment]:
    """The cells behind the pieces."""
    by_number = {a.cell.number: a for a in back.plan.assignments}
    pieces = zip(back.plan.module.origins, pieces_of(back.plan.module), strict=True)
    return [by_number[origin.cell] for origin, piece in pieces if piece.text.strip()]


def _place(
    back: Back,
    rows: Sequence[Row],
    decided: Sequence[Verdict],
    ours: Sequence[Piece],
    theirs: Sequence[Piece],
) -> None:
    cells, board = _cells(back), back.board
    kept_futures = {
        name for line in cut_edited(back.text(SKILL) or "").futures for name in _names(line)
    }
    wanted: list[Slot] = []
    promised: Cells = []
    for row, verdict in zip(rows, decided, strict=True):
        cell = cells[row.ours] if row.ours is not None else None
        piece = theirs[row.theirs] if row.theirs is not None else None
        slot = board.slot(cell.cell.number) if cell is not None else None
        if verdict == "take":
            made = ours[row.ours].text if row.ours is not None else ""
            slot = _taken(back, cell, piece, made, kept_futures)
        if slot is None:
            continue
        wanted.append(slot)
        promised.append(_promised(slot))
    board.arrange(wanted, SKILL)
    back.promises.append(lambda plan: _lacking(plan, promised))


def _taken(
    back: Back, cell: Assignment | None, piece: Piece | None, made: str, futures: set[str]
) -> Slot | None:
    """The place of a piece taken from the package; None where the package has it no more."""
    board = back.board
    if cell is None:
        assert piece is not None  # a row has one side at least
        return Slot(draft=Draft("code", piece.text, (piece.word,)), why=SKILL)
    slot = board.slot(cell.cell.number)
    if piece is None:
        board.skip(slot, SKILL)
        return None
    board.write(slot, _restored(cell.text, made, piece.text, futures), SKILL)
    if piece.word != (cell.word or cell.role.word):
        board.say(slot, piece.word, SKILL)
    return slot


def _restored(text: str, made: str, edited: str, futures: set[str]) -> str:
    """An edited piece as the cell has it: its ``__future__`` imports stand where they stood.

    Export turns them into comments and keeps their lines, so line for line they can be put back,
    unless the import is gone from the module's top.
    """
    if text == made:
        return edited
    before, now, lines = made.split("\n"), edited.split("\n"), text.split("\n")
    for block in SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            line = lines[block.a + step]
            if line != before[block.a + step] and _names(line) <= futures:
                now[block.b + step] = line
    return "\n".join(now)


def _names(line: str) -> set[str]:
    match = _FUTURE.search(line)
    return {name.strip() for name in match[1].split(",")} if match else set()


def _promised(slot: Slot) -> tuple[str, str]:
    """Role's word and text that a cell shall have."""
    if slot.cell is None:
        assert slot.draft is not None  # a place is one or the other
        return slot.draft.tags[0], slot.draft.source
    text = slot.cell.text if slot.text is None else slot.text
    return slot.word or slot.cell.word or slot.cell.role.word, text


def _lacking(plan: Plan, promised: Cells) -> str:
    """What the code cells of a new notebook are not, that they were to be."""
    made = [
        (a.word or a.role.word, a.text)
        for a in plan.assignments
        if a.role in (Role.STEP, Role.SETUP) and a.text.strip()
    ]
    if made == promised:
        return ""
    odd = next((b for a, b in zip([*made, ("", "")], promised, strict=False) if a != b), ("", ""))
    return (
        f"{SKILL}: the cell `{odd[1].strip().partition(chr(10))[0][:60]}` cannot be kept as it is"
    )
