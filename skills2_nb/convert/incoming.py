"""What a skill folder becomes: cells, and files beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from skills2_nb.convert.arranging import Parts, arranged, planned
from skills2_nb.convert.aside import keep_aside
from skills2_nb.convert.bundle_kit import without
from skills2_nb.convert.gathering import SKILL_MD, Gathered
from skills2_nb.convert.module import made_from
from skills2_nb.convert.packaged import is_package, packaged
from skills2_nb.convert.plan import SKILL, Plan
from skills2_nb.convert.prose_cells import prose_cells
from skills2_nb.errors import UnreadableError
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.files import over_lf
from skills2_nb.formats.paths import shown
from skills2_nb.formats.problem import Problem, found, in_order
from skills2_nb.formats.skill_md import split


@dataclass(frozen=True, slots=True)
class Incoming:
    """A skill folder as a notebook, before it is written.

    Attributes:
        name: the name under which the notebook exports.
        raw: the notebook as JSON, for ``write_notebook``.
        files: the files of the folder of its stem.
        problems: what lint says of them, and what did not come in as it was.
    """

    name: str
    raw: dict[str, Any]
    files: dict[str, bytes]
    problems: tuple[Problem, ...]


def incoming_of(gathered: Gathered, file: str) -> Incoming:
    """The notebook of a skill folder; pure.

    Args:
        gathered: the folder, read.
        file: what the notebook is to be called.

    Raises:
        UnreadableError: SKILL.md is not UTF-8.
    """
    gathered = replace(gathered, files=without(gathered.files))
    prose = _prose(gathered)
    parts, rest = Parts(prose), gathered.files
    changed: tuple[str, ...] = ()
    if is_package(gathered.files):
        package = packaged(prose, gathered.files, file)
        parts, rest, changed = package.parts, package.rest, package.changed
    sorted_out = keep_aside(rest, gathered.name)
    cells = arranged(replace(parts, aside=sorted_out.cells))
    made = planned(cells, file, sorted_out.files)
    problems = (
        *gathered.problems,
        *sorted_out.problems,
        *(_changed(path, gathered, file) for path in changed),
        *_names(gathered, made),
        *made.problems,
    )
    return Incoming(made.name, made.notebook.raw, sorted_out.files, in_order(problems))


def _prose(gathered: Gathered) -> list[Draft]:
    try:
        return prose_cells(split(gathered.skill_md))
    except UnreadableError as error:
        where = f"{gathered.name}/{gathered.spelled}"
        raise UnreadableError(str(error).replace(SKILL_MD, where, 1)) from None


def _names(gathered: Gathered, made: Plan) -> list[Problem]:
    """How the names of the folder and of its file differ from what export will write."""
    problems = []
    if made.name != gathered.name:
        problems.append(
            found(
                "F325",
                f"the folder is called {gathered.name!r}, and the skill {made.name!r}; export "
                "writes a folder of the skill's name",
                "nothing, if the skill's name is the right one",
                file=shown(gathered.name),
            )
        )
    if gathered.spelled != SKILL_MD:
        problems.append(
            found(
                "F325",
                f"the file is called {gathered.spelled}; export writes {SKILL_MD}, as every "
                "reader expects it",
                file=shown(f"{gathered.name}/{gathered.spelled}"),
            )
        )
    return problems


def _changed(path: str, gathered: Gathered, file: str) -> Problem:
    before = made_from(over_lf(gathered.files[path]).decode("utf-8", errors="replace"))
    why = "it was written or changed by hand"
    if path == SKILL and before and before != file:
        why = f"its first line names {shown(before)}, from which it was made"
    name = shown(f"{gathered.name}/{path}")
    return found("F328", f"an export will write {name} otherwise than it is: {why}", file=name)
