"""The folder a package goes to, changed whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.contract.lock import locked
from skills2_nb.convert.swap import swap
from skills2_nb.errors import UsageError
from skills2_nb.formats.files import cannot_write, is_text, over_lf, sha256
from skills2_nb.formats.package import LOCK, OTHERS, digest_of, listing, parse_lock


@dataclass(frozen=True, slots=True)
class Difference:
    """What would have to change in a folder: relative paths, sorted.

    Attributes:
        write: path to new bytes.
        unchanged: files that are as they should be.
        remove: files of an earlier export that no longer belong.
        edited: files whose content is neither the new one nor what export wrote.
        kept: files of an earlier export that no longer belong and were edited since.
    """

    write: Mapping[str, bytes]
    unchanged: tuple[str, ...]
    remove: tuple[str, ...]
    edited: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the folder is up to date."""
        return not (self.write or self.remove or self.edited)


def compare(folder: Path, files: Mapping[str, bytes]) -> Difference:
    """Compare a folder with the files it should hold.

    A file that export wrote and nobody edited may change; any other may only be equal.

    Raises:
        UsageError: a link in the way leaves the folder, or what stands where a file goes is none.
    """
    if not os.path.lexists(folder):
        return Difference(dict(sorted(files.items())), (), (), (), ())
    locked_before = parse_lock(_text(folder / LOCK))
    write, unchanged, edited = {}, [], []
    gone = [path for path in sorted(locked_before) if path not in files and path not in OTHERS]
    for path in sorted(files):
        _check_way(folder, path, gone)
        there = _bytes(folder / path)
        if there is not None and _same(there, files[path]):
            unchanged.append(path)
            continue
        if there is not None and path != LOCK and digest_of(there) != locked_before.get(path):
            edited.append(path)
        write[path] = files[path]
    there_still = {
        path: data for path in gone if (data := _bytes(_inside(folder, path))) is not None
    }
    ours = [p for p, data in there_still.items() if digest_of(data) == locked_before[p]]
    return Difference(
        write,
        tuple(unchanged),
        tuple(ours),
        tuple(edited),
        tuple(path for path in there_still if path not in ours),
    )


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a folder against other exports into it, made if it is not there.

    Raises:
        SetupError: the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fd = _lockable(folder)
    except OSError as error:
        raise cannot_write(folder, error) from None
    try:
        with locked(fd):
            yield
    finally:
        os.close(fd)


def apply(folder: Path, change: Difference) -> None:
    """Make the changes, all of them or none.

    Raises:
        SetupError: the place is not writable or the disk is full; the folder is as before.
    """
    if change.write or change.remove:
        swap(folder, change.write, change.remove)


def _lockable(folder: Path) -> int:
    """A descriptor to lock: the folder's own, or on Windows that of a file in its name."""
    if sys.platform == "win32":  # pragma: no cover - folders cannot be opened there
        import tempfile

        name = f"skills2-{sha256(str(folder.resolve()).encode())[:16]}.lock"
        return os.open(Path(tempfile.gettempdir()) / name, os.O_RDWR | os.O_CREAT)
    return os.open(folder, os.O_RDONLY)


def _check_way(folder: Path, path: str, going: Collection[str]) -> None:
    """Refuse links that lead out of the folder, and what is no folder or no file where one goes.

    A file of an earlier export that goes may make room for a folder, and its folder for a file.
    """
    here, parts = folder, path.split("/")
    for depth, part in enumerate(parts, 1):
        here = here / part
        if not os.path.lexists(here):
            return
        relative = here.relative_to(folder).as_posix()
        if here.is_symlink() and not _real(here).is_relative_to(_real(folder)):
            raise UsageError(
                f"{folder.name}/{relative} is a link that leaves the package; delete the link."
            )
        if depth < len(parts) and not here.is_dir() and relative not in going:
            raise UsageError(
                f"{folder.name}/{relative} is a file where a folder must go; move it away."
            )
    inside = listing(here)
    if inside and all(f"{path}/{name}" in going for name in inside):
        return
    if not here.is_file():
        raise UsageError(
            f"{folder.name}/{path} is no file, and a file must go there; move it away."
        )


def _inside(folder: Path, path: str) -> Path:
    """The place of a path that a lock names, or the folder itself where it would leave it."""
    target = folder / path
    stays = _real(target.parent).is_relative_to(_real(folder))
    return target if stays and ".." not in path.split("/") else folder


def _real(path: Path) -> Path:
    """The path without links; unlike ``resolve`` it takes a link to itself."""
    return Path(os.path.realpath(path))


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise cannot_write(path, error) from None


def _text(path: Path) -> str:
    return over_lf(_bytes(path) or b"").decode("utf-8", errors="replace")


def _same(there: bytes, wanted: bytes) -> bool:
    """Equal bytes, or text that a checkout gave other line ends."""
    if there == wanted:
        return True
    return b"\r" not in wanted and is_text(wanted) and over_lf(there) == wanted
