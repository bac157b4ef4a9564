"""The files in the folder of a notebook's stem."""

from __future__ import annotations

import os
from pathlib import Path

from skills2_nb.errors import UsageError
from skills2_nb.formats.files import read_bytes
from skills2_nb.formats.paths import is_noise, is_safe_path, shown
from skills2_nb.formats.problem import Problem, found


def folder_of(notebook: Path) -> Path:
    """The folder that mirrors the package: the notebook's path without its ending.

    Raises:
        UsageError: the name has dots alone before its ending, so that the folder would be the
            notebook's own or the one above it.
    """
    if not notebook.stem.strip("."):
        raise UsageError(f"{notebook.name} has no name before its ending; rename it.")
    return notebook.with_suffix("")


def read_folder(root: Path) -> tuple[dict[str, bytes], tuple[Problem, ...]]:
    """Every file below a folder by its relative path with ``/``; none where there is no folder.

    Caches and hidden system files are left out. A link is followed only to a file inside the
    folder; the folder itself may be a link to another one beside it. Pipes and devices are
    never opened.

    Raises:
        UnreadableError: a file may not be read.
    """
    files: dict[str, bytes] = {}
    problems: list[Problem] = []
    if root.is_symlink() and not (root.is_dir() and _lies_in(root, root.parent)):
        return files, (_leaves(root, root),)
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
            relative = path.relative_to(root).as_posix()
            if path.is_symlink() and not (path.is_file() and _lies_in(path, root)):
                problems.append(_leaves(path, root))
            elif not path.is_file() or not is_safe_path(relative):
                problems.append(_odd(path, root))
            else:
                files[relative] = read_bytes(path)
    return dict(sorted(files.items())), tuple(problems)


def _lies_in(path: Path, folder: Path) -> bool:
    """Whether what a link points at lies below a folder; a link to itself lies nowhere."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _name(path: Path, root: Path) -> str:
    return f"{root.name}/{path.relative_to(root).as_posix()}".removesuffix("/.")


def _leaves(path: Path, root: Path) -> Problem:
    name = _name(path, root)
    return found("A803", f"{name} is a link that leaves its folder", "put a copy there", file=name)


def _odd(path: Path, root: Path) -> Problem:
    name = _name(path, root)
    why = "a name that cannot exist on every system" if path.is_file() else "no plain file"
    mend = "rename it" if path.is_file() else "move it away"
    return found("A806", f"{shown(name)!r} is {why}", mend, file=name)
