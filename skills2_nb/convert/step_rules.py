"""Lint of steps."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

from skills2_nb.convert.context import Context
from skills2_nb.convert.definitions import Function, fields_of
from skills2_nb.convert.names import written
from skills2_nb.convert.source import Code
from skills2_nb.convert.steps import Step, steps_in, strays_in
from skills2_nb.formats.problem import Edit, Problem
from skills2_nb.formats.roles import Role
from skills2_nb.hooks.uses import prefix

RESERVED = ("start_run", "end_run", "audit_run")
LONGEST_TOOL = 64
_FIELDLESS = ("int", "float", "str", "bool", "None")
_WHOLE = ("inputs", "output", "run")
_HALF = re.compile(r"[\ud800-\udfff]")
_MARK = re.compile(r"[ \t]*@([\w.]+)[ \t]*(?:\(|#|$)")


def tagged(context: Context) -> Iterator[Problem]:
    """S501 to S503, S523: each `@step` in a step cell, each step cell with one `@step`."""
    for code in context.codes:
        found = steps_in(code, context.aliases)
        role = code.assignment.role
        strays = strays_in(code, context.aliases)
        if code.exported or not code.assignment.explicit:
            yield from (_stray(code, node) for node in strays)
        if role is Role.STEP:
            yield from _one_step(code, found, bool(strays))
        elif code.assignment.explicit and role is Role.SKIP:
            continue
        elif found:
            yield _untagged(code, found)
        elif code.tree is None and not code.exported:
            yield from _unreadable(code, context.aliases)


def ids(context: Context) -> Iterator[Problem]:
    """S509 to S511: ids that are names, free, single and short enough for a tool."""
    seen: dict[str, Step] = {}
    name = context.manifest.name
    for step in context.steps:
        why = _unfit(step.id) or _unfit(step.name)
        if why:
            yield _at(step, "S509", f"the id {step.id!r} {why}", "give the step another name")
        other = seen.setdefault(step.id, step)
        if other is not step:
            yield _at(
                step,
                "S510",
                f"the id {step.id!r} is that of the step in cell {other.code.number} too",
                "rename one of them",
            )
        yield from _tool_name(name, step)
    if context.steps and len(f"{prefix()}{name}__start_run") > LONGEST_TOOL:
        room = LONGEST_TOOL - len(f"{prefix()}__start_run")
        yield _at(
            context.steps[0],
            "S511",
            f"the skill's name has {len(name)} characters, too many for its tools",
            f"shorten it to {room}",
        )


def signature(context: Context) -> Iterator[Problem]:
    """S512, S519, S520, S521: parameters with names, annotations, a body, an invariant."""
    for step in context.steps:
        given = step.function.args
        if given.vararg or given.kwarg or given.posonlyargs:
            yield _at(
                step,
                "S512",
                f"step {step.name!r} takes *args, **kwargs or positional-only parameters",
                "give every input a name of its own",
            )
        if any(p.name == "model_config" for p in step.parameters):
            yield _at(step, "S512", "a parameter cannot be called 'model_config'", "rename it")
        if not (step.docstring or "").isascii() and _HALF.search(step.docstring or ""):
            yield _at(
                step,
                "C418",
                f"the docstring of step {step.name!r} holds half a character",
                "type it anew",
            )
        missing = [p.name for p in step.parameters if p.annotation is None]
        if (missing and not step.input) or (step.function.returns is None and not step.output):
            what = f"parameters {', '.join(missing)}" if missing else "the result"
            yield _at(
                step,
                "S519",
                f"step {step.name!r} has no annotation for {what}; any value is taken",
                "annotate them, and the checks come by themselves",
            )
        if step.is_stub:
            yield _at(step, "S520", f"step {step.name!r} is a stub", "write its body")
        elif step.required and not step.invariants:
            yield _at(
                step,
                "S521",
                f"step {step.name!r} has no invariant, so strict consistency counts it as 0",
                "write one: @step(invariants=[...])",
            )


def waits(context: Context) -> Iterator[Problem]:
    """S513: a step that can never be called."""
    by_id = {step.id: step for step in context.steps}
    for step in context.steps:
        if context.stands_on(step, step):
            yield _at(
                step,
                "S513",
                f"step {step.id!r} waits for itself",
                "take one `requires` of the circle away",
            )
            continue
        for name in step.requires or ():
            other = by_id.get(name)
            if other is not None and other.rank > step.rank and step.required:
                yield _at(
                    step,
                    "S513",
                    f"step {step.id!r} requires {name!r}, whose order is higher",
                    f"give {step.id!r} a higher order, or move its cell below",
                )


def predicates(context: Context) -> Iterator[Problem]:
    """S514, S515: invariants that can say no, and ask for values that are there."""
    judged: set[str] = set()
    for step in context.steps:
        names = (*step.invariants, *([step.when] if step.when else []))
        for name in names:
            definition = context.known.get(name)
            node = definition.node if definition else None
            if definition is None or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            if name not in judged and _only_none(node):
                judged.add(name)
                yield definition.code.assignment.problem(
                    "S514",
                    f"{name!r} can only return None, so it would always hold",
                    "return the comparison, or assert it",
                    line=node.lineno,
                )
            if name in step.invariants:
                yield from _asks_for(context, step, name, node, definition.code)


def reports(context: Context) -> Iterator[Problem]:
    """S516, S517: report fields exist, and there is one."""
    bodied = [step for step in context.steps if not step.is_stub]
    if bodied and not any(step.report for step in context.steps):
        yield _at(
            bodied[-1],
            "S517",
            "no step has a report field, so no value of the answer can be checked",
            'name the fields the answer must carry: @step(report=["implied"])',
        )
    for step in context.steps:
        fields = fields_of(step.output, context.known)
        plain = written(step.function.returns) if step.function.returns else ""
        if plain in _FIELDLESS and not step.output:
            fields = ()
        for name in step.report if fields is not None else ():
            if fields is not None and name not in fields:
                near = get_close_matches(name, fields, n=1)
                yield _at(
                    step,
                    "S516",
                    f"{step.output or plain} has no field {name!r} to report",
                    _instead(near, fields),
                )


def binding(context: Context) -> Iterator[Problem]:
    """S518, S522: where a parameter that the caller leaves out would come from."""
    for step in context.steps:
        yield from _bound(context, step)
        for parameter in step.parameters:
            if parameter.name in step.bind:
                continue
            givers = context.givers_of(parameter.name, step)
            if len(givers) > 1:
                yield _at(
                    step,
                    "S518",
                    f"{parameter.name!r} of step {step.id!r} is a field of {' and '.join(givers)}; "
                    "where they differ, the call is refused as ambiguous",
                    f'say which: bind={{"{parameter.name}": "{givers[-1]}#/{parameter.name}"}}',
                )


def _instead(near: list[str], fields: tuple[str, ...]) -> str:
    if near:
        return f"write {near[0]!r}"
    return f"use one of {', '.join(fields)}" if fields else "return a model with that field"


def _stray(code: Code, node: ast.expr | Function) -> Problem:
    if isinstance(node, ast.expr):
        line, what = node.lineno, f"`{ast.unparse(node)}` is used as a value"
    else:
        line, what = node.decorator_list[0].lineno, f"step {node.name!r} stands inside a block"
    return code.assignment.problem(
        "S523",
        f"{what}; an export sees `@step` above a function at the left margin alone",
        "write it so, or tag the cell `skip`",
        line=line,
    )


def _one_step(code: Code, found: list[Function], has_strays: bool) -> Iterator[Problem]:
    if not found and code.clean and code.text and not has_strays:
        yield code.assignment.problem(
            "S502",
            "the cell is tagged `step` and has no `@step` function",
            "mark the function with @step, or tag the cell `setup`",
        )
    for extra in found[1:]:
        yield code.assignment.problem(
            "S503",
            f"the cell has {len(found)} `@step` functions; {extra.name!r} is one too many",
            "split the cell",
            line=extra.lineno,
        )


def _untagged(code: Code, found: list[Function]) -> Problem:
    cell = code.assignment.cell
    edit = None
    if len(found) == 1 and code.assignment.role in (Role.SKIP, Role.SETUP):
        kept = tuple(tag for tag in cell.tags if tag != code.assignment.word)
        if not code.assignment.explicit or code.assignment.word in cell.tags:
            edit = Edit(cell.number, tags=(*kept, Role.STEP.word))
    has = f"is `{code.assignment.word}`" if code.assignment.word else "has no role"
    return code.assignment.problem(
        "S501",
        f"the cell {has}, and {found[0].name!r} in it is a step",
        "tag the cell `step`" if len(found) == 1 else "split the cell and tag each part `step`",
        line=found[0].decorator_list[0].lineno,
        edit=edit,
    )


def _unreadable(code: Code, aliases: frozenset[str]) -> Iterator[Problem]:
    """A step in a cell without a role that does not even compile: never left out in silence."""
    marks = [
        number
        for number, line in enumerate(code.text.split("\n"), 1)
        if (match := _MARK.match(line)) and match.group(1) in aliases
    ]
    if marks and not code.assignment.explicit:
        tags = (*code.assignment.cell.tags, Role.STEP.word)
        yield code.assignment.problem(
            "S501",
            "the cell has no role, and it holds a step that cannot be read",
            "tag the cell `step`, and correct what is then told",
            line=marks[0],
            edit=Edit(code.number, tags=tags) if len(marks) == 1 else None,
        )


def _unfit(name: str) -> str:
    """Why a step cannot be called so; empty where it can."""
    if name in RESERVED:
        return "is the kit's own"
    if not name.isidentifier() or keyword.iskeyword(name):
        return "is no Python name"
    private = name.startswith("_") and re.fullmatch(r"_+|__\w+__", name)
    return "is for Python itself" if private else ""


def _tool_name(skill: str, step: Step) -> Iterator[Problem]:
    tool = f"{prefix()}{skill}__{step.id}"
    if len(tool) > LONGEST_TOOL:
        over = len(tool) - LONGEST_TOOL
        yield _at(
            step,
            "S511",
            f"the tool name {tool} has {len(tool)} characters; {LONGEST_TOOL} are allowed",
            f"shorten the id by {over}: "
            f'@step(id="{step.id[: max(1, len(step.id) - over)].rstrip("_")}")',
        )


def _only_none(node: Function) -> bool:
    """Whether no path of a function's own body returns a value, asserts or raises."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        part = waiting.pop()
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(part, (ast.Assert, ast.Raise, ast.Yield, ast.YieldFrom)):
            return False
        if isinstance(part, ast.Return) and not _is_none(part.value):
            return False
        waiting += ast.iter_child_nodes(part)
    return True


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _asks_for(
    context: Context, step: Step, name: str, node: Function, code: Code
) -> Iterator[Problem]:
    fields = fields_of(step.output, context.known)
    if fields is None:
        return
    there = {p.name for p in step.parameters} | set(fields)
    given = node.args
    plain = given.args[: len(given.args) - len(given.defaults)]
    needed = [a.arg for a in plain] + [
        a.arg
        for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if default is None
    ]
    for wanted in needed:
        if wanted not in there and wanted not in _WHOLE:
            near = get_close_matches(wanted, sorted(there), n=1)
            yield code.assignment.problem(
                "S515",
                f"{name!r} asks for {wanted!r}, which step {step.id!r} neither takes nor returns",
                f"write {near[0]!r}" if near else f"it has {', '.join(sorted(there))}",
                line=node.lineno,
            )


