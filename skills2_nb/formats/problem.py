"""A fault found in a file, with its place and its mend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.formats.codes import CODES, Level
from skills2_nb.formats.paths import shown


@dataclass(frozen=True, slots=True)
class Edit:
    """The one right mend of a problem, as a change of one cell.

    Attributes:
        cell: 1-based number of the cell.
        source: the cell's new text, or None to leave it.
        tags: the cell's new tags, or None to leave them.
    """

    cell: int
    source: str | None = None
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: a code, a place, a sentence and what to do about it.

    Attributes:
        code: a key of ``formats.codes.CODES``.
        level: ``error``, ``warning`` or ``note``.
        file: the file's name, relative, with ``/``.
        cell: 1-based number of the notebook cell, or None outside a notebook.
        cell_id: the cell's id as the file gives it.
        line: 1-based line in the cell, or in the file where there is no cell.
        message: what is wrong, one sentence.
        mend: what to do about it, one sentence.
        edit: the change ``lint --fix`` makes, where one mend is right.
    """

    code: str
    level: Level
    file: str
    cell: int | None
    cell_id: str | None
    line: int | None
    message: str
    mend: str = ""
    edit: Edit | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Keep what a notebook holds from moving a reader's cursor."""
        for name in ("file", "cell_id", "message", "mend"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, shown(value))

    @property
    def blocks(self) -> bool:
        """Whether an export is refused while this stands."""
        entry = CODES.get(self.code)
        return self.level == "error" and (entry is None or entry.blocks)

    @property
    def is_unreadable(self) -> bool:
        """Whether a part of the notebook cannot be read as what it should be."""
        entry = CODES.get(self.code)
        return self.level == "error" and entry is not None and entry.unreadable

    @property
    def where(self) -> str:
        """The place in words, such as ``nb.ipynb: cell 3 (id ab12), line 2``."""
        parts = []
        if self.cell is not None:
            ident = f" (id {self.cell_id})" if self.cell_id else ""
            parts.append(f"cell {self.cell}{ident}")
        if self.line is not None:
            parts.append(f"line {self.line}")
        return f"{self.file}: {', '.join(parts)}" if parts else self.file

    def sentence(self) -> str:
        """Place, code, fault and mend on one line."""
        mend = f" Mend: {self.mend.rstrip('.')}." if self.mend else ""
        return f"{self.where}: {self.code} {self.level}: {self.message.rstrip('.')}.{mend}"

    def to_dict(self) -> dict[str, Any]:
        """The fixed shape of one finding of ``lint --json``."""
        return {
            "code": self.code,
            "level": self.level,
            "file": self.file,
            "cell": self.cell,
            "line": self.line,
            "message": self.message,
            "mend": self.mend,
        }


def found(
    code: str,
    message: str,
    mend: str = "",
    *,
    file: str = "",
    cell: int | None = None,
    cell_id: str | None = None,
    line: int | None = None,
    edit: Edit | None = None,
) -> Problem:
    """A problem whose level is the one its code has in the table."""
    return Problem(code, CODES[code].level, file, cell, cell_id, line, message, mend, edit)


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems by place, each once: file, cell, line, code."""
    unique = dict.fromkeys(problems)
    return tuple(
        sorted(unique, key=lambda p: (p.file, p.cell or 0, p.line or 0, p.code, p.message))
    )
