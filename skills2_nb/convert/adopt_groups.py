"""Computing statements that together become a function."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from skills2_nb.convert.adopt_aliases import with_held
from skills2_nb.convert.adopt_kinds import UNKNOWN, Kind
from skills2_nb.convert.adopt_units import Unit, changed_in, reads_of, unparsed
from skills2_nb.convert.adopt_values import (
    NOWHERE,
    TAKEN,
    Found,
    Param,
    Value,
    described,
    is_whole,
    place_of,
    short,
)
from skills2_nb.convert.names import names_of

if TYPE_CHECKING:
    from skills2_nb.convert.adopt_flow import Flow

_PLAIN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.With, ast.Expr)
#: Outputs up to which a made function is named after all of them.
_NAMED = 2


def settle(flow: Flow, pending: list[Unit]) -> None:
    """Make steps of computing statements that stand together, and leave the others."""
    while pending:
        found, rest = _best(flow, pending)
        if found is None:
            for unit in pending:
                flow.leave(unit)
            return
        for unit in pending[: pending.index(found.units[0])]:
            flow.leave(unit)
        _accept(flow, found)
        pending = rest


def _best(flow: Flow, pending: list[Unit]) -> tuple[Found | None, list[Unit]]:
    """The longest group that can be a function, from the first statement that can begin one."""
    first = ""
    for start in range(len(pending)):
        if place_of(pending[start]) in flow.barred:
            continue
        for end in range(len(pending), start, -1):
            found = _group(flow, tuple(pending[start:end]))
            if not isinstance(found, str):
                return found, pending[end:]
            first = first or found
    if first and not all(_is_constant(flow, unit) for unit in pending):
        flow.note(pending[0], first)
    return None, []


def _is_constant(flow: Flow, unit: Unit) -> bool:
    """Whether a unit only binds what can be exported as it is, or names values anew."""
    if all(_is_alias(node) for node in unit.nodes):
        return True
    return all(not flow.exports.why_not(name) for name in unit.names.binds)


def _accept(flow: Flow, found: Found) -> None:
    for unit in found.units:
        flow.values[unit] = dict(flow.env)
    flow.steps.append(found)
    kinds = flow.kinds
    for unit in found.units:
        flow.reader.run(unit.nodes, kinds)
        for name in (*unit.names.binds, *flow.changed_by(unit)):
            flow.env[name] = Value(kinds.get(name, UNKNOWN))
    for name, kind in found.outputs:
        ref = f"{found.id}#" if found.is_whole else f"{found.id}#/{name}"
        flow.env[name] = Value(kind, ref)


def _group(flow: Flow, units: tuple[Unit, ...]) -> Found | str:
    """The step that statements make together, or why they make none."""
    nodes = [node for unit in units for node in unit.nodes]
    if all(_is_alias(node) for node in nodes):
        return "it only names values"
    drawing = next((node for node in nodes if flow.exports.draws(node)), None)
    if drawing is not None:
        return f"`{short(unparsed(drawing))}` draws"
    bound, sure, read = _bound_and_read(nodes)
    params: list[Param] = []
    needs: list[str] = []
    for name in read:
        why = _take_in(flow, name, params, needs)
        if why:
            return why
    changed = {name for unit in units for name in flow.changed_by(unit)}
    changed = set(with_held(changed, nodes)) - set(needs)
    outputs = _outputs(flow, units, bound | changed, sure | {param.name for param in params})
    if isinstance(outputs, str):
        return outputs
    shared = _shared(flow, units, bound)
    if shared:
        return f"`{shared}` is the value of another name, and the one changes with the other"
    return Found(
        id=_identifier(flow, units, [name for name, _ in outputs]),
        units=units,
        function=None,
        call=units[-1],
        params=tuple(params),
        kind=outputs[0][1] if is_whole(outputs) else Kind("dict", outputs),
        outputs=outputs,
        needs=frozenset(flow.exports.closure(set(needs))),
        effects=flow.exports.effects(nodes),
    )


def _take_in(flow: Flow, name: str, params: list[Param], needs: list[str]) -> str:
    """Let a made function have a name that it reads; else why it cannot."""
    if name in flow.source.literals:
        params.append(Param(name, flow.literals[name], constant=name, added=True))
        needs.append(name)
        return ""
    value = flow.env.get(name, NOWHERE)
    if value.ref and value.kind.is_kept:
        params.append(Param(name, value.kind, ref=value.ref, added=True))
        return ""
    why = flow.exports.why_not(name)
    if not why:
        needs.append(name)
        return ""
    if name in flow.env and not value.kind.is_kept:
        return f"it needs `{name}`, {described(value.kind)}, which no step gives"
    return f"it cannot stand alone: {why}"


def _outputs(
    flow: Flow, units: tuple[Unit, ...], names: set[str], sure: set[str]
) -> tuple[tuple[str, Kind], ...] | str:
    """What a made function hands back: what is read below it, and every figure."""
    kinds = flow.kinds
    for unit in units:
        flow.reader.run(unit.nodes, kinds)
    later = flow.source.read_after(units[-1])
    made = []
    for name in _in_order(units, names):
        kind = kinds.get(name, UNKNOWN)
        if name in later and name not in sure:
            return f"`{name}` may or may not be set"
        if name in later and not kind.is_kept:
            return f"it makes `{name}`, {described(kind)}, which a run cannot keep"
        is_figure = name in sure and kind.is_figure and not name.startswith("_")
        if name in later or is_figure:
            made.append((name, kind))
    return tuple(made) if made else "nothing below uses what it computes"


def _identifier(flow: Flow, units: tuple[Unit, ...], names: list[str]) -> str:
    """A name for a made function: of the heading above its cell, else of what it computes."""
    cell = flow.source.cells[units[0].cell]
    aside = ("import", "literal", "function", "class", "magic")
    is_first = next(unit for unit in cell if unit.kind not in aside or unit is units[0]) is units[0]
    said = flow.titles.get(units[0].cell, "") if is_first else ""
    words = re.findall(r"[a-z0-9]+", said.lower()) if said.isascii() else []
    base = "_".join(words).lstrip("0123456789_")
    if not base or len(base) > flow.longest:
        base = f"compute_{'_and_'.join(names if len(names) <= _NAMED else names[:1])}"
        base = base if len(base) <= flow.longest else f"compute_{names[0]}"
    taken = {*flow.source.bound, *(step.id for step in flow.steps), *TAKEN}
    made, count = base[: flow.longest].rstrip("_"), 1
    while made in taken or not made.isidentifier():
        count += 1
        made = f"{base[: flow.longest - 3]}_{count}"
    return made


def _bound_and_read(nodes: list[ast.stmt]) -> tuple[set[str], set[str], list[str]]:
    """Names bound, names bound on every path, and names read before they are bound."""
    bound: set[str] = set()
    sure: set[str] = set()
    read: dict[str, None] = {}
    inner: set[str] = set().union(*map(_loop_names, nodes))
    for node in nodes:
        binds = set(names_of(ast.Module([node], [])).binds)
        is_plain = isinstance(node, _PLAIN)
        found = [name for name in sorted(reads_of([node])) if is_plain or name not in binds & inner]
        found += sorted(changed_in(node))
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.append(node.target.id)
        read |= dict.fromkeys(name for name in found if name not in sure)
        bound |= binds
        sure |= binds if is_plain else set()
    return bound, sure, [name for name in read if name not in inner or name not in bound]


def _loop_names(node: ast.stmt) -> set[str]:
    """The names that loops and ``with`` bind."""
    targets: list[ast.expr] = []
    for part in ast.walk(node):
        if isinstance(part, ast.For):
            targets.append(part.target)
        elif isinstance(part, ast.With):
            targets += [item.optional_vars for item in part.items if item.optional_vars]
    return {
        part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)
    }


def _shared(flow: Flow, units: tuple[Unit, ...], bound: set[str]) -> str:
    """A name that holds another's own value, where a cell changes one of them in place later.

    A step gives a copy, so that the one would no longer change with the other.
    """
    for unit in units:
        for name, held in flow.exports.aliases(unit):
            if held - bound and any(
                ({name} | held) & flow.changed_by(other)
                for other in flow.source.units
                if other not in units
            ):
                return name
    return ""


def _in_order(units: tuple[Unit, ...], names: set[str]) -> Iterable[str]:
    """Names in the order in which units bind or change them."""
    seen = [
        name
        for unit in units
        for name in (*sorted(unit.names.binds, key=_line_in(unit)), *sorted(unit.changed))
        if name in names
    ]
    return dict.fromkeys([*seen, *sorted(names)])


def _line_in(unit: Unit) -> Callable[[str], tuple[int, str]]:
    return lambda name: (unit.names.binds[name], name)


def _is_alias(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Name | ast.Constant)
