"""One writer at a time on an open file."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

if sys.platform == "win32":  # pragma: no cover - the branch is run by a fake in the tests
    import msvcrt

    #: Far past any journal's end, so that the lock never covers bytes that readers want.
    LOCKED_BYTE = 2**62

    def _take(fd: int) -> None:
        os.lseek(fd, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_LOCK, 1)

    def _give(fd: int) -> None:
        os.lseek(fd, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX)

    def _give(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


@contextlib.contextmanager
def locked(fd: int) -> Iterator[None]:
    """Hold the file behind ``fd`` against every other process that asks the same way."""
    _take(fd)
    try:
        yield
    finally:
        _give(fd)
