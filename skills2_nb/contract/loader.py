"""Exported packages, each under a private module name."""

from __future__ import annotations

import hashlib
import importlib
import importlib.abc
import os
import re
import sys
import threading
import tomllib
import traceback
from collections.abc import Mapping, Sequence
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
)
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from skills2_nb.contract.errors import DefinitionError, PackageError, told
from skills2_nb.contract.skill import Runtime, Skill

ROOT = "_skills2"
_FOLDERS: dict[str, Path] = {}
_LOCK = threading.RLock()
#: What no part of a module's name may hold: a dot would make two parts.
_NO_NAME = re.compile(r"\W")


def files(folder: Path) -> list[str]:
    """The package's files as sorted POSIX paths, without ``evals/`` and compiled caches."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not _left_out(path.relative_to(folder))
    )


def package_digest(folder: Path) -> str:
    """sha256 over the sorted ``(path, sha256 of the bytes on disk)`` of :func:`files`."""
    return combined(
        {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files(folder)}
    )


def combined(digests: Mapping[str, str]) -> str:
    """The digest of a package whose files, by path, have these sha256."""
    total = hashlib.sha256()
    for name in sorted(digests):
        if not _left_out(Path(name)):
            total.update(os.fsencode(name) + f"\0{digests[name]}\n".encode())
    return total.hexdigest()


def load(folder: Path) -> Skill:
    """The skill of an exported package; its code is imported under a name of its own.

    The name comes from the skill's and the digest, so that many packages, and two states of one,
    live side by side in a process.

    Raises:
        PackageError: the folder is no package, or its code fails to import; the message names
            file and line.
    """
    folder = folder.resolve()
    manifest = _manifest(folder)
    name = str(manifest.get("skill", {}).get("name") or folder.name)
    try:
        digest = package_digest(folder)
    except OSError as error:
        raise PackageError(f"{folder} cannot be read: {error}") from error
    steps = manifest.get("steps", [])
    names: Mapping[str, Any] = {}
    if steps or (folder / "runtime").is_dir():
        stem = _NO_NAME.sub("_", name)
        names = vars(_imported(f"{ROOT}.{stem}_{digest[:12]}", folder))
    try:
        skill = Skill.collect(
            names,
            name,
            sequence=[item["id"] for item in sorted(steps, key=lambda s: s.get("order", 0))],
            stubs=[item["id"] for item in steps if item.get("stub")],
            version=str(manifest.get("skill", {}).get("version", "0.1.0")),
            digest=digest,
            folder=folder,
            runtime=_runtime(manifest.get("runtime", {})),
        )
    except (DefinitionError, TypeError, ValueError) as error:
        raise PackageError(f"{folder}: {error}") from error
    _check_ids(folder, skill, steps)
    return skill


def describe(folder: Path) -> dict[str, Any]:
    """What an export's verification wants to know: JSON Schemas by step.

    Every name that a step gives as text is resolved, so that what is missing shows here.

    Returns:
        ``{"steps": {<id>: {"input": <schema>, "output": <schema>}}}``

    Raises:
        PackageError: the package does not import.
        DefinitionError: a name, type, binding or report field is not there.
    """
    skill = load(folder)
    for spec in skill.steps:
        spec.invariants, spec.guard  # noqa: B018 - resolving them is the check
        skill.distances(spec.id)
        _check_bind(skill, spec)
        _check_report(spec)
    return {
        "steps": {
            spec.id: {"input": spec.input_json_schema(), "output": spec.output_json_schema()}
            for spec in skill.steps
        }
    }


class _Finder(importlib.abc.MetaPathFinder):
    """Finds ``_skills2`` and the packages registered below it."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """The spec of a private package, else None."""
        if not fullname.startswith(ROOT):
            return None
        if fullname == ROOT:
            return _container(fullname, [])
        if fullname in _FOLDERS:
            return _container(fullname, [str(_FOLDERS[fullname])])
        found = (FileFinder(place, *_KINDS).find_spec(fullname) for place in path or ())
        return next((spec for spec in found if spec is not None), None)


class _Source(SourceFileLoader):
    """Reads the text itself: a compiled copy beside it is neither trusted nor written.

    A copy is known by second and size alone, so it may be that of the text before an edit.
    """

    def path_stats(self, path: str) -> NoReturn:
        """Refused: without it the import system looks for no compiled copy."""
        raise OSError("a package's code is read from its text")


_KINDS = ((_Source, SOURCE_SUFFIXES), (ExtensionFileLoader, EXTENSION_SUFFIXES))


def _container(name: str, search: list[str]) -> ModuleSpec:
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = search
    return spec


def _imported(name: str, folder: Path) -> ModuleType:
    """``runtime.steps`` of the package, imported as ``<name>.runtime.steps``."""
    with _LOCK:
        if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
            sys.meta_path.insert(0, _Finder())
        if not _FOLDERS.get(name, folder).is_dir():
            _forget(name)  # a copy of the same bytes that is gone, and with it its assets
        _FOLDERS[name] = folder
        try:
            return importlib.import_module(f"{name}.runtime.steps")
        except BaseException as error:
            _forget(name)
            if isinstance(error, (KeyboardInterrupt, GeneratorExit)):
                raise
            raise PackageError(_import_fault(folder, error)) from error


def forget() -> None:
    """Let every package go: what is loaded next starts with nothing that its steps left."""
    with _LOCK:
        _forget(ROOT)


def _forget(name: str) -> None:
    for module in [m for m in list(sys.modules) if m == name or m.startswith(f"{name}.")]:
        del sys.modules[module]


def _import_fault(folder: Path, error: BaseException) -> str:
    """One sentence with the package's own innermost line."""
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{folder.name}: {Path(error.filename).name}, line {error.lineno}"
        return f"{place}: SyntaxError: {error.msg}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).is_relative_to(folder):
            place = Path(frame.filename).relative_to(folder).as_posix()
            return f"{folder.name} does not import: {place}, line {frame.lineno}: {told(error)}"
    if not (folder / "runtime" / "steps.py").is_file():
        return f"{folder} has no runtime/steps.py; export the notebook again"
    return f"{folder.name} does not import: {told(error)}"


