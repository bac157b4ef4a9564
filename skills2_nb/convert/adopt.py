"""An ordinary notebook, brought to a first contract."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.convert.adopt_cells import put_together
from skills2_nb.convert.adopt_checks import Checks, checks_of
from skills2_nb.convert.adopt_code import call_code
from skills2_nb.convert.adopt_flow import Flow
from skills2_nb.convert.adopt_made import READOUT, with_inputs
from skills2_nb.convert.adopt_units import Source, take_apart
from skills2_nb.convert.adopt_values import Found
from skills2_nb.convert.adopt_writer import CASE, FRONT, HOMES, KIT, SAID, WORDS, Writer
from skills2_nb.convert.document import slug
from skills2_nb.convert.folder import folder_of, read_folder
from skills2_nb.convert.plan import plan
from skills2_nb.convert.prose import outside_fences
from skills2_nb.convert.step_rules import LONGEST_TOOL
from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.frontmatter import is_fenced
from skills2_nb.formats.notebook import Notebook, parse_notebook, read_notebook
from skills2_nb.formats.problem import Problem
from skills2_nb.formats.roles import Role, role_of
from skills2_nb.hooks.uses import prefix

#: What lint may still say of a first contract: that no figure can be reported yet.
_OPEN = frozenset({"S517", "S526"})
_SHORTEST_ID = 12
_ROUNDS = 40


@dataclass(frozen=True)
class Change:
    """One change that is offered, to be accepted or not.

    Attributes:
        key: what it is called by.
        cells: numbers of the cells it changes or cuts; none for a cell that is added.
        title: what it does, in a few words.
        reason: why, in one sentence.
        before: the text that goes or is cut; empty for a cell that is added.
        after: the text that comes.
        needs: keys of the changes that it cannot do without.
    """

    key: str
    cells: tuple[int, ...]
    title: str
    reason: str
    before: str
    after: str
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Proposal:
    """What adopting offers for a notebook.

    Attributes:
        notes: by cell, why something in it is left as it is.
    """

    notebook: Notebook
    flow: Flow
    checks: Checks
    titles: dict[int, str]
    notes: tuple[tuple[int, str], ...]

    @property
    def steps(self) -> tuple[str, ...]:
        """The ids of the steps that are offered, in the order of their calls."""
        return tuple(step.id for step in self.flow.steps)

    @property
    def changes(self) -> tuple[Change, ...]:
        """All that is offered."""
        return self.offers(self.steps)

    def offers(self, steps: Iterable[str]) -> tuple[Change, ...]:
        """What is offered where these steps are accepted; the cells added speak of them alone."""
        writer = self._writer(steps)
        return tuple(_changes(writer, self._writer(self.steps)))

    def closed(self, keys: Iterable[str]) -> frozenset[str]:
        """These changes and all that they need."""
        wanted = set(keys)
        for change in reversed(self.changes):
            if change.key in wanted:
                wanted |= change.needs
        return frozenset(wanted)

    def kept(self, keys: Iterable[str]) -> frozenset[str]:
        """Those of these changes that can do without what is not among them."""
        asked, wanted = set(keys), set[str]()
        for change in self.changes:
            if change.key in asked and change.needs <= wanted:
                wanted.add(change.key)
        return frozenset(wanted)

    def accepted(self, keys: Iterable[str]) -> str:
        """The notebook's text with these changes made; none = the text as it was."""
        chosen = self.kept(keys)
        return _composed(self, chosen)[0] if chosen else self.notebook.text

    def _writer(self, steps: Iterable[str]) -> Writer:
        return Writer(self.notebook, self.flow, self.checks, frozenset(steps), self.titles)


def propose(path: Path) -> Proposal:
    """What could become of an ordinary notebook; nothing is run and nothing written.

    Each proposal is held against lint before it is made; what lint would refuse is left out, and
    the notes say why.

    Raises:
        UnreadableError: the file is no notebook.
        RefusedError: it is a skill notebook already, or nothing in it can be a step.
    """
    notebook = read_notebook(path)
    _check(notebook)
    source = take_apart(cell for cell in notebook.cells if not _is_assigned(cell.number, notebook))
    _check_names(notebook, source)
    titles = _titles(notebook)
    longest = max(LONGEST_TOOL - len(f"{prefix()}{slug(notebook.stem)}__"), _SHORTEST_ID)
    barred: dict[str, tuple[int, str]] = {}
    for _ in range(_ROUNDS):
        flow = Flow(source, titles, longest, frozenset(barred))
        flow.follow()
        if not flow.steps:
            raise RefusedError(_nothing(notebook, source, flow, barred))
        proposal = _proposal(notebook, flow, titles, barred)
        text, keys = _composed(proposal, frozenset(change.key for change in proposal.changes))
        faults = refused(text, path)
        if not faults:
            return proposal
        barred |= _blamed(proposal, faults, keys)
    raise RefusedError(f"{notebook.name}: no contract was found that lint accepts.")


