"""Lint of what invariants can notice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from skills2_nb.convert.context import Context
from skills2_nb.convert.definitions import Function, annotations_of, fields_of, required_of
from skills2_nb.convert.names import written
from skills2_nb.convert.steps import Step
from skills2_nb.convert.tautology import why_always
from skills2_nb.formats.problem import Problem


def tautologies(context: Context) -> Iterator[Problem]:
    """S524: invariants that hold whatever their step gives."""
    judged: set[str] = set()
    for step in context.steps:
        types = {p.name: p.annotation for p in step.parameters if p.annotation is not None}
        types |= annotations_of(step.output, context.known)
        for name in step.invariants:
            node = _function(context, name)
            why = why_always(node, types) if node is not None and name not in judged else None
            if why is not None and node is not None:
                judged.add(name)
                yield context.known[name].code.assignment.problem(
                    "S524",
                    f"{name!r} {why}, so it holds whatever step {step.id!r} gives",
                    "compare the output with the inputs, or take it away",
                    line=node.lineno,
                )


def schemas(context: Context) -> Iterator[Problem]:
    """S525: output models that an empty result would fit."""
    for step in context.steps:
        if step.is_stub or required_of(step.output, context.known) != ():
            continue
        yield step.code.assignment.problem(
            "S525",
            f"no field of {step.output} is required, so a result of step {step.id!r} proves "
            "nothing",
            "take the default of at least one field away",
            line=step.line,
        )


def unchecked(context: Context) -> Iterator[Problem]:
    """S526: report fields that no invariant of their step or of a later one looks at."""
    for step in context.steps:
        fields = fields_of(step.output, context.known) or ()
        for name in step.report if not step.is_stub else ():
            if name in fields and not any(_looks(context, step, name)):
                yield step.code.assignment.problem(
                    "S526",
                    f"no invariant looks at {name!r}, which step {step.id!r} reports",
                    f"write one that computes {name} in another way, or take it out of report",
                    line=step.line,
                )


def _looks(context: Context, step: Step, field: str) -> Iterator[bool]:
    for other in context.steps:
        if other is not step and (other.rank <= step.rank or other.is_stub):
            continue
        carriers = _carriers(step, other, field)
        for name in other.invariants:
            node = _function(context, name)
            yield node is None or _sees(node, field, carriers, own=other is step)


def _carriers(step: Step, other: Step, field: str) -> dict[str, bool]:
    """Parameters of a step that hold a field of another's output; True where they hold it whole."""
    found: dict[str, bool] = {}
    for parameter in other.parameters if other is not step else ():
        reference = other.bind.get(parameter.name, "")
        annotation = written(parameter.annotation) if parameter.annotation else ""
        if reference:
            source, _, pointer = reference.partition("#")
            if source == step.id and (not pointer or pointer.split("/")[1] == field):
                found[parameter.name] = not pointer
        elif step.output is not None and annotation.strip("'\"") == step.output:
            found[parameter.name] = True
        elif parameter.name == field:
            found[parameter.name] = False
    return found


def _sees(node: Function, field: str, carriers: dict[str, bool], *, own: bool) -> bool:
    """Whether an invariant can look at a field; where nobody can tell, it can."""
    for name in (arg.arg for arg in (*node.args.args, *node.args.kwonlyargs)):
        if name == "run" or (own and name == field) or carriers.get(name) is False:
            return True
        parts = _parts(node, name)
        if own and name == "output" and (parts is None or field in parts):
            return True
        if carriers.get(name) and (parts is None or field in parts):
            return True
        if not own and name == "inputs" and carriers and not _misses(parts, carriers):
            return True
    return False


def _misses(parts: set[str] | None, carriers: dict[str, bool]) -> bool:
    return parts is not None and parts.isdisjoint(carriers)


def _parts(node: Function, name: str) -> set[str] | None:
    """The attributes and literal keys of a variable that a function asks for; None if more."""
    named: set[str] = set()
    uses = read = 0
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id == name:
            uses += 1
        elif isinstance(part, (ast.Attribute, ast.Subscript)) and _is_named(part.value, name):
            key = part.attr if isinstance(part, ast.Attribute) else _text(part.slice)
            if key is not None:
                named.add(key)
                read += 1
    return named if uses == read else None


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _text(node: ast.expr) -> str | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def _function(context: Context, name: str) -> Function | None:
    definition = context.known.get(name)
    node = definition.node if definition else None
    return node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


RULES: tuple[Callable[[Context], Iterable[Problem]], ...] = (tautologies, schemas, unchecked)
