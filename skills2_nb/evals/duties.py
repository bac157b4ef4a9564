"""What a run owes, by its journal and its manifest.

A package's code is imported only where a guard has the last word: the block verdict has two
seconds, and a skill that reads tables takes one of them to import.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skills2_nb.contract.state import RunState
from skills2_nb.formats.manifest import StepEntry, read_manifest

if TYPE_CHECKING:
    from skills2_nb.contract.skill import Skill


@dataclass(frozen=True)
class Duty:
    """One step of a skill, as a run stands to it.

    Attributes:
        order: its place; steps of one number share it.
        requires: the steps that it stands on directly; None: all of lower order.
        is_owed: whether the run owes it; None where only its guard can tell.
        report: the fields of its result that the answer has to carry.
        schema: JSON Schema of its result.
    """

    step: str
    order: float
    requires: tuple[str, ...] | None
    is_owed: bool | None
    report: tuple[str, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)


def listed_duties(folder: Path) -> tuple[Duty, ...]:
    """What a run owes by the manifest of a package, in order; guards are not asked.

    Raises:
        UnreadableError: the manifest cannot be read.
    """
    schemas = _schemas(folder / "schemas.json")
    steps = sorted(read_manifest(folder).steps, key=lambda step: step.order)
    return tuple(_duty(step, schemas) for step in steps)


def asked_duties(folders: Iterable[Path], state: RunState) -> tuple[Duty, ...] | None:
    """The same, by the code of the package that ran; None where none of these is that one.

    Raises:
        PackageError: the package does not import.
    """
    from skills2_nb.contract.loader import load, package_digest

    for folder in folders:
        if package_digest(folder) == state.digest:
            return by_skill(load(folder), state)
    return None


def are_settled(duties: Iterable[Duty], state: RunState) -> bool:
    """Whether no guard has to be asked: each conditional step was done."""
    return all(duty.is_owed is not None or duty.step in state.last for duty in duties)


def by_skill(skill: Skill, state: RunState) -> tuple[Duty, ...]:
    """What a run owes by a skill that is loaded, in order."""
    return tuple(
        Duty(
            spec.id,
            skill.rank(spec.id),
            spec.requires,
            skill.owes(spec, state),
            tuple(spec.report),
            spec.output_json_schema(),
        )
        for spec in skill.steps
    )


def missing(duties: Sequence[Duty], state: RunState) -> list[str]:
    """The owed steps that were never called."""
    return [
        duty.step
        for duty in duties
        if duty.is_owed and duty.step not in state.last and not _failures(duty.step, state)
    ]


def failed(duties: Sequence[Duty], state: RunState) -> list[tuple[str, str]]:
    """The owed steps whose newest attempt failed and was not made good, each with its error.

    A call that was refused for its arguments after a success takes nothing back; a check that
    does not hold does.
    """
    found = []
    for duty in duties:
        failures = _failures(duty.step, state)
        done = state.last.get(duty.step)
        if not duty.is_owed or not failures:
            continue
        if done is None or (failures[-1].seq > done.seq and failures[-1].reason == "invariant"):
            said = (failures[-1].error or {}).get("message") or failures[-1].reason
            found.append((duty.step, str(said)))
    return found


def out_of_order(duties: Sequence[Duty], state: RunState) -> list[tuple[str, list[str]]]:
    """The steps that succeeded before those they stand on, each with these."""
    first: dict[str, int] = {}
    for call in state.calls.where(lambda of, status, reason: status == "ok"):
        first.setdefault(call.step, call.seq)
    found = []
    for duty in duties:
        done = state.last.get(duty.step)
        if done is not None:
            early = [id_ for id_ in _below(duty, duties) if first.get(id_, done.seq) >= done.seq]
            if early:
                found.append((duty.step, early))
    return found


def ready(duties: Sequence[Duty], state: RunState) -> str | None:
    """The step that may be called next."""
    for duty in duties:
        if duty.is_owed and duty.step not in state.last:
            return duty.step
    return None


def _below(duty: Duty, duties: Iterable[Duty]) -> list[str]:
    """The steps that have to be done before one: those it names, and owed ones of lower order.

    A conditional step that was not called is taken for one that was not due.
    """
    named = set(duty.requires or ())
    return [
        other.step
        for other in duties
        if other.is_owed and (other.step in named or other.order < duty.order)
    ]


def _failures(step: str, state: RunState) -> Sequence[Any]:
    return state.calls.where(lambda of, status, reason: of == step and status == "failed")


def _duty(step: StepEntry, schemas: Mapping[str, Any]) -> Duty:
    owed = step.required if step.when is None else None
    known = schemas.get(step.id)
    schema = known.get("output") if isinstance(known, dict) else None
    return Duty(
        step.id,
        step.order,
        step.requires,
        owed,
        step.report,
        schema if isinstance(schema, dict) else {},
    )


def _schemas(path: Path) -> Mapping[str, Any]:
    """The schemas by step; without them names of fields are known by the manifest alone."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    steps = value.get("steps", value) if isinstance(value, dict) else {}
    return steps if isinstance(steps, dict) else {}
