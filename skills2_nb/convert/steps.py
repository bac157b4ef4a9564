"""A step as its text declares it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from inspect import cleandoc

from skills2_nb.convert.definitions import Function
from skills2_nb.convert.names import written
from skills2_nb.convert.source import Code, identifiers
from skills2_nb.formats.problem import Problem
from skills2_nb.formats.roles import STUB_LINE

KIT = "skills2_nb"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a step, as written."""

    name: str
    annotation: ast.expr | None
    has_default: bool


@dataclass(frozen=True)
class Step:
    """One step as its text declares it.

    Attributes:
        id: the literal ``id``, else the function's name.
        position: 1-based place among the steps.
        order: the number given, else None.
        requires: ids; None where the author gave none.
        invariants: names of predicates.
        output: the output model's name, where it is a plain name.
        problems: what is wrong with the decorator.
    """

    id: str
    function: Function
    code: Code
    position: int
    line: int
    order: float | None = None
    requires: tuple[str, ...] | None = None
    invariants: tuple[str, ...] = ()
    input: str | None = None
    output: str | None = None
    when: str | None = None
    required: bool = True
    effects: tuple[str, ...] = ()
    bind: Mapping[str, str] = field(default_factory=dict)
    report: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    rank: int = 0

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.name

    @cached_property
    def docstring(self) -> str | None:
        """The docstring as written; None where there is none."""
        return docstring_of(self.function)

    @cached_property
    def summary(self) -> str:
        """The docstring's first line; half a character in it is told by C418."""
        first = cleandoc(self.docstring or "").strip().split("\n", 1)[0]
        return first.encode("utf-8", errors="replace").decode("utf-8")

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that can be given by name, in order."""
        given = self.function.args
        plain = given.posonlyargs + given.args
        defaults = len(plain) - len(given.defaults)
        named = [
            Parameter(arg.arg, arg.annotation, index >= defaults) for index, arg in enumerate(plain)
        ]
        keyword = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        return (*named, *(Parameter(a.arg, a.annotation, d is not None) for a, d in keyword))

    @cached_property
    def is_stub(self) -> bool:
        """Whether the body is still to be written: its cell says so, or it holds nothing."""
        body = self.function.body[self.docstring is not None :]
        return bool(STUB_LINE.search(self.code.text)) or all(_is_nothing(node) for node in body)


def docstring_of(function: Function) -> str | None:
    """The text that a function's body begins with."""
    first = function.body[0]
    value = first.value if isinstance(first, ast.Expr) else None
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    return None


def ranks_of(orders: Iterable[float | None]) -> list[int]:
    """The places of steps in their order, from 1, as ``contract.skill.Skill`` ranks them.

    A step with a number goes by it; one without comes right after the step before it; steps of
    one number share a place.
    """
    keys: list[tuple[float, int]] = []
    number, after = 0.0, Counter[float]()
    for order in orders:
        if order is None:
            after[number] += 1
            keys.append((number, after[number]))
        else:
            number = float(order)
            keys.append((number, 0))
    places = {key: place for place, key in enumerate(sorted(set(keys)), 1)}
    return [places[key] for key in keys]


def is_step(node: ast.AST, aliases: frozenset[str]) -> bool:
    """Whether a statement is a function marked by ``@step``."""
    return decorator_of(node, aliases) is not None


def step_aliases(codes: Iterable[Code]) -> frozenset[str]:
    """The expressions that mean ``step``: ``step``, an alias, ``skills2_nb.step``.

    A ``step`` that nobody imports is the kit's; one that comes from elsewhere is not.
    """
    aliases: set[str] = set()
    foreign = False
    for code in codes:
        for item in code.names.imports:
            if item.name == "step" and item.module.partition(".")[0] == KIT:
                aliases.add(item.bound)
            elif item.name is None and item.module.partition(".")[0] == KIT:
                aliases.add(f"{item.bound}.step")
            elif item.bound == "step":
                foreign = True
        foreign = foreign or (
            "step" in code.names.binds and all(i.bound != "step" for i in code.names.imports)
        )
    return frozenset(aliases if foreign else aliases | {"step"})


def steps_in(code: Code, aliases: frozenset[str]) -> list[Function]:
    """The step functions at the top of a cell, in order."""
    body = code.tree.body if code.tree else []
    return [
        node
        for node in body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_step(node, aliases)
    ]


def strays_in(code: Code, aliases: frozenset[str]) -> list[ast.expr | Function]:
    """What makes a step and is no function at the cell's left margin under ``@step``.

    A function under ``@step`` within a block, class or function; in an exported cell also
    ``f = step(f)``, ``s = step`` and the like.
    """
    found: list[ast.expr | Function] = []
    if not _may_stray(code, aliases):
        return found
    for top in code.tree.body if code.tree else ():
        found += [
            node
            for node in ast.walk(top)
            if node is not top
            and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and is_step(node, aliases)
        ]
        found += _mentions(top, aliases) if code.exported else ()
    return found


def _may_stray(code: Code, aliases: frozenset[str]) -> bool:
    """Whether the cell says ``step`` more often than its own ``@step`` need."""
    text = identifiers(code.text)
    words = {alias.rpartition(".")[2] for alias in aliases}
    return sum(map(text.count, words)) > len(steps_in(code, aliases))


def _mentions(top: ast.stmt, aliases: frozenset[str]) -> Iterator[ast.expr]:
    """Where a statement reads ``step`` itself while its cell runs, its own ``@step`` apart."""
    waiting: list[ast.AST] = [top]
    if isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef)):
        waiting = [item for item in top.decorator_list if item is not decorator_of(top, aliases)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Name, ast.Attribute)) and written(node) in aliases:
            if isinstance(node.ctx, ast.Load):
                yield node
        elif not isinstance(node, (*_SCOPES, ast.AnnAssign)):
            waiting += ast.iter_child_nodes(node)
        elif isinstance(node, ast.AnnAssign) and node.value:
            waiting.append(node.value)


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@lru_cache(maxsize=1024)
def decorator_of(node: ast.AST, aliases: frozenset[str]) -> ast.expr | None:
    """The ``@step`` of a function, called or plain; None where it has none."""
    for item in getattr(node, "decorator_list", ()):
        called = item.func if isinstance(item, ast.Call) else item
        if isinstance(called, (ast.Name, ast.Attribute)) and written(called) in aliases:
            return item  # type: ignore[no-any-return]  # getattr hides the list's type
    return None


def _is_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Raise) and "NotImplementedError" in ast.unparse(node)
