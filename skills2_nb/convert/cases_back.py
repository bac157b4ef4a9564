"""evals/cases.jsonl back into the cases cells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skills2_nb.convert.back import Back
from skills2_nb.convert.board import Slot
from skills2_nb.convert.case_calls import CaseReader
from skills2_nb.convert.case_text import (
    Splice,
    call_splices,
    call_text,
    function_of,
    place,
    spliced,
)
from skills2_nb.convert.definitions import definitions_of
from skills2_nb.convert.merge import verdicts
from skills2_nb.convert.plan import Plan
from skills2_nb.convert.source import Code, look
from skills2_nb.convert.steps import Step
from skills2_nb.formats.cases import Case, RunCase, StepCase, dump, parse_cases
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.roles import Assignment, Role

CASES = "evals/cases.jsonl"


@dataclass(frozen=True, slots=True)
class _Held:
    """A case with its place: a statement of a code cell, or a line of a raw one."""

    case: Case
    cell: Assignment
    node: ast.stmt | None
    line: int

    @property
    def call(self) -> ast.Call | None:
        """The call itself."""
        value = getattr(self.node, "value", None)
        value = value.value if isinstance(value, ast.Await) else value
        return value if isinstance(value, ast.Call) else None

    @property
    def is_named(self) -> bool:
        """Whether an id is written there."""
        call = self.call
        if call is None:
            return '"id"' in self.cell.text.split("\n")[self.line - 1]
        return any(word.arg == "id" for word in call.keywords)


def carry(back: Back, steps: Sequence[Step]) -> None:
    """Put changed, new and removed cases into the cells they are written in.

    Args:
        steps: the steps that the notebook will have.
    """
    text = back.text(CASES)
    if text is None:
        return
    cases, problems = parse_cases(text, CASES)
    if problems:
        back.leave(CASES, problems[0].sentence(), "correct that line")
        return
    held = list(_held(back.plan))
    alone = len({each.case.id for each in held}) == len(held)
    if not alone or [each.case for each in held] != list(back.plan.cases):
        back.leave(CASES, "the notebook's cases cannot all be read", "mend what `lint` says first")
        return
    _Writer(back, steps, held).write(cases)
    back.carried.append(CASES)


def _held(plan: Plan) -> Iterator[_Held]:
    """Every case of a notebook with its place, in order."""
    codes = {code.number: code for code in look(plan.assignments)}
    known = definitions_of([code for code in codes.values() if code.exported])
    reader = CaseReader(plan.steps, known)
    for cell in plan.assignments:
        if cell.role is not Role.CASES:
            continue
        code = codes.get(cell.cell.number)
        for part, node, line in _parts(cell, code):
            before = len(reader.cases)
            reader.read(replace(cell, text=part) if code is None else cell, _alone(code, node))
            for case in reader.cases[before:]:
                yield _Held(case, cell, node, line)


def _parts(cell: Assignment, code: Code | None) -> Iterator[tuple[str, ast.stmt | None, int]]:
    """The lines of a raw cell, or the statements of a code cell that call something."""
    if code is None:
        for number, line in enumerate(cell.text.split("\n"), 1):
            yield line, None, number
        return
    for node in code.tree.body if code.tree else ():
        if _calls(node):
            yield "", node, node.lineno


def _calls(node: ast.stmt) -> bool:
    value = getattr(node, "value", None)
    value = value.value if isinstance(value, ast.Await) else value
    return isinstance(value, ast.Call)


def _alone(code: Code | None, node: ast.stmt | None) -> Code | None:
    """A cell's code with one of its calls alone; its constants stay."""
    if code is None or code.tree is None or node is None:
        return code
    rest = [other for other in code.tree.body if not _calls(other)]
    return replace(code, tree=ast.Module([*rest, node], []))


