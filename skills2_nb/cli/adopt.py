"""``adopt``: an ordinary notebook in, a skill notebook out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import has_color, place, put, put_json, typed, width

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skills2_nb.convert.adopt import Change, Proposal

_ANSWERS = {"y": "yes", "n": "no", "a": "this and all after it", "q": "no more"}


@verb("adopt")
@click.argument("notebook", type=click.Path(path_type=Path), metavar="ANALYSIS.ipynb")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="NOTEBOOK",
    help="Where to write, or a folder for it; left out: <stem>-skill.ipynb beside the notebook.",
)
@click.option("--yes", is_flag=True, help="Accept every change, and do not ask.")
@click.option("--dry-run", is_flag=True, help="Show the changes, and write nothing.")
@click.option(
    "--only",
    type=int,
    multiple=True,
    metavar="CELL",
    help="Offer the changes of this cell, and what they need; may be given again.",
)
def adopt(
    notebook: Path,
    out: Path | None,
    yes: bool,
    dry_run: bool,
    only: tuple[int, ...],
    as_json: bool,
) -> None:
    """Propose a first contract for an ordinary notebook, cell by cell.

    Functions that the notebook calls and statements that compute become
    steps, asserts become invariants, literals become inputs, the first prose
    becomes the description. Shows each change and asks. Nothing is run, and
    what is not accepted stays as it is. ANALYSIS.ipynb itself is never
    written, unless -o names it: then a copy of it is kept as .bak.
    """
    from skills2_nb.convert.adopt import propose

    proposal = propose(notebook)
    target = _target(notebook, out)
    if not dry_run and (yes or not as_json):
        _check_target(notebook, target)
    offered = _offered(proposal, only)
    if as_json:
        chosen = {change.key for change in offered}
        wanted = yes and not dry_run
        written = _write(proposal, chosen, notebook, target) if wanted else frozenset()
        put_json(_facts(proposal, offered, target, written))
        return
    if dry_run or yes or not sys.stdin.isatty():
        put(_told(proposal, offered))
    if dry_run:
        put(f"\nNothing was written. To accept all of it: skills2 adopt {typed(notebook)} --yes")
        return
    chosen = _accepted(proposal, offered, yes=yes)
    written = _write(proposal, chosen, notebook, target)
    shown = place(target.resolve())
    named = typed(target.resolve())
    then = [f"skills2 lint {named}", f"skills2 run {named}", f"jupyter lab {named}"]
    steps = ", ".join(step for step in proposal.steps if step in written)
    put("\n".join([f"\nWrote {shown}: {steps}.", "Next:", *(f"  {line}" for line in then)]))


def _target(notebook: Path, out: Path | None) -> Path:
    """Where to write: ``out``, or in it if it is a folder, else beside the notebook."""
    from skills2_nb.errors import UsageError

    name = f"{notebook.stem}-skill.ipynb"
    if out is None:
        return notebook.with_name(name)
    if out.is_dir():
        return out / name
    if out.suffix != ".ipynb":
        raise UsageError(f"{out} is no notebook's name; write one such as {name}")
    return out


def _check_target(notebook: Path, target: Path) -> None:
    """Refuse a place that holds something else."""
    from skills2_nb.errors import RefusedError

    if not target.exists() and not target.is_symlink():
        return
    if not (target.exists() and target.samefile(notebook)):
        raise RefusedError(f"{target} is there already; choose another place with -o")
    backup = target.with_name(f"{target.name}.bak")
    if backup.exists():
        raise RefusedError(f"{backup} is there already; move it away, it is an older original")


def _offered(proposal: Proposal, only: tuple[int, ...]) -> tuple[Change, ...]:
    """All changes, or those of some cells with all that they need and the cells that are added."""
    from skills2_nb.errors import UsageError

    if not only:
        return proposal.changes
    touched = {change.key for change in proposal.changes if set(change.cells) & set(only)}
    wanted = proposal.closed(touched)
    steps = [step for step in proposal.steps if step in wanted]
    if not steps:
        cells = ", ".join(map(str, only))
        raise UsageError(f"nothing is offered for cell {cells}; leave --only out to see all of it")
    return tuple(
        change
        for change in proposal.offers(steps)
        if change.key in wanted or change.key.startswith("+")
    )


def _told(proposal: Proposal, offered: Iterable[Change]) -> str:
    from skills2_nb.views.adopting import told

    return told(offered, proposal.notes, width=width(), color=has_color())


def _accepted(proposal: Proposal, offered: tuple[Change, ...], *, yes: bool) -> set[str]:
    """The changes that the user says yes to.

    Raises:
        UsageError: there is no terminal to ask at.
    """
    from skills2_nb.errors import UsageError

    if yes:
        return {change.key for change in offered}
    if not sys.stdin.isatty():
        raise UsageError(
            "nothing was written: there is no terminal to ask at; say --yes to accept all of it, "
            "--yes --only CELL for a part, or --dry-run to look at it"
        )
    return _asked(proposal, offered)


def _asked(proposal: Proposal, offered: tuple[Change, ...]) -> set[str]:
    """Show one change after the other and ask; what needs a change that was refused is passed."""
    from skills2_nb.views.adopting import change as shown
    from skills2_nb.views.adopting import left

    accepted: set[str] = set()
    answer = ""
    for change in offered:
        if not change.needs <= accepted:
            missing = ", ".join(sorted(change.needs - accepted))
            put(f"Passed over, since it needs {missing}: {change.title}\n")
            continue
        now = _as_of(proposal, change, accepted)
        if now is None:
            continue
        put(shown(now, width=width(), color=has_color()))
        if answer != "a":
            answer = _answer()
        if answer == "q":
            break
        if answer != "n":
            accepted.add(change.key)
    put(left(proposal.notes, width=width(), color=has_color()))
    return accepted


def _as_of(proposal: Proposal, change: Change, accepted: set[str]) -> Change | None:
    """A change with the steps accepted so far; None where nothing is left of it."""
    if not change.key.startswith("+") or change.key in ("+front", "+kit"):
        return change
    steps = [step for step in proposal.steps if step in accepted]
    if not steps:
        return None
    return next((each for each in proposal.offers(steps) if each.key == change.key), None)


def _answer() -> str:
    words = ", ".join(f"{key} = {word}" for key, word in _ANSWERS.items())
    said: str = click.prompt(
        f"Accept? ({words})", type=click.Choice(list(_ANSWERS)), show_choices=False, err=True
    )
    return said


def _write(proposal: Proposal, keys: set[str], notebook: Path, target: Path) -> frozenset[str]:
    """Write the notebook with these changes, and tell which could be made.

    Raises:
        RefusedError: no step was accepted, or lint refuses the notebook at that place.
    """
    from skills2_nb.convert.adopt import refused
    from skills2_nb.errors import RefusedError
    from skills2_nb.formats.files import cannot_write, read_bytes, write_atomic
    from skills2_nb.formats.notebook import parse_notebook

    kept = proposal.kept(keys)
    if not kept & set(proposal.steps):
        raise RefusedError("no step was accepted; nothing was written.")
    text = proposal.accepted(kept)
    faults = refused(text, target)
    if faults:
        raise RefusedError(f"nothing was written: {faults[0].sentence()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(target.parent, error) from None
    _check_target(notebook, target)  # somebody may have written there while we asked
    if target.exists():
        held = read_bytes(notebook)
        if parse_notebook(held, notebook).text != proposal.notebook.text:
            raise RefusedError(
                f"{place(notebook)} was saved in the meantime; nothing was written. Adopt it again."
            )
        write_atomic(target.with_name(f"{target.name}.bak"), held)
    write_atomic(target, text.encode("utf-8"))
    return kept


def _facts(
    proposal: Proposal, offered: Iterable[Change], target: Path, written: frozenset[str]
) -> dict[str, Any]:
    return {
        "notebook": proposal.notebook.path.name,
        "output": str(target),
        "written": bool(written),
        "steps": list(proposal.steps),
        "changes": [
            {
                "key": change.key,
                "cells": list(change.cells),
                "title": change.title,
                "reason": change.reason,
                "before": change.before,
                "after": change.after,
                "needs": sorted(change.needs),
                "accepted": change.key in written,
            }
            for change in offered
        ],
        "notes": [{"cell": cell, "reason": why} for cell, why in proposal.notes],
    }
