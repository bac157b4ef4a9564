"""A bundle on disk, whole or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.convert.bundle import Bundle
from skills2_nb.convert.bundle_zip import archive, is_ours
from skills2_nb.convert.swap import recover
from skills2_nb.convert.target import alone, apply, compare
from skills2_nb.errors import RefusedError, UsageError
from skills2_nb.formats.files import cannot_write, read_bytes, sha256, write_atomic
from skills2_nb.formats.package import LOCK


@dataclass(frozen=True)
class Placed:
    """What was written.

    Attributes:
        path: the file, or the folder.
        changed: whether anything had to be written.
        size: bytes of the file; of the folder's files together.
        sha256: of the file; empty for a folder.
    """

    path: Path
    changed: bool
    size: int
    sha256: str = ""


def as_file(bundle: Bundle, out: Path, *, force: bool = False) -> Placed:
    """Write a bundle as ``<out>/<name>.skill``, the name under which uploads are made.

    Raises:
        RefusedError: another file is in its place, and nobody said ``force``.
        UsageError: a folder is in its place.
        SetupError: the place is not writable or the disk is full; what was there stands.
    """
    data, path = archive(bundle.files, bundle.name), out / f"{bundle.name}.skill"
    _made(out)
    if path.is_dir():
        raise UsageError(f"{path} is a folder where the file must go; move it away.")
    there = read_bytes(path) if os.path.lexists(path) else None
    if there is not None and there != data and not force and not is_ours(there, bundle.name):
        raise RefusedError(
            f"{path} is there already, and `skills2 package` did not make it; nothing was written. "
            "Choose another folder with -o, or overwrite it with --force."
        )
    if there != data:
        write_atomic(path, data)
    return Placed(path, there != data, len(data), sha256(data))


def as_folder(bundle: Bundle, out: Path, *, force: bool = False) -> Placed:
    """Write a bundle as the folder ``<out>/<name>/``.

    Raises:
        RefusedError: another folder is in its place, or files in it were edited since.
        UsageError: a link or a file is in its place.
        SetupError: the place is not writable or the disk is full; what was there stands.
    """
    folder = out / bundle.name
    _made(out)
    if folder.is_symlink() or (os.path.lexists(folder) and not folder.is_dir()):
        raise UsageError(f"{folder} is no folder, and the plugin's must go there; move it away.")
    with alone(out):
        recover(folder)
        if (
            not force
            and folder.is_dir()
            and any(folder.iterdir())
            and not (folder / LOCK).is_file()
        ):
            raise RefusedError(
                f"{folder} is there already, and `skills2 package` did not make it; nothing was "
                "written. Choose another folder with -o, or write into it with --force."
            )
        change = compare(folder, bundle.files)
        odd = (*change.edited, *change.kept)
        if odd and not force:
            raise RefusedError(
                f"{folder}: {', '.join(odd[:5])} changed since it was packaged; nothing was "
                "written. Keep a copy of what you need, then say --force."
            )
        apply(folder, change)
    return Placed(folder, not change.is_empty, sum(map(len, bundle.files.values())))


def _made(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(out, error) from None
