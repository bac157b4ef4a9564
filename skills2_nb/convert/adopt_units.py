"""An ordinary notebook cut into the statements of its cells."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from skills2_nb.convert import dialect
from skills2_nb.convert.adopt_aliases import with_held
from skills2_nb.convert.adopt_kinds import bag
from skills2_nb.convert.names import Names, names_of
from skills2_nb.formats.notebook import Cell

Function = ast.FunctionDef | ast.AsyncFunctionDef
#: Cell magics below which stands Python that the kernel runs as it is.
_TRANSPARENT = re.compile(r"%%(time|timeit|capture|prun)\b")
_ASKED = re.compile(r"@([A-Za-z_]\w*)")
_SINGLE = re.compile(r"'([^'\n]*)'")
_SHOWING = frozenset({"print", "display", "input", "exit", "quit"})
_DRAWING = frozenset({"plt", "sns", "px", "alt", "go", "matplotlib", "seaborn", "plotly"})
_DRAWN = frozenset({"plot", "hist", "boxplot", "savefig"})
_CHANGING = bag(
    "append extend insert remove pop clear sort reverse update setdefault add discard popitem"
)


@dataclass(frozen=True, eq=False)
class Unit:
    """Statements of one cell that can only be moved together.

    Attributes:
        cell: the cell's number.
        at: its place among the units of the cell.
        text: its lines, with the comments above it.
        nodes: its statements; none where the text is not Python.
        kind: ``import``, ``literal``, ``function``, ``class``, ``compute``, ``assert``, ``show``
            or ``magic``.
    """

    cell: int
    at: int
    text: str
    nodes: tuple[ast.stmt, ...]
    kind: str

    @cached_property
    def names(self) -> Names:
        """What it binds and reads."""
        return names_of(ast.Module(list(self.nodes), []))

    @cached_property
    def reads(self) -> frozenset[str]:
        """Names of the module that it reads, those in the text of a query too."""
        return reads_of(self.nodes)

    @cached_property
    def changed(self) -> frozenset[str]:
        """Names whose values it changes in place."""
        changed = {name for node in self.nodes for name in changed_in(node)}
        return with_held(changed, self.nodes)


@dataclass(frozen=True, eq=False)
class Source:
    """An ordinary notebook, taken apart.

    Attributes:
        cells: the units of each code cell, by its number.
        bound: the units that bind a name, in order.
        odd: why a cell is not plain Python, in words, by its number.
    """

    cells: dict[int, tuple[Unit, ...]]
    bound: dict[str, list[Unit]] = field(default_factory=dict)
    odd: dict[int, str] = field(default_factory=dict)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Every unit, from top to bottom."""
        return tuple(unit for units in self.cells.values() for unit in units)

    @cached_property
    def functions(self) -> dict[str, tuple[Unit, Function]]:
        """The functions that are defined once, by name."""
        return {
            node.name: (unit, node)
            for unit in self.units
            for node in unit.nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and self.is_fixed(node.name)
        }

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes that are defined once, by name."""
        return {
            node.name: node
            for unit in self.units
            for node in unit.nodes
            if isinstance(node, ast.ClassDef) and self.is_fixed(node.name)
        }

    @cached_property
    def literals(self) -> dict[str, object]:
        """The literals that are bound once, by name."""
        return {
            name: ast.literal_eval(value)
            for unit in self.units
            if unit.kind == "literal"
            for name, value in [_assigned(unit.nodes[0])]
            if self.is_fixed(name)
        }

    @cached_property
    def modules(self) -> dict[str, str]:
        """What each imported name stands for, such as ``pd: pandas``."""
        return {
            item.bound: f"{item.module}.{item.name}" if item.name else item.module
            for unit in self.units
            for item in unit.names.imports
        }

    @cached_property
    def changed(self) -> frozenset[str]:
        """Names whose values some top-level statement changes in place."""
        changed = {name for unit in self.units for name in unit.changed}
        plain = [unit for unit in self.units if unit.kind not in ("function", "class")]
        return with_held(changed, [node for unit in plain for node in unit.nodes])

    def is_fixed(self, name: str) -> bool:
        """Whether one statement alone binds the name, and none changes its value in place."""
        return len(self.bound.get(name, ())) == 1 and name not in self.changed

    def read_after(self, unit: Unit) -> frozenset[str]:
        """Names that statements below a unit, and functions wherever they stand, read."""
        place = self._places[unit]
        later = {name for other in self.units[place + 1 :] for name in other.reads}
        bodies = {
            name
            for other in self.units[:place]
            if other.kind in ("function", "class")
            for name in other.reads
        }
        return frozenset(later | bodies)

    @cached_property
    def _places(self) -> dict[Unit, int]:
        return {unit: place for place, unit in enumerate(self.units)}


def take_apart(cells: Iterable[Cell]) -> Source:
    """Cut the code cells of a notebook into units; nothing is run."""
    made: dict[int, tuple[Unit, ...]] = {}
    odd: dict[int, str] = {}
    for cell in cells:
        if cell.kind == "code" and cell.text.strip():
            made[cell.number], why = _units(cell)
            if why:
                odd[cell.number] = why
    bound: dict[str, list[Unit]] = {}
    for units in made.values():
        for unit in units:
            for name in unit.names.binds:
                bound.setdefault(name, []).append(unit)
    return Source(made, bound, odd)


def reads_of(nodes: Iterable[ast.stmt]) -> frozenset[str]:
    """Names of the module that statements read.

    A query of pandas names variables by ``@`` in a text: ``frame.query("price > @limit")``.
    """
    found = set(names_of(ast.Module(list(nodes), [])).uses)
    for node in nodes:
        asked = {name for part in ast.walk(node) for name in _asked(part)}
        found |= asked - _own_names(node) if asked else set()
    return frozenset(found)


def changed_in(node: ast.AST) -> Iterator[str]:
    """Names of values that a piece of code changes in place, as far as its text tells."""
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript | ast.Attribute) and not isinstance(part.ctx, ast.Load):
            yield from _root(part.value)
        elif isinstance(part, ast.Call) and _changes(part):
            yield from _root(part.func.value) if isinstance(part.func, ast.Attribute) else ()


def shows(node: ast.AST) -> bool:
    """Whether a piece of code prints, draws, asks or ends: what is done for the reader's eye."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in _SHOWING | _DRAWING:
            return True
        if isinstance(part, ast.Attribute) and part.attr in _DRAWN:
            return True
    return False


