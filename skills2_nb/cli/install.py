"""``install`` and ``uninstall``: a skill in an agent's hands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.planned import Work, facts, renew
from skills2_nb.cli.screen import put, put_json
from skills2_nb.hooks.home import MODES

if TYPE_CHECKING:
    from skills2_nb.hooks.home import Enforce
    from skills2_nb.install.clients import Client, Machine, Scope
    from skills2_nb.install.plan import Plan
    from skills2_nb.library.installed import Record

_CLIENTS = ("claude", "cursor", "vscode")
_SCOPES = click.Choice(("user", "project"))


@verb("install")
@click.argument("skill")
@click.option(
    "--client",
    type=click.Choice((*_CLIENTS, "json")),
    default="claude",
    help="For whom; json prints the server's entry and writes nothing. Left out: claude.",
)
@click.option(
    "--scope",
    type=_SCOPES,
    default="user",
    help="For you everywhere, or for the project in this folder. Left out: user.",
)
@click.option("--no-hooks", is_flag=True, help="Leave Claude Code's hooks as they are.")
@click.option(
    "--enforce",
    type=click.Choice(MODES),
    help="How strict the hooks are. Left out: as they are, else advise.",
)
@click.option("--force", is_flag=True, help="Overwrite what others wrote, or somebody edited.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(
    skill: str,
    client: str,
    scope: Scope,
    no_hooks: bool,
    enforce: Enforce | None,
    force: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Put SKILL where an agent finds it, and give the agent the server of its steps.

    The package goes to .claude/skills, one entry `skills2` into the client's
    settings, and for Claude Code our hooks into its own; the rest of these files
    stays as it is, byte for byte. Shows every change and asks. Called again it
    changes only what is not yet so.
    """
    from skills2_nb.cli.hooks import say_other_modes
    from skills2_nb.install import plan
    from skills2_nb.install.clients import CLIENTS, NAME, Machine, check_scope, entry
    from skills2_nb.install.source import source_of
    from skills2_nb.library.discovery import find

    _check_enforce(client, enforce, no_hooks=no_hooks)
    machine = Machine.here()
    if client == "json":
        source_of(find(skill), force=force)
        put_json({"mcpServers": {NAME: entry(machine)}})
        return
    chosen = CLIENTS[client]
    check_scope(scope, machine)
    source = source_of(find(skill), force=force)
    hooks = None if no_hooks else plan.Hooks(enforce)

    def make(record: Record) -> Plan:
        return plan.installing(source, chosen, scope, machine, record, hooks=hooks, force=force)

    place = chosen.skills(scope, machine) / source.name
    work = Work(make, [place], machine, dry_run=dry_run, yes=yes, as_json=as_json)
    done = work.done()
    hooked = _told_hooks(done, place) if client == "claude" else ""
    whom = f"{chosen.title} ({scope}){hooked}"
    if not dry_run:
        renew([place])
    if as_json:
        head = {"skill": source.name, "version": source.version, "client": client, "scope": scope}
        changed = not (dry_run or done.is_empty)
        rows = {"entry": entry(machine), "hooks": _hooks(done, place)}
        put_json({**head, **facts(done, changed=changed), **rows})
    elif done.is_empty:
        put(f"{source.name} is installed for {whom}: nothing to do.")
    elif not dry_run:
        put(f"Installed {source.name} for {whom}.\n{_then(chosen, scope)}")
    found = _hooks(done, place) if hooks else None
    if found and not (as_json or dry_run):
        say_other_modes(Path(found["settings"]), found["enforce"], machine)


