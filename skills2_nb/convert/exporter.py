"""Export: from a notebook to a package on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.convert.folder import folder_of
from skills2_nb.convert.in_place import is_in_place
from skills2_nb.convert.module import header, made_from
from skills2_nb.convert.plan import SKILL, Plan, plan_path
from skills2_nb.convert.swap import recover
from skills2_nb.convert.target import Difference, alone, apply, compare
from skills2_nb.errors import RefusedError, UsageError
from skills2_nb.formats.files import over_lf
from skills2_nb.formats.package import LOCK
from skills2_nb.formats.package import lock as lock_of
from skills2_nb.formats.paths import shown
from skills2_nb.formats.problem import Problem, found

SCHEMAS = "schemas.json"


class UnreadablePartError(RefusedError):
    """A refusal because a part of the notebook cannot be read as what it should be."""

    kind = "unreadable"
    exit_code = 2


@dataclass(frozen=True)
class Export:
    """What an export did, or with ``check`` would do.

    Attributes:
        folder: the package.
        name: the skill's name.
        written: files written anew, relative.
        unchanged: files that were right already.
        removed: files of an earlier export that no longer belong.
        edited: files somebody edited since; only with ``check`` (or overwritten by ``force``).
        problems: warnings, notes, and errors that do not block.
        checked: whether nothing was to be written.
        plan: the package in memory.
    """

    folder: Path
    name: str
    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    problems: tuple[Problem, ...]
    checked: bool
    plan: Plan

    @property
    def is_current(self) -> bool:
        """Whether the package on disk was already what the notebook says."""
        return not (self.written or self.removed or self.edited)


def default_folder(notebook: Path) -> Path:
    """Where packages go: ``skills/`` beside the folder ``notebooks/``, else beside the notebook.

    A package that lies in the folder of the notebook's stem stays there.
    """
    if is_in_place(notebook):
        return notebook.parent
    for parent in Path(os.path.normpath(notebook.absolute())).parents:
        if parent.name == "notebooks":
            return parent.parent / "skills"
    return notebook.parent / "skills"


def export(
    notebook_path: Path,
    out_dir: Path | None = None,
    *,
    check: bool = False,
    verify: bool = True,
    force: bool = False,
) -> Export:
    """Write a notebook's package to ``<out_dir>/<name>/``, whole or not at all.

    Only what changed is written. Files that export did not write are never touched; equal ones
    are adopted.

    Args:
        notebook_path: the notebook; the folder of its stem goes along.
        out_dir: where packages lie; left out, see :func:`default_folder`.
        check: execute and write nothing; tell what would change.
        verify: import the package in a fresh interpreter first and write schemas.json.
        force: overwrite files that were edited since the last export.

    Raises:
        UnreadableError: the file is no notebook.
        UsageError: the package would lie in the notebook's own folder, or a link or a file is in
            its way.
        RefusedError: errors stand in the way (``.problems``), files were edited since, or another
            notebook made the package that is there.
        UnreadablePartError: likewise, where a part of the notebook cannot be read at all.
        SetupError: the place is not writable or the disk is full; nothing was changed.
    """
    plan = plan_path(notebook_path)
    _refuse_errors(plan, plan.problems)
    folder = (out_dir if out_dir is not None else default_folder(notebook_path)) / plan.name
    _check_place(folder, notebook_path)
    return write(plan, folder, check=check, verify=verify, force=force)


def write(
    plan: Plan, folder: Path, *, check: bool = False, verify: bool = True, force: bool = False
) -> Export:
    """Write a plan to a folder, as :func:`export` does; wherever that folder is.

    Raises:
        UsageError: a link or a file is in the way.
        RefusedError: errors stand in the way, files were edited since, or another notebook made
            the package that is there.
        SetupError: the place is not writable or the disk is full; nothing was changed.
    """
    _refuse_errors(plan, plan.problems)
    _check_link(folder)
    schemas = _verified(plan) if verify and not check and SKILL in plan.files else None
    if check:
        change = compare(folder, _all_files(plan, folder, schemas))
        return _report(plan, folder, change, checked=True)
    with alone(folder.parent):
        _check_link(folder)
        recover(folder)
        change = compare(folder, _all_files(plan, folder, schemas))
        if not force:
            _check_owner(folder, plan)
            if change.edited:
                raise RefusedError(_edited(folder, change))
        apply(folder, change)
    return _report(plan, folder, change, checked=False)


def _refuse_errors(plan: Plan, problems: tuple[Problem, ...]) -> None:
    blocking = [problem for problem in problems if problem.blocks]
    if blocking:
        count = "1 error stands" if len(blocking) == 1 else f"{len(blocking)} errors stand"
        unreadable = any(problem.is_unreadable for problem in blocking)
        raise (UnreadablePartError if unreadable else RefusedError)(
            f"{plan.notebook.name}: {count} in the way; nothing was written. "
            f"First: {blocking[0].sentence()}",
            problems,
        )


def _verified(plan: Plan) -> bytes | None:
    from skills2_nb.convert.verify import verify

    schemas, problem = verify(plan)
    if problem is not None:
        _refuse_errors(plan, (*plan.problems, problem))
    return schemas


def _all_files(plan: Plan, folder: Path, schemas: bytes | None) -> dict[str, bytes]:
    """The plan's files, schemas.json and the lock.

    Without a verification a schemas.json stays only if it belongs to the same code.
    """
    files = dict(plan.files)
    kept = folder / SCHEMAS
    if schemas is None and SKILL in files and kept.is_file() and not kept.is_symlink():
        from skills2_nb.convert.verify import belongs

        there = kept.read_bytes()
        schemas = there if belongs(there, plan) else None
    if schemas is not None:
        files[SCHEMAS] = schemas
    files[LOCK] = lock_of(files).encode("utf-8")
    return files


def _check_place(folder: Path, notebook: Path) -> None:
    own = folder_of(notebook)
    in_place = _real(folder) == _real(own) and is_in_place(notebook)
    if _real(folder).is_relative_to(_real(own)) and not in_place:
        raise UsageError(
            f"the package would be written to {folder}, which holds the notebook's own files; "
            "choose another folder with -o."
        )
    _check_link(folder)


def _check_link(folder: Path) -> None:
    if folder.is_symlink() and not _real(folder).is_relative_to(_real(folder.parent)):
        raise UsageError(f"{folder} is a link that leaves {folder.parent}; delete the link.")
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"{folder} is a file where the package's folder must go; move it away.")


def maker(folder: Path) -> str:
    """The file name of the notebook that a package's code was made from; empty where none says."""
    there = folder / SKILL
    if not there.is_file():
        return ""
    return made_from(over_lf(there.read_bytes()).decode("utf-8", errors="replace"))


