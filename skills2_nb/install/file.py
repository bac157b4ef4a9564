"""A settings file on disk, changed only as it was read."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.contract.home import PRIVATE_FILE
from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.files import cannot_write, read_bytes, sha256, write_atomic
from skills2_nb.install.folder import drop_empty

_BOM = "\ufeff"
_BACKUP = ".skills2-backup"


class ChangedError(RefusedError):
    """The file is no longer what it was when the change was made up."""

    kind = "changed"


@dataclass(frozen=True)
class FileChange:
    """One file's new bytes.

    Attributes:
        path: the file, a link perhaps.
        before: its bytes as they were read; None where there is none.
        after: its bytes to be; None where it goes.
        folders: folders that are made for it, or taken away with it where they are empty.
        private: whether a file that is not there yet is for the user's eyes alone.
        backup: whether a copy is to be kept beside it first.
        restored: whether a copy of ours beside it is no longer needed.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    folders: tuple[str, ...] = ()
    private: bool = False
    backup: bool = False
    restored: bool = False


def read(path: Path) -> bytes | None:
    """The bytes of a file, or of what a link leads to; None where there is none.

    Raises:
        UnreadableError: it is a folder, a pipe, a device or a link to itself, or may not be read.
    """
    if not path.exists():
        if os.path.lexists(os.path.realpath(path)):
            raise UnreadableError(f"{path} is a link that leads to itself; take it away.")
        return None
    if not (path.is_file() or path.is_dir()):
        raise UnreadableError(f"{path} is no plain file; settings are kept in one.")
    return read_bytes(path)


def text_of(data: bytes) -> str:
    """The text without its byte order mark.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    return data.decode("utf-8").removeprefix(_BOM)


def bytes_of(text: str, before: bytes) -> bytes:
    """The text as bytes, with the byte order mark it had."""
    mark = _BOM if before.startswith(_BOM.encode()) else ""
    return (mark + text).encode("utf-8")


def backup_of(path: Path) -> Path:
    """Where the copy of a file is kept."""
    return path.with_name(path.name + _BACKUP)


def kept(path: Path) -> str | None:
    """The sha256 of the copy beside a file; None where there is none."""
    data = read(backup_of(path))
    return None if data is None else sha256(data)


def try_out(work: FileChange) -> None:
    """See that the file and its folder can be written, before anything else is changed.

    Raises:
        SetupError: it cannot.
    """
    place = Path(os.path.realpath(work.path)).parent
    try:
        place.mkdir(parents=True, exist_ok=True)
        if work.before is not None and not os.access(work.path, os.W_OK):
            raise PermissionError(errno.EACCES, "read-only")
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(work.after or b"")
            file.flush()
    except OSError as error:
        raise cannot_write(work.path, error) from None


def change(work: FileChange) -> None:
    """Do it at once: whoever reads sees the old bytes or the new ones.

    Raises:
        ChangedError: somebody changed the file in between; it stands as they left it.
        SetupError: the place is not writable or the disk is full; the old file stands.
    """
    if work.backup and work.before is not None and not os.path.lexists(backup_of(work.path)):
        mode = work.path.stat().st_mode & 0o777
        write_atomic(backup_of(work.path), work.before, mode=mode)
    if work.after is None:
        _remove(work)
    else:
        fresh = PRIVATE_FILE if work.private else None
        write_atomic(work.path, work.after, mode=fresh, last=lambda: _check(work))
    if work.restored:
        with contextlib.suppress(OSError):
            backup_of(work.path).unlink()


def _remove(work: FileChange) -> None:
    _check(work)
    try:
        Path(os.path.realpath(work.path)).unlink()
    except OSError as error:
        raise cannot_write(work.path, error) from None
    drop_empty(work.folders)


def _check(work: FileChange) -> None:
    if read(work.path) != work.before:
        raise ChangedError(
            f"{work.path} was changed by another program at the same moment; nothing of that was "
            "overwritten. Close the program, or try again."
        )
