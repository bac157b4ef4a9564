"""The index of triggers on disk, made anew as skills change.

In it are the skills of the user's own places, those that were installed, and those of the projects
that this home has seen: the folders ``skills`` and ``.claude/skills`` of each. Packages are read,
never run. Beside the index lies a record of what it was made of, so that only packages that changed
are read again, and a server can see by its files' times alone that nothing has to be done.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from skills2_nb.contract.home import PRIVATE_FILE, folder, home
from skills2_nb.contract.lock import locked
from skills2_nb.errors import Skills2Error
from skills2_nb.formats.files import cannot_write, write_atomic
from skills2_nb.hooks.triggers import FILE, LAYOUT, Index
from skills2_nb.library.activation import mark
from skills2_nb.library.catalog import Fault
from skills2_nb.library.index_bytes import Listed, index_bytes, listed, relisted
from skills2_nb.library.index_places import project_of, sources

FOLDER, RECORD, LOCK = "index", "made.json", "index.lock"
_SCHEMA = 1
Marks = Mapping[str, list[list[int]]]


@dataclass(frozen=True)
class Refreshed:
    """What a refresh did.

    Attributes:
        skills: the names in the index now.
        faults: the packages left out.
        news: those of the faults that were none at the refresh before.
        changed: whether the index is another than before.
    """

    skills: tuple[str, ...]
    faults: tuple[Fault, ...]
    news: tuple[Fault, ...]
    changed: bool


@dataclass(frozen=True)
class Record:
    """What the index was made of.

    Attributes:
        kit: the kit's version and the index's layout.
        projects: the projects' folders.
        marks: times and sizes of each package's files, by its root and folder.
        faults: sentence by folder.
    """

    kit: str = ""
    projects: tuple[str, ...] = ()
    marks: Marks = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)


def index_folder() -> str:
    """The folder that the dispatcher reads."""
    return str(home() / FOLDER)


def refresh(projects: Iterable[Path] = (), *, whole: bool = False) -> Refreshed:
    """Make the index of what is there now.

    Args:
        projects: folders whose ``skills`` and ``.claude/skills`` belong into it from now on.
        whole: read every package again, also those that seem to be unchanged.

    Raises:
        SetupError: the home is not writable or the disk is full; the old index stands.
    """
    with _alone() as place:
        before = _recorded(place)
        record = _now(before, projects)
        old = {} if whole or before.kit != record.kit else _unchanged(place, before, record)
        skills, faults = _read(record, old)
        data = index_bytes(skills)
        changed = not _holds(place / FILE, data)
        if changed:
            write_atomic(place / FILE, data, mode=PRIVATE_FILE)
        _keep(place, record, {str(fault.folder): fault.message for fault in faults})
        news = tuple(f for f in faults if before.faults.get(str(f.folder)) != f.message)
        names = tuple(sorted({skill.name for skill in skills}))
        return Refreshed(names, faults, news, changed)


def renew(
    say: Callable[[str], None], folders: Iterable[Path] = (), *, only_stale: bool = False
) -> None:
    """Bring the index up to date after packages came, went or changed; nothing is raised.

    Args:
        say: takes a sentence, at most one for each package that is newly broken, or one that says
            why there is no new index.
        folders: packages that changed; those in no place where skills are sought are passed over,
            and where all of them are, nothing is done. Left out: whatever is known.
        only_stale: do nothing where no file is newer than the index knows.
    """
    try:
        found = [project_of(folder) for folder in folders]
        projects = {Path(root) for root in found if root}
        if found and not any(root is not None for root in found):
            return
        if only_stale and not stale(projects):
            return
        for fault in refresh(projects).news:
            say(f"{fault.name} has no triggers: {fault.message}")
    except Exception as error:
        reason = error.message if isinstance(error, Skills2Error) else str(error)
        say(f"The index of triggers is as it was: {' '.join(reason.split())}")


def stale(projects: Iterable[Path] = ()) -> bool:
    """Whether a refresh would read anything; nothing but times and sizes is looked at."""
    place = home() / FOLDER
    before = _recorded(place)
    try:
        with Index(str(place)):
            pass
    except (OSError, ValueError):
        return True
    now = _now(before, projects)
    return (before.kit, before.projects, before.marks) != (now.kit, now.projects, now.marks)


@contextlib.contextmanager
def _alone() -> Iterator[Path]:
    """Hold every other refresh from this home."""
    path = home() / FOLDER / LOCK
    try:
        path = folder(FOLDER) / LOCK
        fd = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    except OSError as error:
        raise cannot_write(path, error) from None
    try:
        with locked(fd):
            yield path.parent
    finally:
        os.close(fd)


def _now(before: Record, projects: Iterable[Path]) -> Record:
    """What there is to make an index of."""
    known = sorted({*before.projects, *(os.path.realpath(project) for project in projects)})
    found = sources(known)
    live = {root for root, _ in found}
    marks = {_key(root, place): [list(item) for item in mark(place)] for root, place in found}
    return Record(_kit(), tuple(root for root in known if root in live), marks)


def _kit() -> str:
    try:
        return f"{version('skills2-nb')}/{LAYOUT}"
    except PackageNotFoundError:
        return f"/{LAYOUT}"


def _key(root: str, place: Path) -> str:
    return f"{root}\0{place}"


def _unchanged(place: Path, before: Record, now: Record) -> dict[str, Listed]:
    """The skills of the index whose files are as they were."""
    try:
        with Index(str(place)) as index:
            rows = [relisted(index, row) for row in index.rows()]
    except (OSError, ValueError, IndexError):
        return {}
    keyed = {_key(skill.root, Path(skill.folder)): skill for skill in rows}
    return {
        key: skill
        for key, skill in keyed.items()
        if key in now.marks and before.marks.get(key) == now.marks[key]
    }


def _read(record: Record, old: Mapping[str, Listed]) -> tuple[list[Listed], tuple[Fault, ...]]:
    skills: list[Listed] = []
    faults: dict[str, Fault] = {}
    for key in record.marks:
        root, _, place = key.partition("\0")
        made = old.get(key)
        try:
            skills.append(made or listed(Path(place), root))
        except Skills2Error as error:
            faults[place] = Fault(Path(place).name, Path(place), error.message)
        except Exception as error:  # a package is foreign; one must not cost the others
            faults[place] = Fault(Path(place).name, Path(place), f"it cannot be read ({error!r}).")
    return skills, tuple(faults.values())


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.read_bytes() == data
    except OSError:
        return False


def _recorded(place: Path) -> Record:
    """The record; an empty one where there is none that can be read."""
    try:
        value: Any = json.loads((place / RECORD).read_bytes())
        if value["schema"] != _SCHEMA:
            return Record()
        return Record(
            str(value["kit"]),
            tuple(map(str, value["projects"])),
            dict(value["marks"]),
            dict(value["faults"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Record()


def _keep(place: Path, record: Record, faults: Mapping[str, str]) -> None:
    value = {
        "schema": _SCHEMA,
        "kit": record.kit,
        "projects": list(record.projects),
        "marks": record.marks,
        "faults": faults,
    }
    data = (json.dumps(value, indent=1) + "\n").encode()
    if not _holds(place / RECORD, data):
        write_atomic(place / RECORD, data, mode=PRIVATE_FILE)