@verb("uninstall")
@click.argument("skill")
@click.option("--client", type=click.Choice(_CLIENTS), help="From this client alone.")
@click.option("--scope", type=_SCOPES, help="From this scope alone.")
@click.option("--no-hooks", is_flag=True, help="Leave Claude Code's hooks as they are.")
@click.option("--force", is_flag=True, help="Remove even what was edited since the install.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def uninstall(
    skill: str,
    client: str | None,
    scope: Scope | None,
    no_hooks: bool,
    force: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Take back what `install` did with SKILL, for you and for the project in this folder.

    Entry and hooks go when no installed skill needs them any more (hooks of
    `hooks install` stay), and the package if it is still what was installed.
    Where only `install` has changed a file, it is then what it was before, to
    the byte.
    """
    from skills2_nb.install import plan
    from skills2_nb.install.clients import Machine
    from skills2_nb.library import installed

    machine = Machine.here()
    rows = _rows(skill, client, scope, machine, installed.read())
    if not rows:
        _say_absent(skill, machine, as_json)
        return
    placed = installed.read().packages.get(rows[0][1])
    name = placed.skill if placed is not None else skill

    def make(record: Record) -> Plan:
        return plan.removing(name, rows, record, machine, hooks=not no_hooks, force=force)

    places = [Path(place) for _, place in rows]
    work = Work(make, places, machine, dry_run=dry_run, yes=yes, as_json=as_json)
    done = work.done()
    if not dry_run:
        renew(places)
    if as_json:
        put_json({"skill": name, **facts(done, changed=not (dry_run or done.is_noted))})
    elif done.is_noted:
        put(f"{name} is not installed from here: nothing to do.")
    elif not dry_run:
        put(f"Uninstalled {name}.{_told_kept(done, machine)}")


def _check_enforce(client: str, enforce: str | None, *, no_hooks: bool) -> None:
    """Refuse a mode for hooks that do not come.

    Raises:
        UsageError: they do not.
    """
    from skills2_nb.errors import UsageError

    if enforce and no_hooks:
        raise UsageError("--enforce is for hooks, and --no-hooks leaves them out; say one of them")
    if enforce and client != "claude":
        raise UsageError(f"{client} gets no hooks; leave --enforce out")


def _hooks(done: Plan, place: Path) -> dict[str, str] | None:
    """Where the hooks of a skill are after a plan, and how strict."""
    from os.path import realpath

    for path, row in done.after.hooks.items():
        if realpath(place) in row.skills:
            return {"settings": path, "enforce": row.enforce}
    return None


def _told_hooks(done: Plan, place: Path) -> str:
    found = _hooks(done, place)
    return f", with hooks ({found['enforce']})" if found else ""


def _rows(
    skill: str, client: str | None, scope: str | None, machine: Machine, record: Record
) -> list[tuple[str, str]]:
    """Settings file and package folder of each place the skill is installed in, seen from here."""
    from skills2_nb.errors import UsageError
    from skills2_nb.install.clients import CLIENTS

    words = _words(skill)
    here: list[tuple[str, str]] = []
    elsewhere: list[tuple[str, str]] = []
    names = {place: placed.skill for place, placed in record.packages.items()}
    for path, row in record.entries.items():
        if client not in (None, row.client) or scope not in (None, row.scope):
            continue
        project = str(CLIENTS[row.client].settings("project", machine))
        for place in row.skills:
            if place in words or (place in names and names[place] in words):
                seen = row.scope == "user" or path == project
                (here if seen else elsewhere).append((path, place))
    if elsewhere and not here:
        raise UsageError(
            f"{skill} is installed in another project; go there first: {elsewhere[0][0]}"
        )
    return here


def _words(skill: str) -> set[str]:
    """What a word may mean in the record: names, and folders of installed packages."""
    from os.path import realpath

    from skills2_nb.convert.plan import plan_path
    from skills2_nb.formats.package import read_package
    from skills2_nb.library.discovery import is_package

    path = Path(skill).expanduser()
    words = {skill, realpath(path)}
    if path.suffix == ".ipynb" and path.is_file():
        words.add(plan_path(path).name)
    elif is_package(path):
        words.add(read_package(path).manifest.name)
    return words


def _say_absent(skill: str, machine: Machine, as_json: bool) -> None:
    """Nothing is to be undone for a skill that exists; a word that means none is an error."""
    from skills2_nb.library.discovery import find

    name = find(skill, machine.cwd).name
    if as_json:
        put_json({"skill": name, "changed": False, "folders": [], "files": []})
    else:
        put(f"{name} is not installed from here: nothing to do.")


def _then(client: Client, scope: str) -> str:
    if client.name == "claude" and scope == "project":
        return "Start Claude Code here; it asks once whether the project's server may run."
    return f"Start {client.title} anew to use it."


def _told_kept(done: Plan, machine: Machine) -> str:
    """What is still there: the package, and copies of settings that others changed since."""
    from skills2_nb.install.diff import place
    from skills2_nb.install.file import backup_of

    told = ""
    if not done.folders:
        gone = set(done.before.packages) - set(done.after.packages)
        left = [place(Path(path), machine) for path in sorted(gone) if Path(path).exists()]
        told += f" The package was there before and stays: {left[0]}." if left else ""
        told += "" if gone else " Another client still needs the package."
    for item in done.files:
        copy = backup_of(item.path)
        rows = [done.before.entries.get(str(item.path)), done.before.hooks.get(str(item.path))]
        if any(row.backup for row in rows if row) and copy.exists():
            told += f" {place(copy, machine)} stays, since others changed the file too."
    return told
