"""Open files, where systems differ."""

from __future__ import annotations

import os

#: Keeps Windows from rewriting line ends; nothing elsewhere.
BINARY = getattr(os, "O_BINARY", 0)


def pread(fd: int, count: int, offset: int) -> bytes:
    """Read ``count`` bytes at ``offset``; plain reads where the system has no ``pread``."""
    parts: list[bytes] = []
    while count > 0:
        if hasattr(os, "pread"):
            part = os.pread(fd, count, offset)
        else:  # pragma: no cover - Windows
            os.lseek(fd, offset, os.SEEK_SET)
            part = os.read(fd, count)
        if not part:
            break
        parts.append(part)
        count -= len(part)
        offset += len(part)
    return b"".join(parts)
