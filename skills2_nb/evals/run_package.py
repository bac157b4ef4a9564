"""Where the package of a session's run may lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from skills2_nb.contract.home import home
from skills2_nb.evals.stop_event import StopEvent
from skills2_nb.hooks.uses import plugins_name
from skills2_nb.library.discovery import is_package, places
from skills2_nb.library.tool_names import shown


def folders_of(skill: str, event: StopEvent) -> Iterator[Path]:
    """The packages of that name, the likeliest first; each is sought when it is asked for.

    The one whose checklist a hook tells, then those of the plugin whose hook it was, those that the
    client finds from its folder, and those that were installed elsewhere.
    """
    if skill in ("", ".", "..") or "/" in skill or "\\" in skill or "\0" in skill:
        return
    seen = set()
    for place in _places(skill, event):
        folder = Path(os.path.realpath(place))
        if folder not in seen and is_package(folder):
            seen.add(folder)
            yield folder


def folder_of(skill: str, event: StopEvent) -> Path | None:
    """The likeliest package of that name."""
    return next(folders_of(skill, event), None)


def tool_named(skill: str, verb: str, event: StopEvent) -> str:
    """A tool as the client shows it; a plugin of one skill names its server ``s``."""
    return shown(skill, verb, plugins_name(str(event.plugin)) if event.plugin else "")


def _places(skill: str, event: StopEvent) -> Iterator[Path]:
    yield from _indexed(skill, event)
    if event.plugin is not None:
        yield event.plugin / "skills" / skill
        yield from _named(event.plugin, skill)
    project = os.environ.get("CLAUDE_PROJECT_DIR")
    for here in (event.cwd, Path(project) if project else None):
        if here is not None:
            yield from (place / skill for place in places(here))
    if event.cwd is None:
        yield from (place / skill for place in places(Path.home()))
    yield from _installed(skill)


def _indexed(skill: str, event: StopEvent) -> Iterator[Path]:
    """The package that the index of triggers has for the folder: the one whose checklist is told.

    It may lie in the project at hand, and so be what a repository brought. Being told of it is no
    leave to run it: by an answer alone it is read and not imported (``listed_skill``).
    """
    from skills2_nb.hooks import triggers

    index = event.plugin / "hooks" / "index" if event.plugin is not None else home() / "index"
    try:
        with triggers.Index(str(index)) as opened:
            row = triggers.nearest(opened, skill, str(event.cwd or ""))
    except (OSError, ValueError, IndexError, TypeError):
        return
    if row is not None:
        yield Path(row.folder)


def _named(plugin: Path, skill: str) -> Iterator[Path]:
    """The plugin's own folder, where it is itself the skill."""
    if plugin.name == skill:
        yield plugin


def _installed(skill: str) -> Iterator[Path]:
    from skills2_nb.errors import Skills2Error
    from skills2_nb.library.installed import read

    try:
        packages = read().packages
    except Skills2Error:
        return
    yield from (Path(folder) for folder, placed in packages.items() if placed.skill == skill)
