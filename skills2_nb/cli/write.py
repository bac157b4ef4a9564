"""``new``, ``lint``, ``export``: notebook to package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import MISUSED, REFUSED, say
from skills2_nb.cli.screen import has_color, place, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.convert.exporter import Export
    from skills2_nb.formats.problem import Problem


@verb("new")
@click.argument("name")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to put it; left out: ./notebooks if it is there, else here.",
)
def new(name: str, out: Path | None, as_json: bool) -> None:
    """Start the skill NAME: a notebook that exports, runs and scores as it is.

    NAME has small letters, digits and single hyphens. A notebook that is
    there already is never overwritten (exit code 1).
    """
    from skills2_nb.cli.starter import checked, notebook
    from skills2_nb.errors import RefusedError
    from skills2_nb.formats.files import cannot_write, write_atomic

    checked(name)
    folder = out or (Path("notebooks") if Path("notebooks").is_dir() else Path())
    path = folder / f"{name}.ipynb"
    if path.exists() or path.is_symlink():
        raise RefusedError(f"{path} is there already; choose another name or another -o DIR")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    write_atomic(path, notebook(name))
    shown = place(path.resolve())
    then = [f"jupyter lab {shown}", f"skills2 run {shown}", f"skills2 export {shown}"]
    if as_json:
        put_json({"skill": name, "notebook": str(path), "next": then})
    else:
        put("\n".join([f"Wrote {shown}.", "Next:", *(f"  {line}" for line in then)]))


@verb("lint")
@click.argument("notebooks", nargs=-1, required=True, metavar="NOTEBOOK...")
@click.option("--fix", is_flag=True, help="Mend in place what has one right mend.")
def lint(notebooks: tuple[str, ...], fix: bool, as_json: bool) -> None:
    """Say what would stop an export of each NOTEBOOK, with cell, line and mend.

    Nothing in a notebook is run. Exit code 1 if there is an error, 2 if a
    part cannot be read at all; warnings and notes give 0.
    """
    fixed: list[Problem] = []
    left: list[Problem] = []
    for name in notebooks:
        mended, remaining = _looked_at(Path(name), fix=fix)
        fixed += mended
        left += remaining
    if as_json:
        findings = {"findings": [problem.to_dict() for problem in left]}
        put_json({**findings, "fixed": [p.to_dict() for p in fixed]} if fix else findings)
    else:
        put(_told_problems(fixed, left, notebooks))
    code = REFUSED if any(problem.level == "error" for problem in left) else 0
    click.get_current_context().exit(MISUSED if any(p.is_unreadable for p in left) else code)


@verb("export")
@click.argument("notebooks", nargs=-1, required=True, metavar="NOTEBOOK...")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write DIR/<name>/; left out: skills/ beside notebooks/, else beside the notebook.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if anything would change.")
@click.option("--no-verify", is_flag=True, help="Do not import the package in a fresh interpreter.")
@click.option("--force", is_flag=True, help="Overwrite edited files, and others' packages.")
def export(
    notebooks: tuple[str, ...],
    out: Path | None,
    check: bool,
    no_verify: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Make the skill package of each NOTEBOOK: SKILL.md, skill.toml, the code, the cases.

    Nothing in the notebook is run; the package made of it is imported once,
    in a fresh interpreter, to see that it stands alone. Only what changed
    is written, and a file that was edited since is not overwritten
    (exit code 1).
    """
    from skills2_nb.convert.exporter import export as exported

    done: list[Export] = []
    try:
        for name in notebooks:
            made = exported(Path(name), out, check=check, verify=not no_verify, force=force)
            done.append(made)
            if not as_json:  # at once: the next notebook may be refused
                put(_told_export(made))
    finally:
        _index(done)
    if as_json:
        put_json({"packages": [_facts(item) for item in done]})
    stale = check and not all(item.is_current for item in done)
    click.get_current_context().exit(REFUSED if stale else 0)


def _index(done: list[Export]) -> None:
    """Let the triggers of what was exported to where skills are sought be known."""
    from skills2_nb.library.index_places import project_of

    fresh = [made.folder for made in done if not made.checked]
    if any(project_of(folder) is not None for folder in fresh):
        from skills2_nb.library.index import renew

        renew(say, fresh)


def _looked_at(path: Path, *, fix: bool) -> tuple[tuple[Problem, ...], tuple[Problem, ...]]:
    """What was mended, and what is left."""
    if fix:
        from skills2_nb.convert.fixes import fix as mend

        done = mend(path)
        return done.fixed, done.left
    from skills2_nb.convert.plan import plan_path

    return (), plan_path(path).problems


def _told_problems(fixed: list[Problem], left: list[Problem], notebooks: tuple[str, ...]) -> str:
    from skills2_nb.views.exporting import problems, tally

    mended = [f"mended: {problem.where}: {problem.code} {problem.message}" for problem in fixed]
    if left:
        return "\n".join([*mended, problems(left, width=width(), color=has_color())])
    return "\n".join([*mended, f"{', '.join(notebooks)}: {tally(left)}"])


def _told_export(done: Export) -> str:
    from skills2_nb.views.exporting import exported, problems

    folder = place(done.folder.resolve())
    warned = [problem for problem in done.problems if problem.level != "note"]
    lines = [problems(warned, width=width(), color=has_color())] if warned else []
    if not done.checked:
        return "\n".join([*lines, exported(done, folder=folder, width=width()).rstrip()])
    if done.is_current:
        return "\n".join([*lines, f"{folder}: up to date"])
    changes = [
        f"  {what} {name}"
        for what, names in (
            ("would write", done.written),
            ("would remove", done.removed),
            ("edited since the export:", done.edited),
        )
        for name in names
    ]
    mend = f"Mend: skills2 export {done.plan.notebook.path}"
    return "\n".join([*lines, f"{folder}: not what the notebook makes", *changes, mend])


def _facts(done: Export) -> dict[str, Any]:
    return {
        "skill": done.name,
        "folder": str(done.folder),
        "checked": done.checked,
        "current": done.is_current,
        "written": list(done.written),
        "removed": list(done.removed),
        "edited": list(done.edited),
        "unchanged": list(done.unchanged),
        "findings": [problem.to_dict() for problem in done.problems],
    }
