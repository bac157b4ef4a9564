"""The steps of one skill, in order."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skills2_nb.contract import invariants as inv
from skills2_nb.contract.canonical import decode
from skills2_nb.contract.errors import (
    DefinitionError,
    GuardError,
    OrderError,
    RunEndedError,
    UnknownStepError,
)
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Call, Check, RunState


@dataclass(frozen=True)
class Runtime:
    """``[runtime]`` of skill.toml, as far as a running step needs it.

    Attributes:
        timeout: seconds a step may take.
        memory_mb: megabytes a worker may hold.
        capture: ``full`` or ``digest``: whether a journal keeps values or their digests.
        redact: field names whose values a journal replaces by their digests.
    """

    timeout: float = 60.0
    memory_mb: int = 2048
    capture: str = "full"
    redact: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Skill:
    """A contract: its steps in order and where they came from.

    Attributes:
        digest: of the package on disk; None for a live kernel.
        live: digest of the sources blob of a live kernel; None for a package.
        folder: the package's folder; None for a live kernel without files.
    """

    name: str
    steps: tuple[StepSpec, ...]
    version: str = "0.1.0"
    digest: str | None = None
    live: str | None = None
    folder: Path | None = None
    runtime: Runtime = field(default_factory=Runtime)

    @classmethod
    def collect(
        cls,
        namespace: Mapping[str, Any],
        name: str,
        *,
        sequence: Iterable[str] = (),
        stubs: Iterable[str] = (),
        **facts: Any,
    ) -> Skill:
        """The steps that a module's or kernel's names hold.

        Args:
            sequence: ids in the order of their cells, where it is known; others follow in the
                order of their definition.
            stubs: ids whose bodies are still to be written.

        Raises:
            DefinitionError: two steps have one id, or one requires what is no step.
        """
        found: dict[str, StepSpec] = {}
        for value in namespace.values():
            spec = getattr(value, "__step__", None)
            if isinstance(spec, StepSpec) and found.setdefault(spec.id, spec) is not spec:
                raise DefinitionError(f"two steps of {name!r} have the id {spec.id!r}")
        places = {id_: at for at, id_ in enumerate(sequence)}
        cells = sorted(found.values(), key=lambda s: (places.get(s.id, len(places)), s.position))
        marked = frozenset(stubs)
        steps = [
            dataclasses.replace(s, stub=True) if s.id in marked and not s.stub else s for s in cells
        ]
        made = cls(name, tuple(steps), **facts)
        return dataclasses.replace(made, steps=made._sorted())

    @property
    def ids(self) -> tuple[str, ...]:
        """The steps' ids in order."""
        return tuple(step.id for step in self.steps)

    def step(self, id: str) -> StepSpec:
        """The step ``id``.

        Raises:
            UnknownStepError: there is none.
        """
        try:
            return self._by_id[id]
        except KeyError:
            raise UnknownStepError(
                f"skill {self.name!r} has no step {id!r}; its steps are {', '.join(self.ids)}",
                step=id,
            ) from None

    def rank(self, id: str) -> int:
        """The place in the order, from 1; steps given one number share a rank."""
        return self._ranks[id]

    def requires(self, id: str) -> tuple[str, ...]:
        """The steps that ``id`` stands on directly; where it gives none, all of lower order."""
        return self._requires[id]

    def distances(self, id: str) -> Mapping[str, int]:
        """Every step that ``id`` stands on, with its distance along ``requires``, nearest first."""
        return self._distances[id]

    def ancestors(self, id: str) -> list[str]:
        """Every step that ``id`` stands on, nearest first."""
        return list(self._distances[id])

    def guard(self, spec: StepSpec, state: RunState) -> bool | None:
        """Whether a conditional step is due: None where its guard cannot be evaluated."""
        if spec.guard is None:
            return True
        view = self.view(state)
        fields: dict[str, Any] = dict(view.inputs)
        for id_ in reversed(self.ancestors(spec.id)):
            if id_ in view.outputs and _gives_any(self.step(id_), spec.guard.parameters):
                fields.update(inv.output_fields(view.outputs[id_]))
        return inv.holds(spec.guard, fields, view)

    def owes(self, spec: StepSpec, state: RunState) -> bool:
        """Whether a run owes the step: required, or its guard is true or cannot be evaluated."""
        if spec.guard is None:
            return spec.required
        return self.guard(spec, state) is not False

    def owed(self, state: RunState) -> list[StepSpec]:
        """The steps that a run owes, in order."""
        return [step for step in self.steps if self.owes(step, state)]

    def missing(self, spec: StepSpec, state: RunState) -> list[str]:
        """The steps that have to succeed before ``spec`` may be called, in order."""
        always = self._always[spec.id]
        if always is not None:
            return [id_ for id_ in always if id_ not in state.last]
        rank = self._ranks[spec.id]
        wanted = set(self._requires[spec.id]) if spec.requires is not None else set()
        return [
            other.id
            for other in self.steps
            if other.id not in state.last and self._stands(other, wanted, rank, state)
        ]

    def admit(self, spec: StepSpec, state: RunState) -> None:
        """Let ``spec`` be called now.

        Raises:
            RunEndedError: the run has ended.
            GuardError: this run does not owe the step.
            OrderError: a step it stands on has not succeeded.
        """
        if not state.is_open:
            raise RunEndedError(
                f"{spec.id} was called after run {state.run} had ended; start a new run",
                step=spec.id,
                next=["start_run"],
            )
        if self.guard(spec, state) is False:
            raise GuardError(
                f"{spec.id} is not due in this run: its guard is false",
                step=spec.id,
                next=self.ready(state),
            )
        missing = self.missing(spec, state)
        if missing:
            raise OrderError(
                f"{spec.id} was called before {', '.join(missing)}; call {missing[0]} next",
                step=spec.id,
                missing=missing,
                next=self.ready(state),
            )

    def ready(self, state: RunState) -> list[str]:
        """The steps not done yet that may be called now, in order."""
        return [
            step.id
            for step in self.steps
            if step.id not in state.last
            and self.guard(step, state) is not False
            and not self.missing(step, state)
        ]

    def view(self, state: RunState) -> inv.RunView:
        """What guards and invariants see of a run: its inputs, and typed outputs by step."""
        outputs = _Outputs(
            {
                step.id: (step, state.last[step.id].output)
                for step in self.steps
                if step.id in state.last
            }
        )
        inputs = {name: decode(item) for name, item in state.inputs.items()}
        return inv.RunView(inv.Fields(inputs), outputs)

    def recheck(self, call: Call, state: RunState) -> tuple[Check, ...]:
        """Ask the invariants of a recorded success again, on its recorded values.

        Raises:
            ContractError: the recorded values no longer fit the step's types.
        """
        spec = self.step(call.step)
        inputs, output = spec.restore(call.args, call.output)
        return inv.check(spec.invariants, inputs, output, self.view(state))

    def _stands(self, other: StepSpec, wanted: set[str], rank: int, state: RunState) -> bool:
        if other.id in wanted:
            return self.guard(other, state) is not False
        return self._ranks[other.id] < rank and self.owes(other, state)

    def _sorted(self) -> tuple[StepSpec, ...]:
        return tuple(sorted(self.steps, key=lambda step: self._keys[step.id]))

    @functools.cached_property
    def _keys(self) -> dict[str, tuple[float, int]]:
        """A step with a number goes by it; one without comes right after the step before it."""
        keys: dict[str, tuple[float, int]] = {}
        number, after = 0.0, Counter[float]()
        for step in self.steps:
            if step.order is None:
                after[number] += 1
                keys[step.id] = (number, after[number])
            else:
                number = float(step.order)
                keys[step.id] = (number, 0)
        return keys

    @functools.cached_property
    def _ranks(self) -> dict[str, int]:
        keys = self._keys
        dense = {key: at for at, key in enumerate(sorted(set(keys.values())), 1)}
        return {id_: dense[key] for id_, key in keys.items()}

    @functools.cached_property
    def _by_id(self) -> dict[str, StepSpec]:
        return {step.id: step for step in self.steps}

    @functools.cached_property
    def _requires(self) -> dict[str, tuple[str, ...]]:
        known = set(self.ids)
        made: dict[str, tuple[str, ...]] = {}
        for step in self.steps:
            if step.requires is None:
                rank = self._ranks[step.id]
                made[step.id] = tuple(i for i in self.ids if self._ranks[i] < rank)
                continue
            for id_ in step.requires:
                if id_ not in known:
                    raise DefinitionError(
                        f"step {step.id!r} requires {id_!r}, and no step has that id"
                    )
            made[step.id] = step.requires
        return made

    @functools.cached_property
    def _always(self) -> dict[str, tuple[str, ...] | None]:
        """What a step waits for in every run, in order; None where a guard has a say in it."""
        return {step.id: self._waits(step) for step in self.steps}

    def _waits(self, spec: StepSpec) -> tuple[str, ...] | None:
        rank, wanted = self._ranks[spec.id], set(self._requires[spec.id])
        named = wanted if spec.requires is not None else set()
        below = [s for s in self.steps if s.id in named or self._ranks[s.id] < rank]
        if any(step.guard is not None for step in below):
            return None
        return tuple(step.id for step in below if step.required or step.id in named)

    @functools.cached_property
    def _distances(self) -> dict[str, dict[str, int]]:
        return {id_: self._reach(id_) for id_ in self.ids}

    def _reach(self, id: str) -> dict[str, int]:
        seen: dict[str, int] = {}
        edge, distance = [id], 0
        while edge:
            distance += 1
            nearer = [up for at in edge for up in self._requires[at] if up not in seen]
            edge = sorted(set(nearer), key=lambda up: (self._ranks[up], up))
            seen.update(dict.fromkeys(edge, distance))
        if id in seen:
            raise DefinitionError(f"step {id!r} requires itself, by way of its own requirements")
        return seen


def _gives_any(step: StepSpec, wanted: Iterable[str]) -> bool:
    """Whether a result may have a field that is asked for; to restore one loads its tables."""
    names = getattr(step.output_type, "__pydantic_fields__", None)
    return names is None or any(name in names for name in wanted)


class _Outputs(Mapping[str, Any]):
    """Typed outputs by step, restored when looked at."""

    def __init__(self, plain: Mapping[str, tuple[StepSpec, Any]]) -> None:
        self._plain = plain

    def __getitem__(self, id: str) -> Any:
        spec, value = self._plain[id]
        return spec.restored_output(value)

    def __contains__(self, id: object) -> bool:
        return id in self._plain  # without restoring it, as the mixin's would

    def __iter__(self) -> Any:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)
