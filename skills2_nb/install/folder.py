"""A package's folder, filled, changed and taken away."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skills2_nb.convert.swap import recover, swap
from skills2_nb.convert.target import alone, compare
from skills2_nb.errors import RefusedError, UsageError
from skills2_nb.formats.files import cannot_write, read_bytes, sha256
from skills2_nb.formats.package import listing
from skills2_nb.library.installed import Placed

_NAMED = 5


@dataclass(frozen=True)
class FolderChange:
    """What has to change in a folder: relative paths, sorted.

    Attributes:
        folder: the package's place.
        write: path to new bytes.
        replaced: the bytes that are there already, of those of ``write`` that are.
        remove: files that no longer belong; all of them where ``gone``.
        unchanged: files that are right already.
        gone: whether the folder itself goes.
        made: folders above it: to make, or where ``gone`` to take away if they are empty.
    """

    folder: Path
    write: Mapping[str, bytes]
    replaced: Mapping[str, bytes] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    gone: bool = False
    made: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.write or self.remove or self.gone)


def filling(
    folder: Path,
    files: Mapping[str, bytes],
    placed: Placed | None,
    *,
    in_place: bool = False,
    force: bool = False,
) -> FolderChange:
    """What has to change for a folder to hold these files.

    Args:
        placed: what we put there before.
        in_place: whether the files were read from this very folder.
        force: overwrite what others wrote and what was edited since.

    Raises:
        RefusedError: something else wrote the folder, or it was edited since.
        UsageError: a link or a file is in the way.
    """
    known = placed.files if placed is not None else {}
    if not in_place:
        _check_place(folder)
        compare(folder, files)  # refuses links that lead out, and folders where files go
    there = {path: read_bytes(folder / path) for path in listing(folder)}
    if placed is None and there and there != files and not force:
        raise RefusedError(
            f"{folder} is there already, and skills2 install did not put it there; nothing was "
            "changed. Move it away, or overwrite it with --force."
        )
    edited = [] if placed is None else _edited(there, files, known, in_place and placed.copied)
    if edited and not force:
        raise RefusedError(_told(folder, edited))
    write = {path: files[path] for path in sorted(files) if there.get(path) != files[path]}
    return FolderChange(
        folder,
        write,
        {path: there[path] for path in write if path in there},
        tuple(path for path in sorted(known) if path in there and path not in files),
        tuple(path for path in sorted(files) if path not in write),
        made=() if there else absent(folder.parent),
    )


def emptying(folder: Path, placed: Placed, *, force: bool = False) -> FolderChange:
    """What has to change for what we put into a folder to be gone again.

    Raises:
        RefusedError: the folder holds anything else than what we put there.
    """
    there = {path: sha256(read_bytes(folder / path)) for path in listing(folder)}
    odd = [path for path in there if there[path] != placed.files.get(path)]
    if odd and not force:
        raise RefusedError(_told(folder, odd))
    gone = folder.is_dir()
    return FolderChange(folder, {}, remove=tuple(there), gone=gone, made=placed.made)


def change(work: FolderChange) -> None:
    """Do it, all of it or nothing.

    Raises:
        SetupError: the place is not writable or the disk is full.
    """
    if work.gone:
        _remove(work)
    elif not work.is_empty:
        with alone(work.folder.parent):
            swap(work.folder, work.write, work.remove)


def mend(folder: Path) -> None:
    """Put back what a killed change left half done."""
    if folder.parent.is_dir():
        with alone(folder.parent):
            recover(folder)


def absent(folder: Path) -> tuple[str, ...]:
    """The folders that have to be made for this one to be there, the innermost first."""
    return tuple(str(place) for place in (folder, *folder.parents) if not place.exists())


def drop_empty(folders: tuple[str, ...]) -> None:
    """Take away folders, the innermost first, as long as they are empty."""
    for place in folders:
        try:
            Path(place).rmdir()
        except OSError:
            return


def _remove(work: FolderChange) -> None:
    """Move the folder out of sight at once, then delete it at leisure."""
    parent = work.folder.parent
    try:
        with alone(parent):
            stage = tempfile.mkdtemp(prefix=f".{work.folder.name}.", suffix=".tmp", dir=parent)
            work.folder.rename(Path(stage) / "old")
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise cannot_write(work.folder, error) from None
    drop_empty(work.made)


def _check_place(folder: Path) -> None:
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link where the package's folder must go; delete the link.")
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"{folder} is a file where the package's folder must go; move it away.")


def _edited(
    there: Mapping[str, bytes], files: Mapping[str, bytes], known: Mapping[str, str], mine: bool
) -> list[str]:
    """Files that are neither what we put there nor what is to be there."""
    return [
        path
        for path, data in there.items()
        if path in {*files, *known}
        and (mine or data != files.get(path))
        and sha256(data) != known.get(path)
    ]


def _told(folder: Path, names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    return (
        f"{folder}: {shown} changed since the install, or came from elsewhere; nothing was "
        "changed. Keep a copy of what you need, then say --force."
    )
