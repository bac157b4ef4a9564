"""One writer at a time on an open file, forks included."""

from __future__ import annotations

import errno
import os
import sys
import threading
import weakref
from typing import Protocol

if sys.platform == "win32":  # pragma: no cover - the branch is run by a fake in the tests
    import msvcrt

    #: Far past any journal's end, so that the lock never covers bytes that readers want.
    LOCKED_BYTE = 2**62

    def _take(fd: int) -> None:
        while True:
            os.lseek(fd, LOCKED_BYTE, os.SEEK_SET)
            try:
                return msvcrt.locking(fd, msvcrt.LK_LOCK, 1)
            except OSError as error:  # it gives up after ten tries, one a second
                if error.errno != errno.EDEADLK:
                    raise

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


class Forkable(Protocol):
    """What a fork must not find half-done."""

    lock: threading.RLock

    def after_fork(self) -> None:
        """Let go, in the child, of what is the parent's."""
        ...


#: Everything of this process that a fork has to wait for.
_GUARDED: dict[int, weakref.ref[Forkable]] = {}
_FORKING = threading.local()


def guard_forks(item: Forkable) -> None:
    """From now on no fork happens while another thread holds ``item.lock``."""
    key = id(item)
    _GUARDED[key] = weakref.ref(item, lambda _: _GUARDED.pop(key, None))


def _guarded() -> list[Forkable]:
    found = [reference() for reference in list(_GUARDED.values())]
    return [item for item in found if item is not None]


def _before_fork() -> None:
    """A thread that hangs is waited for no longer than a second."""
    _FORKING.held = [item.lock for item in _guarded() if item.lock.acquire(timeout=1)]


def _after_fork_in_parent() -> None:
    for lock in _FORKING.held:
        lock.release()


def _after_fork_in_child() -> None:
    for item in _guarded():
        item.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
