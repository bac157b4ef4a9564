"""All that a lint rule may look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from skills2_nb.convert.definitions import Definition
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
        reached: set[str] = set()
        waiting = [step]
        while waiting:
            for other in self._direct(waiting.pop()):
                if other.id not in reached:
                    reached.add(other.id)
                    waiting.append(other)
        return tuple(other for other in self.steps if other.id in reached)

    def _direct(self, step: Step) -> list[Step]:
        if step.requires is not None:
            return [other for other in self.steps if other.id in step.requires]
        return [other for other in self.steps if other.rank < step.rank]
