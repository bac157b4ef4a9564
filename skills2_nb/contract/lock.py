"""One writer at a time on an open file."""

from __future__ import annotations

import os
import sys

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


class locked:
    """Hold the file behind ``fd`` against every other process that asks the same way.

    A class and no generator: a record is appended in microseconds, and this is on its way.
    """

    __slots__ = ("_fd",)

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __enter__(self) -> None:
        _take(self._fd)

    def __exit__(self, *_: object) -> None:
        _give(self._fd)
