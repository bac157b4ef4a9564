"""A notebook that is being made, cell by cell."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.formats.files import sha256
from skills2_nb.formats.notebook import Kind

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


@dataclass(frozen=True, slots=True)
class Draft:
    """One cell to be: a cell without number, id and outputs.

    Attributes:
        kind: ``markdown``, ``code`` or ``raw``.
        source: the text, with LF.
        tags: what ``metadata.tags`` will hold.
        kept: what the kit keeps in the cell's metadata under ``skills2``.
        attachments: name to ``{mime type: base64 text}``.
    """

    kind: Kind
    source: str
    tags: tuple[str, ...] = ()
    kept: Mapping[str, Any] = field(default_factory=dict)
    attachments: Mapping[str, Any] = field(default_factory=dict)


#: What a notebook with steps starts its kernel with; it is not exported.
LOAD = Draft("code", "%load_ext skills2_nb", ("skip",))


def as_notebook(cells: Iterable[Draft]) -> dict[str, Any]:
    """The JSON value of a notebook of these cells (nbformat 4.5), for ``write_notebook``.

    Same cells, same bytes: an id comes from the cell's own text, so a cell keeps it while others
    are put before it.
    """
    seen: Counter[str] = Counter()
    return {
        "cells": [_cell(cell, seen) for cell in cells],
        "metadata": {"kernelspec": dict(_KERNEL), "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(cell: Draft, seen: Counter[str]) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if cell.tags:
        metadata["tags"] = list(cell.tags)
    if cell.kept:
        metadata["skills2"] = dict(cell.kept)
    made: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": _ident(cell, seen),
        "metadata": metadata,
        "source": _lines(cell.source),
    }
    if cell.attachments:
        made["attachments"] = dict(cell.attachments)
    return made | ({"execution_count": None, "outputs": []} if cell.kind == "code" else {})


def _ident(cell: Draft, seen: Counter[str]) -> str:
    text = json.dumps([cell.kind, list(cell.tags), cell.source])
    seen[text] += 1
    return sha256(f"{text}{seen[text]}".encode())[:12]


def _lines(source: str) -> list[str]:
    """The text as nbformat has it: a line an entry, split at LF alone."""
    lines = [f"{line}\n" for line in source.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
