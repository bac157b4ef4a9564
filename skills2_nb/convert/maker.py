"""The notebook that makes a package."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from skills2_nb.convert.exporter import maker
from skills2_nb.convert.module import header, made_from
from skills2_nb.convert.plan import plan_path
from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.formats.package import LOCK, read_package
from skills2_nb.formats.paths import is_noise, shown


def maker_of(folder: Path) -> Path:
    """The notebook that a package was exported from, by what its code says and its skill's name.

    It is sought where an export without ``-o`` would have put the package: in ``notebooks/``
    beside the folder that holds the package, and beside that folder.

    Raises:
        UsageError: there is none there, or more than one.
    """
    name = read_package(folder).manifest.name
    said = maker(folder)
    near = list(dict.fromkeys(_near(folder)))
    if said:
        near = [path for path in near if made_from(header(shown(path.name)) + "\n") == said]
    found = [path for path in near if _makes(path, name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{folder.name} may come from {' or '.join(map(str, found))}; say which: "
            "--notebook FILE"
        )
    what = said or f"a notebook of the skill {name!r}"
    raise UsageError(
        f"{what}, which {folder} was made from, is not in {folder.parent.parent / 'notebooks'} nor "
        f"beside {folder.parent}; say where it is: --notebook FILE"
    )


def check_package(folder: Path) -> None:
    """Refuse a folder that no export wrote.

    Raises:
        UsageError: it has no lock.
    """
    if not (folder / LOCK).is_file():
        raise UsageError(
            f"{folder} has no {LOCK}, so no export wrote it and nothing tells what was edited; "
            "export its notebook once, or make a notebook of it with `skills2 import`."
        )


def _near(folder: Path) -> Iterator[Path]:
    """Notebooks whose export would have gone to this folder's parent."""
    shelf = folder.parent
    yield from _notebooks(shelf.parent / "notebooks", deep=True)
    for place in (shelf.parent, shelf):
        yield from _notebooks(place, deep=False)


def _notebooks(place: Path, *, deep: bool) -> Iterator[Path]:
    if not place.is_dir():
        return
    for parent, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if deep and not is_noise(Path(name)))
        for name in sorted(names):
            if name.endswith(".ipynb"):
                yield Path(parent) / name


def _makes(path: Path, name: str) -> bool:
    try:
        return plan_path(path).name == name
    except UnreadableError:
        return False
