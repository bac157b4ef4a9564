"""The calls of the operating system, without ``os``.

An interpreter has these at its start; what ``os`` adds would take a millisecond more.
"""

import sys
import time

TYPE_CHECKING = False  # `typing` is dear
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

try:
    import posix
except ImportError:  # Windows
    import os as posix  # type: ignore[no-redef]  # the same names

calls = posix
#: A folder and a file that only their owner may read.
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
#: A link that somebody put in a record's place is not followed, and a pipe there is not waited for.
PLAIN = getattr(posix, "O_NOFOLLOW", 0) | getattr(posix, "O_NONBLOCK", 0)
_ENCODING = sys.getfilesystemencoding()


def variable(name: str) -> str:
    """A variable of the environment; empty where there is none."""
    environ: Mapping[Any, Any] = calls.environ  # bytes; on Windows text
    value = environ.get(name.encode() if calls.__name__ == "posix" else name, b"")
    return value.decode(_ENCODING, "surrogateescape") if isinstance(value, bytes) else str(value)


def make_folder(path: str) -> None:
    """A private folder, with those above it; one that is there already is left as it is.

    Raises:
        OSError: it cannot be made.
    """
    try:
        calls.mkdir(path, PRIVATE_FOLDER)
    except FileExistsError:
        return
    except FileNotFoundError:
        above = path.rpartition("/")[0]
        if not above:
            raise
        make_folder(above)
        try:
            calls.mkdir(path, PRIVATE_FOLDER)
        except FileExistsError:  # another dispatcher was faster
            return


def read(path: str, most: int, flags: int = PLAIN) -> bytes:
    """A file's first bytes.

    Args:
        path: where.
        most: so many at most.
        flags: beside that for reading; 0 where the file is not a record of ours.

    Raises:
        OSError: it cannot be read, or is a link.
    """
    fd = calls.open(path, calls.O_RDONLY | flags)
    try:
        pieces, left = [], most
        while left > 0:
            piece = calls.read(fd, left)
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)
    finally:
        calls.close(fd)


def put(path: str, data: bytes) -> None:
    """Make a private file in one go; one that could not be written whole is taken away.

    Raises:
        FileExistsError: something is there already.
        OSError: it cannot be written, or not whole.
    """
    fd = calls.open(path, calls.O_WRONLY | calls.O_CREAT | calls.O_EXCL | PLAIN, PRIVATE_FILE)
    try:
        try:
            if data and calls.write(fd, data) != len(data):
                raise OSError(28, "No space left on device", path)
        finally:
            calls.close(fd)
    except OSError:
        remove(path)
        raise


def replace(path: str, data: bytes) -> None:
    """Give a file other bytes; whoever reads it sees the old ones or the new ones.

    Raises:
        OSError: it cannot be written; the old ones stay.
    """
    draft = _draft(path, data)
    try:
        calls.replace(draft, path)
    except OSError:
        remove(draft)
        raise


def claim(path: str, data: bytes = b"") -> bool:
    """Whether this process is the one that makes the file.

    It comes whole: another that finds it there may read it at once.

    Raises:
        OSError: nobody can make it.
    """
    if not data:
        return _made(path, data)
    draft = _draft(path, data)
    try:
        calls.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # a disk that has no second names
        return _made(path, data)
    finally:
        remove(draft)
    return True


def _made(path: str, data: bytes) -> bool:
    try:
        put(path, data)
    except FileExistsError:
        return False
    return True


def _draft(path: str, data: bytes) -> str:
    """A finished file beside a place: nobody else's, whatever number this process has."""
    draft = f"{path}.{calls.getpid()}-{time.time_ns():x}"
    put(draft, data)
    return draft


def is_there(path: str) -> bool:
    """Whether a file has that name."""
    try:
        calls.stat(path)
    except OSError:
        return False
    return True


def remove(path: str) -> None:
    """Take a file away, if it is there."""
    try:
        calls.unlink(path)
    except OSError:
        return


def names(folder: str) -> "list[str]":
    """The names in a folder, sorted; none where it cannot be read."""
    try:
        return sorted(calls.listdir(folder))
    except OSError:
        return []
