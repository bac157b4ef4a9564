"""``skills2 hooks``: the checklist in, the audit back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import SETTINGS, LazyGroup, verb
from skills2_nb.cli.planned import Work, facts, renew
from skills2_nb.cli.screen import put, put_json
from skills2_nb.cli.verbs import VERBS
from skills2_nb.hooks.home import MODES

if TYPE_CHECKING:
    from skills2_nb.hooks.home import Enforce
    from skills2_nb.install.clients import Machine
    from skills2_nb.install.dispatcher import HookScope
    from skills2_nb.install.hook_rows import Spot
    from skills2_nb.install.plan import Plan
    from skills2_nb.library.installed import Record

#: What the dispatcher starts; nobody types it.
_UNLISTED = {"after": "hooks_after:after", "verdict": "hooks_after:verdict"}

hooks = LazyGroup(
    "hooks",
    verb=VERBS["hooks"],
    unlisted=_UNLISTED,
    short_help=VERBS["hooks"].says,
    context_settings=SETTINGS,
    help=(
        "Let Claude Code bring the checklist in and the audit back.\n\n"
        "Hooks are entries in Claude Code's settings: at a prompt that names a skill its "
        "checklist goes to the model, and at the next one the audit of what it did."
    ),
)
_SCOPES = click.Choice(("user", "project", "local"))
_FILE = click.Path(path_type=Path)


@verb("hooks install")
@click.option(
    "--scope",
    type=_SCOPES,
    help="For you everywhere, for everybody in the project in this folder, or for you in it "
    "(local). Left out: user.",
)
@click.option("--settings", type=_FILE, metavar="FILE", help="Into this settings file instead.")
@click.option(
    "--enforce",
    type=click.Choice(MODES),
    help="off records alone, advise tells the model too, block sends it back too. Left out: as it "
    "is, else advise.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def installing(
    scope: HookScope | None,
    settings: Path | None,
    enforce: Enforce | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Enter the hooks into Claude Code's settings.

    One group of our own at the end of each event's list; everything else in the
    file stays as it is, byte for byte. Shows the change and asks. Called again
    it changes only what is not yet so: another --enforce, an environment that
    moved.
    """
    from skills2_nb.install.clients import Machine
    from skills2_nb.install.diff import place
    from skills2_nb.install.hook_plan import hooks_coming
    from skills2_nb.library.discovery import listed

    machine = Machine.here()
    (spot,) = spots_meant(machine, scope or (None if settings else "user"), settings)

    def make(record: Record) -> Plan:
        return hooks_coming(spot, machine, record, enforce)

    done = Work(make, [], machine, dry_run=dry_run, yes=yes, as_json=as_json).done()
    row = done.after.hooks[str(spot.path)]
    if not dry_run:
        renew(target.path for target in listed(machine.cwd))
    if as_json:
        changed = not (dry_run or done.is_empty)
        head = {"settings": str(spot.path), "scope": spot.scope, "enforce": row.enforce}
        put_json({**head, **_facts(done, changed=changed)})
    elif done.is_empty:
        put(f"Hooks are in {place(spot.path, machine)} ({row.enforce}): nothing to do.")
    elif not dry_run:
        put(f"Hooks are in {place(spot.path, machine)} ({row.enforce}).")
        put("Start Claude Code anew to use them; `skills2 hooks status` tells how they are.")
    if not (as_json or dry_run):
        say_other_modes(spot.path, row.enforce, machine)


@verb("hooks uninstall")
@click.option("--scope", type=_SCOPES, help="From this scope alone.")
@click.option("--settings", type=_FILE, metavar="FILE", help="From this settings file alone.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def uninstalling(
    scope: HookScope | None, settings: Path | None, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Take the hooks out again, for you and for the project in this folder.

    Also those that came with a skill. Where nobody else has changed the file, it
    is then what it was before, to the byte; else our groups go and the rest
    stays.
    """
    from skills2_nb.install.clients import Machine
    from skills2_nb.install.diff import place
    from skills2_nb.install.hook_plan import hooks_going

    machine = Machine.here()
    chosen = spots_meant(machine, scope, settings)

    def make(record: Record) -> Plan:
        return hooks_going(chosen, record)

    done = Work(make, [], machine, dry_run=dry_run, yes=yes, as_json=as_json).done()
    if as_json:
        put_json(_facts(done, changed=not (dry_run or done.is_empty)))
    elif done.is_empty:
        files = ", ".join(place(spot.path, machine) for spot in chosen)
        put(f"No hooks of ours are in {files}: nothing to do.")
    elif not dry_run:
        files = ", ".join(place(item.path, machine) for item in done.files)
        put(f"Took the hooks out of {files}.")


def spots_meant(machine: Machine, scope: HookScope | None, settings: Path | None) -> list[Spot]:
    """The settings files that are meant: one by scope or name, or all that are read here.

    Raises:
        UsageError: both were given, or the project is the home.
    """
    from skills2_nb.errors import UsageError
    from skills2_nb.install.clients import check_scope
    from skills2_nb.install.hook_rows import Spot, spots

    if settings is not None:
        if scope is not None:
            raise UsageError("--settings names the file and --scope another one; say one of them")
        path = machine.cwd / settings.expanduser()
        return [next((spot for spot in spots(machine) if spot.path == path), Spot("file", path))]
    if scope in ("project", "local"):
        check_scope("project", machine)
    return [spot for spot in spots(machine) if scope in (None, spot.scope)]


def say_other_modes(path: Path, enforce: str, machine: Machine) -> None:
    """Say where a settings file that is read together with this one has another mode."""
    from skills2_nb.cli.guard import say
    from skills2_nb.cli.hooks_status import STRICTEST
    from skills2_nb.install.diff import place
    from skills2_nb.install.hook_rows import spots
    from skills2_nb.install.standing import standing

    read = spots(machine)
    for other in read if path in [spot.path for spot in read] else []:
        modes = [mode for mode in standing(other, machine).enforce if mode != enforce]
        if modes and other.path != path:
            say(f"{place(other.path, machine)} says {' and '.join(modes)}; {STRICTEST}")


def _facts(done: Plan, *, changed: bool) -> dict[str, object]:
    rows = facts(done, changed=changed)
    return {"changed": rows["changed"], "files": rows["files"]}
