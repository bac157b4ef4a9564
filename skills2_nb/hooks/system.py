"""The calls of the operating system, without ``os``.

An interpreter has these at its start; what ``os`` adds would take a millisecond more.
"""

import sys

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
        calls.mkdir(path, PRIVATE_FOLDER)


def read(path: str, most: int) -> bytes:
    """A file's first bytes.

    Raises:
        OSError: it cannot be read.
    """
    fd = calls.open(path, calls.O_RDONLY)
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


def put(path: str, data: bytes, flags: int) -> None:
    """Write a private file in one go; one that could not be written whole is taken away.

    Args:
        path: where.
        data: its bytes.
        flags: beside those for writing and making: ``O_EXCL`` or ``O_TRUNC``.

    Raises:
        FileExistsError: with ``O_EXCL``, the file is there already.
        OSError: it cannot be written, or not whole.
    """
    fd = calls.open(path, calls.O_WRONLY | calls.O_CREAT | flags, PRIVATE_FILE)
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
    draft = f"{path}.{calls.getpid()}"
    put(draft, data, calls.O_TRUNC)
    try:
        calls.replace(draft, path)
    except OSError:
        remove(draft)
        raise


def claim(path: str, data: bytes = b"") -> bool:
    """Whether this process is the one that makes the file.

    Raises:
        OSError: nobody can make it.
    """
    try:
        put(path, data, calls.O_EXCL)
    except FileExistsError:
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
