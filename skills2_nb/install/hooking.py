"""Our hooks in a file of Claude Code's settings."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from skills2_nb.errors import Skills2Error, UnreadableError
from skills2_nb.formats.files import sha256
from skills2_nb.install import file, folder, groups
from skills2_nb.install.dispatcher import mode_of
from skills2_nb.install.file import FileChange
from skills2_nb.install.groups import Made, Place, Trace
from skills2_nb.install.layout import FaultyError
from skills2_nb.library.installed import Hooked

if TYPE_CHECKING:
    from skills2_nb.hooks.home import Enforce


def hooking(path: Path, wanted: Mapping[str, Any], row: Hooked) -> tuple[FileChange | None, Hooked]:
    """The change that gives a settings file our hooks, if it lacks them, and its row.

    Args:
        wanted: group by event.
        row: what we did to the file before, or of a file that we did nothing to the facts alone.

    Raises:
        UnreadableError: the file cannot be changed safely.
    """
    data = file.read(path)
    text = "" if data is None else _text(path, data)
    try:
        if data is not None and not groups.found(text):  # somebody's own by now
            row = replace(row, made_file=False, groups={}, folders=())
        after, traces = groups.with_groups(text, wanted, _traces(row))
    except FaultyError as error:
        raise UnreadableError(_refusal(path, error.line, error.message)) from None
    row = replace(row, groups={event: _row(trace) for event, trace in traces.items()})
    if data is None:
        row = replace(row, made_file=True, folders=folder.absent(path.parent))
        after_data = after.encode()
    else:
        after_data = file.bytes_of(after, data)
    if data == after_data:
        return None, row
    save = data is not None and not row.made_file and file.kept(path) is None
    if save and data is not None:
        row = replace(row, backup=sha256(data))
    private = row.scope in ("user", "local")
    return FileChange(path, data, after_data, row.folders, private=private, backup=save), row


def unhooking(path: Path, row: Hooked | None) -> list[FileChange]:
    """The change that takes our hooks out of a settings file, if there are any.

    Args:
        row: what we did to the file; None where that is not known.

    Raises:
        UnreadableError: the file cannot be changed safely.
    """
    data = file.read(path)
    if data is None:
        return []
    text = _text(path, data)
    try:
        left = groups.without_groups(text, _traces(row) if row else {})
    except FaultyError as error:
        raise UnreadableError(_refusal(path, error.line, error.message)) from None
    if left == text:
        return []
    bare = row is not None and row.made_file and groups.is_bare(left)
    after = None if bare else file.bytes_of(left, data)
    backup = row.backup if row else None
    restored = after is not None and backup == sha256(after) and backup == file.kept(path)
    return [FileChange(path, data, after, row.folders if row else (), restored=restored)]


def places_in(path: Path) -> list[Place]:
    """Everything of ours in a file; nothing where there is none.

    Raises:
        UnreadableError: it cannot be read, or is no JSON object with room for hooks.
    """
    data = file.read(path)
    try:
        return [] if data is None else groups.found(_text(path, data))
    except FaultyError as error:
        raise UnreadableError(f"{path}, line {error.line}: {error.message}.") from None


def mode_in(path: Path) -> Enforce | None:
    """What our hooks in a file enforce; None where there are none, or it cannot be read."""
    with contextlib.suppress(Skills2Error):
        for place in places_in(path):
            mode = mode_of(place.value)
            if mode is not None:
                return mode
    return None


def _traces(row: Hooked) -> dict[str, Trace]:
    return {
        event: Trace(cast("Made", made), head, tail)
        for event, (made, head, tail) in row.groups.items()
    }


def _row(trace: Trace) -> tuple[str, str, str]:
    return trace.made, trace.head, trace.tail


def _text(path: Path, data: bytes) -> str:
    try:
        return file.text_of(data)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableError(_refusal(path, line, "it is not UTF-8")) from None


def _refusal(path: Path, line: int, why: str) -> str:
    """Why a file is left alone, and how to go on."""
    return (
        f"{path}, line {line}: {why}; nothing was changed. Mend: mend the line and call the "
        "command again (`install` and `uninstall` go on without hooks by --no-hooks)."
    )
