"""A skill opened as far as is asked: card, contract, prose.

Disclosure comes in steps. A :class:`Card` is what a listing says, read from the head of SKILL.md.
A :class:`Contract` is what a caller of steps has to know, read from ``skill.toml`` and
``schemas.json``. :func:`prose` is the text an agent follows. Nothing of a package is imported.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skills2_nb.errors import PackageError, UnreadableError
from skills2_nb.formats.files import read_bytes
from skills2_nb.formats.frontmatter import FrontMatterError, cut, inside, parse
from skills2_nb.formats.manifest import Manifest, RuntimeSettings, StepEntry, read_manifest

#: Bytes of a SKILL.md read for its card; front matter ends long before.
HEAD = 16 * 1024
#: Files of which one changes when a package is exported anew or its code is edited.
FILES = ("SKILL.md", "skill.toml", "schemas.json", "export.lock", "runtime/skill.py")
#: A line that every reader of YAML takes for a key and a text: quoted as in JSON, or plain words.
_FLAT = re.compile(
    r"(?P<key>[a-z][a-z-]*): (?:"
    r'(?P<quoted>"(?:[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]|\\["\\])*")'
    r"|(?P<plain>[A-Za-z][A-Za-z0-9-]*(?:[ .,][A-Za-z][A-Za-z0-9-]*)*))"
)
#: Plain words that are no text.
_TYPED = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


@dataclass(frozen=True)
class Card:
    """What a listing says of a skill.

    Attributes:
        name: of the front matter, else the folder's.
        description: what it does and when to use it; may be empty.
        folder: where the package lies.
    """

    name: str
    description: str
    folder: Path


@dataclass(frozen=True)
class Schemas:
    """JSON Schemas of one step; both empty where the package holds none."""

    input: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The schema of each parameter by name."""
        found: Mapping[str, Any] = self.input.get("properties", {})
        return found


@dataclass(frozen=True)
class Contract:
    """What a caller of a skill's steps has to know.

    Attributes:
        steps: as the manifest lists them, by order.
        schemas: by step.
        runtime: time, memory and what the journal keeps.
        notebook: the file name of the notebook whose kernel runs the steps; None of a package.
        ghosts: steps that a kernel still holds although their cell is gone; nobody can call them.
    """

    card: Card
    version: str
    steps: tuple[StepEntry, ...]
    schemas: Mapping[str, Schemas]
    runtime: RuntimeSettings
    notebook: str | None = None
    ghosts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The skill's name."""
        return self.card.name

    def step(self, id: str) -> StepEntry | None:
        """The step of that id, if there is one."""
        return next((step for step in self.steps if step.id == id), None)

    def schema(self, step: str) -> Schemas:
        """The schemas of a step; empty ones where the export was made with ``--no-verify``."""
        return self.schemas.get(step, Schemas())


def card(folder: Path) -> Card:
    """Read the head of a SKILL.md.

    Raises:
        UnreadableError: it is not there, is not UTF-8, or its front matter is no YAML.
    """
    path = folder / "SKILL.md"
    front = cut(_head(path))
    try:
        text = inside(front[0]) if front else ""
        fields = flat(text)
        if fields is None:
            fields = parse(text)
    except FrontMatterError as error:
        raise UnreadableError(f"{path}: its front matter cannot be read: {error}") from None
    name, description = fields.get("name"), fields.get("description")
    return Card(
        name if isinstance(name, str) and name else folder.name,
        " ".join(description.split()) if isinstance(description, str) else "",
        folder,
    )


def flat(text: str) -> dict[str, Any] | None:
    """The fields of front matter that is lines of ``key: text`` alone; None where it is more.

    Most is, and a listing of hundreds of skills is spared the import of a YAML reader.
    """
    found: dict[str, Any] = {}
    for line in text.split("\n") if text else []:
        match = _FLAT.fullmatch(line)
        if match is None or match["key"] in found or (match["plain"] or "").lower() in _TYPED:
            return None
        try:
            found[match["key"]] = match["plain"] or json.loads(match["quoted"])
        except ValueError:
            return None
    return found


def contract(folder: Path, manifest: Manifest | None = None) -> Contract:
    """Read what a caller of the steps has to know.

    Args:
        manifest: of that folder, where it was read already.

    Raises:
        UnreadableError: a file of the package is not what it should be.
        PackageError: SKILL.md and skill.toml call the skill by two names.
    """
    made = card(folder)
    manifest = manifest or read_manifest(folder)
    if manifest.name and manifest.name != made.name:
        raise PackageError(
            f"{folder}: SKILL.md calls the skill {made.name!r} and skill.toml {manifest.name!r}; "
            "export its notebook again"
        )
    return Contract(
        made,
        manifest.version,
        tuple(sorted(manifest.steps, key=lambda step: step.order)),
        _schemas(folder),
        manifest.runtime,
    )


def prose(folder: Path) -> str:
    """The text of SKILL.md after its front matter, LF.

    Raises:
        UnreadableError: it is not there or not UTF-8.
    """
    text = _text(folder / "SKILL.md", read_bytes(folder / "SKILL.md"))
    front = cut(text)
    return (front[1] if front else text).strip("\n")


def step_count(folder: Path) -> int:
    """How many steps a package has, by its schemas where they are there: they read fastest.

    Raises:
        UnreadableError: neither schemas.json nor skill.toml can be read.
    """
    found = _schemas(folder)
    return len(found) if found else len(read_manifest(folder).steps)


def mark(folder: Path) -> tuple[tuple[int, int], ...]:
    """What changes when a package is exported anew: time and size of its ``FILES``."""
    place = os.fspath(folder)  # hundreds of packages are looked at every second: no Path for each
    return tuple(_stamp(f"{place}{os.sep}{name}") for name in FILES)


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(HEAD)
    except OSError:
        data = read_bytes(path)[:HEAD]  # says what is wrong
    whole = len(data) < HEAD
    return _text(path, data if whole else data.rpartition(b"\n")[0])


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path} is not UTF-8 (byte offset {error.start}).") from None


def _schemas(folder: Path) -> dict[str, Schemas]:
    path = folder / "schemas.json"
    if not path.is_file():
        return {}
    try:
        steps = json.loads(read_bytes(path))["steps"]
        return {
            id_: Schemas(_schema(item.get("input")), _schema(item.get("output")))
            for id_, item in steps.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"{path} is not as an export writes it ({error!r}).") from None


def _schema(value: Any) -> dict[str, Any]:
    """A schema as far as a listing takes it apart; an empty one where there is none."""
    found: dict[str, Any] = {} if value is None else value
    inner = found.get("properties", {})
    for part in (found, inner, found.get("$defs", {}), *inner.values()):
        if not isinstance(part, dict):
            raise TypeError(f"{part!r:.40} is no object")
    return found
