"""The files of a skill folder that come along."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.files import read_bytes
from skills2_nb.formats.paths import clashes, is_noise, is_safe_path, shown
from skills2_nb.formats.problem import Problem, found

SKILL_MD = "SKILL.md"
#: More than this is no skill but a folder in which one lies.
MOST_FILES = 4_000
MOST_BYTES = 256 * 1024 * 1024
#: Folders that tools fill and nobody ships, beside those that no listing of a package shows.
_FILLED = frozenset(
    {"node_modules", ".venv", ".hg", ".svn", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
)


@dataclass(frozen=True, slots=True)
class Gathered:
    """A skill folder, read.

    Attributes:
        name: the folder's name.
        skill_md: the bytes of SKILL.md.
        spelled: what the file is called: ``SKILL.md``, or ``skill.md``.
        files: every other file by its relative path with ``/``, sorted.
        problems: what was left where it is, each with the reason.
    """

    name: str
    skill_md: bytes
    spelled: str
    files: dict[str, bytes]
    problems: tuple[Problem, ...]


def gather(folder: Path) -> Gathered:
    """Read a skill folder: SKILL.md and every file that can travel with it.

    Caches and version control are left out in silence; a link that leaves the folder, a pipe, a
    name that cannot exist on every system are left out with a problem that says so.

    Args:
        folder: the folder, or the SKILL.md in it.

    Raises:
        UnreadableError: there is no such folder, no SKILL.md in it, or a file may not be read.
        RefusedError: it has more files, or more bytes, than a skill may have.
    """
    root, spelled = located(folder)
    problems: list[Problem] = []
    paths = list(_sound(root, spelled, problems))
    _check_size(root, [root / spelled, *(root / path for path in paths)])
    files = {path: read_bytes(root / path) for path in paths}
    return Gathered(
        root.resolve().name, read_bytes(root / spelled), spelled, files, tuple(problems)
    )


def located(folder: Path) -> tuple[Path, str]:
    """The skill folder and the name of its SKILL.md, which may be written small.

    Raises:
        UnreadableError: there is none.
    """
    if folder.is_file() and folder.name.lower() == SKILL_MD.lower():
        root, spelled = folder.parent, folder.name
    elif folder.is_dir():
        root = folder
        names = {path.name for path in folder.iterdir()}
        spelled = next((name for name in (SKILL_MD, "skill.md") if name in names), "")
        if not spelled:
            raise UnreadableError(f"{folder} is no skill: there is no SKILL.md in it.")
    else:
        raise UnreadableError(f"{folder} is no skill folder and no SKILL.md; check the path.")
    path = root / spelled
    if path.is_symlink() and not _lies_in(path, root):
        raise UnreadableError(f"{path} is a link that leaves its folder; put a copy there.")
    if not path.is_file():
        raise UnreadableError(f"{path} is no plain file; put the skill's text there.")
    return root, spelled


def _sound(root: Path, spelled: str, problems: list[Problem]) -> Iterator[str]:
    """The paths that may come along, sorted; the others become problems."""
    safe = []
    for relative in sorted(_walked(root, problems)):
        path = root / relative
        if relative == spelled:
            continue
        if path.is_symlink() and not (path.is_file() and _lies_in(path, root)):
            problems.append(_left(root, relative, _of_link(path)))
        elif not path.is_file():
            problems.append(_left(root, relative, "it is no plain file"))
        elif not is_safe_path(relative):
            problems.append(_left(root, relative, "not every system can have such a name"))
        else:
            safe.append(relative)
    lost = set()
    for first, second in clashes([SKILL_MD, *safe]):
        gone = second if first == SKILL_MD or second != SKILL_MD else first
        lost.add(gone)
        other = first if gone == second else second
        problems.append(_left(root, gone, f"it cannot lie beside {other} on every disk"))
    yield from (path for path in safe if path not in lost)


def _walked(root: Path, problems: list[Problem]) -> Iterator[str]:
    count = 0
    for parent, folders, names in os.walk(root, onerror=_refuse):
        here = Path(parent)
        kept = sorted(name for name in folders if not _is_filled(name))
        folders[:] = [name for name in kept if not (here / name).is_symlink()]
        for name in kept:
            if name not in folders:
                relative = (here / name).relative_to(root).as_posix()
                problems.append(_left(root, relative, "it is a link to a folder"))
        for name in names:
            if not is_noise(Path(name)):
                count += 1
                if count > MOST_FILES:
                    raise _too_large(root, f"more than {MOST_FILES:,} files")
                yield (here / name).relative_to(root).as_posix()


def _is_filled(name: str) -> bool:
    return name in _FILLED or is_noise(Path(name))


def _refuse(error: OSError) -> None:
    raise UnreadableError(f"{error.filename} cannot be read ({error.strerror}).")


def _check_size(root: Path, paths: list[Path]) -> None:
    total = sum(path.stat().st_size for path in paths)
    if total > MOST_BYTES:
        raise _too_large(root, f"more than {MOST_BYTES // 2**20} MiB")


def _too_large(root: Path, what: str) -> RefusedError:
    return RefusedError(
        f"{root} holds {what}, which is no skill; nothing was written. Move out what does not "
        "belong to the skill, or name the skill's own folder."
    )


def _lies_in(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _of_link(path: Path) -> str:
    """Why a link cannot come along."""
    leads = os.path.exists(os.path.realpath(path))  # noqa: PTH110 - of a loop, no error
    return "it is a link that leaves the folder" if leads else "it is a link that leads nowhere"


def _left(root: Path, relative: str, why: str) -> Problem:
    name = f"{root.resolve().name}/{relative}"
    return found(
        "F326",
        f"{shown(name)} was left where it is: {why}",
        "put a copy under a plain name into the notebook's folder, if the skill needs it",
        file=shown(name),
    )
