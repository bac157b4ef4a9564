"""The server's entry in a client's settings file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.files import sha256
from skills2_nb.install import file, folder, settings
from skills2_nb.install.clients import CLIENTS, NAME, Client, Scope
from skills2_nb.install.file import FileChange
from skills2_nb.install.layout import FaultyError
from skills2_nb.install.settings import Made, Slot, Trace
from skills2_nb.library.installed import Entered


def entering(
    path: Path,
    client: Client,
    scope: Scope,
    value: Mapping[str, Any],
    row: Entered | None,
    *,
    force: bool = False,
) -> tuple[FileChange | None, Entered]:
    """The change that gives a settings file the entry, if it lacks it, and its row.

    Args:
        value: the entry.
        row: what we did to the file before.

    Raises:
        RefusedError: there is an entry of that name that is not what we wrote.
        UnreadableError: the file cannot be changed safely.
    """
    data = file.read(path)
    slot = Slot(client.key, NAME)
    if data is None:
        made = settings.fresh(slot, value)
        trace, after, folders = Trace("file", made), made.encode(), folder.absent(path.parent)
    else:
        text, trace = _with_entry(path, data, client, value, row, force)
        after, folders = file.bytes_of(text, data), row.folders if row else ()
    backup = row.backup if row else None
    kept = file.kept(path)
    save = data is not None and data != after and kept is None
    if save and data is not None:
        backup = sha256(data)
    entered = Entered(
        client.name, scope, value, trace.made, trace.added, trace.replaced, folders, backup
    )
    if data == after:
        return None, entered
    private = scope == "user"
    return FileChange(path, data, after, folders, private=private, backup=save), entered


def _with_entry(
    path: Path,
    data: bytes,
    client: Client,
    value: Mapping[str, Any],
    row: Entered | None,
    force: bool,
) -> tuple[str, Trace]:
    """The text with the entry, and how it came there."""
    slot = Slot(client.key, NAME)
    text = _text(path, data, client, value)
    there = _value(path, text, client, value)
    trace = _trace(row) if row else None
    if there is settings.ABSENT:
        return settings.put(text, slot, value)
    if there == value:
        return text, trace or Trace("entry")
    if row is not None and there == row.value:
        return settings.overwrite(text, slot, value, trace)
    if not force:
        raise RefusedError(
            f"{path} has an entry {NAME!r} already, which skills2 install did not write or "
            "somebody edited since; nothing was changed. Rename it, or overwrite it with --force."
        )
    return settings.overwrite(text, slot, value, None)


def leaving(path: Path, row: Entered, *, force: bool = False) -> list[FileChange]:
    """The change that takes the entry out, if it is there.

    Raises:
        RefusedError: the entry is not what we wrote.
        UnreadableError: the file cannot be changed safely.
    """
    client = CLIENTS[row.client]
    data = file.read(path)
    if data is None:
        return []
    text = _text(path, data, client, None)
    there = _value(path, text, client, None)
    if there is settings.ABSENT:
        return []
    if there != row.value and not force:
        raise RefusedError(
            f"{path}: the entry {NAME!r} was edited since the install; nothing was changed. Take "
            "it out by hand, or say --force."
        )
    left = settings.take(text, Slot(client.key, NAME), _trace(row))
    after = None if left is None else file.bytes_of(left, data)
    ours = row.backup is not None and row.backup == file.kept(path)
    restored = ours and after is not None and sha256(after) == row.backup
    return [FileChange(path, data, after, row.folders, restored=restored)]


def _trace(row: Entered) -> Trace:
    made: dict[str, Made] = {"file": "file", "container": "container"}
    return Trace(made.get(row.made, "entry"), row.added, row.replaced)


def _text(path: Path, data: bytes, client: Client, value: Mapping[str, Any] | None) -> str:
    try:
        return file.text_of(data)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableError(_refusal(path, line, "it is not UTF-8", client, value)) from None


def _value(path: Path, text: str, client: Client, value: Mapping[str, Any] | None) -> Any:
    if not text.strip():
        return settings.ABSENT
    try:
        return settings.value_of(text, Slot(client.key, NAME))
    except FaultyError as error:
        said = _refusal(path, error.line, error.message, client, value)
        raise UnreadableError(said) from None


def _refusal(
    path: Path, line: int, why: str, client: Client, value: Mapping[str, Any] | None
) -> str:
    """Why a file is left alone, and how to go on without us."""
    opening = f"{path}, line {line}: {why}; nothing was changed."
    if value is None:
        return f'{opening} Mend: mend the line, or take "{NAME}" out by hand.'
    return (
        f'{opening} Mend: mend the line, or put this into "{client.key}" by hand: '
        f'"{NAME}": {json.dumps(value, ensure_ascii=False)}'
    )