def _manifest(folder: Path) -> Mapping[str, Any]:
    path = folder / "skill.toml"
    try:
        return _shaped(tomllib.loads(path.read_text(encoding="utf-8")), path)
    except FileNotFoundError:
        raise PackageError(
            f"{folder} is no skill package: it has no skill.toml; export its notebook"
        ) from None
    except (OSError, ValueError, RecursionError) as error:  # TOML faults are ValueErrors
        raise PackageError(f"{path} cannot be read: {error}") from error


def _shaped(manifest: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """The manifest, whose tables are tables and whose steps have an id and an order."""
    tables = [manifest.get("skill", {}), manifest.get("runtime", {})]
    steps = manifest.get("steps", [])
    rows = steps if isinstance(steps, list) else [steps]
    fits = all(isinstance(item, Mapping) for item in [*tables, *rows]) and all(
        isinstance(row.get("id"), str) and isinstance(row.get("order", 0), (int, float))
        for row in rows
    )
    if not fits:
        raise PackageError(
            f"{path} has no [skill], [runtime] and [[steps]] with id and order as an export "
            "writes them; export the notebook again"
        )
    return manifest


def _runtime(table: Mapping[str, Any]) -> Runtime:
    standard = Runtime()
    return Runtime(
        timeout=float(table.get("timeout", standard.timeout)),
        memory_mb=int(table.get("memory_mb", standard.memory_mb)),
        capture=str(table.get("capture", standard.capture)),
        redact=tuple(table.get("redact", standard.redact)),
    )


def _check_ids(folder: Path, skill: Skill, steps: Sequence[Mapping[str, Any]]) -> None:
    listed = {str(item["id"]) for item in steps}
    if steps and listed != set(skill.ids):
        odd = ", ".join(sorted(listed ^ set(skill.ids)))
        raise PackageError(
            f"{folder}: skill.toml and the code disagree about {odd}; export the notebook again"
        )


def _check_bind(skill: Skill, spec: Any) -> None:
    for name, reference in spec.bind.items():
        source, mark, _ = reference.partition("#")
        if name not in {p.name for p in spec.parameters}:
            raise DefinitionError(f"step {spec.id!r} binds {name!r}, which it does not take")
        if not mark or (source != "inputs" and source not in skill.ancestors(spec.id)):
            raise DefinitionError(
                f"step {spec.id!r} binds {name!r} to {reference!r}, which is no result of a step "
                "it stands on; write step#/field"
            )


def _check_report(spec: Any) -> None:
    fields = spec.output_json_schema().get("properties", {})
    for name in spec.report:
        if name not in fields:
            known = ", ".join(fields) or "none"
            raise DefinitionError(
                f"step {spec.id!r} reports {name!r}, which is no field of its result ({known})"
            )


def _left_out(path: Path) -> bool:
    return path.parts[0] == "evals" or "__pycache__" in path.parts
