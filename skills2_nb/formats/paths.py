"""Paths that may stand in a package, on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import PurePath

#: Bytes of one part of a path: what every file system takes, with room for a staging name.
LONGEST_PART = 200
#: Characters of a whole path; Windows counts the folders above the package too.
LONGEST_PATH = 200
_NOISE = ("__pycache__", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", ".git")
_PORTS = [f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"]
_DEVICES = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS))
_BIDI = r"\u200e\u200f\u202a-\u202e\u2066-\u2069"
_HIDDEN = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_BIDI}]")
_WINDOWS = re.compile(r'[\\:*?"<>|]')


def is_safe_path(target: str) -> bool:
    """Whether a relative path with ``/`` stays where it is put, on every system.

    Refused are ways out, names of Windows devices, names that a system would trim or cannot
    hold, signs that hide what a name is, and caches that no listing of a package shows.
    """
    return (
        len(target) <= LONGEST_PATH
        and not _WINDOWS.search(target)
        and not _HIDDEN.search(target)
        and all(map(_is_safe_part, target.split("/")))
        and not is_noise(PurePath(target))
    )


def is_noise(relative: PurePath) -> bool:
    """Whether a path is a cache, a checkpoint or a system's own file."""
    return any(part in _NOISE for part in relative.parts) or relative.suffix == ".pyc"


def clashes(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of paths of which some disks can keep one only.

    They differ in letter case or in how accents are composed, in a folder's name too; or one is
    a file where the other needs a folder.
    """
    spelled: dict[str, tuple[str, str, bool]] = {}
    for path in sorted(paths):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            here, is_file = "/".join(parts[:depth]), depth == len(parts)
            key = unicodedata.normalize("NFC", here).casefold()
            other, owner, was_file = spelled.setdefault(key, (here, path, is_file))
            if other != here or was_file != is_file:
                yield owner, path
                break


def shown(text: str) -> str:
    """A text on one line, signs that would move the cursor or turn the line as escapes."""
    if text.isprintable():
        return text
    return _HIDDEN.sub(_escaped, " ".join(text.splitlines()))


def _is_safe_part(part: str) -> bool:
    return (
        part not in ("", ".", "..")
        and part == part.strip()
        and not part.endswith(".")
        and len(part.encode("utf-8")) <= LONGEST_PART
        and part.partition(".")[0].rstrip().casefold() not in _DEVICES
    )


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")
