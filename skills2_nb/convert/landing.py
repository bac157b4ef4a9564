"""A notebook and the folder of its stem, written together."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from skills2_nb.convert.swap import recover, swap
from skills2_nb.convert.target import alone
from skills2_nb.errors import RefusedError
from skills2_nb.formats.files import cannot_write, write_atomic
from skills2_nb.formats.paths import is_noise


def refuse_taken(notebook: Path, folder: Path | None = None) -> None:
    """Refuse to write where a notebook, or a folder of its stem with files in it, is.

    Raises:
        RefusedError: with ``--force`` as the mend.
    """
    taken = [path for path in (notebook, folder) if path is not None and _holds(path)]
    if taken:
        names = " and ".join(map(str, taken))
        verb = "are" if len(taken) > 1 else "is"
        raise RefusedError(
            f"{names} {verb} there already; nothing was written. Choose another place with -o, or "
            f"overwrite with --force (what is there is kept as {taken[0].name}.bak)."
        )


def land(
    notebook: Path, data: bytes, folder: Path, files: Mapping[str, bytes], *, force: bool
) -> tuple[Path, ...]:
    """Write a notebook and the folder beside it, both or neither.

    What stands in the way moves to ``<name>.bak`` (``.bak2``, ...), which is never overwritten.
    What is there already as it should be stays.

    Returns:
        Where the old notebook and the old folder lie now.

    Raises:
        RefusedError: something is in the way, and ``force`` is not given.
        SetupError: the place is not writable or the disk is full; all is as before.
    """
    with alone(notebook.parent):
        if os.path.lexists(folder):
            recover(folder)
        if not force:
            refuse_taken(notebook, None if _read(folder) == dict(files) else folder)
        moves = _Moves()
        try:
            write_atomic(
                notebook, data, last=lambda: _prepare(notebook, data, folder, files, moves)
            )
        except BaseException:
            moves.undo()
            raise
    return tuple(moves.kept)


class _Moves:
    """What was moved and made on the way, so that it can be taken back."""

    def __init__(self) -> None:
        self.kept: list[Path] = []
        self._moved: list[tuple[Path, Path]] = []
        self._made: list[Path] = []

    def aside(self, path: Path) -> None:
        """Move what is there out of the way."""
        backup = free_backup(path)
        try:
            path.rename(backup)
        except OSError as error:
            raise cannot_write(path, error) from None
        self._moved.append((backup, path))
        self.kept.append(backup)

    def copied(self, path: Path) -> None:
        """Keep a copy of a file that will be replaced at once."""
        backup = free_backup(path)
        write_atomic(backup, path.read_bytes())
        self._made.append(backup)
        self.kept.append(backup)

    def wrote(self, path: Path) -> None:
        """Remember a folder that is not there yet, or has nothing in it."""
        self._made.append(path)

    def undo(self) -> None:
        """Make all as it was."""
        for path in reversed(self._made):
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for backup, path in reversed(self._moved):
            with contextlib.suppress(OSError):
                backup.rename(path)


def _prepare(
    notebook: Path, data: bytes, folder: Path, files: Mapping[str, bytes], moves: _Moves
) -> None:
    """All but the notebook itself, which is written and waits to be moved into its place."""
    if notebook.is_file() and notebook.read_bytes() != data:
        moves.copied(notebook)
    if _read(folder) == dict(files):
        return
    if _holds(folder):
        moves.aside(folder)
    if files:
        moves.wrote(folder)
        swap(folder, files, ())


def _holds(path: Path) -> bool:
    """Whether something is in a place: a file, a link, a folder with files in it."""
    if not os.path.lexists(path):
        return False
    return path.is_symlink() or not path.is_dir() or any(path.iterdir())


def _read(folder: Path) -> dict[str, bytes] | None:
    """The files of a folder; None where it holds anything that is no plain file."""
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() and not folder.is_symlink() else ():
        relative = path.relative_to(folder)
        if path.is_dir() and not path.is_symlink():
            continue
        if path.is_symlink() or not path.is_file():
            return None
        if not is_noise(relative):
            found[relative.as_posix()] = path.read_bytes()
    return found


def free_backup(path: Path) -> Path:
    """``<name>.bak``, or the next number that is free."""
    backup = path.with_name(f"{path.name}.bak")
    number = 1
    while os.path.lexists(backup):
        number += 1
        backup = path.with_name(f"{path.name}.bak{number}")
    return backup
