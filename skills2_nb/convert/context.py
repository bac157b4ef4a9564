"""All that a lint rule may look at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

from skills2_nb.convert.definitions import Definition, fields_of
from skills2_nb.convert.document import Document
from skills2_nb.convert.source import Code
from skills2_nb.convert.steps import Step
from skills2_nb.formats.manifest import Manifest
from skills2_nb.formats.notebook import Notebook
from skills2_nb.formats.roles import Assignment


@dataclass(frozen=True)
class Context:
    """A notebook as far as it has been read.

    Attributes:
        assignments: every cell with its role.
        codes: every code cell, looked at.
        aliases: the expressions that mean ``@step``.
        known: what the exported cells define.
        steps: the steps in cell order.
        hand: the hand-written tables of the manifest.
    """

    notebook: Notebook
    assignments: Sequence[Assignment]
    codes: Sequence[Code]
    aliases: frozenset[str]
    known: Mapping[str, Definition]
    steps: Sequence[Step]
    document: Document
    manifest: Manifest
    hand: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The notebook's name, for messages."""
        return self.notebook.name

    @cached_property
    def exported(self) -> tuple[Code, ...]:
        """The cells that go to ``runtime/skill.py``."""
        return tuple(code for code in self.codes if code.exported)

    @cached_property
    def unexported(self) -> tuple[Code, ...]:
        """The other code cells."""
        return tuple(code for code in self.codes if not code.exported)

    @cached_property
    def step_ids(self) -> tuple[str, ...]:
        """The ids in cell order."""
        return tuple(step.id for step in self.steps)

    def ancestors(self, step: Step) -> tuple[Step, ...]:
        """The steps whose outputs may fill a parameter of a step, in cell order.

        The closure of ``requires``; a step that gives none stands on all of lower order.
        """
        reached = self._reach(step)
        return tuple(other for other in self.steps if other.id in reached)

    def stands_on(self, step: Step, other: Step) -> bool:
        """Whether ``other`` is among the ancestors of ``step``."""
        if not self._branching:  # then it stands on all of lower rank
            return self._lowest[other.id] < self._ranks[step.id]
        return other.id in self._reach(step)

    @cached_property
    def givers(self) -> dict[str, list[Step]]:
        """The steps whose output model has a field, by the field's name, in cell order."""
        found: dict[str, list[Step]] = {}
        for step in self.steps:
            for name in fields_of(step.output, self.known) or ():
                found.setdefault(name, []).append(step)
        return found

    def givers_of(self, field: str, step: Step) -> list[str]:
        """The ids of the steps that may fill a parameter of a step called as the field."""
        ids, ranks = self._giver_ids.get(field, ([], []))
        if ranks and not self._branching:  # then it stands on all of lower rank
            return ids[: bisect_left(ranks, self._ranks[step.id])]
        reached = self._reach(step)
        return [id_ for id_ in ids if id_ in reached]

    @cached_property
    def _giver_ids(self) -> dict[str, tuple[list[str], list[int]]]:
        """By field the ids of its givers, and their ranks where these rise and ids differ."""
        made = {}
        for name, steps in self.givers.items():
            ids, ranks = [step.id for step in steps], [step.rank for step in steps]
            steady = ranks == sorted(ranks) and len(self._by_id) == len(self.steps)
            made[name] = (ids, ranks if steady else [])
        return made

    @cached_property
    def _reached(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _by_id(self) -> dict[str, Step]:
        return {step.id: step for step in self.steps}

    @cached_property
    def _branching(self) -> tuple[str, ...]:
        return tuple(step.id for step in self.steps if step.requires is not None)

    @cached_property
    def _lower(self) -> dict[float, frozenset[str]]:
        made: dict[float, frozenset[str]] = {}
        below: set[str] = set()
        by_rank = sorted(self.steps, key=lambda step: step.rank)
        for rank, steps in groupby(by_rank, key=lambda step: step.rank):
            made[rank] = frozenset(below)
            below.update(step.id for step in steps)
        return made

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {step.id: step.rank for step in reversed(self.steps)}

    @cached_property
    def _lowest(self) -> dict[str, int]:
        return {step.id: step.rank for step in sorted(self.steps, key=lambda s: -s.rank)}

    def _near(self, step: Step) -> frozenset[str]:
        if step.requires is None:
            return self._lower[step.rank]
        return frozenset(id_ for id_ in step.requires if id_ in self._by_id)

    def _reach(self, step: Step) -> frozenset[str]:
        """The ids that a step stands on, itself among them where it waits for itself.

        All of lower order is taken at once; what lies beyond it can only come by way of a step
        that says what it requires.
        """
        if not self._branching:
            return self._lower[self._ranks[step.id]]
        if step.id not in self._reached:
            reached: set[str] = set()
            waiting = [step]
            while waiting:
                at = waiting.pop()
                fresh = self._near(at) - reached
                reached |= fresh
                onward = self._branching if at.requires is None else sorted(fresh)
                waiting += [self._by_id[i] for i in onward if i in fresh]
            self._reached[step.id] = frozenset(reached)
        return self._reached[step.id]
