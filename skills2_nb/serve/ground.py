"""Where a worker stands, laid anew for each step.

A process serves the runs of many sessions. What one step changes of it (the working folder, the
environment, the depth of calls) is put back, so that the next step finds what the first one found.
"""

from __future__ import annotations

import contextlib
import os
import sys


class Ground:
    """What a process had when this was made, after the import of its package."""

    def __init__(self) -> None:
        self._folder = _folder()
        self._environment = dict(os.environ)
        self._depth = sys.getrecursionlimit()

    def restore(self) -> None:
        """Put back what has been changed."""
        if self._folder is not None and _folder() != self._folder:
            with contextlib.suppress(OSError):  # it is gone, and nothing stands in its place
                os.chdir(self._folder)
        if os.environ != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        if sys.getrecursionlimit() != self._depth:
            sys.setrecursionlimit(self._depth)


def has_room() -> bool:
    """Whether files can still be opened: a step may have kept all that a process may have."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return False
    return True


def _folder() -> str | None:
    """The working folder; None where it was taken away."""
    try:
        return os.getcwd()  # noqa: PTH109 - asked for at every call
    except OSError:
        return None
