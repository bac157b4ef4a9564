"""``hooks status``: where they are, and whether they work."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import REFUSED
from skills2_nb.cli.screen import put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.hooks.triggers import Row
    from skills2_nb.install.clients import Machine
    from skills2_nb.install.standing import Standing, Trial

_COLUMN = 14
#: What to do where files that are read together say different modes.
STRICTEST = "Claude Code reads both, and the stricter mode rules"


@verb("hooks status")
@click.option(
    "--settings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Look at this settings file instead of those of Claude Code.",
)
def status(settings: Path | None, as_json: bool) -> None:
    """Say where hooks are, how strict, and whether they work; the dispatcher is started once.

    For you, the project in this folder, and you in it. Exit code 1 where there
    are none, or something is wrong with them.
    """
    from skills2_nb.cli.hooks import spots_meant
    from skills2_nb.install.clients import Machine
    from skills2_nb.install.standing import standing, switched_off, tried, unheld
    from skills2_nb.library.index import index_folder

    machine = Machine.here()
    spots = spots_meant(machine, None, settings)
    found = [standing(spot, machine) for spot in spots]
    off = switched_off(spots, machine)
    trials = tried(found, machine)
    faults = _faults(found, trials, off)
    faults += map(_unheld, unheld(found, str(index_folder()), machine.cwd))
    if as_json:
        put_json(_facts(found, trials, off, faults))
    else:
        put("\n".join(_lines(found, trials, faults, machine)))
    click.get_current_context().exit(REFUSED if faults else 0)


def _faults(found: list[Standing], trials: list[Trial], off: list[str]) -> list[str]:
    """What is wrong, a sentence each."""
    told = [f"{it.spot.path}: {fault}" for it in found for fault in it.faults]
    told += [trial.fault for trial in trials if trial.fault]
    told += [f"switched off by {line}" for line in off]
    if not any(it.events for it in found):
        told.append("no hooks are installed; install them: skills2 hooks install")
    return told


def _unheld(row: Row) -> str:
    scope = "local" if row.root else "user"
    return (
        f"{row.name} restricts tools, and no hook here is called at every tool; enter them anew: "
        f"skills2 hooks install --scope {scope}"
    )


def _lines(
    found: list[Standing], trials: list[Trial], faults: list[str], machine: Machine
) -> Iterator[str]:
    from skills2_nb.install.diff import place

    for it in found:
        yield _row(it.spot.scope, f"{place(it.spot.path, machine)}: {_told(it)}")
    for trial in trials:
        if trial.seconds is not None:
            yield _row("dispatcher", f"answered in {trial.seconds * 1000:.0f} ms")
    skills, home = _index()
    yield _row("index", _told_skills(skills))
    yield _row("records", place(home, machine))
    for fault in faults:
        yield _row("wrong", fault)


def _told(it: Standing) -> str:
    if not it.events:
        return "no hooks"
    return f"{', '.join(it.enforce)}, {len(it.events)} events"


def _told_skills(skills: list[str]) -> str:
    names = ", ".join(skills[:_NAMED]) + (", …" if len(skills) > _NAMED else "")
    noun = "skill" if len(skills) == 1 else "skills"
    return f"{len(skills)} {noun}: {names}" if skills else "no skill; install or export one"


_NAMED = 8


def _row(name: str, text: str) -> str:
    room = max(width() - _COLUMN, 30)
    first, *more = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    head = click.style(name, fg="red") if name == "wrong" else name
    return "\n".join(
        [f"{head}{'':{_COLUMN - len(name)}}{first}", *(f"{'':{_COLUMN}}{it}" for it in more)]
    )


def _index() -> tuple[list[str], Path]:
    """The names of the skills that prompts are matched against, and where the records are."""
    from skills2_nb.contract.home import home
    from skills2_nb.hooks.triggers import Index
    from skills2_nb.library.index import index_folder

    try:
        with Index(index_folder()) as index:
            return sorted({row.name for row in index.rows()}), home()
    except (OSError, ValueError, IndexError):
        return [], home()


def _facts(
    found: list[Standing], trials: list[Trial], off: list[str], faults: list[str]
) -> dict[str, Any]:
    skills, home = _index()
    return {
        "ok": not faults,
        "settings": [
            {
                "scope": it.spot.scope,
                "path": str(it.spot.path),
                "events": list(it.events),
                "enforce": list(it.enforce),
                "faults": list(it.faults),
            }
            for it in found
        ],
        "dispatcher": [asdict(trial) for trial in trials],
        "switched_off": off,
        "index": {"skills": skills},
        "records": str(home),
        "faults": faults,
    }
