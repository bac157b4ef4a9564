"""From a plain skill to a notebook of stubs."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.convert import stubs
from skills2_nb.convert.aside import keep_aside
from skills2_nb.convert.document import slug
from skills2_nb.convert.exporter import Export, write
from skills2_nb.convert.flow import Flow, flow_of
from skills2_nb.convert.gathering import SKILL_MD, Gathered, gather
from skills2_nb.convert.landing import free_backup
from skills2_nb.convert.packaged import is_package
from skills2_nb.convert.plan import Plan, plan
from skills2_nb.convert.prose_cells import prose_cells
from skills2_nb.convert.signs import Signs, signs_of
from skills2_nb.convert.titles import ids
from skills2_nb.errors import RefusedError, UnreadableError, UsageError
from skills2_nb.formats.draft import LOAD, Draft, as_notebook
from skills2_nb.formats.files import cannot_write, read_bytes, write_atomic
from skills2_nb.formats.frontmatter import cut
from skills2_nb.formats.notebook import notebook_bytes, parse_notebook
from skills2_nb.formats.paths import is_safe_path
from skills2_nb.formats.problem import Problem
from skills2_nb.formats.skill_md import SkillMd, split


@dataclass(frozen=True, slots=True)
class Sketch:
    """A plain skill as the cells of a notebook, before anything is written.

    Attributes:
        name: the skill's name.
        cells: the notebook's cells.
        flow: what was read from the prose.
        ids: the ids of the steps, in order.
        signs: by what the skill is found and its answers are known.
    """

    name: str
    cells: tuple[Draft, ...]
    flow: Flow
    ids: tuple[str, ...]
    signs: Signs


@dataclass(frozen=True, slots=True)
class Transformed:
    """What a transform did.

    Attributes:
        source: the skill folder, which is left as it is.
        notebook: the notebook.
        backup: where the notebook lies that stood there before, where one did.
        package: the package that was written; None where errors of the skill stand in the way.
        files: the files that came along, by their path in the package.
        plan: the package in memory, with what lint says.
        problems: what could not be read, and files that could not come along.
    """

    source: Path
    notebook: Path
    backup: Path | None
    sketch: Sketch
    package: Export | None
    files: tuple[str, ...]
    plan: Plan
    problems: tuple[Problem, ...]


def sketch(skill_md: bytes, folder: str) -> Sketch:
    """The notebook of a plain skill: its prose as it stands, a stub for each step; pure.

    Export gives back the same SKILL.md, byte for byte.

    Args:
        skill_md: the file's bytes.
        folder: the name of the folder it lies in, for a skill that says no name.

    Raises:
        UnreadableError: the bytes are not UTF-8.
    """
    document = split(skill_md)
    name = name_of(document, folder)
    flow = flow_of(_told(document.body), name, _first_line(document))
    named = ids(((step.title, step.named) for step in flow.steps), name)
    signs = signs_of(document, flow, name)
    cells = tuple(_cells(document, flow, named, signs))
    return Sketch(name, cells, flow, tuple(named), signs)


def _told(body: str) -> str:
    """The prose without front matter that does not parse and was left at its head; lines stay."""
    found = cut(body)
    return "\n" * found[0].count("\n") + found[1] if found is not None else body


def name_of(document: SkillMd, folder: str) -> str:
    """The skill's name: what its front matter says, else its folder's, made to fit."""
    said = document.fields.get("name")
    return said.strip() if isinstance(said, str) and said.strip() else slug(folder)


def transform(folder: Path, out: Path, *, force: bool = False) -> Transformed:
    """Write ``out/<name>.ipynb`` and the package ``out/<name>/`` of a plain skill.

    The skill's other files go along into the package. Nothing in the skill is run.

    Args:
        folder: the skill folder, or the SKILL.md in it.
        out: the folder for both.
        force: overwrite a notebook, kept as ``<name>.ipynb.bak``, and a package that were edited.

    Raises:
        UnreadableError: there is no SKILL.md, or it is not UTF-8.
        UsageError: ``out`` names a notebook, or the package would lie within the skill or around
            it; or a link or a file is in the way of the package.
        RefusedError: the skill is a package already; or a notebook, or a package of another
            content, is there already; nothing was written.
        SetupError: the place is not writable or the disk is full; nothing was changed.
    """
    gathered = gather(folder)
    root = folder.parent if folder.is_file() else folder
    if is_package(gathered.files):
        raise RefusedError(
            f"{root} is a package already, with steps of its own; nothing was written. Make its "
            f"notebook with: skills2 import {root}"
        )
    made = _sketched(gathered)
    kept = keep_aside(gathered.files, gathered.name)
    cells = [*made.cells, *kept.cells]
    stem = made.name if is_safe_path(made.name) and "/" not in made.name else slug(made.name)
    notebook = out / f"{stem}.ipynb"
    _check_place(root, out, stem)
    data = notebook_bytes(as_notebook(cells))
    planned = plan(parse_notebook(data, notebook), kept.files)
    with _written(notebook, data, force=force) as backup:
        package = None if planned.blocking else write(planned, out / planned.name, force=force)
    problems = (*made.flow.problems, *gathered.problems, *kept.problems)
    return Transformed(root, notebook, backup, made, package, tuple(kept.files), planned, problems)


def _sketched(gathered: Gathered) -> Sketch:
    try:
        return sketch(gathered.skill_md, gathered.name)
    except UnreadableError as error:
        where = f"{gathered.name}/{gathered.spelled}"
        raise UnreadableError(str(error).replace(SKILL_MD, where, 1)) from None


def _check_place(root: Path, out: Path, stem: str) -> None:
    """Refuse a notebook's name for a folder, and a package within the skill or around it."""
    if out.name.endswith(".ipynb") and not out.is_dir():
        raise UsageError(
            f"{out} is a notebook's name, and -o takes a folder, in which {stem}.ipynb is written."
        )
    here, there = root.resolve(), (out / stem).resolve()
    if here != there and (there.is_relative_to(here) or here.is_relative_to(there)):
        raise UsageError(
            f"the package would go to {out / stem}, which lies in the skill folder or holds it; "
            "choose another place with -o."
        )


