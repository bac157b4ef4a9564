"""What was installed where, kept so that it can be undone."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from skills2_nb.contract.home import PRIVATE_FILE, folder, home
from skills2_nb.contract.lock import locked
from skills2_nb.errors import Skills2Error, UnreadableError
from skills2_nb.formats.files import cannot_write, read_bytes, write_atomic

FILE, LOCK = "installed.json", "installed.lock"
#: 2 knows of hooks; what 1 wrote is read too.
_SCHEMA, _READ = 2, (1, 2)


@dataclass(frozen=True)
class Placed:
    """A package in a folder that clients read.

    Attributes:
        skill: its name.
        version: as its manifest has it.
        digest: the package digest of what was put there.
        files: sha256 of each file's bytes by relative path.
        copied: whether we put it there; False where it lay there already.
        made: folders above it that were made for it, the innermost first.
    """

    skill: str
    version: str
    digest: str
    files: Mapping[str, str]
    copied: bool
    made: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entered:
    """A server entry in a client's settings file.

    Attributes:
        client: the client's word.
        scope: ``user`` or ``project``.
        value: the entry as written.
        made: ``file``, ``container`` or ``entry``: what had to be made for it.
        added: the characters put in.
        replaced: the text of somebody's value that it took the place of.
        folders: folders that were made for the file, the innermost first.
        backup: sha256 of the copy kept beside the file; None where none was made.
        skills: the folders of the packages that need the entry.
    """

    client: str
    scope: str
    value: Mapping[str, Any]
    made: str
    added: str
    replaced: str | None = None
    folders: tuple[str, ...] = ()
    backup: str | None = None
    skills: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hooked:
    """Our hooks in a settings file.

    Attributes:
        scope: ``user``, ``project``, ``local``, or ``file`` for one that was named.
        enforce: ``off``, ``advise`` or ``block``.
        made_file: whether the file was made for them.
        groups: event to what had to be made for its group (``hooks``, ``event`` or ``group``), and
            the characters put in before and after it; in the order in which they were.
        folders: folders that were made for the file, the innermost first.
        backup: sha256 of the copy kept beside the file; None where none was made.
        alone: whether they were asked for by themselves, and stay when no skill needs them.
        skills: the folders of the packages that need them.
    """

    scope: str
    enforce: str
    made_file: bool
    groups: Mapping[str, tuple[str, str, str]]
    folders: tuple[str, ...] = ()
    backup: str | None = None
    alone: bool = False
    skills: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """Everything installed from this home.

    Attributes:
        packages: by folder.
        entries: by settings file.
        hooks: by settings file.
    """

    packages: Mapping[str, Placed] = field(default_factory=dict)
    entries: Mapping[str, Entered] = field(default_factory=dict)
    hooks: Mapping[str, Hooked] = field(default_factory=dict)


def installed_digest(folder: Path) -> str | None:
    """The digest of the package that was installed into a folder.

    None where nothing was, where the package was only left where it lay (its author may export it
    anew), or where the record cannot be read.
    """
    try:
        placed = read().packages.get(os.path.realpath(folder))
    except Skills2Error:
        return None
    return placed.digest if placed is not None and placed.copied else None


def read() -> Record:
    """The record; an empty one where nothing was ever installed.

    Raises:
        UnreadableError: the file is damaged.
    """
    path = home() / FILE
    if not path.is_file():
        return Record()
    try:
        value = json.loads(read_bytes(path))
        if value["schema"] not in _READ:
            raise ValueError(f"its schema is {value['schema']!r}, not {_SCHEMA}")
        return Record(
            {place: Placed(**_frozen(row)) for place, row in value["packages"].items()},
            {place: Entered(**_frozen(row)) for place, row in value["entries"].items()},
            {place: _hooked(row) for place, row in value.get("hooks", {}).items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UnreadableError(
            f"{path} is damaged ({error}), and it says what was installed. Mend: move it away and "
            "install the skills again with --force."
        ) from None


def write(record: Record) -> None:
    """Keep the record; nobody else may read it.

    Raises:
        SetupError: the home is not writable or the disk is full.
    """
    rows = {
        "schema": _SCHEMA,
        "packages": {place: asdict(record.packages[place]) for place in sorted(record.packages)},
        "entries": {place: asdict(record.entries[place]) for place in sorted(record.entries)},
        "hooks": {place: asdict(record.hooks[place]) for place in sorted(record.hooks)},
    }
    path = _home() / FILE
    write_atomic(path, (json.dumps(rows, indent=1) + "\n").encode(), mode=PRIVATE_FILE)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Hold every other install and uninstall from this home.

    Raises:
        SetupError: the home is not writable.
    """
    path = _home() / LOCK
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    except OSError as error:
        raise cannot_write(path, error) from None
    try:
        with locked(fd):
            yield
    finally:
        os.close(fd)


def _home() -> Path:
    try:
        return folder()
    except OSError as error:
        raise cannot_write(home(), error) from None


def _frozen(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


def _hooked(row: Mapping[str, Any]) -> Hooked:
    groups = {event: (made, head, tail) for event, (made, head, tail) in row["groups"].items()}
    return Hooked(**{**_frozen(row), "groups": groups})
