"""A way through a notebook that finds its steps."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from skills2_nb.convert import adopt_groups as groups
from skills2_nb.convert.adopt_exports import Exports, changed_parameters, returned_parameters
from skills2_nb.convert.adopt_kinds import UNKNOWN, Kind, joined
from skills2_nb.convert.adopt_reader import Reader, defaults
from skills2_nb.convert.adopt_units import (
    Function,
    Source,
    Unit,
    called,
    is_literal,
    reads_of,
    unparsed,
)
from skills2_nb.convert.adopt_values import (
    NOWHERE,
    TAKEN,
    Found,
    Param,
    Value,
    code_literal,
    described,
    parameters,
    passed,
    short,
)

_BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try)


@dataclass
class Flow:
    """One way through a notebook, from top to bottom.

    Attributes:
        titles: what the notebook says of a cell, by its number: the heading above it.
        longest: how long the id of a step may be.
        barred: functions and places that are no steps after all.
        steps: the steps found, in the order of their calls.
        notes: why something is no step, by cell.
        env: what each name is now.
        values: what each name was when a unit was reached.
    """

    source: Source
    titles: Mapping[int, str] = field(default_factory=dict)
    longest: int = 40
    barred: frozenset[str] = frozenset()
    steps: list[Found] = field(default_factory=list)
    notes: dict[int, list[str]] = field(default_factory=dict)
    env: dict[str, Value] = field(default_factory=dict)
    values: dict[Unit, dict[str, Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.exports = Exports(self.source)
        self.reader = Reader(self.source)
        self._calls: dict[ast.Call, str] = {}

    def follow(self) -> None:
        """Go through the units and note what can be a step."""
        for units in self.source.cells.values():
            pending: list[Unit] = []
            for unit in units:
                if not self._is_computing(unit):
                    groups.settle(self, pending)
                    pending = []
                    self.leave(unit)
                elif self._candidates(unit):
                    groups.settle(self, pending)
                    pending = [] if self._take(unit) else [unit]
                else:
                    pending.append(unit)
            groups.settle(self, pending)
        self._note_idle()

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kinds that names have now."""
        return {**self.literals, **{name: value.kind for name, value in self.env.items()}}

    @cached_property
    def literals(self) -> dict[str, Kind]:
        """The kinds of the notebook's constants."""
        return {
            name: self.reader.kind(ast.parse(code_literal(value), mode="eval").body, {})
            for name, value in self.source.literals.items()
        }

    def note(self, unit: Unit, sentence: str) -> None:
        """Keep why something in a cell is no step."""
        said = self.notes.setdefault(unit.cell, [])
        if sentence not in said:
            said.append(sentence)

    def leave(self, unit: Unit) -> None:
        """Pass a unit that stays where it is; functions that it calls may be steps."""
        may_call = unit.kind in ("show", "assert", "compute", "literal")
        if not (may_call and self._candidates(unit) and self._take(unit)):
            self.pass_by(unit)

    def pass_by(self, unit: Unit) -> None:
        """Note what names are once a unit that stays where it is has run."""
        self.values[unit] = dict(self.env)
        if unit.kind in ("function", "class", "import"):
            return
        kinds = self.kinds
        self.reader.run(unit.nodes, kinds)
        for name in (*unit.names.binds, *(self.changed_by(unit) & set(self.env))):
            self.env[name] = Value(kinds.get(name, UNKNOWN))
        for node in unit.nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                self._name_result(self._calls.get(node.value, ""), node.targets[0])

    def changed_by(self, unit: Unit) -> set[str]:
        """Names of values that a unit changes in place, by the functions it calls too."""
        made = set(unit.changed)
        for call in (c for node in unit.nodes for c in called(node)):
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            if name in self.source.functions:
                function = self.source.functions[name][1]
                changed = changed_parameters(function)
                made |= {
                    value.id
                    for parameter, value in passed(function, call).items()
                    if parameter in changed and isinstance(value, ast.Name)
                }
        return made

    def ref(self, node: ast.expr) -> str:
        """Where a run has the value of an expression; empty where it has it nowhere."""
        if isinstance(node, ast.Name):
            return self.env.get(node.id, NOWHERE).ref
        if isinstance(node, ast.Call) and node in self._calls:
            return f"{self._calls[node]}#"
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            whole, key = self.ref(node.value), str(node.slice.value)
            known = dict(self.reader.kind(node.value, self.kinds).parts)
            return f"{whole}/{key}" if whole and key in known else ""
        return ""

    def _is_computing(self, unit: Unit) -> bool:
        """Whether a unit computes; a literal that is bound again below is a first value."""
        fixed = unit.kind == "literal" and set(unit.names.binds) <= set(self.source.literals)
        return unit.kind == "compute" or (unit.kind == "literal" and not fixed)

    def _candidates(self, unit: Unit) -> list[ast.Call]:
        """Calls, on every path through a unit, of functions that may be steps."""
        known = {step.id for step in self.steps} | self.barred
        return [
            call
            for node in unit.nodes
            if not isinstance(node, _BLOCKS)
            for call in called(node)
            if isinstance(call.func, ast.Name)
            and call.func.id in self.source.functions
            and call.func.id not in known
            and self._may_be_step(call.func.id, unit)
        ]

    def _note_idle(self) -> None:
        """Say why functions that nothing made use of are no steps."""
        used = {name for step in self.steps for name in (step.id, *step.needs)}
        for name, (unit, function) in self.source.functions.items():
            if name not in used:
                is_read = any(name in other.reads for other in self.source.units if other != unit)
                why = self.exports.faults(function) or (
                    "" if is_read else f"no cell calls `{name}`"
                )
                if why:
                    self.note(unit, why)

    def _may_be_step(self, name: str, unit: Unit) -> bool:
        home, function = self.source.functions[name]
        magic = f"`{name}` holds a line that only IPython understands"
        why = self.exports.faults(function) or ("" if home.kind == "function" else magic)
        if why:
            self.note(home, why)
        return not why

    def _take(self, unit: Unit) -> bool:
        """Make steps of the functions that a unit calls; whether there was one."""
        before = len(self.steps)
        for call in self._candidates(unit):
            found = self._called(call, unit)
            if isinstance(found, str):
                self.note(unit, found)
            elif found.id not in {step.id for step in self.steps}:
                self.steps.append(found)
                self._calls[call] = found.id
        if len(self.steps) == before:
            return False
        self.pass_by(unit)
        return True

    def _name_result(self, id_: str, target: ast.expr) -> None:
        at = next((at for at, step in enumerate(self.steps) if step.id == id_), None)
        if at is None:
            return
        kind, names = self.steps[at].kind, [target]
        if isinstance(target, ast.Name):
            self.env[target.id] = Value(kind, f"{id_}#")
        elif isinstance(target, ast.Tuple) and kind.name == "tuple":
            names = list(target.elts)
            for part, (key, inner) in zip(names, kind.parts, strict=False):
                if isinstance(part, ast.Name):
                    self.env[part.id] = Value(inner, f"{id_}#/{key}")
        said = ",".join(part.id if isinstance(part, ast.Name) else "" for part in names)
        self.steps[at] = replace(self.steps[at], result=said)

    def _called(self, call: ast.Call, unit: Unit) -> Found | str:
        """The step that a call makes of its function, or why it makes none."""
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        home, function = self.source.functions[name]
        given = self._given(function, call)
        kind = self.reader.returned(function, given)
        why = self._unfit(name, call, kind, given)
        if why:
            return why
        params = self._params(function, call)
        added = self._globals(function) if not isinstance(params, str) else params
        if isinstance(params, str) or isinstance(added, str):
            return added if isinstance(added, str) else ""
        return Found(
            id=name,
            units=(home,),
            function=function,
            call=unit,
            params=(*params, *added[0]),
            kind=kind,
            needs=frozenset(self.exports.closure(set(added[1]))),
            effects=self.exports.effects(list(function.body)),
        )

    def _given(self, function: Function, call: ast.Call) -> dict[str, Kind]:
        """The kinds that a function works on, whichever of its calls is made."""
        given = self.reader.arguments(function, call, self.kinds)
        for name in parameters(function):
            given[name] = joined(self._every_kind(function, name) or (UNKNOWN,))
        calls = self._calls_of(function.name)
        for name in reads_of([function]) & set(self.env):
            given[name] = joined(self._kinds_at[unit].get(name, UNKNOWN) for unit, _ in calls)
        return given

    def _unfit(self, name: str, call: ast.Call, kind: Kind, given: Mapping[str, Kind]) -> str:
        function = self.source.functions[name][1]
        if name in TAKEN or name.startswith("__"):
            return f"`{name}` is the name of something else"
        starred = any(isinstance(part, ast.Starred) for part in call.args)
        if starred or any(word.arg is None for word in call.keywords):
            return f"the call of `{name}` unpacks its arguments"
        changed = [
            parameter
            for parameter in sorted(changed_parameters(function))
            if given.get(parameter, UNKNOWN).name != "frame"
        ]
        if changed:
            return f"`{name}` changes its argument `{changed[0]}` in place"
        shared = self._shared(function)
        if shared:
            return (
                f"`{name}` hands back its argument `{shared}`, and the notebook changes that later"
            )
        if not kind.is_kept:
            return f"`{name}` returns {described(kind)}, which a run cannot keep"
        now = self._now(function, call).items()
        if any(k.name == "frame" and given[name_].name != "frame" for name_, k in now):
            return f"`{name}` is called with tables, and with something else"
        if kind.name == "dict" and not kind.parts:
            return f"`{name}` returns a mapping whose keys the text does not tell"
        return ""

    def _shared(self, function: Function) -> str:
        """A parameter that is handed back, where a cell changes it or the result in place.

        A step gives a copy, so that the one would no longer change with the other.
        """
        for unit, call in self._calls_of(function.name):
            given = passed(function, call)
            for parameter in sorted(returned_parameters(function) & set(given)):
                value = given[parameter]
                names = {value.id} if isinstance(value, ast.Name) else set()
                if names and (names | set(unit.names.binds)) & self.source.changed:
                    return parameter
        return ""

    def _now(self, function: Function, call: ast.Call) -> dict[str, Kind]:
        return {
            name: self.reader.kind(value, self.kinds)
            for name, value in passed(function, call).items()
        }

    def _params(self, function: Function, call: ast.Call) -> tuple[Param, ...] | str:
        """A function's parameters, each with where a run finds its value."""
        given, spare = passed(function, call), defaults(function)
        made = []
        for name in parameters(function):
            every = self._every_kind(function, name)
            if name in given:
                source = self._source(given[name])
                if source is None:
                    text = short(unparsed(given[name]))
                    return f"`{function.name}` takes `{text}`, which no step gives"
                made.append(replace(source, name=name, kinds=every))
            elif name in spare:
                made.append(Param(name, self.reader.kind(spare[name], self.kinds), kinds=every))
            else:
                return f"the call of `{function.name}` leaves `{name}` out"
        return tuple(made)

    def _every_kind(self, function: Function, parameter: str) -> tuple[Kind, ...]:
        """The kinds that all calls of the notebook pass."""
        spare = defaults(function).get(parameter)
        kinds = [] if spare is None else [self.reader.kind(spare, self.literals)]
        for unit, call in self._calls_of(function.name):
            given = passed(function, call)
            if parameter in given:
                kinds.append(self.reader.kind(given[parameter], self._kinds_at[unit]))
        return tuple(dict.fromkeys(kinds))

    def _calls_of(self, name: str) -> list[tuple[Unit, ast.Call]]:
        return [
            (unit, call)
            for unit in self.source.units
            for node in unit.nodes
            for call in called(node)
            if isinstance(call.func, ast.Name) and call.func.id == name
        ]

    @cached_property
    def _kinds_at(self) -> dict[Unit, dict[str, Kind]]:
        """What names are wherever a call may stand; within a function nothing is known."""
        made: dict[Unit, dict[str, Kind]] = {}
        now = dict(self.literals)
        for unit in self.source.units:
            before = dict(now)
            if unit.kind in ("function", "class"):
                made[unit] = dict(self.literals)
                continue
            self.reader.run(unit.nodes, now)
            is_plain = len(unit.nodes) == 1 and not isinstance(unit.nodes[0], _BLOCKS)
            made[unit] = before if is_plain else _either(before, now)
        return made

    def _source(self, node: ast.expr) -> Param | None:
        """Where a run finds the value of an argument; None where it finds none."""
        kind = self.reader.kind(node, self.kinds)
        if is_literal(node):
            return Param("", kind, value=code_literal(ast.literal_eval(node)))
        if isinstance(node, ast.Name) and node.id in self.source.literals:
            return Param("", kind, value=code_literal(self.source.literals[node.id]))
        ref = self.ref(node)
        return Param("", kind, ref=ref) if ref and kind.is_kept else None

    def _globals(self, function: Function) -> tuple[list[Param], list[str]] | str:
        """What a function reads beside its parameters: new parameters, and names to export."""
        added: list[Param] = []
        needs: list[str] = []
        for name in sorted(reads_of([function]) - {function.name}):
            why, value = self.exports.why_not(name), self.env.get(name, NOWHERE)
            if name in self.source.literals:
                needs.append(name)
                if self._is_input(name, function):
                    added.append(Param(name, self.literals[name], constant=name, added=True))
            elif not why:
                needs.append(name)
            elif value.ref and value.kind.is_kept and self._is_open(function):
                calls = self._calls_of(function.name)
                every = [self._kinds_at[unit].get(name, UNKNOWN) for unit, _ in calls]
                kinds = tuple(dict.fromkeys(every))
                added.append(Param(name, value.kind, ref=value.ref, added=True, kinds=kinds))
            else:
                return f"`{function.name}` cannot stand alone: {why}"
        return added, needs

    def _is_input(self, name: str, function: Function) -> bool:
        """Whether a step can take a constant as a parameter: no function it calls reads it too."""
        others = self.exports.closure(set(reads_of([function]))) - {name, function.name}
        units = [self.exports.unit(other) for other in others]
        return not any(unit is not None and name in unit.reads for unit in units)

    def _is_open(self, function: Function) -> bool:
        """Whether all calls of a function stand where they can pass one value more."""
        inner: Sequence[Unit] = [
            unit for unit in self.source.units if unit.kind in ("function", "class", "magic")
        ]
        return not any(function.name in unit.reads and function not in unit.nodes for unit in inner)


def _either(one: Mapping[str, Kind], two: Mapping[str, Kind]) -> dict[str, Kind]:
    """The kinds of names that are as in one place or as in another."""
    return {name: joined((one.get(name, kind), kind)) for name, kind in two.items()}
