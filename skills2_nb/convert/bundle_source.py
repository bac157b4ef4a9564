"""The skill that is to be packaged, read whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.convert.bundle_kit import without
from skills2_nb.convert.exporter import export
from skills2_nb.convert.prose_rules import LONGEST_NAME, NAME
from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.files import read_bytes
from skills2_nb.formats.manifest import Manifest
from skills2_nb.formats.package import LOCK, read_package, refuse_edited
from skills2_nb.formats.paths import clashes, is_noise, is_safe_path, shown

#: Bytes that a skill may have: what an upload takes, and nobody has to wait for.
MOST_BYTES = 30_000_000
SKILL_MD = "SKILL.md"
_FILLED = ("node_modules",)
_NAMED = 5


@dataclass(frozen=True)
class Source:
    """A skill that was looked at and found fit to be handed on.

    Attributes:
        name: the skill's name, which is the name of its folder.
        front: the front matter's mapping.
        files: bytes by relative path, without a lock of their own.
        manifest: skill.toml; defaults where there is none.
        left_out: hidden files, which nobody means to hand on.
    """

    name: str
    front: Mapping[str, Any]
    files: Mapping[str, bytes]
    manifest: Manifest
    left_out: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What the skill is for, on one line."""
        return " ".join(str(self.front.get("description") or "").split())

    @property
    def is_exported(self) -> bool:
        """Whether it is a package, and no folder of prose alone."""
        return "skill.toml" in self.files

    @property
    def has_steps(self) -> bool:
        """Whether it is more than prose."""
        return bool(self.manifest.steps)


def source_of(place: Path, *, force: bool = False) -> Source:
    """Read a skill folder, or make the package of a notebook first; of a package nothing is run.

    Args:
        place: a folder with a SKILL.md, or a notebook.
        force: take a package that was edited since its export.

    Raises:
        RefusedError: it was edited, is too large, or holds what cannot be handed on.
        UnreadableError: it cannot be read.
    """
    if place.suffix != ".ipynb":
        return _read(place, force=force)
    with tempfile.TemporaryDirectory(prefix="skills2-") as folder:
        return _read(export(place, Path(folder)).folder, force=force)


def _read(folder: Path, *, force: bool) -> Source:
    package = read_package(folder)
    left_out: list[str] = []
    paths = _checked(folder, left_out)
    errors = tuple(problem for problem in package.problems if problem.level == "error")
    if errors:
        raise RefusedError(f"{folder} has errors. First: {errors[0].sentence()}", errors)
    if not force:
        refuse_edited(
            folder,
            "nothing was written. Carry the edit into the notebook with `skills2 pull "
            f"{folder}` and export it again, or package it as it is with --force.",
        )
    name = package.manifest.name
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise RefusedError(
            f"{folder}: the name {shown(name)!r} is not lower-case words joined by hyphens, "
            f"{LONGEST_NAME} characters at most, and no client takes another; change it in the "
            "front matter of SKILL.md."
        )
    files = without({path: read_bytes(folder / path) for path in paths if path != LOCK})
    return Source(name, package.front, files, package.manifest, tuple(left_out))


def _checked(folder: Path, left_out: list[str]) -> list[str]:
    """The paths that go along, sorted, once all of them may and they are not too many bytes."""
    paths, odd, total = [], [], 0
    for relative in _walked(folder, left_out):
        why = _unfit(folder, relative)
        if why:
            odd.append(f"{shown(relative)} {why}")
            continue
        total += (folder / relative).stat().st_size
        paths.append(relative)
    odd += [f"{one} and {other} cannot lie on one disk" for one, other in clashes(paths)]
    if odd:
        rest = f"; and {len(odd) - _NAMED} more" if len(odd) > _NAMED else ""
        raise RefusedError(
            f"{folder} cannot be packaged: {'; '.join(odd[:_NAMED])}{rest}. Put plain files under "
            "plain names in their place, or delete them."
        )
    if total > MOST_BYTES:
        raise RefusedError(
            f"{folder} has {total / 1e6:.1f} MB, and uploads take {MOST_BYTES // 10**6}; leave out "
            "what the steps do not read."
        )
    return sorted(paths)


def _walked(folder: Path, left_out: list[str]) -> Iterator[str]:
    """Every path that is no folder; caches are passed over, hidden files are told."""
    for parent, folders, names in os.walk(folder, onerror=_unread):
        here = Path(parent)
        kept = []
        for name in sorted([*folders, *names]):
            path = here / name
            relative = path.relative_to(folder).as_posix()
            if is_noise(Path(name)) or (name in folders and name in _FILLED):
                continue
            if name.startswith("."):
                left_out.append(relative)
            elif name in folders and not path.is_symlink():
                kept.append(name)
            else:
                yield relative
        folders[:] = kept


def _unread(error: OSError) -> None:
    raise UnreadableError(f"{error.filename} cannot be read ({error.strerror}).")


def _unfit(folder: Path, relative: str) -> str:
    """Why a path cannot go along; empty where it can."""
    path = folder / relative
    if path.is_symlink():
        why = _unfit_link(path, Path(os.path.realpath(folder)))
        if why:
            return why
    if not path.is_file():
        return "is no plain file"
    return "" if is_safe_path(relative) else "has a name that not every system can have"


def _unfit_link(path: Path, folder: Path) -> str:
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(folder):
        return "is a link that leaves the skill"
    if not path.is_file():
        return "is a link to no file"
    inside = real.relative_to(folder)
    left_out = is_noise(inside) or any(p in _FILLED or p.startswith(".") for p in inside.parts)
    return "is a link to a file that stays behind" if left_out else ""
