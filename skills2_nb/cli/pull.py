"""``pull``: edits of a package back into its notebook."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import GOOD, REFUSED
from skills2_nb.cli.screen import confirmed, has_color, place, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.convert.pull import Done, Pull

_UNCHANGED = "Nothing was changed."


@verb("pull")
@click.argument("skill")
@click.option(
    "--notebook",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The package's notebook; left out, it is sought beside it.",
)
@click.option(
    "--take",
    multiple=True,
    metavar="SIDE[:NAME]",
    help="Decide conflicts: package or notebook, all or the one of that name.",
)
@click.option("--files", is_flag=True, help="Take new files into the notebook's folder too.")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if there is an edit.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def pull(
    skill: str,
    notebook: Path | None,
    take: tuple[str, ...],
    files: bool,
    check: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Carry edits made in the package of SKILL back into its notebook's cells.

    Shows every change, asks, writes the notebook, then the package anew.
    Nothing is run. Where package and notebook both moved, what cannot be told
    apart is a conflict: nothing is written until --take decides it (exit code
    1). So is the exit code where an edit cannot be carried.
    """
    from skills2_nb.convert.back import choices
    from skills2_nb.convert.pull import carry_out, look

    folder, source = _found(skill, notebook)
    planned = look(folder, source, choices(take), files=files)
    done: Done | None = None
    if not as_json:
        put(_told(planned, check=check))
    if not (check or dry_run or planned.conflicts) and (planned.changes or planned.edited):
        if planned.changes or planned.refreshes:
            what = source if planned.changes else planned.folder
            confirmed(f"Change {place(what)}?", yes=yes, otherwise=_UNCHANGED)
        done = carry_out(planned)
    if as_json:
        put_json(_facts(planned, done, checked=check or dry_run))
    elif done is not None:
        put(_told_done(planned, done))
    click.get_current_context().exit(_code(planned, check=check))


def _found(skill: str, notebook: Path | None) -> tuple[Path, Path]:
    """The package and its notebook."""
    from skills2_nb.convert.exporter import default_folder
    from skills2_nb.convert.maker import check_package, maker_of
    from skills2_nb.convert.plan import plan_path
    from skills2_nb.errors import UsageError
    from skills2_nb.library.discovery import find

    target = find(skill)
    if target.kind == "package":
        check_package(target.path)
        return target.path, notebook.resolve() if notebook else maker_of(target.path)
    if notebook is not None and notebook.resolve() != target.path:
        raise UsageError(f"{skill} is a notebook itself; leave --notebook out")
    folder = default_folder(target.path) / plan_path(target.path).name
    if not folder.is_dir():
        raise UsageError(
            f"{skill} has no package at {place(folder)}; name the package instead: "
            f"skills2 pull FOLDER --notebook {skill}"
        )
    check_package(folder)
    return folder, target.path


def _code(planned: Pull, *, check: bool) -> int:
    if check:
        return GOOD if planned.is_clean else REFUSED
    faulty = any(problem.level == "error" for problem in planned.findings) and planned.edited
    return REFUSED if planned.conflicts or planned.left or faulty else GOOD


def _told(planned: Pull, *, check: bool) -> str:
    from skills2_nb.views.pulling import planned as told
    from skills2_nb.views.pulling import tally

    head = f"{place(planned.folder)}: {tally(planned)}"
    if check:
        mend = f"Mend: skills2 pull {shlex.quote(place(planned.folder))}"
        names = [f"  edited: {name}" for name in planned.edited]
        return "\n".join([head, *names, *([mend] if names else [])])
    return f"{head}\n{told(planned, width=width(), color=has_color())}"


def _told_done(planned: Pull, done: Done) -> str:
    """What was written, what is to be done next, and how to go back."""
    from skills2_nb.views.exporting import change, problems

    notebook, lines = shlex.quote(place(planned.notebook)), []
    faults = [problem for problem in planned.findings if problem.level == "error"]
    if faults:
        lines.append(problems(faults, width=width(), color=has_color()).rstrip())
    if planned.changes:
        lines.append(f"Pulled into {notebook}. If it is open in Jupyter, reload it there.")
    if done.export is not None:
        lines.append(f"{place(done.export.folder)}: {change(done.export)}")
    if done.backup is not None:
        copy = "copy" if os.name == "nt" else "cp"
        lines.append(f"Undo: {copy} {shlex.quote(str(done.backup))} {notebook}")
    return "\n".join([*lines, *_next(planned, done, notebook)])


def _next(planned: Pull, done: Done, notebook: str) -> list[str]:
    """The command that makes the package whole, where one is needed."""
    if done.export is None:
        if planned.left:
            return [f"Next: mend what was not carried, then skills2 export {notebook} --force"]
        if planned.plan.blocking:
            return [f"Next: skills2 lint {notebook}, then skills2 export {notebook} --force"]
        return [f"Next: skills2 export {notebook}"]
    if "schemas.json" in done.export.removed:
        return [f"Next: skills2 export {notebook} (schemas.json is made anew there)"]
    return []


def _facts(planned: Pull, done: Done | None, *, checked: bool) -> dict[str, Any]:
    from skills2_nb.views.pulling import diff, texts, what

    return {
        "skill": planned.name,
        "folder": str(planned.folder),
        "notebook": str(planned.notebook),
        "checked": checked,
        "changed": done is not None and planned.changes,
        "clean": planned.is_clean,
        "edited": list(planned.edited),
        "cells": [
            {
                "cell": slot.number or None,
                "what": what(slot),
                "file": slot.why,
                "diff": "\n".join(diff(*texts(slot))),
            }
            for slot in planned.slots
        ],
        "files": list(planned.writes),
        "conflicts": [
            {"name": c.label, "file": c.file, "notebook": c.notebook, "package": c.package}
            for c in planned.conflicts
        ],
        "left": [{"file": x.file, "message": x.message, "mend": x.mend} for x in planned.left],
        "extra": list(planned.extra),
        "written": list(done.export.written) if done is not None and done.export else [],
        "removed": list(done.export.removed) if done is not None and done.export else [],
        "backup": str(done.backup) if done is not None and done.backup else None,
        "findings": [problem.to_dict() for problem in planned.findings],
    }
