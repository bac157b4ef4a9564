"""Import: from a skill folder to a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skills2_nb.convert.folder import folder_of
from skills2_nb.convert.gathering import gather, located
from skills2_nb.convert.incoming import Incoming, incoming_of
from skills2_nb.convert.landing import land, refuse_taken
from skills2_nb.errors import UsageError
from skills2_nb.formats.notebook import notebook_bytes
from skills2_nb.formats.problem import Problem


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import did.

    Attributes:
        skill: the name under which the notebook exports.
        source: the skill folder, which is left as it is.
        notebook: the notebook written.
        folder: the folder of the notebook's stem; it is there only if there are ``files``.
        cells: how many cells the notebook has.
        files: the files that lie in ``folder``, relative with ``/``.
        problems: what lint says of the notebook, and what did not come in, by place.
        backups: where the notebook and the folder lie that stood in their place before.
    """

    skill: str
    source: Path
    notebook: Path
    folder: Path
    cells: int
    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    backups: tuple[Path, ...] = ()


def default_notebook(folder: Path, out: Path | None = None) -> Path:
    """Where a skill folder's notebook goes: the folder's name, in ``notebooks/`` if it is there.

    Args:
        folder: the skill folder, or its SKILL.md.
        out: a folder for notebooks; left out, ``./notebooks`` or the working folder.
    """
    place = out or (Path("notebooks") if Path("notebooks").is_dir() else Path())
    root = folder.parent if folder.is_file() else folder
    name = root.resolve().name
    if not name.strip("."):
        raise UsageError(f"{folder} has no name of its own; name the notebook with -o.")
    return place / f"{name}.ipynb"


def bring(folder: Path, notebook: Path, *, force: bool = False) -> Brought:
    """Write the notebook of a skill folder, and the folder of its stem: both or neither.

    The prose becomes cells that export to the same SKILL.md, byte for byte; the code, the cases
    and the hand-written manifest of a package become cells too; every other file goes to the
    folder of the notebook's stem, under the path it has in the skill. Nothing is run.

    Args:
        folder: the skill folder, or the SKILL.md in it.
        notebook: the notebook to write, ``<something>.ipynb``.
        force: overwrite a notebook, or a folder of its stem, that is there already; what stood
            there is kept beside it as ``<name>.bak``.

    Raises:
        UsageError: ``notebook`` is no ``.ipynb``, or its folder would be the skill folder itself.
        UnreadableError: there is no SKILL.md, or it is not UTF-8.
        RefusedError: something is in the place already, or the folder is larger than a skill.
        SetupError: the place is not writable or the disk is full; nothing was changed.
    """
    root, _ = located(folder)
    target = _checked(root, notebook)
    if not force:
        refuse_taken(notebook)
    gathered = gather(folder)
    came = incoming_of(gathered, notebook.name)
    backups = land(notebook, notebook_bytes(came.raw), target, came.files, force=force)
    return _brought(root, notebook, target, came, backups)


def _checked(root: Path, notebook: Path) -> Path:
    """The folder of the notebook's stem, where it may be written."""
    if notebook.suffix != ".ipynb":
        raise UsageError(f"{notebook} is no notebook's name; write one such as skill.ipynb.")
    target = folder_of(notebook)
    here, there = root.resolve(), target.resolve()
    if there.is_relative_to(here) or here.is_relative_to(there):
        raise UsageError(
            f"the files of {notebook.name} would go to {target}, which is the skill folder itself "
            "or holds it; put the notebook elsewhere with -o."
        )
    return target


def _brought(
    root: Path, notebook: Path, target: Path, came: Incoming, backups: tuple[Path, ...]
) -> Brought:
    return Brought(
        skill=came.name,
        source=root,
        notebook=notebook,
        folder=target,
        cells=len(came.raw["cells"]),
        files=tuple(came.files),
        problems=came.problems,
        backups=backups,
    )