@dataclass
class _Writer:
    """Writes cases into cells."""

    back: Back
    steps: Sequence[Step]
    held: Sequence[_Held]
    splices: dict[int, list[Splice]] = field(default_factory=dict)
    fresh: list[Case] = field(default_factory=list)

    def write(self, cases: Sequence[Case]) -> None:
        """Make the cases of the notebook those of the package, as far as it moved."""
        ours = {each.case.id: each for each in self.held}
        theirs = {case.id: case for case in cases}
        ids = _woven(list(ours), list(theirs))
        pairs = [(_line(ours[i].case if i in ours else None), _line(theirs.get(i))) for i in ids]
        fits = None if not self.back.both_moved(CASES) else self._fits(pairs)
        promised: dict[str, Case] = {}
        taken: dict[str, Case | None] = {}
        for ident, pair, found in zip(ids, pairs, verdicts(pairs, fits), strict=True):
            verdict = self.back.settle(found, CASES, ident, *pair)
            if verdict == "take" and self._is_of_no_step(theirs.get(ident)):
                self._no_step(theirs[ident])
                verdict = "keep"
            if verdict == "take":
                taken[ident] = theirs.get(ident)
            case = theirs.get(ident) if verdict == "take" else _case_of(ours.get(ident))
            if case is not None:
                promised[ident] = case
        self._change(taken)
        self.fresh = [case for i, case in taken.items() if case is not None and i not in ours]
        self._put()
        self.back.promises.append(lambda plan: _lacking(plan, promised))

    def _fits(
        self, pairs: Sequence[tuple[str | None, str | None]]
    ) -> Callable[[Sequence[int]], bool]:
        """A test whether a choice of lines is what export wrote."""

        def fits(sides: Sequence[int]) -> bool:
            lines = [pair[side] or "" for pair, side in zip(pairs, sides, strict=True)]
            return self.back.is_base(CASES, "".join(lines).encode("utf-8"))

        return fits

    def _change(self, taken: Mapping[str, Case | None]) -> None:
        """Change and remove cases in place; those that counting would rename say their id."""
        shifts = False
        for each in self.held:
            if each.case.id not in taken:
                if shifts and not each.is_named:
                    self._edit(each, each.case, pin=True)
                continue
            new = taken[each.case.id]
            if new is None:
                self._remove(each)
            else:
                self._edit(each, new, pin=not each.is_named and shifts)
            shifts = shifts or new is None or _kind(new) != _kind(each.case)

    def _remove(self, each: _Held) -> None:
        lines = each.cell.text.split("\n")
        first, last = each.line, (each.node.end_lineno or each.line) if each.node else each.line
        start = place(each.cell.text, first, 0)
        end = place(each.cell.text, last, len(lines[last - 1].encode())) + (last < len(lines))
        self._splice(each, Splice(start, end, ""))

    def _edit(self, each: _Held, new: Case, *, pin: bool) -> None:
        text = each.cell.text
        if each.node is None or each.call is None:
            start = place(text, each.line, 0)
            end = start + len(text.split("\n")[each.line - 1])
            self._splice(each, Splice(start, end, dump([new]).rstrip("\n")))
            return
        step = self._step(each.case)
        made = call_splices(text, each.call, each.case, new, step, pin=pin)
        if made is not None and isinstance(new, StepCase):
            made += self._renamed(each, new)
        if made is None:
            anew = call_text(new, self.steps)
            if anew is None:
                self._no_step(new)
                return
            node = each.call
            start = place(text, node.lineno, node.col_offset)
            end = place(text, node.end_lineno or node.lineno, node.end_col_offset or 0)
            made = [Splice(start, end, anew)]
        for splice in made:
            self._splice(each, splice)

    def _renamed(self, each: _Held, new: StepCase) -> list[Splice]:
        """The call's function, where the case is of another step now."""
        call, name = each.call, function_of(new.step, self.steps)
        old = each.case.step if isinstance(each.case, StepCase) else ""
        if call is None or not isinstance(call.func, ast.Attribute) or name is None:
            return []
        if new.step == old:
            return []
        node, text = call.func.value, each.cell.text
        start = place(text, node.lineno, node.col_offset)
        return [Splice(start, place(text, node.end_lineno or 0, node.end_col_offset or 0), name)]

    def _step(self, case: Case) -> Step | None:
        if not isinstance(case, StepCase):
            return None
        return next((step for step in self.back.plan.steps if step.id == case.step), None)

    def _is_of_no_step(self, case: Case | None) -> bool:
        return isinstance(case, StepCase) and function_of(case.step, self.steps) is None

    def _no_step(self, case: Case) -> None:
        step = case.step if isinstance(case, StepCase) else ""
        self.back.leave(CASES, f"the case {case.id!r} is of {step!r}, which is no step",
                        "correct its `step`")  # fmt: skip

    def _splice(self, each: _Held, splice: Splice) -> None:
        self.splices.setdefault(each.cell.cell.number, []).append(splice)

    def _put(self) -> None:
        """Write the changed cells, new cases at the end of the last."""
        board = self.back.board
        cells = [a for a in self.back.plan.assignments if a.role is Role.CASES]
        texts = {a.cell.number: a.text for a in cells}
        for number, splices in self.splices.items():
            texts[number] = spliced(texts[number], splices).strip("\n")
        if self.fresh and cells:
            last = cells[-1]
            texts[last.cell.number] = self._more(last, texts[last.cell.number])
        elif self.fresh:
            self._new_cell()
        for number, text in texts.items():
            if text.strip():
                board.write(board.slot(number), text, CASES)
            elif number in self.splices:
                board.skip(board.slot(number), CASES)

    def _more(self, cell: Assignment, text: str) -> str:
        if cell.cell.kind == "raw":
            return "\n".join([*filter(None, [text]), dump(self.fresh).rstrip("\n")])
        gap = "\n\n" if "\n\n" in text else "\n"
        return gap.join(["\n".join([*self._imports(text), text]), *self._calls()]).strip("\n")

    def _calls(self) -> list[str]:
        texts = [call_text(case, self.steps) for case in self.fresh]
        return [text for text in texts if text is not None]

    def _imports(self, text: str) -> list[str]:
        """The import of ``case``, where no cell has it and a call needs it."""
        needed = any(isinstance(case, RunCase) for case in self.fresh)
        known = any(
            "case" in code.names.binds
            for code in look(self.back.plan.assignments)
            if code.exported or code.assignment.role is Role.CASES
        )
        return ["from skills2_nb import case", ""] if needed and not known else []

    def _new_cell(self) -> None:
        calls = self._calls()
        if not calls:
            return
        source = "\n".join([*self._imports(""), *calls])
        slot = Slot(draft=Draft("code", source, ("cases",)), why=CASES)
        slots = self.back.board.slots
        code = [s for s in slots if s.cell is None or s.cell.role in (Role.STEP, Role.SETUP)]
        slots.insert(slots.index(code[-1]) + 1 if code else len(slots), slot)


def _woven(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Every id in the order of ``theirs``, what only ``ours`` has after its predecessor."""
    made = list(theirs)
    for at, ident in enumerate(ours):
        if ident not in theirs:
            made.insert(made.index(ours[at - 1]) + 1 if at else 0, ident)
    return made


def _line(case: Case | None) -> str | None:
    return None if case is None else dump([case])


def _case_of(held: _Held | None) -> Case | None:
    return held.case if held is not None else None


def _kind(case: Case) -> str:
    return case.step if isinstance(case, StepCase) else ""


def _lacking(plan: Plan, promised: Mapping[str, Case]) -> str:
    """A case of a new notebook that is not the one that was promised."""
    made = {case.id: case for case in plan.cases}
    odd = next((i for i in {**promised, **made} if made.get(i) != promised.get(i)), None)
    return "" if odd is None else f"{CASES}: the case {odd!r} cannot be kept as it is"
