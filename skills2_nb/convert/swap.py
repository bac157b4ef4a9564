"""Files of a folder changed together, or put back."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from skills2_nb.formats.files import cannot_write

#: The file in a staging folder that says: from here on the target may be half changed. It lists
#: the files that the change makes anew.
_MARK = "swap"


def swap(folder: Path, write: Mapping[str, bytes], remove: Iterable[str]) -> None:
    """Write and remove files of a folder, all of them or none.

    New bytes and copies of the old ones are staged beside the folder first, so that a full disk
    or a missing permission shows before anything is touched. A failure later puts everything
    back at once; after a kill :func:`recover` does.

    Raises:
        SetupError: the place is not writable or the disk is full; the folder is as before.
    """
    stage = folder.parent / f".{folder.name}.{os.urandom(4).hex()}.tmp"
    try:
        if os.path.lexists(folder):
            _stage(stage / "new", write)
            _change(folder, stage, write, tuple(remove))
        else:
            _stage(stage, write)
            stage.rename(folder)
            return
    except OSError as error:
        raise cannot_write(folder, error) from None
    finally:
        if os.path.lexists(stage):
            shutil.rmtree(stage, ignore_errors=True)


def recover(folder: Path) -> None:
    """Put back what a killed :func:`swap` left half done, and sweep its staging folders away.

    To be called while no other swap can run.

    Raises:
        SetupError: the place is not writable.
    """
    ours = re.compile(rf"\.{re.escape(folder.name)}\.[a-z0-9_]{{8}}\.tmp")
    try:
        beside = os.listdir(folder.parent)  # noqa: PTH208 - names alone, one call
        hidden = [name for name in beside if name[0] == "."]  # few, where a thousand skills lie
        for name in sorted(filter(ours.fullmatch, hidden)):
            stage = folder.parent / name
            if stage.is_dir() and not stage.is_symlink():
                if (stage / _MARK).exists():
                    _put_back(folder, stage)
                shutil.rmtree(stage)
    except OSError as error:
        raise cannot_write(folder, error) from None


def _change(folder: Path, stage: Path, write: Mapping[str, bytes], remove: tuple[str, ...]) -> None:
    for path in (*remove, *write):
        if (folder / path).is_file():
            _copy(folder / path, stage / "old" / path)
    fresh = [path for path in write if not (folder / path).is_file()]
    draft = stage / f"{_MARK}.draft"
    draft.write_text("\n".join(fresh), encoding="utf-8")
    draft.rename(stage / _MARK)
    try:
        for path in remove:
            (folder / path).unlink()
        _drop_empty(folder, remove)
        for path in write:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (stage / "new" / path).replace(folder / path)
    except BaseException:  # an interrupt too must not leave half a package
        _put_back(folder, stage)
        raise
    (stage / _MARK).unlink()


def _put_back(folder: Path, stage: Path) -> None:
    """Make a folder what it was; may be broken off and begun again."""
    listed = (stage / _MARK).read_text(encoding="utf-8").split("\n")
    made = [path for path in listed if path and not (stage / "new" / path).exists()]
    for path in made:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            (folder / path).unlink()
    _drop_empty(folder, listed)
    old = stage / "old"
    for copy in sorted(path for path in old.rglob("*") if path.is_file()):
        target = folder / copy.relative_to(old)
        target.parent.mkdir(parents=True, exist_ok=True)
        copy.replace(target)


def _stage(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder that is not there yet."""
    root.mkdir(parents=True)
    for parent in {path.rpartition("/")[0] for path in files}:
        (root / parent).mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        target = root / path
        target.write_bytes(data)
        if "/scripts/" in f"/{path}" and data.startswith(b"#!"):
            mode = target.stat().st_mode
            target.chmod(mode | ((mode & 0o444) >> 2))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def _drop_empty(folder: Path, paths: Iterable[str]) -> None:
    """Remove the folders that files left empty."""
    for path in filter(None, paths):
        for parent in (folder / path).parents:
            if parent == folder:
                break
            with contextlib.suppress(OSError):
                parent.rmdir()
