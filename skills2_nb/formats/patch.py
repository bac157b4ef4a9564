"""Cells changed inside a notebook's text, all else as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from skills2_nb.formats.json_spans import elements, members, skip
from skills2_nb.formats.problem import Edit


def patch(text: str, edits: Sequence[Edit]) -> str:
    """Put new sources and tags into a notebook's JSON text.

    Every byte outside the values changed stays: indent, key order, outputs, number forms.

    Args:
        text: the notebook file, nbformat 4, without a BOM.
        edits: at most one a cell.

    Returns:
        The new text; equal to ``text`` where nothing changes.
    """
    spans = list(elements(text, span_of(text, "cells")[0]))
    ascii_only = text.isascii()
    for edit in sorted(edits, key=lambda edit: edit.cell, reverse=True):
        start, end = spans[edit.cell - 1]
        text = text[:start] + _patched(text[start:end], edit, ascii_only) + text[end:]
    return text


def _patched(cell: str, edit: Edit, ascii_only: bool) -> str:
    if edit.source is not None:
        cell = with_value(cell, "source", as_lines(edit.source, cell), ascii_only)
    if edit.tags is None:
        return cell
    start, end = span_of(cell, "metadata")
    metadata = cell[start:end]
    if not metadata.startswith("{") or not list(members(metadata, 0)):
        return with_value(cell, "metadata", {"tags": list(edit.tags)}, ascii_only)
    return cell[:start] + with_value(metadata, "tags", list(edit.tags), ascii_only) + cell[end:]


def as_lines(source: str, cell: str) -> str | list[str]:
    """The source in the form the cell has it: one string or a list of lines."""
    start, end = span_of(cell, "source")
    if end and cell[start] != "[":
        return source
    lines = [line + "\n" for line in source.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def with_value(cell: str, key: str, value: Any, ascii_only: bool) -> str:
    """An object's text with another value of one member, which comes first if it is new."""
    indent, margin = _indent(cell)
    made = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    made = made.replace("\n", ("\r\n" if "\r\n" in cell else "\n") + margin)
    start, end = span_of(cell, key)
    if end:
        return cell[:start] + made + cell[end:]
    return f"{{{cell[1 : skip(cell, 1)]}{json.dumps(key)}: {made},{cell[1:]}"


def _indent(cell: str) -> tuple[str | None, str]:
    """One step of indent and the margin of the cell's keys; None and nothing on one line."""
    first = re.match(r"\{\r?\n([ \t]*)\"", cell)
    if first is None:
        return None, ""
    last = re.search(r"\n([ \t]*)\}$", cell)
    outer = last.group(1) if last else ""
    return first.group(1)[len(outer) :] or " ", first.group(1)


def span_of(cell: str, key: str) -> tuple[int, int]:
    """Start and end of a member's value; ``(0, 0)`` where the object has no such member."""
    return {m.key: (m.begin, m.end) for m in members(cell, 0)}.get(key, (0, 0))


def merged(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """At most one edit a cell: the first source and the first tags asked for win."""
    by_cell: dict[int, Edit] = {}
    for edit in edits:
        old = by_cell.get(edit.cell)
        if old is None:
            by_cell[edit.cell] = edit
        else:
            by_cell[edit.cell] = Edit(
                edit.cell,
                old.source if old.source is not None else edit.source,
                old.tags if old.tags is not None else edit.tags,
            )
    return tuple(by_cell.values())
