"""Bytes on disk: read whole, written whole."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from skills2_nb.errors import SetupError, UnreadableError

_REASONS = {
    errno.ENOSPC: ("the disk is full", "free some space and try again"),
    errno.EDQUOT: ("the disk quota is used up", "free some space and try again"),
    errno.EROFS: ("the file system is read-only", "choose another folder"),
    errno.EACCES: ("permission denied", "choose another folder, or change its permissions"),
    errno.EPERM: ("permission denied", "choose another folder, or change its permissions"),
    errno.EEXIST: ("a file stands where a folder must be", "choose another folder"),
    errno.ENOTDIR: ("a file stands where a folder must be", "choose another folder"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.ELOOP: ("a link there leads to itself", "delete the link"),
}
#: Folders of a shell's own pipes: ``/dev/stdin``, ``/dev/fd/63``, ``/proc/self/fd/0``.
_STREAMS = (("dev",), ("proc",))


def read_bytes(path: Path) -> bytes:
    """The bytes of a file.

    A pipe with a name of its own is not waited for; those that a shell makes are read.

    Raises:
        UnreadableError: there is no such file, it is a folder or a pipe, or it may not be read.
    """
    try:
        mode = path.stat().st_mode
        if (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and path.parts[1:2] not in _STREAMS:
            raise UnreadableError(f"{path} is a pipe; name a plain file.")
        return path.read_bytes()
    except FileNotFoundError:
        raise UnreadableError(f"{path}: there is no such file; check the path.") from None
    except IsADirectoryError:
        raise UnreadableError(f"{path} is a folder; name the file in it.") from None
    except ValueError:  # NUL in a path
        raise UnreadableError(f"{str(path)!r} is no path of a file; check it.") from None
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read ({error.strerror}).") from None


def write_atomic(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    last: Callable[[], None] | None = None,
) -> None:
    """Replace a file at once: readers see the old bytes or the new ones, never a part.

    Args:
        mode: the permissions of a file that is not there yet; left out, what the umask leaves.
        last: called when all is ready but the move; what it raises leaves the old file.

    Raises:
        SetupError: the folder is not writable, the disk is full, or a device, a pipe or a link to
            itself is in the place; what was there stands.
    """
    temporary = None
    path = Path(os.path.realpath(path))  # the file behind a link is replaced, never the link
    if os.path.lexists(path) and not (path.is_file() or path.is_dir()):
        raise SetupError(f"{path} cannot be written: it is no plain file. Mend: name another.")
    try:
        fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        Path(temporary).chmod(_mode(path, mode))
        _keep_owner(path, temporary)
        if last is not None:
            last()
        Path(temporary).replace(path)
    except BaseException as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        if isinstance(error, OSError):
            raise cannot_write(path, error) from None
        raise


def cannot_write(path: Path, error: OSError) -> SetupError:
    """The environment's refusal as one sentence with its mend."""
    why, mend = _REASONS.get(error.errno or 0, (error.strerror or str(error), "check the folder"))
    return SetupError(f"{path} cannot be written: {why}. Mend: {mend}.")


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8 text without NUL, whose line ends a checkout may change."""
    if b"\0" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def over_lf(data: bytes) -> bytes:
    """Text with every line end as LF; binary as it is."""
    if b"\r" not in data or not is_text(data):
        return data
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def sha256(data: bytes) -> str:
    """The digest as 64 hex characters."""
    return hashlib.sha256(data).hexdigest()


def _keep_owner(path: Path, fresh: str) -> None:
    """Give the new file the old one's owner: `sudo` must not lock its user out."""
    if os.name == "posix" and os.geteuid() == 0:
        with contextlib.suppress(OSError):
            old = path.stat()
            os.chown(fresh, old.st_uid, old.st_gid)


def _mode(path: Path, fresh: int | None) -> int:
    """The permissions of the file replaced, else ``fresh``, else what the umask leaves of 0666."""
    with contextlib.suppress(OSError):
        return path.stat().st_mode & 0o777
    if fresh is not None:
        return fresh
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
