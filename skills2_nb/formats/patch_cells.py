"""Cells put in, moved and changed in a notebook's text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skills2_nb.formats.draft import Draft, as_notebook
from skills2_nb.formats.files import sha256
from skills2_nb.formats.json_spans import elements
from skills2_nb.formats.patch import as_lines, span_of, with_value


@dataclass(frozen=True, slots=True)
class Kept:
    """A cell of the notebook as it goes on.

    Attributes:
        number: its 1-based place in the notebook that is changed.
        source: its new text, or None to leave it.
        tags: its new tags, or None to leave them.
        layout: what the kit keeps in its metadata from now on, or None to leave that.
        stale: whether what it printed belongs to another text, so that it goes.
    """

    number: int
    source: str | None = None
    tags: tuple[str, ...] | None = None
    layout: Mapping[str, Any] | None = None
    stale: bool = False


def rebuild(text: str, cells: Sequence[Kept | Draft]) -> str:
    """A notebook's JSON text with these cells, in this order.

    Every byte of a kept cell outside the values changed stays, and so does every byte around the
    cells: indent, key order, outputs, number forms, what stands between two cells that still
    follow each other.

    Args:
        text: the notebook file, nbformat 4, without a BOM.
        cells: the cells as they shall be; a cell of the notebook stands in it once at most.
    """
    start, end = span_of(text, "cells")
    spans = list(elements(text, start))
    style = _Style.of(text, start, spans)
    idents = {cell.get("id") for cell in json.loads(text[start:end]) if isinstance(cell, dict)}
    made, before = "", 0
    for cell in cells:
        number = cell.number if isinstance(cell, Kept) else 0
        if made:
            follows = number > 1 and number == before + 1
            made += text[spans[number - 2][1] : spans[number - 1][0]] if follows else style.between
        if isinstance(cell, Kept):
            first, last = spans[number - 1]
            made += _changed(text[first:last], cell, style.ascii_only)
        else:
            made += style.written(_fresh(cell, idents, has_ids=style.has_ids))
        before = number
    if not spans and not made:
        return text
    if not spans:
        return f"{text[: start + 1]}{style.head}{made}{style.foot}{text[end - 1 :]}"
    return text[: spans[0][0]] + made + text[spans[-1][1] :]


@dataclass(frozen=True, slots=True)
class _Style:
    """How a notebook file is laid out."""

    ascii_only: bool
    has_ids: bool
    indent: str | None
    margin: str
    newline: str
    between: str
    head: str = ""
    foot: str = ""

    @classmethod
    def of(cls, text: str, start: int, spans: Sequence[tuple[int, int]]) -> _Style:
        newline = "\r\n" if "\r\n" in text else "\n"
        minor = json.loads(text).get("nbformat_minor", 0)
        has_ids = isinstance(minor, int) and minor >= 5
        if not spans:
            head, foot = f"{newline}  ", f"{newline} "
            return cls(text.isascii(), has_ids, " ", "  ", newline, f",{newline}  ", head, foot)
        lead = text[start + 1 : spans[0][0]]
        _, broken, margin = lead.rpartition("\n")
        indent = _step(text[spans[0][0] : spans[0][1]], margin) if broken else None
        between = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else f",{lead}"
        return cls(text.isascii(), has_ids, indent, margin if broken else "", newline, between)

    def written(self, cell: Mapping[str, Any]) -> str:
        """A new cell as this file would have it."""
        made = json.dumps(cell, indent=self.indent, ensure_ascii=self.ascii_only, sort_keys=True)
        return made.replace("\n", self.newline + self.margin)


def _step(cell: str, margin: str) -> str | None:
    """How much deeper a cell's keys stand than the cell; None where it stands on one line."""
    first = cell[1:].partition('"')[0]
    return first.rpartition("\n")[2][len(margin) :] or " " if "\n" in first else None


def _fresh(cell: Draft, taken: set[Any], *, has_ids: bool) -> dict[str, Any]:
    """A new cell's JSON value, with an id that no other has."""
    made: dict[str, Any] = as_notebook([cell])["cells"][0]
    ident = made.pop("id")
    while ident in taken:
        ident = sha256(str(ident).encode())[:12]
    taken.add(ident)
    return {**made, "id": ident} if has_ids else made


def _changed(cell: str, kept: Kept, ascii_only: bool) -> str:
    if kept.source is not None:
        cell = with_value(cell, "source", as_lines(kept.source, cell), ascii_only)
    if kept.stale:
        cell = with_value(cell, "outputs", [], ascii_only)
        cell = with_value(cell, "execution_count", None, ascii_only)
    for key, value in _metadata(kept):
        cell = _with_metadata(cell, key, value, ascii_only)
    return cell


def _metadata(kept: Kept) -> Iterable[tuple[str, Any]]:
    if kept.tags is not None:
        yield "tags", list(kept.tags)
    if kept.layout is not None:
        yield "skills2", dict(kept.layout)


def _with_metadata(cell: str, key: str, value: Any, ascii_only: bool) -> str:
    start, end = span_of(cell, "metadata")
    held = json.loads(cell[start:end]) if end else None
    if not isinstance(held, dict) or not held:
        return with_value(cell, "metadata", {key: value}, ascii_only)
    return cell[:start] + with_value(cell[start:end], key, value, ascii_only) + cell[end:]
