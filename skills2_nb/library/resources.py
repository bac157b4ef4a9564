"""The files of a skill's folder, and no others."""

from __future__ import annotations

import mimetypes
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.formats.package import listing
from skills2_nb.formats.paths import is_noise

#: So much of a file is handed to an agent at once.
MOST_BYTES = 256 * 1024


@dataclass(frozen=True)
class Resource:
    """A file of a skill as it was read.

    Attributes:
        path: relative to the skill's folder, with ``/``.
        data: its bytes.
        text: the same as text; None where it is binary.
        mime: its type, by its name.
    """

    path: str
    data: bytes
    text: str | None
    mime: str


def paths(folder: Path) -> list[str]:
    """Every file that :func:`read` hands out, sorted."""
    return [path for path in listing(folder) if _inside(folder, path) is not None]


def read(folder: Path, path: str, *, most: int = MOST_BYTES) -> Resource:
    """Read a file of a skill.

    Args:
        folder: the skill's folder.
        path: relative to it, with ``/``.
        most: bytes beyond which a file is refused.

    Raises:
        UsageError: the path leads out of the folder, by its parts or by a link, or to no file.
        UnreadableError: the file is too big, or may not be read.
    """
    place = located(folder, path)
    try:
        fd = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(fd, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise UsageError(f"{path!r} is no file; list the skill's files")
            data = file.read(most + 1)
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read ({error.strerror}).") from None
    if len(data) > most:
        raise UnreadableError(
            f"{path} has {found.st_size:,} bytes and at most {most:,} are handed on; "
            "let a step or a script read it"
        )
    mime = mimetypes.guess_type(path)[0]
    text = _text(data)
    standard = "application/octet-stream" if text is None else "text/plain"
    return Resource(path, data, text, mime or standard)


def located(folder: Path, path: str) -> Path:
    """Where a file of a skill lies.

    Raises:
        UsageError: the path leads out of the folder, by its parts or by a link, or to no file.
    """
    place = _inside(folder, path)
    if place is None:
        raise UsageError(
            f"{path[:200]!r} is outside the skill's folder; give a path below it, such as "
            "references/guide.md"
        )
    if not place.is_file():
        raise UsageError(f"the skill has no file {path[:200]!r}; list its files")
    return place


def _inside(folder: Path, path: str) -> Path | None:
    """The file behind every link, if it is the skill's, and the path says so plainly."""
    if not path or "\0" in path or "\\" in path or ":" in path.split("/")[0]:
        return None
    if path.startswith("/") or any(part in ("", ".", "..") for part in path.split("/")):
        return None
    if is_noise(PurePosixPath(path)):
        return None
    try:
        home = folder.resolve()
        place = (home / path).resolve()
        place.is_file()  # asked here, where a name too long is no path either
    except (OSError, RuntimeError, ValueError):
        return None
    return place if place.is_relative_to(home) else None


def _text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
