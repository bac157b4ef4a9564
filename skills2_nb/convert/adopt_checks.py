"""Invariants for steps to be, and where they come from."""

from __future__ import annotations

import ast
import copy
import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from skills2_nb.convert.adopt_exports import Exports
from skills2_nb.convert.adopt_flow import Flow
from skills2_nb.convert.adopt_kinds import bag
from skills2_nb.convert.adopt_made import Figure
from skills2_nb.convert.adopt_naming import free, named
from skills2_nb.convert.adopt_units import Unit, called, unparsed
from skills2_nb.convert.adopt_values import NOWHERE, Found, Value, short
from skills2_nb.convert.adopt_ways import asserted, ways
from skills2_nb.convert.names import names_of
from skills2_nb.convert.tautology import why_always

_WIDE = 88


@dataclass(frozen=True)
class Check:
    """An invariant to be.

    Attributes:
        params: the fields and parameters it asks for.
        text: the expression that must be true.
        reads: the names of the notebook in it that have to be exported.
        why: where it comes from, in words.
    """

    name: str
    params: tuple[str, ...]
    text: str
    reads: frozenset[str] = frozenset()
    why: str = ""

    @property
    def code(self) -> str:
        """It as a function."""
        line = f"    return {self.text}"
        if len(line) > _WIDE:
            line = f"    return (\n{_broken(self.text)}    )"
        return f"def {self.name}({', '.join(self.params)}):\n{line}"


class _Loose(NamedTuple):
    """An assert over results of several steps, with what each name was there."""

    test: ast.expr
    refs: Mapping[str, Value]


@dataclass(frozen=True)
class Checks:
    """The invariants that a notebook's text offers.

    Attributes:
        of_step: those of each step, by its id.
        loose: asserts that look at more than one step has.
        taken: names that no other invariant may have.
    """

    of_step: dict[str, list[Check]]
    loose: list[_Loose] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def on(self, figures: Sequence[Figure]) -> tuple[Check, ...]:
        """The loose asserts that figures alone can answer, for the step that says them."""
        by_ref = {figure.ref: figure.name for figure in figures if not figure.table}
        made: dict[str, Check] = {}
        for loose in self.loose:
            test = _Renamed(loose.refs, by_ref.get).visit(copy.deepcopy(loose.test))
            text = unparsed(test)
            reads = _reads(text)
            if reads and reads <= set(by_ref.values()) and text not in made:
                name = free(named(test), self.taken | {check.name for check in made.values()})
                made[text] = Check(name, tuple(sorted(reads)), text)
        return tuple(made.values())


class _Offer(NamedTuple):
    """A condition that could be an invariant; without a name, its text gives one."""

    test: ast.expr
    why: str
    name: str = ""


def checks_of(flow: Flow, taken: Iterable[str]) -> Checks:
    """The invariants that a notebook's text offers each step.

    Args:
        taken: names that a new function may not have.
    """
    made = Checks({step.id: [] for step in flow.steps}, taken=set(taken))
    for step in flow.steps:
        for offer in _within(step):
            _add(made, step, offer, flow.exports)
    for unit in flow.source.units:
        for node in unit.nodes if unit.kind == "assert" else ():
            if isinstance(node, ast.Assert):
                _add_outer(made, node, unit, flow)
    return made


def _within(step: Found) -> Iterator[_Offer]:
    """Asserts of a function's own body, then figures reached another way."""
    for test in asserted(step):
        yield _Offer(test, "the assert in the function stays there")
    for name, test in ways(step):
        yield _Offer(test, "reaches the result by another way than the code does", name)


def _add(made: Checks, step: Found, offer: _Offer, exports: Exports) -> str:
    """Add an invariant, if all it reads is there; else the name that is not."""
    text = unparsed(offer.test)
    there = {*step.fields, *(param.name for param in step.params), "output"}
    reads = _reads(text)
    missing = [name for name in sorted(reads - there) if exports.why_not(name)]
    if missing:
        return missing[0]
    checks = made.of_step[step.id]
    if not reads & {*step.fields, "output"} or any(check.text == text for check in checks):
        return ""
    if _is_empty(text, reads):
        return ""
    name = free(offer.name or named(offer.test), made.taken)
    made.taken.add(name)
    params = tuple(sorted(reads & there, key=lambda name: (name == "output", name)))
    checks.append(Check(name, params, text, frozenset(reads - there), offer.why))
    return ""


