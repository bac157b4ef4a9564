"""The files in the folder of a notebook's stem."""

from __future__ import annotations

import os
from pathlib import Path

from skills2_nb.formats.files import read_bytes
from skills2_nb.formats.package import is_noise
from skills2_nb.formats.problem import Problem, found


def folder_of(notebook: Path) -> Path:
    """The folder that mirrors the package: the notebook's path without its ending."""
    return notebook.with_suffix("")


def read_folder(root: Path) -> tuple[dict[str, bytes], tuple[Problem, ...]]:
    """Every file below a folder by its relative path with ``/``; none where there is no folder.

    Caches and hidden system files are left out. A link is followed only to a file inside the
    folder.

    Raises:
        UnreadableError: a file may not be read.
    """
    files: dict[str, bytes] = {}
    problems: list[Problem] = []
    for parent, folders, names in os.walk(root):
        here = Path(parent)
        folders[:] = sorted(name for name in folders if not is_noise(Path(name)))
        linked = [here / name for name in folders if (here / name).is_symlink()]
        folders[:] = [name for name in folders if here / name not in linked]
        problems += [_leaves(path, root) for path in linked]
        for name in sorted(names):
            path = here / name
            if is_noise(Path(name)):
                continue
            if path.is_symlink() and not _stays(path, root):
                problems.append(_leaves(path, root))
            else:
                files[path.relative_to(root).as_posix()] = read_bytes(path)
    return dict(sorted(files.items())), tuple(problems)


def _stays(path: Path, root: Path) -> bool:
    target = path.resolve()
    return target.is_file() and target.is_relative_to(root.resolve())


def _leaves(path: Path, root: Path) -> Problem:
    return found(
        "A803",
        f"{root.name}/{path.relative_to(root).as_posix()} is a link that leaves the folder",
        "put a copy of the file there",
        file=f"{root.name}/{path.relative_to(root).as_posix()}",
    )
