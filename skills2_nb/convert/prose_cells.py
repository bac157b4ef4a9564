"""A SKILL.md as cells that export to the same bytes."""

from __future__ import annotations

from collections.abc import Iterator

from skills2_nb.formats.draft import Draft
from skills2_nb.formats.skill_md import SkillMd, needs_prose_tag


def prose_cells(document: SkillMd) -> list[Draft]:
    """The cells of a SKILL.md that was cut: front matter raw, then one cell a piece of prose.

    The first cell keeps how the file differs from the canonical layout. An empty file has one
    empty cell, which keeps just that.
    """
    cells = list(_plain(document))
    kept = document.layout.to_dict()
    if kept:
        first = cells[0]
        cells[0] = Draft(first.kind, first.source, first.tags, kept)
    return cells


def _plain(document: SkillMd) -> Iterator[Draft]:
    if document.front is not None:
        yield Draft("raw", document.front)
    pieces = [piece for piece in document.pieces if piece]
    if document.front is None and not pieces:
        yield Draft("markdown", "")
    for index, piece in enumerate(pieces):
        first = index == 0 and document.front is None
        tags = ("prose",) if needs_prose_tag(piece, first=first) else ()
        yield Draft("markdown", piece, tags)
