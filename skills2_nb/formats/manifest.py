"""skill.toml: what is known of a skill before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from skills2_nb.errors import UnreadableError
from skills2_nb.formats.files import read_bytes
from skills2_nb.formats.manifest_keys import TABLES, check
from skills2_nb.formats.problem import Problem, found

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Triggers:
    """When the skill is the one to use.

    Attributes:
        phrases: things a user may say.
        keywords: single words that speak for the skill.
        not_: phrases that speak against it (the key ``not``).
        threshold: the least match score, 0 to 1.
    """

    phrases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    not_: tuple[str, ...] = ()
    threshold: float = 0.5


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """How runs of the skill are judged; weights are coverage, consistency, anchoring."""

    profile: str = "strict"
    threshold: float = 0.80
    weights: tuple[float, float, float] = (0.40, 0.35, 0.25)
    f1_floor: float = 0.70


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """What the steps run on.

    Attributes:
        python: a version specifier, such as ``>=3.11``.
        dependencies: distributions the code imports.
        timeout: seconds a call may take.
        memory_mb: MiB a worker may hold.
        capture: ``full`` or ``digest`` values in the journal.
        redact: field names whose values are never kept.
        restrict_tools: whether other tools are held back during a run.
    """

    python: str = ">=3.11"
    dependencies: tuple[str, ...] = ()
    timeout: float = 60
    memory_mb: int = 2048
    capture: str = "full"
    redact: tuple[str, ...] = ()
    restrict_tools: bool = False


@dataclass(frozen=True, slots=True)
class StepEntry:
    """One step as the manifest lists it.

    Attributes:
        requires: ids, or None where the author gave none (then: all of lower order).
        invariants: addresses such as ``runtime.validators:identity_closes``.
        output: address of the output model, where it has a name.
        when: address of the guard.
        bind: parameter to reference, such as ``compute_flows#/current``.
    """

    id: str
    order: float
    fn: str
    required: bool = True
    requires: tuple[str, ...] | None = None
    invariants: tuple[str, ...] = ()
    output: str | None = None
    when: str | None = None
    effects: tuple[str, ...] = ()
    bind: Mapping[str, str] = field(default_factory=dict)
    report: tuple[str, ...] = ()
    summary: str = ""
    stub: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """A whole skill.toml; ``anchors`` are the terms of ``[anchors]``."""

    name: str
    version: str = "0.1.0"
    triggers: Triggers = field(default_factory=Triggers)
    anchors: tuple[str, ...] = ()
    audit: AuditSettings = field(default_factory=AuditSettings)
    runtime: RuntimeSettings = field(default_factory=RuntimeSettings)
    steps: tuple[StepEntry, ...] = ()


def parse_tables(text: str, where: str) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """The tables of a manifest, or of the hand-written part of one, with what is wrong in them.

    Values that break a rule are left out of the tables given back.

    Args:
        text: TOML.
        where: the file's name, for messages.
    """
    import tomllib  # for hand-written tables alone

    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers too long, tables too deep
        line = getattr(error, "lineno", None) or _line_in(str(error))
        problem = found("M701", f"not TOML: {error}", "correct that line", file=where, line=line)
        return {}, (problem,)
    return check(tables, where)


def parse_manifest(text: str, where: str = "skill.toml") -> tuple[Manifest, tuple[Problem, ...]]:
    """A manifest of its text; missing keys have their defaults, wrong ones are problems."""
    tables, problems = parse_tables(text, where)
    return from_tables(tables), problems


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a package folder.

    Raises:
        UnreadableError: there is none, or it is not valid; the first fault is named.
    """
    path = folder / "skill.toml"
    data = read_bytes(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path} is not UTF-8 (byte offset {error.start}).") from None
    manifest, problems = parse_manifest(text.replace("\r\n", "\n"), str(path))
    if problems:
        raise UnreadableError(problems[0].sentence())
    return manifest


def merge(generated: Manifest, tables: Mapping[str, Any]) -> Manifest:
    """The generated manifest with the hand-written tables over it, key by key."""
    if not tables:
        return generated
    made = to_tables(generated)
    for name, table in tables.items():
        if isinstance(table, Mapping) and name in made:
            made[name] = {**made[name], **table}
    return from_tables(made)


def from_tables(tables: Mapping[str, Any]) -> Manifest:
    """A manifest of checked tables."""
    skill = tables.get("skill", {})
    return Manifest(
        name=skill.get("name", ""),
        version=skill.get("version", "0.1.0"),
        triggers=Triggers(**_frozen(tables.get("triggers", {}))),
        anchors=tuple(tables.get("anchors", {}).get("terms", ())),
        audit=AuditSettings(**_frozen(tables.get("audit", {}))),
        runtime=RuntimeSettings(**_frozen(tables.get("runtime", {}))),
        steps=tuple(
            StepEntry(**_frozen(step))
            for step in tables.get("steps", ())
            if {"id", "order", "fn"} <= set(step)
        ),
    )


def to_tables(manifest: Manifest) -> dict[str, Any]:
    """The manifest as TOML tables, keys in their fixed order."""
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "skill": {"name": manifest.name, "version": manifest.version},
        "triggers": _thawed(manifest.triggers),
        "anchors": {"terms": list(manifest.anchors)},
        "audit": _thawed(manifest.audit),
        "runtime": _thawed(manifest.runtime),
    }
    if manifest.steps:
        made["steps"] = [_step_table(step) for step in manifest.steps]
    return made


def dump(manifest: Manifest) -> str:
    """The manifest as TOML: same value, same bytes."""
    return tomli_w.dumps(to_tables(manifest))


def _frozen(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "not_" if key == "not" else key: tuple(value) if isinstance(value, list) else value
        for key, value in table.items()
    }


def _thawed(value: Any) -> dict[str, Any]:
    return {name.rstrip("_"): _plain(getattr(value, name)) for name in value.__slots__}


def _plain(value: Any) -> Any:
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, tuple):
        return list(value)
    return dict(sorted(value.items())) if isinstance(value, Mapping) else value


_ALWAYS = ("id", "order", "required", "fn", "report")


def _step_table(step: StepEntry) -> dict[str, Any]:
    """The keys of a step in the order of the table above them; empty ones are left out."""
    table = {}
    for key in TABLES["steps"]:
        value = getattr(step, key)
        if value or key in _ALWAYS or (key == "requires" and value is not None):
            table[key] = _plain(value)
    if float(step.order).is_integer():
        table["order"] = int(step.order)
    return table


def _line_in(message: str) -> int | None:
    """The line of ``... (at line 3, column 5)``, which older Pythons say in words only."""
    _, at, rest = message.partition("at line ")
    number = rest.partition(",")[0]
    return int(number) if at and number.isdigit() else None
