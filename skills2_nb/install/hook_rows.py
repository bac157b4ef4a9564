"""Hooks that come and go, with skills or by themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from skills2_nb.errors import Skills2Error
from skills2_nb.formats.files import read_bytes
from skills2_nb.formats.manifest import read_manifest
from skills2_nb.hooks.home import DEFAULT
from skills2_nb.install.clients import CLIENTS, Machine, Scope
from skills2_nb.install.dispatcher import HOOK_SCOPES, HookScope, groups, settings_of
from skills2_nb.install.file import FileChange
from skills2_nb.install.hooking import hooking, mode_in, places_in, unhooking
from skills2_nb.install.source import Source
from skills2_nb.library.installed import Hooked, Record

if TYPE_CHECKING:
    from skills2_nb.hooks.home import Enforce

#: Where a skill's hooks go. A project's settings.json is everybody's, and the path in our entry is
#: this machine's: elsewhere each prompt would show a failed hook. settings.local.json is one's own.
WITH_SKILL: dict[Scope, HookScope] = {"user": "user", "project": "local"}

#: Before a manifest is parsed: there may be hundreds.
_PERHAPS = re.compile(rb"restrict_tools[\s\"']*=\s*true")


@dataclass(frozen=True)
class Spot:
    """A settings file of Claude Code's.

    Attributes:
        scope: ``user``, ``project`` or ``local``; ``file`` where it was named.
        path: the file.
    """

    scope: str
    path: Path


def spots(machine: Machine) -> list[Spot]:
    """The files that Claude Code reads here, without the managed ones; in a home it is one less."""
    found: dict[str, Spot] = {}
    for scope in HOOK_SCOPES:
        path = settings_of(scope, machine).absolute()
        found.setdefault(os.path.realpath(path), Spot(scope, path))
    return list(found.values())


def coming(
    spot: Spot, machine: Machine, record: Record, enforce: Enforce | None, *, restrict: bool = False
) -> tuple[FileChange | None, Hooked]:
    """The change that gives a file our hooks, and its row.

    Args:
        enforce: None keeps what is there, here or else for the user.
        restrict: whether a skill that comes restricts other tools; those that are there are
            looked at in any case.

    Raises:
        UnreadableError: the file cannot be changed safely.
    """
    user = settings_of("user", machine)
    mode = enforce or mode_in(spot.path) or mode_in(user) or DEFAULT
    wide = restrict or restricted(spot, machine, record.packages)
    row = record.hooks.get(str(spot.path)) or Hooked(spot.scope, mode, made_file=False, groups={})
    wanted = groups(machine, mode, every_tool=wide)
    return hooking(spot.path, wanted, replace(row, scope=spot.scope, enforce=mode))


def with_skill(
    source: Source,
    key: str,
    scope: Scope,
    machine: Machine,
    record: Record,
    enforce: Enforce | None,
) -> tuple[FileChange | None, dict[str, Hooked]]:
    """The same for a skill that is installed, and every row of hooks.

    Args:
        key: the skill's folder.
    """
    spot = Spot(WITH_SKILL[scope], settings_of(WITH_SKILL[scope], machine).absolute())
    work, row = coming(spot, machine, record, enforce, restrict=source.restricts)
    row = replace(row, skills=tuple(sorted({*row.skills, key})))
    return work, {**record.hooks, str(spot.path): row}


def without_skills(
    places: Iterable[str], machine: Machine, record: Record, packages: Iterable[str]
) -> tuple[list[FileChange], dict[str, Hooked]]:
    """The changes that take hooks away which no skill needs any more, and the rows that stay.

    Args:
        places: folders of skills that go.
        packages: folders of those that stay.
    """
    gone, left = set(places), list(packages)
    rows, changes = dict(record.hooks), list[FileChange]()
    for path, row in record.hooks.items():
        if gone.isdisjoint(row.skills):
            continue
        rows[path] = replace(row, skills=tuple(item for item in row.skills if item not in gone))
        if rows[path].skills or row.alone:
            changes += _narrowed(path, rows, machine, left, gone)
        else:
            changes += unhooking(Path(path), rows.pop(path))
    return changes, rows


def without_need(places: Iterable[str], record: Record) -> dict[str, Hooked]:
    """The rows of hooks that stay though a skill goes; what nobody needs stays by its own.

    Args:
        places: folders of skills that go.
    """
    gone, rows = set(places), dict(record.hooks)
    for path, row in record.hooks.items():
        if not gone.isdisjoint(row.skills):
            left = tuple(item for item in row.skills if item not in gone)
            rows[path] = replace(row, skills=left, alone=row.alone or not left)
    return rows


def _narrowed(
    path: str, rows: dict[str, Hooked], machine: Machine, left: list[str], gone: set[str]
) -> list[FileChange]:
    """The change of hooks that stay: which tools they look at; the command stays as it is."""
    spot = Spot(rows[path].scope, Path(path))
    wide = restricted(spot, machine, left, gone)
    matcher = groups(machine, DEFAULT, every_tool=wide)
    wanted = {
        place.event: {**place.value, **_matcher(matcher.get(place.event, {}))}
        for place in places_in(spot.path)
        if place.is_group
    }
    work, rows[path] = hooking(spot.path, wanted, rows[path])
    return [work] if work is not None else []


def _matcher(group: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in group.items() if key == "matcher"}


def restricted(
    spot: Spot, machine: Machine, packages: Iterable[str], without: Iterable[str] = ()
) -> bool:
    """Whether a skill that hooks of a file are called for restricts other tools.

    Args:
        packages: folders of installed ones.
        without: folders that do not count.
    """
    gone = set(without)
    mine = {os.path.realpath(place) for place in _lying(spot, machine)} | set(packages)
    if spot.scope in ("project", "local"):
        near = (machine.cwd.resolve(), *(place.resolve() for place in _users(machine)))
        mine = {place for place in mine if any(Path(place).is_relative_to(it) for it in near)}
    return any(_restricts(Path(place)) for place in sorted(mine - gone))


def _lying(spot: Spot, machine: Machine) -> Iterator[Path]:
    """Packages in the folders that Claude Code or the server reads there."""
    folders = list(_users(machine))
    if spot.scope in ("project", "local"):
        folders += [CLIENTS["claude"].skills("project", machine), machine.cwd / "skills"]
    for folder in folders:
        if folder.is_dir():
            yield from sorted(folder.iterdir())


def _users(machine: Machine) -> tuple[Path, Path]:
    return CLIENTS["claude"].skills("user", machine), machine.home / ".claude" / "skills"


def _restricts(folder: Path) -> bool:
    path = folder / "skill.toml"
    try:
        if not path.is_file() or not _PERHAPS.search(read_bytes(path)):
            return False
        return read_manifest(folder).runtime.restrict_tools
    except Skills2Error:
        return False