def _bound(context: Context, step: Step) -> Iterator[Problem]:
    if not step.bind:
        return
    earlier = {other.id: other for other in context.ancestors(step)}
    names = [p.name for p in step.parameters]
    for parameter, reference in step.bind.items():
        source, _, pointer = reference.partition("#")
        field = pointer.removeprefix("/").partition("/")[0]
        fields = fields_of(earlier[source].output, context.known) if source in earlier else None
        if parameter not in names:
            near = get_close_matches(parameter, names, n=1)
            message = f"bind names {parameter!r}, which step {step.id!r} does not take"
            mend = f"write {near[0]!r}" if near else f"it takes {', '.join(names) or 'nothing'}"
        elif source != "inputs" and source not in earlier:
            message = f"bind takes {parameter!r} from {reference!r}; no earlier step has that id"
            mend = f"use one of {', '.join(earlier) or 'inputs'}, as in step#/field"
        elif fields is not None and field and field not in fields:
            message = f"{earlier[source].output} of step {source!r} has no field {field!r}"
            mend = f"use one of {', '.join(fields)}"
        else:
            continue
        yield _at(step, "S522", message, mend)


def _at(step: Step, code: str, message: str, mend: str) -> Problem:
    return step.code.assignment.problem(code, message, mend, line=step.line)


RULES: tuple[Callable[[Context], Iterable[Problem]], ...] = (
    tagged,
    ids,
    signature,
    waits,
    predicates,
    reports,
    binding,
)
