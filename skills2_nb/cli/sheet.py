"""A skill on one sheet, read from its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from skills2_nb.cli.screen import place
from skills2_nb.errors import Skills2Error
from skills2_nb.formats.cases import Case, StepCase
from skills2_nb.formats.manifest import StepEntry
from skills2_nb.formats.package import Package, check_lock, read_package
from skills2_nb.library.discovery import Target


@dataclass(frozen=True)
class Glance:
    """One line of a list of skills.

    Attributes:
        place: the folder, relative where it is below the working folder.
        faults: why it is not valid, in sentences; empty = valid.
    """

    name: str
    version: str
    steps: int
    place: str
    faults: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The line as plain values."""
        return {
            "skill": self.name,
            "version": self.version,
            "steps": self.steps,
            "path": self.place,
            "valid": not self.faults,
            "faults": list(self.faults),
        }


@dataclass(frozen=True)
class Sheet:
    """All that a reader of the package wants to know at first."""

    name: str
    version: str
    place: str
    description: str
    steps: tuple[dict[str, Any], ...]
    inputs: tuple[dict[str, Any], ...]
    anchors: tuple[str, ...]
    cases: tuple[dict[str, Any], ...]
    faults: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The sheet as plain values."""
        made = asdict(self)
        return {"skill": made.pop("name"), "version": made.pop("version"), **made}


def glance(target: Target) -> Glance:
    """What a list says of a skill; one that cannot be read says why."""
    try:
        package = read_package(target.path)
    except Skills2Error as error:
        return Glance(target.name, "-", 0, place(target.path), (error.message,))
    manifest = package.manifest
    found = faults(package)
    return Glance(manifest.name, manifest.version, len(manifest.steps), place(target.path), found)


def sheet(target: Target) -> Sheet:
    """The sheet of a package, or of what a notebook exports to.

    Raises:
        RefusedError: the notebook cannot be exported.
        UnreadableError: a file cannot be read.
    """
    from skills2_nb.evals.proof import opened

    with opened(target) as folder:
        package = read_package(folder)
        manifest = package.manifest
        return Sheet(
            name=manifest.name,
            version=manifest.version,
            place=place(target.path),
            description=str(package.front.get("description", "")),
            steps=tuple(_step(number, step) for number, step in enumerate(manifest.steps, 1)),
            inputs=tuple(_inputs(package)),
            anchors=tuple(manifest.anchors),
            cases=tuple(_case(case) for case in package.cases),
            faults=faults(package) if target.kind == "package" else (),
        )


def faults(package: Package) -> tuple[str, ...]:
    """What is wrong with a package's files, in sentences."""
    said = [problem.sentence() for problem in package.problems]
    if package.manifest.name != package.folder.resolve().name:
        said.append(f"the folder is not named {package.manifest.name!r}, as the skill is")
    state = check_lock(package.folder)
    if not package.lock:
        said.append("there is no export.lock; export the notebook again")
    else:
        said += _lock_faults("edited since the export", state.edited)
        said += _lock_faults("gone since the export", state.missing)
        said += _lock_faults("not written by the export", state.extra)
    return tuple(said)


def _lock_faults(what: str, names: tuple[str, ...]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [f"{what}: {', '.join(names[:3])}{more}"]


def _step(number: int, step: StepEntry) -> dict[str, Any]:
    return {
        "number": number,
        "id": step.id,
        "summary": step.summary,
        "required": step.required and not step.when,
        "when": _bare(step.when) if step.when else None,
        "requires": list(step.requires or ()),
        "invariants": [_bare(name) for name in step.invariants],
        "report": list(step.report),
        "effects": list(step.effects),
        "stub": step.stub,
    }


def _bare(address: str) -> str:
    return address.rpartition(":")[2]


def _inputs(package: Package) -> Iterator[dict[str, Any]]:
    """Parameters that no step before gives, as a field or as a whole: a run has to bring them."""
    from skills2_nb.contract.loader import describe

    if not package.manifest.steps:
        return
    schemas = (package.schemas or describe(package.folder))["steps"]
    given: set[str] = set()
    found: dict[str, dict[str, Any]] = {}
    for step in package.manifest.steps:
        schema = schemas.get(step.id, {})
        for name, facts, required in _parameters(schema.get("input", {})):
            wanted = _brought(name, facts, step.bind.get(name, ""), given)
            if wanted is None:
                continue
            fresh: dict[str, Any] = {"name": wanted, "type": _kind(facts), "required": False}
            item = found.setdefault(wanted, {**fresh, "steps": []})
            item["required"] = item["required"] or required
            item["steps"].append(step.id)
        output = schema.get("output", {})
        given |= {*output.get("properties", {}), _whole(output)} - {""}
    yield from found.values()


def _brought(name: str, facts: Mapping[str, Any], bound: str, given: set[str]) -> str | None:
    """The run input that a parameter takes; None where a step gives it."""
    if bound:
        return bound.removeprefix("inputs#/") if bound.startswith("inputs#/") else None
    return None if name in given or _whole(facts) in given else name


def _whole(schema: Mapping[str, Any]) -> str:
    """A model as one value, by its name, so that no field is taken for it."""
    return f"<{schema.get('title', '')}>" if schema.get("properties") else ""


def _parameters(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    required = schema.get("required", ())
    for name, facts in schema.get("properties", {}).items():
        yield name, facts, name in required


def _kind(facts: Mapping[str, Any]) -> str:
    """A JSON Schema in a word or two."""
    if "enum" in facts:
        return "one of " + ", ".join(str(item) for item in facts["enum"])
    if "const" in facts:
        return f"always {facts['const']!r}"
    if "anyOf" in facts:
        return " or ".join(dict.fromkeys(_kind(item) for item in facts["anyOf"]))
    kind = facts.get("type", "any value")
    if kind == "array":
        return f"list of {_kind(facts.get('items', {}))}"
    return str(facts.get("format", kind))


def _case(case: Case) -> dict[str, Any]:
    if isinstance(case, StepCase):
        told = f"{case.step} must fail: {case.fails}" if case.fails else f"{case.step} must hold"
        return {"id": case.id, "kind": "step", "says": told}
    return {"id": case.id, "kind": "run", "says": case.prompt}
