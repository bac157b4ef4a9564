"""Where the skills of the index lie, and for whom each is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from skills2_nb.errors import Skills2Error
from skills2_nb.library import installed
from skills2_nb.library.discovery import is_package, places

#: The root of what lies in the user's own places: every project has it.
USER = ""
#: A home that has seen more projects than this forgets the last by name.
MOST_PROJECTS = 500


def sources(projects: Iterable[str]) -> list[tuple[str, Path]]:
    """Root and folder of every package of the index.

    Where one root has a name twice, the one that a server would take comes first.

    Args:
        projects: the folders of projects.
    """
    found: dict[tuple[str, Path], None] = {}
    for project in list(projects)[:MOST_PROJECTS]:
        for place in places(Path(project))[:2]:
            if not _is_users(place):
                found |= dict.fromkeys((project, folder) for folder in _packages(place))
    for place in _users():
        found |= dict.fromkeys((USER, folder) for folder in _packages(place))
    known = {folder for _, folder in found}
    for folder in _installed():
        if folder not in known:
            found[project_of(folder) or USER, folder] = None
    return list(found)


def project_of(folder: Path) -> str | None:
    """The project that a package belongs to.

    Returns:
        the folder ``X`` of ``X/skills/name`` or ``X/.claude/skills/name``;
        ``USER`` where it lies in one of the user's own places; None where nobody seeks skills.
    """
    place = Path(os.path.realpath(folder)).parent
    if _is_users(place):
        return USER
    if place.name != "skills":
        return None
    above = place.parent
    return str(above.parent if above.name == ".claude" else above)


def _users() -> list[Path]:
    return places(Path())[2:]


def _is_users(place: Path) -> bool:
    real = os.path.realpath(place)
    return any(os.path.realpath(own) == real for own in _users())


def _packages(place: Path) -> Iterator[Path]:
    """The packages in a folder, by name, links followed."""
    try:
        children = sorted(place.iterdir())
    except OSError:
        return
    for child in children:
        if is_package(child):
            yield Path(os.path.realpath(child))


def _installed() -> list[Path]:
    """The packages that were installed and are there still."""
    try:
        found = sorted(installed.read().packages)
    except Skills2Error:
        return []
    return [Path(os.path.realpath(place)) for place in found if is_package(Path(place))]