def refused(text: str, path: Path) -> tuple[Problem, ...]:
    """What lint would not let pass in a notebook's text, as the file ``path``."""
    files, problems = read_folder(folder_of(path))
    done = plan(parse_notebook(text.encode("utf-8"), path), files, problems)
    return tuple(p for p in done.problems if p.level == "error" and p.code not in _OPEN)


def _check(notebook: Notebook) -> None:
    name = notebook.name
    if notebook.raw.get("nbformat") != 4:
        raise UnreadableError(f"{name} is of an old format; save it in Jupyter and adopt it then.")
    for cell in notebook.cells:
        role = role_of(cell, first=cell.number == 1, file=name)
        if role.explicit and role.role in (Role.STEP, Role.CASES, Role.MANIFEST):
            raise RefusedError(
                f"{name} is a skill notebook already: cell {cell.number} is tagged "
                f"`{role.word}`; use skills2 lint to go on with it."
            )
    if not any(cell.kind == "code" and cell.text.strip() for cell in notebook.cells):
        raise RefusedError(f"{name} has no code, so there is nothing to make steps of.")


def _check_names(notebook: Notebook, source: Source) -> None:
    """The kit's names have to be free, for the adopted notebook imports them."""
    for name, home in HOMES.items():
        for unit in source.bound.get(name, ()):
            if source.modules.get(name) != home:
                raise RefusedError(
                    f"{notebook.name}: cell {unit.cell} calls something of its own `{name}`, "
                    "which is the kit's name; rename it and adopt the notebook then."
                )


def _is_assigned(number: int, notebook: Notebook) -> bool:
    return role_of(notebook.cells[number - 1], first=number == 1).explicit


def _titles(notebook: Notebook) -> dict[int, str]:
    """By cell, the comment it begins with, else the heading that stands right above it."""
    made: dict[int, str] = {}
    heading = ""
    for cell in notebook.cells:
        if cell.kind == "markdown":
            found = [line for line in outside_fences(cell.text) if re.match(r"#{2,6}[ \t]", line)]
            heading = found[-1].strip("# \t") if found else ""
        elif cell.kind == "code":
            first = cell.text.lstrip("\n").split("\n", 1)[0]
            comment = first.lstrip("# ").strip() if first.startswith("# ") else ""
            made[cell.number] = comment or heading
            heading = ""
    return made


def _proposal(
    notebook: Notebook, flow: Flow, titles: dict[int, str], barred: dict[str, tuple[int, str]]
) -> Proposal:
    taken = set(flow.source.bound) | {step.id for step in flow.steps} | set(HOMES) | {READOUT}
    checks = checks_of(flow, taken)
    flow.steps[:] = with_inputs(flow.steps)
    notes = {(cell, why) for cell, said in flow.notes.items() for why in said}
    notes |= {*flow.source.odd.items(), *barred.values(), *_order_notes(notebook)}
    return Proposal(notebook, flow, checks, titles, tuple(sorted(notes)))


def _order_notes(notebook: Notebook) -> Iterator[tuple[int, str]]:
    """Cells that were run in another order than the one in which they stand."""
    highest = 0
    for cell, raw in zip(notebook.cells, notebook.raw["cells"], strict=True):
        count = raw.get("execution_count")
        if isinstance(count, int) and count < highest:
            yield cell.number, "it was run before a cell above it; it is read from top to bottom"
        highest = max(highest, count if isinstance(count, int) else 0)


def _changes(writer: Writer, whole: Writer) -> Iterator[Change]:
    """All that is offered; ``whole`` knows every step, ``writer`` those that are accepted."""
    first = writer.notebook.cells[0]
    if not is_fenced(first.text):
        reason = "an agent finds the skill by it"
        yield Change(FRONT, (), "front matter", reason, "", writer.front())
    reason = "the steps are marked with them"
    yield Change(KIT, (), "imports of the kit", reason, "", whole.kit())
    for number in whole.setup:
        yield _setup_change(whole, number)
    for step in whole.flow.steps:
        yield _step_change(whole, step)
    kit = frozenset({KIT})
    yield Change(WORDS, (), "the steps in words", "an agent reads prose", "", writer.words())
    if writer.figures:
        reason = "an answer is held against the figures that a step reports"
        yield Change(SAID, (), f"step {READOUT}", reason, "", writer.readout(), kit)
    reason = "`skills2 run` starts from the values that the notebook has"
    yield Change(CASE, (), "a first case", reason, "", writer.case(), kit)


