"""Files without a place in a notebook's folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skills2_nb.convert.shelf import is_made
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.files import is_text, over_lf
from skills2_nb.formats.paths import shown
from skills2_nb.formats.problem import Problem, found

#: A longer text would make the notebook hard to open.
LONGEST = 256 * 1024


@dataclass(frozen=True, slots=True)
class Sorted:
    """Files, by where they can go.

    Attributes:
        files: those of the notebook's folder.
        cells: the others as raw cells tagged ``skip``, each headed by its path.
        problems: one for each of the others.
    """

    files: dict[str, bytes]
    cells: tuple[Draft, ...]
    problems: tuple[Problem, ...]


def keep_aside(files: Mapping[str, bytes], folder: str) -> Sorted:
    """Sort the files of a skill: those in a place that export fills itself become raw cells.

    Args:
        files: by their path in the skill.
        folder: the skill folder's name, for messages.
    """
    free = {path: data for path, data in files.items() if not is_made(path)}
    cells, problems = [], []
    for path in sorted(set(files) - set(free)):
        cell = _cell(path, files[path])
        cells += [cell] if cell else []
        problems.append(_told(path, folder, kept=cell is not None))
    return Sorted(free, tuple(cells), tuple(problems))


def _cell(path: str, data: bytes) -> Draft | None:
    if len(data) > LONGEST or not is_text(data):
        return None
    text = over_lf(data).decode("utf-8").strip("\n")
    return Draft("raw", f"{path}, as it was in the skill:\n\n{text}", ("skip",))


def _told(path: str, folder: str, *, kept: bool) -> Problem:
    name = shown(f"{folder}/{path}")
    if kept:
        message = f"{name} lies where export writes its own; its text stays in a cell at the end"
        return found("F327", message, "delete that cell, if nothing in it is wanted", file=name)
    message = f"{name} lies where export writes its own; it was left in the skill folder"
    return found("F327", message, "put a copy under assets/, if the skill needs it", file=name)