def _is_empty(text: str, params: Iterable[str]) -> bool:
    """Whether a condition holds whatever it is asked, such as ``total == total``."""
    node = ast.parse(f"def it({', '.join(sorted(params))}):\n    return {text}").body[0]
    return isinstance(node, ast.FunctionDef) and why_always(node, {}) is not None


def _add_outer(made: Checks, node: ast.Assert, unit: Unit, flow: Flow) -> None:
    """An assert below the calls: it belongs to the last step whose result it looks at."""
    refs = flow.values.get(unit, {})
    order = {step.id: place for place, step in enumerate(flow.steps)}
    said = short(unparsed(node.test))
    seen = {
        order[refs[name].ref.partition("#")[0]]
        for name in _reads(unparsed(node.test))
        if name in refs and refs[name].ref
    }
    if not seen:
        flow.note(unit, f"`{said}` looks at no result of a step")
        return
    step = flow.steps[max(seen)]
    if _is_called_again(step, flow):
        flow.note(unit, f"`{said}` is said of one call, and {step.id} is called again")
        return
    test = _Renamed(refs, _place_in(step)).visit(copy.deepcopy(node.test))
    missing = _add(made, step, _Offer(test, "the assert stays where it is"), flow.exports)
    if missing:
        made.loose.append(_Loose(node.test, refs))
        flow.note(unit, f"`{said}` also needs `{missing}`, which {step.id} does not have")


def _is_called_again(step: Found, flow: Flow) -> bool:
    """Whether a function is called at more than one place, or in a loop."""
    calls = [
        node
        for unit in flow.source.units
        for node in unit.nodes
        for call in called(node)
        if isinstance(call.func, ast.Name) and call.func.id == step.id
    ]
    plain = (ast.Assign, ast.AnnAssign, ast.Expr)
    return step.function is not None and (
        len(calls) > 1 or not all(isinstance(node, plain) for node in calls)
    )


def _place_in(step: Found) -> Callable[[str], str | None]:
    """Tells by what name a step's invariants know a value, from where a run has it."""
    bound = {param.ref: param.name for param in step.params if param.ref}

    def place(ref: str) -> str | None:
        if ref == f"{step.id}#":
            return "output"
        id_, _, field_ = ref.partition("#/")
        if id_ == step.id:
            if step.kind.name == "tuple":
                return f"output[{field_}]"
            return field_ if field_ in step.fields else None  # else it stays output["…"]
        return bound.get(ref)

    return place


class _Renamed(ast.NodeTransformer):
    """An expression of the notebook in the names that ``place`` gives."""

    def __init__(self, refs: Mapping[str, Value], place: Callable[[str], str | None]) -> None:
        self.refs, self.place = refs, place

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``result["total"]`` is the field ``total`` of a step's result."""
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
            whole = self.refs.get(node.value.id, NOWHERE)
            place = self._of(f"{whole.ref}/{node.slice.value!s}") if whole.kind.parts else None
            if whole.ref and place is not None:
                return place
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name that holds what a run has."""
        ref = self.refs.get(node.id, NOWHERE).ref
        return (self._of(ref) if ref else None) or node

    def _of(self, ref: str) -> ast.expr | None:
        text = self.place(ref)
        if text is None or keyword.iskeyword(text):
            return None
        return ast.parse(text, mode="eval").body


def _reads(text: str) -> set[str]:
    """The names in an expression that something around it has to give."""
    names = set(names_of(ast.parse(text)).uses)
    return {name for name in names if name not in _GIVEN}


def _broken(text: str) -> str:
    """A long condition on several lines, cut where it says ``and`` or ``or``."""
    node = ast.parse(text, mode="eval").body
    if not isinstance(node, ast.BoolOp):
        return f"        {text}\n"
    word = "or" if isinstance(node.op, ast.Or) else "and"
    parts = [
        f"({unparsed(part)})" if isinstance(part, ast.BoolOp) else unparsed(part)
        for part in node.values
    ]
    return "".join(f"        {f'{word} ' if at else ''}{part}\n" for at, part in enumerate(parts))


#: Built-in functions that a condition may call.
_GIVEN = bag("abs all any bool float int len list max min round set sorted str sum")
