"""The cells that a choice of adopted steps makes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from skills2_nb.convert import adopt_made as made
from skills2_nb.convert.adopt_cells import Layout, Piece
from skills2_nb.convert.adopt_checks import Checks
from skills2_nb.convert.adopt_code import call_code, model_name, step_code, with_arguments
from skills2_nb.convert.adopt_flow import Flow
from skills2_nb.convert.adopt_readout import readout_code
from skills2_nb.convert.adopt_units import Unit, called
from skills2_nb.convert.adopt_values import Found, code_literal
from skills2_nb.convert.document import slug
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.notebook import Notebook

#: Changes that add a cell; a step's own change is called by its id.
FRONT, KIT, WORDS, SAID, CASE = "+front", "+kit", "+words", "+readout", "+case"
#: The names that the kit brings, and where from.
HOMES = {
    "case": "skills2_nb.case",
    "step": "skills2_nb.step",
    "Table": "skills2_nb.Table",
    "TypedDict": "typing_extensions.TypedDict",
    "Any": "typing.Any",
}


@dataclass(frozen=True)
class Writer:
    """Writes the cells for a choice of steps.

    Attributes:
        chosen: the ids of the steps that are to be there.
        titles: the heading or comment of each code cell, by its number.
    """

    notebook: Notebook
    flow: Flow
    checks: Checks
    chosen: frozenset[str]
    titles: Mapping[int, str]

    @cached_property
    def steps(self) -> tuple[Found, ...]:
        """The steps, in the order of their calls."""
        return tuple(step for step in self.flow.steps if step.id in self.chosen)

    @cached_property
    def docs(self) -> dict[str, str]:
        """What each step does, in a line."""
        return {step.id: made.doc_of(step, self.titles) for step in self.flow.steps}

    @cached_property
    def models(self) -> dict[str, str]:
        """The name of each step's result model, where it has one."""
        taken = set(self.flow.source.bound) | {step.id for step in self.flow.steps}
        models: dict[str, str] = {}
        for step in self.flow.steps:
            name = model_name(step, taken | set(models.values()))
            if name:
                models[step.id] = name
        return models

    @cached_property
    def figures(self) -> tuple[made.Figure, ...]:
        """The figures that the last step says; none where its name is taken."""
        if {made.READOUT, "Readout"} & set(self.flow.source.bound):
            return ()
        return made.figures_of(self.steps)

    @cached_property
    def orders(self) -> dict[str, int]:
        """The number of each step, where the order of cells is not that of calls."""
        places = [(step.units[0].cell, step.units[0].at) for step in self.steps]
        if places == sorted(places):
            return {}
        return {step.id: number for number, step in enumerate(self.steps, 1)}

    @cached_property
    def needed(self) -> set[str]:
        """The names that have to be exported with the steps."""
        names = {name for step in self.steps for name in step.needs}
        names |= {
            name
            for step in self.steps
            for check in self.checks.of_step[step.id]
            for name in check.reads
        }
        bound = {name for name in names if name in self.flow.source.bound}
        return self.flow.exports.closure(bound) - self.chosen

    @cached_property
    def parts_of_steps(self) -> set[Unit]:
        """The units that steps are made of."""
        return {unit for step in self.steps for unit in step.units}

    @cached_property
    def setup(self) -> dict[int, frozenset[Unit]]:
        """By cell, the units that are exported as they stand."""
        found = {number: self._exported(number) for number in self.flow.source.cells}
        return {number: units for number, units in found.items() if units}

    def _exported(self, number: int) -> frozenset[Unit]:
        units = [u for u in self.flow.source.cells[number] if u not in self.parts_of_steps]
        wanted = {u for u in units if u.kind != "magic" and set(u.names.binds) & self.needed}
        if wanted and all(unit in wanted or self._may_go_along(unit) for unit in units):
            return frozenset(units)
        return frozenset(wanted)

    def _may_go_along(self, unit: Unit) -> bool:
        """Whether a unit beside those wanted can be exported rather than cut off."""
        exports = self.flow.exports
        plain = unit.kind in ("import", "literal") and bool(unit.names.binds)
        return plain and not any(
            exports.is_drawing(name) or exports.why_not(name) for name in unit.names.binds
        )

    def front(self) -> str:
        """The front matter."""
        return made.front_matter(self.notebook, slug(self.notebook.stem))

    def kit(self) -> str:
        """The imports of what the made code uses."""
        whole = "\n".join([*map(self.step_text, self.steps), self.readout()])
        used = {part.id for part in ast.walk(ast.parse(whole)) if isinstance(part, ast.Name)}
        standard = ["import math"] if "math" in used and "math" not in self.needed else []
        standard += ["from typing import Any"] if "Any" in used else []
        typed = ["from typing_extensions import TypedDict"] if "TypedDict" in used else []
        table = "Table, " if "Table" in used else ""
        groups = [standard, typed, [f"from skills2_nb import {table}case, step"]]
        return "\n\n".join("\n".join(group) for group in groups if group)

    def step_text(self, step: Found) -> str:
        """The code of a step's cell."""
        return step_code(
            step,
            self.checks.of_step[step.id],
            self.models,
            order=self.orders.get(step.id),
            doc=self.docs[step.id],
        )

    def words(self) -> str:
        """The steps in words."""
        return made.steps_in_words(self.steps, self.docs, readout=bool(self.figures))

    def readout(self) -> str:
        """The step that says the figures; empty where there are none."""
        if not self.figures:
            return ""
        order = len(self.steps) + 1 if self.orders else None
        checks = self.checks.on(self.figures)
        return readout_code(made.title_of(self.notebook), self.figures, checks, order)

    def case(self, *, readout: bool = True) -> str:
        """The case: the values that the notebook has."""
        inputs = {
            param.input: param.value or code_literal(self.flow.source.literals[param.constant])
            for step in self.steps
            for param in step.params
            if param.input
        }
        ids = [step.id for step in self.steps]
        ids += [made.READOUT] if self.figures and readout else []
        return made.case_code(made.title_of(self.notebook), inputs, ids)

    def rewritten(self, step: Found) -> dict[Unit, str]:
        """Units that call a step and have to pass what it read as a global."""
        names = [p.name for p in step.params if p.added and p.ref]
        if step.function is None or not names:
            return {}
        return {
            unit: with_arguments(unit.text, step.id, names)
            for unit in self.flow.source.units
            if unit.kind not in ("function", "class", "magic") and _calls(unit, step.id)
        }

    def layout(self, keys: frozenset[str]) -> Layout:
        """What becomes of the cells, with these changes accepted."""
        pieces = {number: self._pieces(number, keys) for number in self.flow.source.cells}
        return Layout({number: cut for number, cut in pieces.items() if cut}, self._added(keys))

    def _added(self, keys: frozenset[str]) -> dict[int, list[tuple[Draft, str]]]:
        """The cells that are put before others, and at the end."""
        before: dict[int, list[tuple[Draft, str]]] = {}
        if FRONT in keys:
            before.setdefault(1, []).append((Draft("raw", self.front()), FRONT))
        if KIT in keys:
            first = next(cell.number for cell in self.notebook.cells if cell.kind == "code")
            before.setdefault(first, []).append((Draft("code", self.kit(), ("setup",)), KIT))
        end = before.setdefault(0, [])
        if WORDS in keys and self.steps:
            end.append((Draft("markdown", self.words()), WORDS))
        if SAID in keys and self.figures:
            end.append((Draft("code", self.readout(), ("step",)), SAID))
        if CASE in keys and self.steps:
            text = self.case(readout=SAID in keys)
            end.append((Draft("code", text, ("cases",)), CASE))
        return before

    def _pieces(self, number: int, keys: frozenset[str]) -> list[Piece]:
        """What a cell is cut into; nothing for a cell that stays as it is."""
        setup = self.setup.get(number, frozenset()) if f"setup:{number}" in keys else frozenset()
        texts = {u: t for step in self.steps for u, t in self.rewritten(step).items()}
        heads = {step.units[0]: step for step in self.steps}
        cut: list[Piece] = []
        for unit in self.flow.source.cells[number]:
            if unit in heads:
                cut += self._of_step(heads[unit])
            elif unit in setup:
                _append(cut, Piece("setup", unit.text, f"setup:{number}"))
            elif unit not in self.parts_of_steps:
                shows = unit.kind in ("show", "magic", "assert")
                _append(cut, Piece("", texts.get(unit, unit.text), shows=shows))
        changed = any(unit in texts for unit in self.flow.source.cells[number])
        if not changed and all(not piece.role for piece in cut):
            return []
        if len(cut) == 1 and cut[0].role == "setup":
            return [Piece("setup", self.notebook.cells[number - 1].source, cut[0].key)]
        return [
            Piece(piece.role, piece.text.strip("\n"), piece.key, piece.shows)
            for piece in cut
            if piece.text.strip()
        ]

    def _of_step(self, step: Found) -> list[Piece]:
        pieces = [Piece("step", self.step_text(step), step.id)]
        return pieces if step.function else [*pieces, Piece("", call_code(step), step.id)]


def _calls(unit: Unit, function: str) -> bool:
    return any(
        isinstance(call.func, ast.Name) and call.func.id == function
        for node in unit.nodes
        for call in called(node)
    )


def _append(cut: list[Piece], piece: Piece) -> None:
    """Add a piece; to the one before it where both go the same way."""
    last: Sequence[Piece] = cut[-1:]
    if last and last[0].role == piece.role != "step":
        old = cut.pop()
        piece = Piece(
            old.role, f"{old.text}\n{piece.text}", old.key or piece.key, old.shows or piece.shows
        )
    cut.append(piece)
