"""A package folder as a value, and its lock."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.errors import PackageError, RefusedError, UnreadableError
from skills2_nb.formats.cases import Case, parse_cases
from skills2_nb.formats.files import over_lf, read_bytes, sha256
from skills2_nb.formats.manifest import Manifest, parse_manifest
from skills2_nb.formats.paths import is_noise
from skills2_nb.formats.problem import Problem
from skills2_nb.formats.skill_md import SkillMd, split

LOCK = "export.lock"
#: Files that others write into a package; no lock speaks of them.
OTHERS = ("evals/baseline.json", LOCK)
#: So many files are named in a sentence.
_NAMED = 5
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


@dataclass(frozen=True, slots=True)
class Package:
    """An exported skill as it lies on disk.

    Attributes:
        folder: where it lies.
        skill_md: SKILL.md, cut.
        front: the front matter's mapping; empty where there is none.
        body: the prose, LF.
        manifest: skill.toml; defaults and the folder's name where there is none.
        schemas: schemas.json, where it is there.
        cases: evals/cases.jsonl.
        lock: path to digest, as export.lock has them.
        problems: what is wrong in these files and does not stop the reading.
    """

    folder: Path
    skill_md: SkillMd
    front: Mapping[str, Any]
    body: str
    manifest: Manifest
    schemas: Mapping[str, Any] | None
    cases: tuple[Case, ...]
    lock: Mapping[str, str]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class LockState:
    """How a folder differs from its lock: sorted relative paths."""

    edited: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        """Whether every file is as export wrote it, and no other is there."""
        return not (self.edited or self.missing or self.extra)


def read_package(folder: Path) -> Package:
    """Read a package folder; nothing in it is run.

    Raises:
        PackageError: there is no SKILL.md.
        UnreadableError: SKILL.md is not UTF-8, or schemas.json is no JSON object.
    """
    if not (folder / "SKILL.md").is_file():
        raise PackageError(f"{folder} is no skill: there is no SKILL.md in it.")
    document = split(read_bytes(folder / "SKILL.md"))
    manifest, manifest_problems = parse_manifest(_text(folder / "skill.toml"))
    cases, case_problems = parse_cases(_text(folder / "evals/cases.jsonl"), "evals/cases.jsonl")
    front = document.fields
    if not manifest.name:
        name = front.get("name")
        manifest = Manifest(**{**_shallow(manifest), "name": name or folder.resolve().name})
    return Package(
        folder=folder,
        skill_md=document,
        front=front,
        body=document.body,
        manifest=manifest,
        schemas=_schemas(folder / "schemas.json"),
        cases=tuple(cases),
        lock=parse_lock(_text(folder / LOCK)),
        problems=(*manifest_problems, *case_problems),
    )


def lock(files: Mapping[str, bytes]) -> str:
    """The lock of files: digest and path a line, sorted; text over LF, binary as it is."""
    return "".join(
        f"{digest_of(files[path])}  {path}\n" for path in sorted(files) if path not in OTHERS
    )


def parse_lock(text: str) -> dict[str, str]:
    """Path to digest; lines that are neither are left out."""
    matches = (_LINE.fullmatch(line) for line in text.split("\n"))
    return {match.group(2): match.group(1) for match in matches if match}


def digest_of(data: bytes) -> str:
    """The digest a lock keeps of a file's bytes."""
    return sha256(over_lf(data))


def check_lock(folder: Path) -> LockState:
    """Compare a package with its export.lock."""
    locked = parse_lock(_text(folder / LOCK))
    here = {path: folder / path for path in listing(folder) if path not in OTHERS}
    return LockState(
        edited=tuple(
            sorted(
                path
                for path, digest in locked.items()
                if path in here and digest_of(here[path].read_bytes()) != digest
            )
        ),
        missing=tuple(sorted(set(locked) - set(here))),
        extra=tuple(sorted(set(here) - set(locked))),
    )


def refuse_edited(folder: Path, mend: str) -> None:
    """Let a package pass that is as it was exported, or was never locked.

    Args:
        folder: the package.
        mend: what was not done, and what to do instead.

    Raises:
        RefusedError: a file was edited or taken away since.
    """
    if not (folder / LOCK).is_file():
        return
    state = check_lock(folder)
    odd = (*state.edited, *state.missing)
    if odd:
        raise RefusedError(f"{folder}: {', '.join(odd[:_NAMED])} changed since the export; {mend}")


def listing(folder: Path) -> list[str]:
    """Every file below a folder, relative with ``/``, sorted; caches and system noise left out."""
    if not folder.is_dir():
        return []
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if not is_noise(path.relative_to(folder))
        and (path.is_file() or path.is_symlink())
        and not path.is_dir()
    )


def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path} is not UTF-8 (byte offset {error.start}).") from None


def _schemas(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        value = json.loads(_text(path))
    except ValueError as error:
        raise UnreadableError(f"{path} is not JSON ({error}); export the skill again.") from None
    if not isinstance(value, dict):
        raise UnreadableError(f"{path} is no JSON object; export the skill again.")
    return value


def _shallow(manifest: Manifest) -> dict[str, Any]:
    return {name: getattr(manifest, name) for name in manifest.__slots__}
