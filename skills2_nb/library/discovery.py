"""Where skills lie, and which one a word means."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skills2_nb.errors import UsageError


@dataclass(frozen=True)
class Target:
    """What a command works on.

    Attributes:
        name: the folder's name, or the notebook's stem.
        kind: an exported package or its source.
        path: the package's folder, or the notebook.
    """

    name: str
    kind: Literal["package", "notebook"]
    path: Path


def places(cwd: Path | None = None) -> list[Path]:
    """The folders in which a name is sought, in order.

    Where ``CLAUDE_CONFIG_DIR`` moves Claude's own folder, its skills come before those of the home.
    """
    here = Path.cwd() if cwd is None else cwd
    home = Path.home()
    users = dict.fromkeys((claude_folder(home, os.environ), home / ".claude"))
    return [here / "skills", here / ".claude" / "skills", *(folder / "skills" for folder in users)]


def claude_folder(home: Path, environ: Mapping[str, str]) -> Path:
    """Where Claude Code keeps a user's own things: ``$CLAUDE_CONFIG_DIR``, else ``~/.claude``."""
    moved = environ.get("CLAUDE_CONFIG_DIR")
    return Path(moved).absolute() if moved else home / ".claude"


def find(text: str, cwd: Path | None = None) -> Target:
    """The skill that ``text`` means: a package folder, a notebook, or a name.

    Raises:
        UsageError: there is none; the message says where it was sought.
    """
    here = Path.cwd() if cwd is None else cwd
    path = here / Path(text).expanduser()
    if path.suffix == ".ipynb" and path.is_file():
        return Target(path.stem, "notebook", path.resolve())
    if is_package(path):
        return Target(path.resolve().name, "package", path.resolve())
    if path.is_file() and path.name in ("SKILL.md", "skill.toml") and is_package(path.parent):
        return Target(path.resolve().parent.name, "package", path.resolve().parent)
    named = _named(text, here)
    if named is not None:
        return named
    raise UsageError(_not_found(text, path, here))


def listed(cwd: Path | None = None) -> list[Target]:
    """Every package in the three places, by name; the first place that has a name wins."""
    found: dict[str, Target] = {}
    for place in places(cwd):
        for folder in _packages(place):
            found.setdefault(folder.name, Target(folder.name, "package", folder))
    return [found[name] for name in sorted(found)]


def is_package(folder: Path) -> bool:
    """Whether a folder holds an exported skill."""
    place = os.fspath(folder)  # a server asks this of hundreds of folders every second
    return all(os.path.isfile(f"{place}{os.sep}{name}") for name in ("SKILL.md", "skill.toml"))  # noqa: PTH113


def _packages(place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from sorted(child.resolve() for child in place.iterdir() if is_package(child))


def _named(text: str, here: Path) -> Target | None:
    if text in ("", ".", "..") or "/" in text or "\\" in text:
        return None
    for place in places(here):
        if is_package(place / text):
            return Target(text, "package", (place / text).resolve())
    return None


def _not_found(text: str, path: Path, here: Path) -> str:
    if path.is_dir() and (path / "SKILL.md").is_file():
        return f"{text} is a skill of prose alone: it has no skill.toml, so no step can be run"
    if path.exists():
        return f"{text} is neither a skill package nor a notebook (.ipynb)"
    beside = f"{path}.ipynb"
    if os.path.isfile(beside):  # noqa: PTH113 - False for a name that no disk takes
        return (
            f"there is no skill {text!r} yet; its notebook is here: name it as {text}.ipynb, or "
            f"export it first: skills2 export {text}.ipynb"
        )
    looked = ", ".join(_told(place, here) for place in places(here))
    known = ", ".join(target.name for target in listed(here))
    return (
        f"there is no skill {text!r}: no such folder or notebook, and none of that name in {looked}"
        + (f"; there is {known}" if known else "; export a notebook first")
    )


def _told(place: Path, here: Path) -> str:
    return f"./{place.relative_to(here)}" if place.is_relative_to(here) else str(place)
