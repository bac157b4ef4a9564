"""The arguments of `@step`, read and not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from skills2_nb.convert.definitions import Definition, Function, literal, resolved
from skills2_nb.convert.source import Code
from skills2_nb.convert.steps import Step, decorator_of, ranks_of, steps_in
from skills2_nb.formats.problem import Problem

OPTIONS = (
    "order",
    "requires",
    "invariants",
    "input_schema",
    "output_schema",
    "required",
    "when",
    "effects",
    "bind",
    "report",
    "id",
)


def read_steps(
    codes: Sequence[Code], aliases: frozenset[str], known: Mapping[str, Definition]
) -> tuple[Step, ...]:
    """Every step of the exported cells, in cell order."""
    found = [(code, node) for code in codes for node in steps_in(code, aliases)]
    ids = {node.name: _written_id(node, aliases) or node.name for _, node in found}
    readers = [
        _Reader(code, node, position, aliases, known, ids)
        for position, (code, node) in enumerate(found, 1)
    ]
    given = [reader.given() for reader in readers]
    ranks = ranks_of(options.get("order") for options in given)
    return tuple(
        reader.step(options, rank)
        for reader, options, rank in zip(readers, given, ranks, strict=True)
    )


def _written_id(node: Function, aliases: frozenset[str]) -> str | None:
    call = decorator_of(node, aliases)
    for keyword in call.keywords if isinstance(call, ast.Call) else ():
        if keyword.arg == "id" and isinstance(keyword.value, ast.Constant):
            return keyword.value.value if isinstance(keyword.value.value, str) else None
    return None


class _UnreadableError(Exception):
    """An argument that breaks a rule; caught where the argument is read."""

    def __init__(self, code: str, message: str, mend: str) -> None:
        super().__init__(message)
        self.code, self.message, self.mend = code, message, mend


@dataclass
class _Reader:
    """Reads one decorator, collecting what is wrong with it."""

    code: Code
    node: Function
    position: int
    aliases: frozenset[str]
    known: Mapping[str, Definition]
    ids: Mapping[str, str]
    problems: list[Problem] = field(default_factory=list)

    def given(self) -> dict[str, Any]:
        """The arguments that can be read, by name."""
        return {
            name: value
            for name, node in self._arguments()
            if (value := self._value(name, node)) is not None
        }

    def step(self, given: dict[str, Any], rank: int) -> Step:
        """The step of its arguments; those that cannot be read have their defaults."""
        step_id = given.pop("id", None) or self.node.name
        output = given.pop("output_schema", None) or _plain_name(self.node.returns) or ""
        when = given.pop("when", None)
        return Step(
            id=step_id,
            function=self.node,
            code=self.code,
            position=self.position,
            line=self.node.decorator_list[0].lineno,
            input=given.pop("input_schema", None),
            output=output if output in self.known and self.known[output].is_class else None,
            when=when,
            required=given.pop("required", True) and when is None,
            problems=tuple(self.problems),
            rank=rank,
            **given,
        )

    def _arguments(self) -> Iterator[tuple[str, ast.expr]]:
        call = decorator_of(self.node, self.aliases)
        if not isinstance(call, ast.Call):
            return
        if len(call.args) > 1 or any(isinstance(arg, ast.Starred) for arg in call.args):
            self._fault("S505", "only `order` stands without a name", "name the arguments", call)
        elif call.args:
            yield "order", call.args[0]
        for keyword in call.keywords:
            if keyword.arg in OPTIONS:
                yield keyword.arg, keyword.value
                continue
            near = get_close_matches(keyword.arg or "", OPTIONS, n=1)
            self._fault(
                "S505",
                f"`@step` has no argument {keyword.arg!r}" if keyword.arg else "`**` in `@step`",
                f"write {near[0]!r}" if near else f"use {', '.join(OPTIONS)}",
                keyword.value,
            )

    def _value(self, name: str, node: ast.expr) -> Any:
        try:
            return _READERS[name](self, name, node)
        except _UnreadableError as error:
            self._fault(error.code, error.message, error.mend, node)
            return None

    def _fault(self, code: str, message: str, mend: str, node: ast.AST) -> None:
        line = getattr(node, "lineno", self.node.lineno)
        self.problems.append(
            self.code.assignment.problem(
                code, f"step {self.node.name!r}: {message}", mend, line=line
            )
        )

    def literal(self, name: str, node: ast.expr) -> Any:
        """The value of a literal argument; None where it is written as None."""
        try:
            return literal(node, self.known)
        except UnicodeEncodeError:
            raise _UnreadableError(
                "C418", f"{name} holds half a character", "type it anew"
            ) from None
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise _UnreadableError(
                "S504",
                f"{name} is `{ast.unparse(node)[:60]}`, which is neither a literal nor the name "
                "of an exported definition",
                "write the value out",
            ) from None

    def items(self, name: str, node: ast.expr) -> list[ast.expr] | None:
        """The elements of a list or tuple, or the one thing given; None where it is None."""
        value = resolved(node, self.known)
        if isinstance(value, ast.Constant) and value.value is None:
            return None
        if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
            return list(value.elts)
        return [node]

    def number(self, name: str, node: ast.expr) -> float | None:
        """A finite number, no truth value."""
        value = self.literal(name, node)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise _UnreadableError("S506", f"{name} is {value!r}", "write a number")
        return value

    def flag(self, name: str, node: ast.expr) -> bool:
        """True or False."""
        value = self.literal(name, node)
        if not isinstance(value, bool):
            raise _UnreadableError("S506", f"{name} is {value!r}", "write True or False")
        return value

    def text(self, name: str, node: ast.expr) -> str | None:
        """A literal text."""
        value = self.literal(name, node)
        if value is not None and not isinstance(value, str):
            raise _UnreadableError("S506", f"{name} is {value!r}", "write a text")
        return value

    def texts(self, name: str, node: ast.expr) -> tuple[str, ...]:
        """A text, or a list of texts."""
        value = self.literal(name, node)
        value = [value] if isinstance(value, str) else value or []
        if not isinstance(value, (list, tuple, set)) or not all(isinstance(v, str) for v in value):
            raise _UnreadableError("S506", f"{name} is {value!r}", "write a list of texts")
        return tuple(sorted(value) if isinstance(value, set) else value)

    def references(self, name: str, node: ast.expr) -> dict[str, str]:
        """Parameter to reference."""
        value = self.literal(name, node) or {}
        if not isinstance(value, dict) or not all(
            isinstance(part, str) for item in value.items() for part in item
        ):
            raise _UnreadableError(
                "S506", f"{name} is {value!r}", 'write {"current": "compute_flows#/current"}'
            )
        return value

    def steps(self, name: str, node: ast.expr) -> tuple[str, ...] | None:
        """Ids of steps, given by function or by text."""
        items = self.items(name, node)
        if items is None:
            return None
        return tuple(self._step(name, item) for item in items)

    def _step(self, name: str, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            found = self.ids.get(node.id)
            wanted = node.id
        else:
            wanted = self._text_of(name, node).rpartition(":")[2]
            found = wanted if wanted in self.ids.values() else self.ids.get(wanted)
        if found is None or (not isinstance(node, ast.Name) and found != wanted):
            known = sorted(self.ids.values())
            near = [found] if found else get_close_matches(wanted, known, n=1)
            raise _UnreadableError(
                "S507",
                f"{name} names the step {wanted!r}, which does not exist",
                f"write {near[0]!r}" if near else f"use one of {', '.join(known)}",
            )
        return found

    def names(self, name: str, node: ast.expr) -> tuple[str, ...]:
        """Names of exported functions, given as such or by text."""
        items = self.items(name, node) or []
        return tuple(self._defined(name, item, "function") for item in items)

    def function(self, name: str, node: ast.expr) -> str | None:
        """The name of one exported function."""
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        return self._defined(name, node, "function")

    def model(self, name: str, node: ast.expr) -> str | None:
        """The name of one exported model."""
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        return self._defined(name, node, "class")

    def _text_of(self, name: str, node: ast.expr) -> str:
        value = self.literal(name, node)
        if not isinstance(value, str):
            raise _UnreadableError("S506", f"{name} holds {value!r}", "write names or texts")
        return value

    def _defined(self, name: str, node: ast.expr, kind: str) -> str:
        if isinstance(node, ast.Name):
            wanted = node.id
        else:
            wanted = self._text_of(name, node).rpartition(":")[2].rpartition(".")[2]
        definition = self.known.get(wanted)
        wrong = definition is not None and (
            definition.is_class if kind == "function" else definition.is_function
        )
        if definition is None or wrong:
            near = get_close_matches(wanted, self.known, n=1)
            raise _UnreadableError(
                "S508",
                f"{name} names {wanted!r}, "
                + (f"which is no {kind}" if wrong else "which no exported cell defines"),
                f"write {near[0]!r}" if near else "define it in a step or setup cell",
            )
        return wanted


_READERS: dict[str, Any] = {
    "order": _Reader.number,
    "requires": _Reader.steps,
    "invariants": _Reader.names,
    "input_schema": _Reader.model,
    "output_schema": _Reader.model,
    "required": _Reader.flag,
    "when": _Reader.function,
    "effects": _Reader.texts,
    "bind": _Reader.references,
    "report": _Reader.texts,
    "id": _Reader.text,
}


def _plain_name(node: ast.expr | None) -> str | None:
    """The name that an annotation consists of, quoted or not."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if node.value.isidentifier() else None
    return None