@contextlib.contextmanager
def _written(notebook: Path, data: bytes, *, force: bool) -> Iterator[Path | None]:
    """The notebook in its place; if what follows fails, as it was before."""
    before = read_bytes(notebook) if os.path.lexists(notebook) else None
    if before is not None and before != data and not force:
        raise RefusedError(
            f"{notebook} is there already and is not what transform would write; nothing was "
            f"written. Choose another place with -o, or overwrite with --force (it is kept as "
            f"{notebook.name}.bak)."
        )
    try:
        notebook.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(notebook.parent, error) from None
    backup = _kept(notebook, before) if before not in (None, data) else None
    if before != data:
        write_atomic(notebook, data)
    try:
        yield backup
    except BaseException:
        with contextlib.suppress(OSError):
            if before is None:
                notebook.unlink()
            elif before != data:
                write_atomic(notebook, before)
            if backup is not None:
                backup.unlink()
        raise


def _kept(notebook: Path, data: bytes | None) -> Path:
    """The old notebook under ``<name>.ipynb.bak``, or the next name that is free."""
    backup = free_backup(notebook)
    write_atomic(backup, data or b"")
    return backup


def _cells(document: SkillMd, flow: Flow, named: Sequence[str], signs: Signs) -> Iterator[Draft]:
    """Prose and stubs in reading order, then the manifest and the cases."""
    waiting = deque(zip(named, flow.steps, strict=True))
    opening = deque((stubs.NOTE, LOAD, stubs.SETUP))
    after = _first_line(document)
    for cell in prose_cells(document):
        yield cell
        if cell.kind == "markdown":
            yield from _drained(opening)
            after += cell.source.count("\n") + 2
            while waiting and waiting[0][1].line < after:
                step_id, step = waiting.popleft()
                yield stubs.stub_cell(step_id, step.says)
    yield from _drained(opening)
    yield from (stubs.stub_cell(step_id, step.says) for step_id, step in waiting)
    yield stubs.manifest_cell(signs.phrases, signs.keywords, signs.against, signs.anchors)
    yield stubs.cases_cell(signs.prompts)


def _drained(cells: deque[Draft]) -> Iterator[Draft]:
    """The cells, once."""
    while cells:
        yield cells.popleft()


def _first_line(document: SkillMd) -> int:
    """The line of the file on which the body begins."""
    layout = document.layout
    if document.front is None:
        return 1 + layout.lead
    return 1 + document.front.count("\n") + layout.gap
