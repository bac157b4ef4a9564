"""A worker's standard streams, and the wire put aside."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any

#: So many characters of what a step prints are handed on.
MOST_PRINTED = 4_000


class Printed(io.RawIOBase):
    """What is printed, as far as it is kept."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._size = 0

    def writable(self) -> bool:
        """Whether it takes text: it does."""
        return True

    def write(self, data: Any) -> int:
        """Take bytes; of many the first are kept."""
        view = bytes(data)
        self._kept += view[: max(0, 4 * MOST_PRINTED - len(self._kept))]
        self._size += len(view)
        return len(view)

    def text(self) -> str:
        """The text, with a word on what is left out."""
        text = self._kept.decode("utf-8", "replace")
        if len(self._kept) == self._size and len(text) <= MOST_PRINTED:
            return text
        return f"{text[:MOST_PRINTED]}\n… ({self._size:,} bytes in all)"


@contextlib.contextmanager
def printed() -> Iterator[Printed]:
    """While it is open, what Python prints is kept."""
    raw = Printed()
    before = sys.stdout, sys.stderr
    stream = io.TextIOWrapper(
        io.BufferedWriter(raw, 1), encoding="utf-8", errors="backslashreplace", write_through=True
    )
    sys.stdout = sys.stderr = stream
    try:
        yield raw
    finally:
        with contextlib.suppress(Exception):  # a step may have closed it
            stream.flush()
        sys.stdout, sys.stderr = before


class Streams:
    """The standard streams put aside: two for frames, the rest for whatever is printed."""

    def __init__(self) -> None:
        self.given, self.told = os.dup(0), os.dup(1)
        self._null = os.open(os.devnull, os.O_RDWR)
        self._aside = os.dup(2)
        self.restore()
        self._is_there = self._marks()

    def restore(self) -> None:
        """Put nothing behind stdin, and what the server drains behind the other two."""
        os.dup2(self._null, 0)
        os.dup2(self._aside, 1)
        os.dup2(self._aside, 2)

    def check(self) -> None:
        """A step may have closed or replaced them; the next step finds them whole."""
        if self._marks() != self._is_there:
            self.restore()

    def _marks(self) -> list[tuple[int, int] | None]:
        return [_mark_of(fd) for fd in (0, 1, 2)]


def _mark_of(fd: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(fd)
    except OSError:
        return None
    return (found.st_dev, found.st_ino)