def _setup_change(writer: Writer, number: int) -> Change:
    """The change that exports names of a cell as they stand."""
    every = writer.flow.source.cells[number]
    units = [unit for unit in every if unit in writer.setup[number]]
    text = "\n".join(unit.text for unit in units).strip("\n")
    names = sorted({name for unit in units for name in unit.names.binds} & writer.needed)
    reads = {name for unit in units for name in unit.reads}
    return Change(
        f"setup:{number}",
        (number,),
        "tag `setup`" if len(units) == len(every) else "a cell of its own, tagged `setup`",
        f"steps use {', '.join(names[:4])}{' …' if len(names) > 4 else ''}",
        text,
        text,
        _setup_needs(writer, reads, below=number),
    )


def _step_change(writer: Writer, step: Found) -> Change:
    checks = writer.checks.of_step[step.id]
    before = "\n".join(unit.text for unit in step.units).strip("\n")
    after = writer.step_text(step)
    reason = f"cell {step.call.cell} calls it"
    if step.function is None:
        names = [name for name, _ in step.outputs]
        reason = f"it computes {', '.join(names[:3])}{' …' if len(names) > 3 else ''}"
        after = f"{after}\n\n\n{call_code(step)}"
    rewritten = writer.rewritten(step)
    for unit, text in rewritten.items():
        before, after = f"{before}\n\n{unit.text.strip()}", f"{after}\n\n{text.strip()}"
    reason += "".join(f"; {check.name}: {check.why}" for check in checks[:1])
    reads = step.needs | {name for check in checks for name in check.reads}
    needs = {KIT} | (step.after - {"inputs"}) | _setup_needs(writer, reads)
    needs |= {other.id for other in writer.steps if other.id in reads - {step.id}}
    cells = {unit.cell for unit in (*step.units, *rewritten)}
    title = f"step {step.id}"
    return Change(step.id, tuple(sorted(cells)), title, reason, before, after, frozenset(needs))


def _setup_needs(writer: Writer, reads: Iterable[str], below: int | None = None) -> frozenset[str]:
    """The setup cells that bind one of these names."""
    wanted = set(reads)
    return frozenset(
        f"setup:{number}"
        for number, units in writer.setup.items()
        if (below is None or number < below)
        and wanted & {name for unit in units for name in unit.names.binds}
    )


def _composed(proposal: Proposal, chosen: frozenset[str]) -> tuple[str, list[str]]:
    """The notebook's text with these changes, and the change behind each cell."""
    writer = proposal._writer(set(proposal.steps) & chosen)
    return put_together(proposal.notebook, writer.layout(chosen))


def _blamed(
    proposal: Proposal, faults: Sequence[Problem], keys: Sequence[str]
) -> dict[str, tuple[int, str]]:
    """The step that each fault of lint is held against."""
    found: dict[str, tuple[int, str]] = {}
    for fault in faults:
        key = keys[fault.cell - 1] if fault.cell is not None else ""
        step = _step_behind(proposal, key)
        if step is None:
            raise RefusedError(f"{proposal.notebook.name}: {fault.message}; {fault.mend}.")
        found[step.place] = (step.units[0].cell, f"{step.id} is left out: {fault.message}")
    return found


def _step_behind(proposal: Proposal, key: str) -> Found | None:
    """The step that a change is made for."""
    steps = proposal.flow.steps
    if key.startswith("setup:"):
        units = proposal.flow.source.cells[int(key.removeprefix("setup:"))]
        names = {name for unit in units for name in unit.names.binds}
        return next((step for step in steps if step.needs & names), None)
    return next((step for step in steps if step.id == key), None)


def _nothing(
    notebook: Notebook, source: Source, flow: Flow, barred: dict[str, tuple[int, str]]
) -> str:
    """Why nothing in a notebook can be a step, in one sentence."""
    said = [(cell, why) for cell, sentences in flow.notes.items() for why in sentences]
    said += [*barred.values(), *source.odd.items()]
    if not said:
        return f"{notebook.name}: no cell computes a value that a later cell uses."
    cell, why = sorted(said)[0]
    return f"{notebook.name}: nothing in it can be a step; cell {cell}: {why.rstrip('.')}."
