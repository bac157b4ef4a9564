"""``import``: skill folders to notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import has_color, place, progress, put, put_json, typed, width

if TYPE_CHECKING:
    from skills2_nb.convert.importer import Brought


@verb("import")
@click.argument("folders", nargs=-1, required=True, metavar="SKILL_DIR...")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="NOTEBOOK",
    help="The notebook to write, or a folder for it; left out: ./notebooks if it is there, else "
    "here.",
)
@click.option("--force", is_flag=True, help="Overwrite what is there; it is kept as <name>.bak.")
def bring(folders: tuple[str, ...], out: Path | None, force: bool, as_json: bool) -> None:
    """Make a notebook of each SKILL_DIR, which exports to the same SKILL.md again.

    SKILL_DIR is a folder with a SKILL.md, or that file. Its other files go
    to a folder beside the notebook; the code, the cases and the manifest of
    a package become cells. Nothing is run, and SKILL_DIR stays as it is. A
    notebook that is there already is not overwritten (exit code 1).
    """
    from skills2_nb.convert.importer import bring as brought

    pairs = _places(folders, out)
    facts = []
    failed: dict[Path, Exception] = {}
    for number, (folder, notebook) in enumerate(pairs, 1):
        if len(pairs) > 1:
            progress(f"{number} of {len(pairs)}: {folder.name}")
        try:
            done = brought(folder, notebook, force=force)
        except Exception as error:
            if len(pairs) == 1:
                raise
            failed[folder] = error
            continue
        if as_json:
            facts.append(_facts(done))
        else:
            put(_told(done) if len(pairs) == 1 else _line(done))
    if as_json:
        put_json({"notebooks": facts, "failed": _failures(failed)})
    _end(failed.values())


def _places(folders: tuple[str, ...], out: Path | None) -> list[tuple[Path, Path]]:
    """Each skill folder with its notebook; two may not have one."""
    from skills2_nb.convert.importer import default_notebook
    from skills2_nb.errors import UsageError

    if out is not None and out.name.endswith(".ipynb") and not out.is_dir():
        if len(folders) > 1:
            raise UsageError(f"{out} is one notebook for {len(folders)} skills; name a folder.")
        return [(Path(folders[0]), out)]
    pairs = [(Path(folder), default_notebook(Path(folder), out)) for folder in folders]
    first: dict[Path, Path] = {}
    for folder, notebook in pairs:
        other = first.setdefault(notebook, folder)
        if other is not folder:
            raise UsageError(f"{other} and {folder} would both become {notebook}; name one.")
    return pairs


def _end(failed: Iterable[Exception]) -> None:
    """Say what was not imported, each in one sentence, and exit by the worst of them."""
    from skills2_nb.cli.guard import say, told

    codes = []
    for error in failed:
        sentence, code = told(error)
        say(sentence)
        codes.append(code)
    if codes:
        click.get_current_context().exit(max(codes))


def _told(done: Brought) -> str:
    from skills2_nb.views.exporting import problems
    from skills2_nb.views.lines import counted

    shown = place(done.notebook.resolve())
    lines = [f"{shown}: {counted(done.cells, 'cell')}"]
    if done.files:
        where = place(done.folder.resolve())
        lines.append(f"{where}/: {counted(len(done.files), 'file')}")
    lines += [f"kept what was there: {place(old.resolve())}" for old in done.backups]
    if done.problems:
        lines.append(problems(done.problems, width=width(), color=has_color()))
    named = typed(done.notebook.resolve())
    return "\n".join([*lines, "Next:", f"  jupyter lab {named}", f"  skills2 export {named}"])


def _line(done: Brought) -> str:
    from skills2_nb.views.exporting import tally
    from skills2_nb.views.lines import counted

    parts = [counted(done.cells, "cell"), counted(len(done.files), "file"), tally(done.problems)]
    return f"{place(done.notebook.resolve())}: {', '.join(parts)}"


def _failures(failed: Mapping[Path, Exception]) -> list[dict[str, str]]:
    from skills2_nb.cli.guard import told

    return [{"folder": str(at), "message": told(error)[0]} for at, error in failed.items()]


def _facts(done: Brought) -> dict[str, Any]:
    return {
        "skill": done.skill,
        "notebook": str(done.notebook),
        "folder": str(done.folder) if done.files else None,
        "cells": done.cells,
        "files": list(done.files),
        "backups": [str(path) for path in done.backups],
        "findings": [problem.to_dict() for problem in done.problems],
    }