def _check_owner(folder: Path, plan: Plan) -> None:
    """Refuse to write over the package that a notebook of another name made."""
    made = maker(folder)
    if made and made != made_from(f"{header(plan.notebook.name)}\n"):
        raise RefusedError(
            f"{folder} was made from {shown(made)}, and {plan.notebook.name} has the same skill "
            "name; nothing was written. Give one of them another name, or overwrite it with "
            "--force."
        )


def _real(path: Path) -> Path:
    """The path without links; unlike ``resolve`` it takes a link to itself."""
    return Path(os.path.realpath(path))


def _edited(folder: Path, change: Difference) -> str:
    names = ", ".join(change.edited[:5]) + (", ..." if len(change.edited) > 5 else "")
    return (
        f"{folder}: {names} changed since the last export, or came from elsewhere; nothing was "
        f"written. Carry the edit into the notebook with `skills2 pull {folder}`, or overwrite it "
        "with --force."
    )


def _report(plan: Plan, folder: Path, change: Difference, *, checked: bool) -> Export:
    kept = tuple(
        found(
            "X902",
            f"{path} no longer belongs to the package, and it was edited since",
            "delete it, if nothing in it is wanted",
            file=f"{folder.name}/{path}",
        )
        for path in change.kept
    )
    return Export(
        folder=folder,
        name=plan.name,
        written=tuple(change.write),
        unchanged=change.unchanged,
        removed=change.remove,
        edited=change.edited,
        problems=(*plan.problems, *kept),
        checked=checked,
        plan=plan,
    )
