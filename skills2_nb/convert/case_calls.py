"""Cases as calls with literal arguments."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from skills2_nb.convert.definitions import Definition, literal
from skills2_nb.convert.source import Code
from skills2_nb.convert.steps import Step
from skills2_nb.formats import json_text
from skills2_nb.formats.cases import (
    Case,
    RunCase,
    StepCase,
    build,
    names_no_finding,
    parse_cases,
)
from skills2_nb.formats.problem import Problem
from skills2_nb.formats.roles import Assignment

_CONTROL = ("expect", "fails", "id")


@dataclass
class CaseReader:
    """Collects the cases of every cases cell, in cell order.

    Attributes:
        steps: the skill's steps.
        known: what the exported cells define; constants may stand for their values.
    """

    steps: Sequence[Step]
    known: Mapping[str, Definition]
    cases: list[Case] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def read(self, assignment: Assignment, code: Code | None) -> None:
        """Read one cell: calls of a code cell, JSON Lines of a raw one."""
        if code is None:
            self._read_lines(assignment)
        elif code.tree is not None:
            local = {**self.known, **_constants(code)}
            for node in code.tree.body:
                self._statement(assignment, node, local)

    def _read_lines(self, assignment: Assignment) -> None:
        lines = assignment.text.split("\n")
        for number, line in enumerate(lines, 1):
            cases, problems = parse_cases(line, assignment.file)
            self.problems += [
                assignment.problem(p.code, p.message, p.mend, line=number) for p in problems
            ]
            for case in cases:
                named = '"id"' in line and "id" in json_text.read(line)
                self._add(case if named else replace(case, id=""), assignment, number)

    def _statement(
        self, assignment: Assignment, node: ast.stmt, known: Mapping[str, Definition]
    ) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)) or _is_constant(node):
            return
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(node, ast.Assign):
            call = node.value
        if isinstance(call, ast.Await):
            call = call.value
        if not isinstance(call, ast.Call):
            self._fault(
                assignment,
                node,
                "K601",
                f"`{ast.unparse(node).splitlines()[0][:60]}` is no case",
                "write `case(...)` or `<step>.case(...)`, each on its own; move the rest to a "
                "cell without a role",
            )
            return
        self._call(assignment, call, known)

    def _call(
        self, assignment: Assignment, call: ast.Call, known: Mapping[str, Definition]
    ) -> None:
        target = ast.unparse(call.func)
        if target in ("case", "skills2_nb.case"):
            self._run_case(assignment, call, known)
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "case":
            self._step_case(assignment, call, known, ast.unparse(call.func.value))
        else:
            self._fault(
                assignment,
                call,
                "K601",
                f"`{target}(...)` is no case",
                "write `case(...)` or `<step>.case(...)`",
            )

    def _run_case(
        self, assignment: Assignment, call: ast.Call, known: Mapping[str, Definition]
    ) -> None:
        values = self._values(assignment, call, known)
        if values is None:
            return
        args, kwargs = values
        if len(args) > 1:
            self._fault(
                assignment, call, "K606", "a case takes one text, its prompt", "name the rest"
            )
            return
        keys = {**({"prompt": args[0]} if args else {}), **kwargs}
        self._built(assignment, call, keys)

    def _step_case(
        self, assignment: Assignment, call: ast.Call, known: Mapping[str, Definition], name: str
    ) -> None:
        step = next((s for s in self.steps if s.name == name), None)
        if step is None:
            near = get_close_matches(name, [s.name for s in self.steps], n=1)
            mend = f"write {near[0]!r}" if near else "write the name of a step's function"
            self._fault(assignment, call, "K605", f"there is no step {name!r}", mend)
            return
        values = self._values(assignment, call, known)
        if values is None:
            return
        args, kwargs = values
        control = {key: kwargs.pop(key) for key in _CONTROL if key in kwargs}
        given = self._by_name(assignment, call, step, args, kwargs)
        if given is not None:
            self._built(assignment, call, {"step": step.id, "args": given, **control})

    def _by_name(
        self,
        assignment: Assignment,
        call: ast.Call,
        step: Step,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> dict[str, Any] | None:
        """Positional arguments under their parameters' names; None where they do not fit."""
        keyword_only = len(step.function.args.kwonlyargs)
        names = [p.name for p in step.parameters]
        places = names[: len(names) - keyword_only] if keyword_only else names
        message = mend = ""
        if len(args) > len(places):
            message = f"{step.name} takes {len(places)} values, not {len(args)}"
            mend = f"it takes {', '.join(names) or 'nothing'}"
        given = dict(zip(places, args, strict=False))
        for name, value in kwargs.items():
            if name not in names:
                near = get_close_matches(name, names, n=1)
                message = f"{step.name} has no parameter {name!r}"
                mend = f"write {near[0]!r}" if near else f"it takes {', '.join(names) or 'nothing'}"
            elif name in given:
                message, mend = f"{name!r} is given twice", "give it once"
            given[name] = value
        if message:
            self._fault(assignment, call, "K606", message, mend)
            return None
        return given

    def _values(
        self, assignment: Assignment, call: ast.Call, known: Mapping[str, Definition]
    ) -> tuple[list[Any], dict[str, Any]] | None:
        """The call's arguments as plain values; None where one is no literal."""
        try:
            args = [self._plain(node, known) for node in call.args]
            kwargs = {k.arg or "**": self._plain(k.value, known) for k in call.keywords}
        except _NotPlainError as error:
            self._fault(
                assignment,
                error.node,
                "K602",
                f"`{ast.unparse(error.node)[:60]}` {error.why}",
                "write the value out: numbers, texts, lists, dictionaries",
            )
            return None
        if "**" in kwargs:
            self._fault(assignment, call, "K602", "`**` hides the values", "write them out")
            return None
        return args, kwargs

    def _plain(self, node: ast.expr, known: Mapping[str, Definition]) -> Any:
        step = next(
            (s for s in self.steps if isinstance(node, ast.Name) and s.name == node.id), None
        )
        if step is not None:
            return step.id
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._plain(item, known) for item in node.elts]
        if isinstance(node, ast.Dict):
            return {
                self._key(key, node, known): self._plain(value, known)
                for key, value in zip(node.keys, node.values, strict=True)
            }
        try:
            value = json.loads(json.dumps(literal(node, known), allow_nan=False))
        except UnicodeEncodeError:
            raise _NotPlainError(node, "holds half a character") from None
        except (ValueError, TypeError, SyntaxError, RecursionError):
            raise _NotPlainError(node) from None
        return value

    def _key(self, key: ast.expr | None, node: ast.expr, known: Mapping[str, Definition]) -> str:
        value = self._plain(key, known) if key is not None else None
        if not isinstance(value, str):
            raise _NotPlainError(key or node)
        return value

    def _built(self, assignment: Assignment, call: ast.Call, keys: dict[str, Any]) -> None:
        case, faults = build(keys, 0)
        for message, mend in faults:
            self._fault(assignment, call, "K603", message, mend)
        if case is not None:
            named = "id" in keys
            self._add(case if named else replace(case, id=""), assignment, call.lineno)

    def _add(self, case: Case, assignment: Assignment, line: int) -> None:
        if not case.id:
            case = replace(case, id=self._free_id(case))
        elif case.id in self.places:
            self.problems.append(
                assignment.problem(
                    "K604",
                    f"the id {case.id!r} is that of a case in cell {self.places[case.id]} too",
                    "give each case its own id",
                    line=line,
                )
            )
        for name in _steps_named(case):
            self._check_step(name, assignment, line)
        if names_no_finding(case):
            self.problems.append(
                assignment.problem(
                    "K608",
                    f"the case {case.id!r} expects `fail` and does not say why",
                    'name the finding: expect={"findings": ["STEP_FAILED"]}',
                    line=line,
                )
            )
        self.places.setdefault(case.id, assignment.cell.number)
        self.cases.append(case)

    def _free_id(self, case: Case) -> str:
        """``case-3`` or ``<step>-2``: the kind and its count, the next one that is free."""
        word = case.step if isinstance(case, StepCase) else "case"
        number = 1 + sum(
            isinstance(other, StepCase) and other.step == word
            if isinstance(case, StepCase)
            else isinstance(other, RunCase)
            for other in self.cases
        )
        while f"{word}-{number}" in self.places:
            number += 1
        return f"{word}-{number}"

    def _check_step(self, name: str, assignment: Assignment, line: int) -> None:
        ids = [step.id for step in self.steps]
        if name in ids:
            return
        near = get_close_matches(name, ids, n=1)
        mend = f"write {near[0]!r}" if near else f"use one of {', '.join(ids) or 'no step at all'}"
        self.problems.append(
            assignment.problem("K605", f"there is no step {name!r}", mend, line=line)
        )

    def _fault(
        self, assignment: Assignment, node: ast.AST, code: str, message: str, mend: str
    ) -> None:
        self.problems.append(
            assignment.problem(code, message, mend, line=getattr(node, "lineno", None))
        )


class _NotPlainError(Exception):
    """An expression that is no literal; caught where the call is read."""

    def __init__(self, node: ast.expr, why: str = "is no literal") -> None:
        super().__init__()
        self.node, self.why = node, why


def _constants(code: Code) -> dict[str, Definition]:
    made = {}
    for node in code.tree.body if code.tree else ():
        if _is_constant(node) and isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    made[target.id] = Definition(target.id, node.value, code, node.lineno)
    return made


def _is_constant(node: ast.stmt) -> bool:
    """A docstring, or a name given to a literal."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Assign) or not all(isinstance(t, ast.Name) for t in node.targets):
        return False
    try:
        ast.literal_eval(node.value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _steps_named(case: Case) -> Iterator[str]:
    if isinstance(case, StepCase):
        yield case.step
        return
    for item in (*case.must_call, *case.must_not_call, *case.calls):
        if isinstance(item, str):
            yield item
            continue
        after = item.get("after", ())
        yield from (item["step"], *([after] if isinstance(after, str) else after))
