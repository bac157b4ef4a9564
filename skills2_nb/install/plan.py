"""What an install or its reverse changes, and the doing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from skills2_nb.errors import RefusedError
from skills2_nb.install import clients, file, folder
from skills2_nb.install.clients import Client, Machine, Scope
from skills2_nb.install.entry import entering, leaving
from skills2_nb.install.file import ChangedError, FileChange
from skills2_nb.install.folder import FolderChange
from skills2_nb.install.hook_rows import with_skill, without_need, without_skills
from skills2_nb.install.hunk import Hunk, hunks
from skills2_nb.install.source import Source
from skills2_nb.library import installed
from skills2_nb.library.installed import Placed, Record

if TYPE_CHECKING:
    from skills2_nb.hooks.home import Enforce

_TRIES = 8


@dataclass(frozen=True)
class Hooks:
    """That hooks are to come with a skill.

    Attributes:
        enforce: how strict they are; None keeps what is there.
    """

    enforce: Enforce | None = None


@dataclass(frozen=True)
class Plan:
    """Every change, made up before any is made.

    Attributes:
        skill: its name.
        folders: packages that come, change or go.
        files: settings files that change.
        before: the record as it was read.
        after: the record to be.
    """

    skill: str
    folders: tuple[FolderChange, ...]
    files: tuple[FileChange, ...]
    before: Record
    after: Record

    @property
    def is_empty(self) -> bool:
        """Whether neither a folder nor a file is to change."""
        return not (self.folders or self.files)

    @property
    def is_noted(self) -> bool:
        """Whether the record says already what is to be."""
        return self.before == self.after

    @property
    def hunks(self) -> list[tuple[Path, list[Hunk]]]:
        """What changes in each settings file."""
        return [(item.path, hunks(item.before, item.after)) for item in self.files]

    def is_like(self, other: Plan) -> bool:
        """Whether both make the same changes, whatever else has changed in the files since."""
        mine, others = (
            [(path, [each.lines for each in found]) for path, found in plan.hunks]
            for plan in (self, other)
        )
        return self.folders == other.folders and mine == others


def installing(
    source: Source,
    client: Client,
    scope: Scope,
    machine: Machine,
    record: Record,
    *,
    hooks: Hooks | None = None,
    force: bool = False,
) -> Plan:
    """What has to change for a client to have a skill.

    Args:
        hooks: None leaves hooks as they are; so do clients that have none.

    Raises:
        RefusedError: the folder or the entry is somebody else's, or was edited since.
        UnreadableError: the settings file cannot be changed safely.
        UsageError: a link or a file is in the way.
    """
    place = client.skills(scope, machine) / source.name
    key = os.path.realpath(place)
    old = record.packages.get(key)
    ours = old if old is not None and old.copied else None
    in_place = source.folder is not None and os.path.realpath(source.folder) == key
    filled = folder.filling(place, source.files, ours, in_place=in_place, force=force)
    copied = ours is not None or not filled.is_empty
    made = filled.made or (ours.made if ours is not None else ())
    placed = Placed(source.name, source.version, source.digest, source.digests, copied, made)
    path = client.settings(scope, machine).absolute()
    row = record.entries.get(str(path))
    work, entered = entering(path, client, scope, clients.entry(machine), row, force=force)
    skills = tuple(sorted({*(row.skills if row else ()), key}))
    hooking, rows = None, record.hooks
    if hooks is not None and client.has_hooks:
        hooking, rows = with_skill(source, key, scope, machine, record, hooks.enforce)
    after = Record(
        {**record.packages, key: placed},
        {**record.entries, str(path): replace(entered, skills=skills)},
        rows,
    )
    folders = () if filled.is_empty else (filled,)
    files = tuple(item for item in (work, hooking) if item is not None)
    return Plan(source.name, folders, files, record, after)


def removing(
    skill: str,
    rows: Iterable[tuple[str, str]],
    record: Record,
    machine: Machine,
    *,
    hooks: bool = True,
    force: bool = False,
) -> Plan:
    """What has to change for a skill to be gone from clients.

    Args:
        rows: settings file and package folder, for each client it is to leave.
        hooks: whether hooks go that no skill needs any more; those that stay are as if they
            had been asked for by themselves.

    Raises:
        RefusedError: the package or the entry was edited since.
        UnreadableError: the settings file cannot be changed safely.
    """
    entries, packages = dict(record.entries), dict(record.packages)
    files: list[FileChange] = []
    unhooked: list[str] = []
    for path, place in rows:
        if path not in entries:
            continue
        if clients.CLIENTS[entries[path].client].has_hooks:
            unhooked.append(place)
        left = tuple(item for item in entries[path].skills if item != place)
        if left:
            entries[path] = replace(entries[path], skills=left)
        else:
            files += leaving(Path(path), entries.pop(path), force=force)
    folders: list[FolderChange] = []
    for place in dict.fromkeys(place for _, place in rows):
        if any(place in row.skills for row in entries.values()):
            continue
        placed = packages.pop(place, None)
        if placed is not None and placed.copied:
            _hand_over(packages, place, placed.made)
            folders.append(folder.emptying(Path(place), placed, force=force))
    going = tuple(item for item in folders if not item.is_empty)
    if hooks:
        changes, hooked = without_skills(unhooked, machine, record, packages)
        files += changes
    else:
        hooked = without_need(unhooked, record)
    return Plan(skill, going, tuple(files), record, Record(packages, entries, hooked))


def _hand_over(packages: dict[str, Placed], place: str, made: tuple[str, ...]) -> None:
    """Let a neighbour take away the folders that were made, when its time comes."""
    for other, row in packages.items():
        if row.copied and Path(other).parent == Path(place).parent and not row.made:
            packages[other] = replace(row, made=made)
            return


def carry_out(
    make: Callable[[Record], Plan], places: Iterable[Path], shown: Plan | None = None
) -> Plan:
    """Make the plan anew, alone with the files, and do it.

    Args:
        make: makes the plan from the record.
        places: the packages' folders, which a killed change may have left half done.
        shown: what the user has agreed to; another plan is refused.

    Returns:
        The plan that was done.

    Raises:
        RefusedError: the plan is no longer what was shown, or a file keeps changing.
        SetupError: a place is not writable or the disk is full.
    """
    with installed.alone():
        for place in places:
            folder.mend(place)
        first = plan = make(installed.read())
        _check_shown(plan, shown)
        for _ in range(_TRIES - 1):
            try:
                _do(plan)
            except ChangedError:  # the folders are done by now
                plan = make(installed.read())
                _check_shown(replace(plan, folders=first.folders), shown)
            else:
                return replace(plan, folders=first.folders, before=first.before)
        _do(plan)
        return replace(plan, folders=first.folders, before=first.before)


def _check_shown(plan: Plan, shown: Plan | None) -> None:
    if shown is not None and not plan.is_like(shown):
        raise RefusedError(
            "what is to be changed is no longer what was shown, since another program changed "
            "the files; nothing was changed. Call the command again."
        )


def _do(plan: Plan) -> None:
    """Note what comes, change folders and files, note what is; a kill in between is made good.

    What is new is noted first, so that what was put there before a kill is known for ours.
    """
    for work in plan.files:
        file.try_out(work)
    if not plan.is_noted:
        installed.write(
            Record(
                {**plan.after.packages, **plan.before.packages},
                {**plan.after.entries, **plan.before.entries},
                {**plan.after.hooks, **plan.before.hooks},
            )
        )
    for item in plan.folders:
        folder.change(item)
    for work in plan.files:
        file.change(work)
    if not plan.is_noted:
        installed.write(plan.after)
