"""The skill that a running kernel holds."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.formats.manifest import RuntimeSettings, StepEntry
from skills2_nb.library.activation import Card, Contract, Schemas
from skills2_nb.library.catalog import Fault


@dataclass(frozen=True, eq=False)
class Live:
    """A kernel's skill at one time.

    Attributes:
        skill: its steps as the kernel holds them.
        contract: what their callers have to know.
        keep: stores the cells that the steps are made of, for the runs that begin now.
        folders: where relative paths among run inputs are sought.
        notebook: the notebook's file; None where none is found.
        fault: why the steps cannot be called now, in one sentence; None where they can.
    """

    skill: Skill
    contract: Contract
    keep: Callable[[], None]
    folders: tuple[Path, ...]
    notebook: Path | None = None
    fault: str | None = None

    @property
    def name(self) -> str:
        """The skill's name."""
        return self.contract.name

    def broken(self, fault: str) -> Live:
        """The same at a time when its steps cannot be called."""
        return replace(self, fault=fault)


def contract_of(
    skill: Skill,
    description: str,
    notebook: str,
    ghosts: tuple[str, ...] = (),
    before: Live | None = None,
) -> Contract:
    """What callers of a live skill have to know.

    Args:
        notebook: the file name of the notebook; ``notebook`` where none is found.
        ghosts: steps that the kernel holds and no cell defines.
        before: an earlier state, whose schemas hold for the steps that are the same still.

    Raises:
        DefinitionError: a step's types or names are not what they should be.
    """
    known = _known(before)
    for spec in skill.steps:
        skill.distances(spec.id)  # names of steps that are not there show here
    runtime = skill.runtime
    return Contract(
        Card(skill.name, description, skill.folder or Path.cwd()),
        skill.version,
        tuple(_entry(skill, spec) for spec in skill.steps),
        {spec.id: known.get(spec) or _schemas(spec) for spec in skill.steps},
        RuntimeSettings(
            timeout=runtime.timeout,
            memory_mb=runtime.memory_mb,
            capture=runtime.capture,
            redact=runtime.redact,
        ),
        notebook,
        ghosts,
    )


def _known(before: Live | None) -> Mapping[StepSpec, Schemas]:
    if before is None:
        return {}
    return {spec: before.contract.schema(spec.id) for spec in before.skill.steps}


def _schemas(spec: StepSpec) -> Schemas:
    return Schemas(spec.input_json_schema(), spec.output_json_schema())


def _entry(skill: Skill, spec: StepSpec) -> StepEntry:
    return StepEntry(
        spec.id,
        skill.rank(spec.id),
        spec.fn.__name__,
        spec.required,
        spec.requires,
        tuple(item.name for item in spec.invariants),
        when=None if spec.guard is None else spec.guard.name,
        effects=spec.effects,
        bind=spec.bind,
        report=spec.report,
        summary=spec.summary,
        stub=spec.stub,
    )


class Host(Protocol):
    """A kernel as the server in it sees it; asked from threads."""

    @property
    def live(self) -> Live:
        """The skill as it was after the newest cell."""
        ...

    def look(self) -> None:
        """See whether something else than a cell has changed it: the file, when it is saved."""
        ...


class LiveCatalog:
    """The one skill of a kernel."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._listed = host.live

    @property
    def live(self) -> Live:
        """The skill as it is now."""
        return self._host.live

    @property
    def cards(self) -> tuple[Card, ...]:
        """The skill's card; of one that cannot be called now too."""
        return (self.live.contract.card,)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Why the skill cannot be called now."""
        live = self.live
        if live.fault is None:
            return ()
        return (Fault(live.name, live.contract.card.folder, live.fault),)

    @property
    def is_read(self) -> bool:
        """It always is."""
        return True

    def mark(self, name: str) -> Any:
        """The state of the skill; None where the name is another's."""
        live = self.live
        return live if name == live.name else None

    def contract(self, name: str) -> Contract:
        """The skill's contract.

        Raises:
            KeyError: the name is another's.
        """
        live = self.live
        if name != live.name:
            raise KeyError(name)
        return live.contract

    def contracts(self) -> tuple[Contract, ...]:
        """The skill's contract."""
        return (self.live.contract,)

    def holds_steps(self, most: int, beside: int, without: Container[str] = ()) -> bool:
        """One skill is always listed step by step."""
        return True

    def refresh(self) -> bool:
        """Look again; whether the skill is another than at the last look."""
        self._host.look()
        before, self._listed = self._listed, self.live
        return before is not self._listed
