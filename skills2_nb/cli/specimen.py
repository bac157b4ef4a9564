"""The demo's notebooks: the clone's, or the wheel's own."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from skills2_nb.convert.folder import folder_of
from skills2_nb.errors import SetupError, UsageError
from skills2_nb.formats.files import cannot_write

SKILL = "growth-accounting"
#: The skills of the tables, in their order.
SKILLS = (
    SKILL,
    "cohort-retention",
    "funnel-diagnosis",
    "experiment-readout",
    "metric-anomaly",
)
#: Where the wheel keeps its copy (``force-include`` in pyproject.toml).
_BUNDLED = "sample"


def notebooks(out: Path | None, names: tuple[str, ...] | None = None) -> list[Path]:
    """The notebooks of these skills: copied into ``out``, or where that is None the clone's.

    Raises:
        UsageError: other files of these names are in ``out`` already.
        SetupError: the folder cannot be written, or the install lacks a copy.
    """
    wanted = SKILLS if names is None else names
    if out is not None:
        return [copied(out, name) for name in wanted]
    return [path for name in wanted if (path := of_clone(name)) is not None]


def of_clone(name: str = SKILL) -> Path | None:
    """The notebook of the repository that the working folder lies in."""
    here = Path.cwd()
    found = (folder / "notebooks" / f"{name}.ipynb" for folder in (here, *here.parents))
    return next((path for path in found if path.is_file()), None)


def copied(out: Path, name: str = SKILL) -> Path:
    """The notebook with its files, copied into ``out/notebooks``; what is there stays.

    Raises:
        UsageError: other files of these names are there already.
        SetupError: the folder cannot be written, or the install lacks the copy.
    """
    with as_file(files("skills2_nb")) as package:
        source = _source(package, name)
        target = out / "notebooks" / source.name
        wanted = [source, *(path for path in folder_of(source).rglob("*") if path.is_file())]
        pairs = [(path, target.parent / path.relative_to(source.parent)) for path in wanted]
        for path, place in pairs:
            if place.exists() and place.read_bytes() != path.read_bytes():
                raise UsageError(
                    f"{place} is there already and is not the demo's; name another folder with -o"
                )
        try:
            for path, place in pairs:
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
        except OSError as error:
            raise cannot_write(out, error) from error
    return target


def _source(package: Path, name: str) -> Path:
    """The copy in the wheel; in an editable install the repository's own."""
    places = (package / "cli" / _BUNDLED, package.parent / "notebooks")
    for place in places:
        path = place / f"{name}.ipynb"
        if path.is_file():
            return path
    raise SetupError(
        f"this install lacks the demo's notebook of {name}; install skills2-nb again from its "
        "wheel, or call `skills2 demo` in a clone of the repository"
    )
