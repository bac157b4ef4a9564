"""Prose, code, manifest and cases in a readable order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.convert.markers import Piece
from skills2_nb.convert.plan import Plan, plan
from skills2_nb.formats.draft import LOAD, Draft, as_notebook
from skills2_nb.formats.notebook import Cell, Notebook

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")
#: What a notebook with steps starts its kernel with; it is not exported.


@dataclass(frozen=True, slots=True)
class Parts:
    """The cells of a notebook that is being made, by what they are.

    Attributes:
        prose: front matter and markdown, in the order of SKILL.md.
        code: the cells of ``runtime/skill.py``, in its order.
        ids: for each of them the id of its step, or the empty string.
        cases: cells of cases in the order of their file, each with its step's id or none.
        manifest: the cell of the hand-written manifest.
        aside: cells that are not exported: what could be read but not taken in.
    """

    prose: Sequence[Draft]
    code: Sequence[Piece] = ()
    ids: Sequence[str] = ()
    cases: Sequence[tuple[str, Draft]] = ()
    manifest: Draft | None = None
    aside: Sequence[Draft] = ()


def arranged(parts: Parts) -> list[Draft]:
    """One list of cells; prose, code and cases each keep their own order.

    A step stands under the prose whose heading names it, what the steps share before the first of
    them; where no heading names a step it follows the code before it, or all prose. A step's cases
    follow it, as far as their order allows; manifest and other cases come last.
    """
    places = _places(parts.prose, parts.ids)
    near = _near(parts.cases, parts.ids)
    made: list[Draft] = []
    waiting = list(zip(places, parts.code, parts.ids, strict=True))
    loaded = not any(parts.ids)
    for number, cell in enumerate(parts.prose):
        made.append(cell)
        while waiting and waiting[0][0] <= number:
            _, piece, step_id = waiting.pop(0)
            made += [] if loaded else [LOAD]
            loaded = True
            made += [piece.draft(), *near.get(step_id, ())]
    made += [parts.manifest] if parts.manifest else []
    taken = sum(map(len, near.values()))
    return [*made, *(cell for _, cell in parts.cases[taken:]), *parts.aside]


def planned(cells: Sequence[Draft], file: str, files: Mapping[str, bytes] | None = None) -> Plan:
    """The package that the notebook of these cells would make; nothing is written.

    Args:
        file: what the notebook is to be called.
        files: the files of the folder of its stem.
    """
    raw = as_notebook(cells)
    made = tuple(
        Cell(
            number,
            value["id"],
            draft.kind,
            draft.source,
            draft.tags,
            value["metadata"],
            dict(draft.attachments),
        )
        for number, (draft, value) in enumerate(zip(cells, raw["cells"], strict=True), 1)
    )
    return plan(Notebook(Path(file), made, raw["metadata"], None, (), raw), files)


def _places(prose: Sequence[Draft], ids: Sequence[str]) -> list[int]:
    """For each cell of code the number of the prose cell that it follows, never falling."""
    last = len(prose) - 1
    named = list(_named(prose, ids))
    if not any(place is not None for place in named):
        return [last] * len(ids)
    places: list[int] = []
    floor = 0
    for index, place in enumerate(named):
        if place is not None and place >= floor:
            floor = place
        elif not any(ids[: index + 1]):  # shared code: before the heading of the first step
            first = next(p for p in named if p is not None)
            floor = max(0, first - 1)
        elif not ids[index]:
            floor = next((p for p in _step_after(named, ids, index) if p >= floor), floor)
        places.append(floor)
    return places


def _step_after(named: Sequence[int | None], ids: Sequence[str], index: int) -> Iterator[int]:
    """The place of the next step after a cell of shared code, if a heading names that step."""
    following = next((n for n in range(index, len(ids)) if ids[n]), None)
    place = named[following] if following is not None else None
    if place is not None:
        yield place


def _named(prose: Sequence[Draft], ids: Sequence[str]) -> Iterator[int | None]:
    """For each cell of code the first prose cell whose heading names its step."""
    headings: Mapping[int, str] = {
        number: match.group(1)
        for number, cell in enumerate(prose)
        if cell.kind == "markdown" and (match := _HEADING.match(cell.source))
    }
    for step_id in ids:
        word = re.compile(rf"(?<!\w){re.escape(step_id)}(?!\w)")
        yield next((n for n, text in headings.items() if step_id and word.search(text)), None)


def _near(cases: Sequence[tuple[str, Draft]], ids: Sequence[str]) -> dict[str, list[Draft]]:
    """The cases that can stand under their step without changing the order of all."""
    near: dict[str, list[Draft]] = {}
    floor = -1
    for step_id, cell in cases:
        place = list(ids).index(step_id) if step_id and step_id in ids else -1
        if place < 0 or place < floor:
            break
        floor = place
        near.setdefault(step_id, []).append(cell)
    return near
