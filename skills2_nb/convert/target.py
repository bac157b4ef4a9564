"""The folder a package goes to, changed whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.contract.lock import locked
from skills2_nb.errors import RefusedError
from skills2_nb.formats.files import cannot_write, is_text, over_lf, sha256
from skills2_nb.formats.package import LOCK, OTHERS, digest_of, parse_lock


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
        RefusedError: a link in the way leaves the folder, or a folder stands where a file goes.
    """
    locked_before = parse_lock(_text(folder / LOCK))
    write, unchanged, edited = {}, [], []
    for path in sorted(files):
        _check_way(folder, path)
        there = _bytes(folder / path)
        if there is not None and _same(there, files[path]):
            unchanged.append(path)
            continue
        if there is not None and path != LOCK and digest_of(there) != locked_before.get(path):
            edited.append(path)
        write[path] = files[path]
    gone = [path for path in sorted(locked_before) if path not in files and path not in OTHERS]
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

    New bytes are staged beside the folder first, so that a full disk or a missing permission
    shows before anything is touched; a failure later puts everything back.

    Raises:
        SetupError: the place is not writable or the disk is full; the folder is as before.
    """
    if not change.write and not change.remove:
        return
    stage = None
    try:
        stage = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".tmp", dir=folder.parent))
        fresh = stage / "new"
        for path, data in change.write.items():
            _stage(fresh / path, data, path)
        if os.path.lexists(folder):
            _swap(folder, change, fresh, stage / "old")
        else:
            fresh.rename(folder)
    except OSError as error:
        raise cannot_write(folder, error) from None
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)


def _swap(folder: Path, change: Difference, fresh: Path, old: Path) -> None:
    """Replace and remove file by file, keeping what was there until all is done."""
    done: list[str] = []
    made: list[Path] = []
    try:
        for path in (*change.remove, *change.write):
            target = folder / path
            if target.exists():
                _copy(target, old / path)
            if path not in change.write:
                done.append(path)
                target.unlink()
        for path in change.write:
            made += _make_parents(folder / path, folder)
            done.append(path)
            (fresh / path).replace(folder / path)
    except OSError:
        _put_back(folder, old, done, made)
        raise
    _drop_empty(folder, change.remove)


def _put_back(folder: Path, old: Path, done: list[str], made: list[Path]) -> None:
    for path in reversed(done):
        with contextlib.suppress(OSError):
            if (old / path).exists():
                (old / path).replace(folder / path)
            else:
                (folder / path).unlink()
    for parent in reversed(made):
        with contextlib.suppress(OSError):
            parent.rmdir()


def _stage(target: Path, data: bytes, path: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    if path.startswith("scripts/") and data.startswith(b"#!"):
        mode = target.stat().st_mode
        target.chmod(mode | ((mode & 0o444) >> 2))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def _make_parents(target: Path, folder: Path) -> list[Path]:
    """Make the folders of a file; those that were not there, outermost first."""
    missing = [p for p in target.parents if p.is_relative_to(folder) and not p.exists()]
    for parent in reversed(missing):
        parent.mkdir()
    return missing[::-1]


def _drop_empty(folder: Path, removed: tuple[str, ...]) -> None:
    for path in removed:
        for parent in (folder / path).parents:
            if parent == folder:
                break
            with contextlib.suppress(OSError):
                parent.rmdir()


def _lockable(folder: Path) -> int:
    """A descriptor to lock: the folder's own, or on Windows that of a file in its name."""
    if sys.platform == "win32":  # pragma: no cover - folders cannot be opened there
        name = f"skills2-{sha256(str(folder.resolve()).encode())[:16]}.lock"
        return os.open(Path(tempfile.gettempdir()) / name, os.O_RDWR | os.O_CREAT)
    return os.open(folder, os.O_RDONLY)


def _check_way(folder: Path, path: str) -> None:
    """Refuse links on the way to a file that lead out of the folder."""
    here = folder
    for part in path.split("/"):
        here = here / part
        if here.is_symlink() and not here.resolve().is_relative_to(folder.resolve()):
            shown = here.relative_to(folder.parent).as_posix()
            raise RefusedError(f"{shown} is a link that leaves the package; delete the link.")
    if here.is_dir():
        raise RefusedError(
            f"{here.relative_to(folder.parent).as_posix()} is a folder where a file must go; "
            "move it away."
        )


def _inside(folder: Path, path: str) -> Path:
    """The place of a path that a lock names, or the folder itself where it would leave it."""
    target = folder / path
    stays = target.parent.resolve().is_relative_to(folder.resolve())
    return target if stays and ".." not in path.split("/") else folder


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
