"""A package that lies where its notebook's own files lie."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from skills2_nb.convert.folder import folder_of
from skills2_nb.convert.module import made_from
from skills2_nb.convert.shelf import is_made
from skills2_nb.formats.files import over_lf
from skills2_nb.formats.package import LOCK, digest_of, parse_lock

_MODULE = "runtime/skill.py"


def own_files(
    folder: Mapping[str, bytes], notebook: str, targets: Iterable[str] = ()
) -> Mapping[str, bytes]:
    """The files of a notebook's folder without those that its own export put there.

    Where the folder is the notebook's package, what export makes is left out, and so is what cells
    put into files, as long as nobody edited it. Any other folder is given back as it is.

    Args:
        folder: the files by their relative path.
        notebook: the notebook's file name.
        targets: the paths of files that cells hold.
    """
    if not _is_package(folder.get(_MODULE), notebook) or LOCK not in folder:
        return folder
    locked = parse_lock(over_lf(folder[LOCK]).decode("utf-8", errors="replace"))
    cells = set(targets)
    return {
        path: data
        for path, data in folder.items()
        if not (is_made(path) and (path in locked or not path.startswith("runtime/")))
        and not (path in cells and digest_of(data) == locked.get(path))
    }


def is_in_place(notebook: Path) -> bool:
    """Whether the folder of a notebook's stem is its package."""
    module = folder_of(notebook) / _MODULE
    return module.is_file() and _is_package(module.read_bytes(), notebook.name)


def _is_package(module: bytes | None, notebook: str) -> bool:
    text = over_lf(module or b"").decode("utf-8", errors="replace")
    return made_from(text) == notebook
