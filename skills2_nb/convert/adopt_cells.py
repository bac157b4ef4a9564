"""A notebook put together of cells and what was accepted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.formats.draft import Draft, as_notebook
from skills2_nb.formats.json_spans import elements, members
from skills2_nb.formats.notebook import Notebook


@dataclass(frozen=True)
class Piece:
    """A part of a cell that becomes a cell of its own.

    Attributes:
        role: ``step``, ``setup`` or ``""`` for a part that is not exported.
        text: its code.
        key: the change that makes it.
        shows: whether it is a part that may print or draw.
    """

    role: str
    text: str
    key: str = ""
    shows: bool = False


@dataclass(frozen=True)
class Layout:
    """What becomes of the cells.

    Attributes:
        pieces: by number, the pieces a cell is cut into; a cell that is not named stays.
        before: by number, cells that are put before one; number 0 stands for the end.
    """

    pieces: Mapping[int, Sequence[Piece]] = field(default_factory=dict)
    before: Mapping[int, Sequence[tuple[Draft, str]]] = field(default_factory=dict)


def put_together(notebook: Notebook, layout: Layout) -> tuple[str, list[str]]:
    """The text of the new notebook, and the change behind each of its cells.

    What is not cut keeps its bytes; a cell that is cut leaves its id, outputs and metadata to the
    last of its pieces that shows something, else to the last that is not exported.
    """
    text = notebook.text
    start, spans = _cells(text)
    minor = notebook.raw.get("nbformat_minor", 0)
    with_ids = isinstance(minor, int) and minor >= 5
    made: list[str] = []
    keys: list[str] = []
    for cell, (begin, end) in zip(notebook.cells, spans, strict=True):
        for draft, key in layout.before.get(cell.number, ()):
            made.append(_new(draft, with_ids, made))
            keys.append(key)
        pieces = layout.pieces.get(cell.number)
        if pieces is None:
            made.append(text[begin:end])
            keys.append("")
            continue
        raw = json.loads(text[begin:end])
        heir = _heir(pieces)
        for place, piece in enumerate(pieces):
            made.append(
                _dumped(_inherited(raw, piece))
                if place == heir
                else _new(Draft("code", piece.text, _tags(piece)), with_ids, made)
            )
            keys.append(piece.key)
    for draft, key in layout.before.get(0, ()):
        made.append(_new(draft, with_ids, made))
        keys.append(key)
    if not spans:
        return text[:start] + "[\n" + _between(made) + "\n ]" + text[start + 2 :], keys
    return text[: spans[0][0]] + _between(made) + text[spans[-1][1] :], keys


def _heir(pieces: Sequence[Piece]) -> int:
    loose = [place for place, piece in enumerate(pieces) if not piece.role]
    shown = [place for place in loose if pieces[place].shows]
    return (shown or loose or [len(pieces) - 1])[-1]


def _tags(piece: Piece) -> tuple[str, ...]:
    return (piece.role,) if piece.role else ()


def _inherited(raw: dict[str, Any], piece: Piece) -> dict[str, Any]:
    metadata = dict(raw.get("metadata") or {})
    if piece.role:
        metadata["tags"] = [*(metadata.get("tags") or ()), piece.role]
    made = {**raw, "metadata": metadata}
    if _joined(raw.get("source")) != piece.text:
        draft = as_notebook([Draft("code", piece.text)])["cells"][0]
        made["source"] = draft["source"]
    return made


def _joined(source: Any) -> str:
    return "".join(source) if isinstance(source, list) else str(source)


def _new(draft: Draft, with_ids: bool, before: Sequence[str]) -> str:
    cell = as_notebook([draft])["cells"][0]
    if not with_ids:
        del cell["id"]
        return _dumped(cell)
    ident, count = cell["id"], 1
    while any(f'"id": "{cell["id"]}"' in text for text in before):
        count += 1
        cell["id"] = f"{ident}-{count}"
    return _dumped(cell)


def _dumped(cell: dict[str, Any]) -> str:
    text = json.dumps(cell, indent=1, ensure_ascii=False, sort_keys=True)
    return text.replace("\n", "\n  ")


def _between(cells: Sequence[str]) -> str:
    return ",\n  ".join(cells)


def _cells(text: str) -> tuple[int, list[tuple[int, int]]]:
    for member in members(text, 0):
        if member.key == "cells":
            return member.begin, list(elements(text, member.begin))
    return 0, []
