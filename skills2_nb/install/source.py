"""The package that is to be installed, as a value."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.contract.loader import combined
from skills2_nb.convert.exporter import export
from skills2_nb.convert.step_rules import LONGEST_TOOL
from skills2_nb.errors import RefusedError, UsageError
from skills2_nb.formats.files import read_bytes, sha256
from skills2_nb.formats.manifest import Manifest
from skills2_nb.formats.package import Package, listing, read_package, refuse_edited
from skills2_nb.formats.paths import is_safe_path, shown
from skills2_nb.hooks.uses import prefix
from skills2_nb.library.discovery import Target


@dataclass(frozen=True)
class Source:
    """A package that was looked at and found fit.

    Attributes:
        name: the skill's name.
        version: as its manifest has it.
        files: bytes by relative path.
        folder: where it lies; None where it was made of a notebook.
        restricts: whether it holds other tools back during its runs.
    """

    name: str
    version: str
    files: Mapping[str, bytes]
    folder: Path | None
    restricts: bool = False

    @property
    def digests(self) -> dict[str, str]:
        """sha256 by relative path."""
        return {path: sha256(data) for path, data in self.files.items()}

    @property
    def digest(self) -> str:
        """The package digest."""
        return combined(self.digests)


def source_of(target: Target, *, force: bool = False) -> Source:
    """Read a package, or make it of its notebook first; nothing of a package is run.

    Args:
        force: take a package that was edited since its export.

    Raises:
        RefusedError: it has errors, or was edited since its export.
        UnreadableError: it cannot be read.
    """
    if target.kind == "package":
        return _read(target.path, target.path, force)
    with tempfile.TemporaryDirectory(prefix="skills2-") as place:
        return _read(export(target.path, Path(place)).folder, None, force)


def _read(folder: Path, place: Path | None, force: bool) -> Source:
    package = read_package(folder)
    _check(package)
    if not force:
        refuse_edited(
            folder,
            "nothing was installed. Export the notebook again, or install it as it is with "
            "--force.",
        )
    return Source(
        package.manifest.name,
        package.manifest.version,
        {path: _bytes(folder, path) for path in listing(folder)},
        place,
        package.manifest.runtime.restrict_tools,
    )


def _check(package: Package) -> None:
    """Refuse what no client would take."""
    errors = tuple(problem for problem in package.problems if problem.level == "error")
    if errors:
        raise RefusedError(
            f"{package.folder} has errors; nothing was changed. First: {errors[0].sentence()}",
            errors,
        )
    name = package.manifest.name
    if "/" in name or not is_safe_path(name):
        raise RefusedError(
            f"{package.folder}: {shown(name)!r} cannot be the name of a folder; give the skill "
            "another one in the front matter of SKILL.md."
        )
    if not str(package.front.get("description") or "").strip():
        raise RefusedError(
            f"{package.folder / 'SKILL.md'}: there is no description in its front matter, so no "
            "client can tell when to use the skill; write one."
        )
    _check_tools(package.manifest)


def _check_tools(manifest: Manifest) -> None:
    ids = [step.id for step in manifest.steps]
    for tool in (f"{prefix()}{manifest.name}__{id_}" for id_ in ("start_run", *ids)):
        if ids and len(tool) > LONGEST_TOOL:
            raise RefusedError(
                f"the tool name {tool} has {len(tool)} characters, and clients allow "
                f"{LONGEST_TOOL}; shorten the skill's name or the step's id in the notebook, and "
                "export it again."
            )


def _bytes(folder: Path, path: str) -> bytes:
    real = os.path.realpath(folder / path)
    if not Path(real).is_relative_to(os.path.realpath(folder)):
        raise UsageError(f"{folder / path} is a link that leaves the package; delete the link.")
    return read_bytes(folder / path)
