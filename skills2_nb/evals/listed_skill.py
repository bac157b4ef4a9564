"""A skill as its manifest lists it; nothing is imported.

An answer alone, with no call of a tool that anybody allowed, is no leave to run what a repository
brings. Without a run there is nothing that code would have to be asked about.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skills2_nb.audit.auditor import Basis
from skills2_nb.audit.constants import constants_in
from skills2_nb.contract.loader import package_digest
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.errors import PackageError
from skills2_nb.formats.manifest import StepEntry
from skills2_nb.formats.package import read_package


def listed_basis(folder: Path) -> Basis:
    """What an answer without a run is judged by; the skill's steps cannot be called.

    Raises:
        PackageError: the folder is no package, or cannot be read.
    """
    package = read_package(folder)
    manifest = package.manifest
    try:
        digest = package_digest(folder)
    except OSError as error:
        raise PackageError(f"{folder} cannot be read: {error}") from error
    steps = sorted(manifest.steps, key=lambda step: step.order)
    skill = Skill(
        name=manifest.name,
        steps=tuple(_listed(step) for step in steps),
        version=manifest.version,
        digest=digest,
        folder=folder,
    )
    return Basis(
        skill=skill,
        body=package.body,
        anchors=manifest.anchors,
        settings=manifest.audit,
        constants=constants_in(folder),
    )


def _listed(step: StepEntry) -> StepSpec:
    """A step that is owed unless the manifest says otherwise: no guard was asked."""
    return StepSpec(
        id=step.id,
        fn=_not_loaded,
        order=step.order,
        requires=step.requires,
        required=step.required or step.when is not None,
        effects=step.effects,
        bind=step.bind,
        report=step.report,
        summary=step.summary,
        stub=step.stub,
    )


def _not_loaded() -> Any:
    raise PackageError("a step of a package that was only read cannot be called")
