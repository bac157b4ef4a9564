"""What lint and export print."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from skills2_nb.views.lines import WIDTH, clean, counted, joined, word, wrap

if TYPE_CHECKING:
    from skills2_nb.convert.exporter import Export
    from skills2_nb.formats.problem import Problem


def problems(found: Iterable[Problem], *, width: int = WIDTH, color: bool = False) -> str:
    """Lint problems, each with place, code, sentence and mend, and a count at the end."""
    listed = list(found)
    lines: list[str] = []
    for problem in listed:
        level = word(problem.level, color)
        lines.append(f"{clean(problem.where)}: {problem.code} {level}")
        lines += wrap(problem.message, width, "    ")
        if problem.mend:
            lines += wrap(f"Mend: {problem.mend}", width, "    ")
    return joined([*lines, tally(listed)])


def tally(found: Iterable[Problem]) -> str:
    """How many problems of each level, in words: ``2 errors, 1 warning``."""
    levels = [problem.level for problem in found]
    told = [
        counted(levels.count(level), level)
        for level in ("error", "warning", "note")
        if level in levels
    ]
    return ", ".join(told) or "no problems"


def exported(done: Export, *, folder: str | None = None, width: int = WIDTH) -> str:
    """What an export did, file by file, and how much it left as it was.

    Args:
        folder: the folder as the reader knows it; left out, as the export names it.
    """
    lines = wrap(f"{folder or done.folder}: {change(done)}", width, "", 2)
    for verb, names in moves(done):
        lines += [f"  {verb} {clean(name)}" for name in names]
    return joined(lines)


def change(done: Export) -> str:
    """An export in a few words: ``3 files written, 9 unchanged``."""
    told = f"{counted(len(done.written), 'file')} {'to write' if done.checked else 'written'}"
    removed = f"{len(done.removed)} {'to remove' if done.checked else 'removed'}"
    edited = f"{len(done.edited)} edited since"
    return ", ".join(
        [
            told,
            *([removed] if done.removed else []),
            *([edited] if done.edited else []),
            f"{len(done.unchanged)} unchanged",
        ]
    )


def moves(done: Export) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What became of which files, or would with a check."""
    verbs = ("to write", "to remove") if done.checked else ("wrote", "removed")
    return (
        (verbs[0], done.written),
        (verbs[1], done.removed),
        ("edited since", done.edited),
    )