def called(node: ast.AST) -> Iterator[ast.Call]:
    """The calls in a piece of code of what has a plain name, innermost first."""
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, ast.Lambda):
            yield from called(part)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield node


def own(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """Everything in a body but what stands in functions and classes within it."""
    waiting: list[ast.AST] = [*reversed(list(body))]
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += list(ast.iter_child_nodes(part))[::-1]


def _units(cell: Cell) -> tuple[tuple[Unit, ...], str]:
    text = cell.text
    found, readable = dialect.faults(text)
    if found and not readable:
        return (_opaque(cell),), found[0].message
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(readable)
    special = {fault.line for fault in found}
    lines = text.split("\n")
    made: list[Unit] = []
    begin = 1
    for nodes in _inseparable(tree.body):
        last = nodes[-1].end_lineno or nodes[-1].lineno
        is_magic = any(begin <= number <= last for number in special)
        kind = "magic" if is_magic else _kind(nodes)
        made.append(Unit(cell.number, len(made), "\n".join(lines[begin - 1 : last]), nodes, kind))
        begin = last + 1
    if begin <= len(lines) and "".join(lines[begin - 1 :]).strip():
        made.append(Unit(cell.number, len(made), "\n".join(lines[begin - 1 :]), (), "show"))
    return tuple(made), found[0].message if found else ""


def _opaque(cell: Cell) -> Unit:
    """A cell magic; Python below it is read for its names."""
    head, _, rest = cell.text.lstrip("\n").partition("\n")
    nodes: tuple[ast.stmt, ...] = ()
    if _TRANSPARENT.match(head):
        _, readable = dialect.faults(rest)
        nodes = tuple(ast.parse(readable).body)
    return Unit(cell.number, 0, cell.text, nodes, "magic")


def _inseparable(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ...]]:
    """Statements, those that share a line together."""
    group: list[ast.stmt] = []
    for node in body:
        if group and node.lineno > (group[-1].end_lineno or 0):
            yield tuple(group)
            group = []
        group.append(node)
    if group:
        yield tuple(group)


def _kind(nodes: tuple[ast.stmt, ...]) -> str:
    kinds = {_kind_of(node) for node in nodes}
    if len(kinds) > 1:
        return "show" if kinds - {"compute", "literal"} else "compute"
    kind = kinds.pop()
    return "compute" if kind == "literal" and len(nodes) > 1 else kind


def _kind_of(node: ast.stmt) -> str:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "import"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return "function"
    if isinstance(node, ast.ClassDef):
        return "class"
    if isinstance(node, ast.Assert):
        return "assert"
    return "show" if shows(node) else _computed(node)


def _computed(node: ast.stmt) -> str:
    if _assigned(node)[0]:
        return "literal"
    if isinstance(node, ast.Expr):
        return "compute" if any(changed_in(node)) else "show"
    plain = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.If, ast.With)
    is_guard = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
    return "compute" if isinstance(node, plain) and not is_guard else "show"


def _assigned(node: ast.stmt) -> tuple[str, ast.expr]:
    """Name and value of ``NAME = literal``; an empty name for anything else."""
    target: ast.expr | None = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    value = getattr(node, "value", None)
    if isinstance(target, ast.Name) and isinstance(value, ast.expr) and is_literal(value):
        return target.id, value
    return "", ast.Constant(None)


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a value that JSON can say: text, numbers, lists, mappings."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return _is_plain(value)


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, float):
        return value == value and abs(value) != float("inf")
    return value is not None and isinstance(value, str | int)


def _asked(node: ast.AST) -> Iterator[str]:
    is_query = isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("query", "eval")
    for part in ast.walk(node) if is_query else ():
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from _ASKED.findall(part.value)


def _own_names(node: ast.AST) -> set[str]:
    """The parameters and locals of a function; nothing for another statement."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return set()
    stored = {
        p.id for p in ast.walk(node) if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)
    }
    return stored | {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}


def _changes(node: ast.Call) -> bool:
    """Whether a call of a method changes the value whose method it is."""
    return getattr(node.func, "attr", "") in _CHANGING or _in_place(node)


def _in_place(node: ast.Call) -> bool:
    return any(
        word.arg == "inplace" and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in node.keywords
    )


def _root(node: ast.AST) -> Iterator[str]:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def unparsed(node: ast.AST) -> str:
    """An expression as text, its strings in double quotes where that is the same string."""
    text = ast.unparse(node)
    is_safe = '"' not in text and "\\'" not in text
    return _SINGLE.sub(r'"\1"', text) if is_safe else text
