"""Names that a piece of code binds and names that it uses."""

from __future__ import annotations

import ast
import functools
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

_AT_ONCE = ("listcomp", "setcomp", "dictcomp", "genexpr")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: ``import a.b as c`` or ``from a import b as c``."""

    module: str
    name: str | None
    bound: str
    line: int
    level: int = 0

    @property
    def text(self) -> str:
        """The import as a statement of its own."""
        if self.name is None:
            alias = "" if self.bound == self.module.partition(".")[0] else f" as {self.bound}"
            return f"import {self.module}{alias}"
        alias = "" if self.bound == self.name else f" as {self.bound}"
        return f"from {'.' * self.level}{self.module} import {self.name}{alias}"


@dataclass(frozen=True, slots=True)
class Names:
    """What a cell binds and uses at module level; every value is a 1-based line.

    Attributes:
        binds: names bound by definitions, imports and assignments, ``global`` ones included.
        loops: names bound by loops, ``with`` and ``except`` alone.
        uses: names used and not bound within a function; annotations count, strings too.
        now: those used while the cell itself runs, not later in a call.
        imports: every import statement at module level, each name once a statement.
        typing_only: names imported under ``if TYPE_CHECKING:`` and nowhere else.
    """

    binds: dict[str, int] = field(default_factory=dict)
    loops: frozenset[str] = frozenset()
    uses: dict[str, int] = field(default_factory=dict)
    now: dict[str, int] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    typing_only: frozenset[str] = frozenset()


def names_of(tree: ast.Module, text: str, *, lazy_annotations: bool = False) -> Names:
    """Look at a module that compiles.

    Args:
        tree: its syntax tree.
        text: its source.
        lazy_annotations: whether annotations are not evaluated (``from __future__``).
    """
    top = _table(text, lazy_annotations)
    places = _places(tree)
    bound = {s.get_name() for s in top.get_symbols() if _binds(s)} | set(_globals_set(top))
    bound -= _future_names(tree)
    if "annotations" not in places.stores:
        bound.discard("annotations")
    annotated = _annotation_names(tree) - _local_names(tree)
    used = set(_used(top)) | annotated
    now = set(_used_now(top))
    return Names(
        binds={name: places.stores.get(name, 1) for name in sorted(bound)},
        loops=frozenset(bound & (_loop_names(tree) - _defined_names(tree))),
        uses={name: places.loads.get(name, 1) for name in sorted(used)},
        now={name: places.loads.get(name, 1) for name in sorted(now)},
        imports=tuple(imports_of(tree)),
        typing_only=_typing_only(tree),
    )


@functools.lru_cache(maxsize=256)
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Every node of a tree; one cell's tree is looked through a dozen times."""
    return tuple(ast.walk(tree))


def imports_of(tree: ast.AST) -> Iterator[Import]:
    """Every import of a tree, in functions too, in order of lines."""
    found = [node for node in nodes(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset)):
        for alias in node.names:
            if isinstance(node, ast.Import):
                bound = alias.asname or alias.name.partition(".")[0]
                yield Import(alias.name, None, bound, node.lineno)
            else:
                bound = alias.asname or alias.name
                yield Import(node.module or "", alias.name, bound, node.lineno, node.level)


def has_future_annotations(tree: ast.Module) -> bool:
    """Whether a cell says ``from __future__ import annotations``."""
    return any(i.module == "__future__" and i.name == "annotations" for i in imports_of(tree))


def annotation_names(node: ast.expr | None) -> set[str]:
    """The names in an annotation, those inside strings too."""
    return set(_annotated(node, texts=True)) if node is not None else set()


def _annotated(node: ast.AST, *, texts: bool) -> Iterator[str]:
    """Names below a node; a text is read where a type may stand, never in Literal or a call."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and texts:
        yield from _quoted(node.value)
    elif isinstance(node, ast.Subscript):
        yield from _annotated(node.value, texts=False)
        yield from _subscripted(node, texts)
    else:
        for part in ast.iter_child_nodes(node):
            yield from _annotated(part, texts=texts and not isinstance(node, ast.Call))


def _subscripted(node: ast.Subscript, texts: bool) -> Iterator[str]:
    word = getattr(node.value, "attr", getattr(node.value, "id", ""))
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for place, part in enumerate(inner):
        is_type = word != "Literal" and (word != "Annotated" or place == 0)
        yield from _annotated(part, texts=texts and is_type)


def _quoted(text: str) -> Iterator[str]:
    try:
        yield from _annotated(ast.parse(text, mode="eval"), texts=True)
    except (SyntaxError, ValueError, RecursionError):
        return


def _future_names(tree: ast.Module) -> set[str]:
    return {item.bound for item in imports_of(tree) if item.module == "__future__"}


def _table(text: str, lazy: bool) -> symtable.SymbolTable:
    prefix = "from __future__ import annotations\n" if lazy and "__future__" not in text else ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return symtable.symtable(prefix + _with_scopes(text), "<cell>", "exec")


def _with_scopes(text: str) -> str:
    """The text with comprehensions as generators, which have a scope of their own.

    From Python 3.12 on a list, set or dictionary comprehension shares the table of what is
    around it (PEP 709), so that its variables would look like names of the cell.
    """
    tree = ast.parse(text)
    if not any(isinstance(node, _COMPREHENSIONS) for node in nodes(tree)):
        return text
    try:
        return ast.unparse(_Generators().visit(tree))
    except RecursionError:  # far deeper than anyone writes; what is read is then a little too much
        return text


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)


class _Generators(ast.NodeTransformer):
    """Makes generator expressions of comprehensions."""

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """``[a for a in b]``."""
        self.generic_visit(node)
        return ast.copy_location(ast.GeneratorExp(node.elt, node.generators), node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """``{a for a in b}``."""
        self.generic_visit(node)
        return ast.copy_location(ast.GeneratorExp(node.elt, node.generators), node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        """``{a: a for a in b}``."""
        self.generic_visit(node)
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return ast.copy_location(ast.GeneratorExp(pair, node.generators), node)


def _binds(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _globals_set(table: symtable.SymbolTable) -> Iterator[str]:
    """Names that functions bind at module level by ``global``."""
    for child in table.get_children():
        for symbol in child.get_symbols():
            if symbol.is_declared_global() and _binds(symbol):
                yield symbol.get_name()
        yield from _globals_set(child)


def _used(table: symtable.SymbolTable) -> Iterator[str]:
    is_module = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_module or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _used(child)


def _used_now(table: symtable.SymbolTable) -> Iterator[str]:
    is_module = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_module or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        if child.get_type() == "class" or child.get_name() in _AT_ONCE:
            yield from _used_now(child)


@dataclass(frozen=True, slots=True)
class _Places:
    """The first line on which each name is bound, and on which it is read."""

    stores: dict[str, int] = field(default_factory=dict)
    loads: dict[str, int] = field(default_factory=dict)


def _places(tree: ast.Module) -> _Places:
    places = _Places()
    for node in nodes(tree):
        line = getattr(node, "lineno", 1)
        if isinstance(node, ast.Name):
            side = places.loads if isinstance(node.ctx, ast.Load) else places.stores
            side[node.id] = min(line, side.get(node.id, line))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.isidentifier():
                places.loads.setdefault(node.value, line)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            places.stores[node.name] = min(line, places.stores.get(node.name, line))
    for item in imports_of(tree):
        places.stores[item.bound] = min(item.line, places.stores.get(item.bound, item.line))
    return places


def _annotation_names(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found |= annotation_names(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            found |= annotation_names(node.annotation)
    return found


def _local_names(tree: ast.Module) -> set[str]:
    """Names bound inside functions and classes, which an annotation there may mean."""
    found: set[str] = set()
    for outer in nodes(tree):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for node in ast.walk(outer):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    found.add(node.id)
                elif node is not outer and isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                    found.add(node.name)
            found |= {p.name for p in getattr(outer, "type_params", ())}
    return found


def _loop_names(tree: ast.Module) -> set[str]:
    targets: list[ast.AST] = []
    found: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, (ast.For, ast.AsyncFor)):
            targets.append(node.target)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            targets += [item.optional_vars for item in node.items if item.optional_vars]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found | {
        part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)
    }


def _defined_names(tree: ast.Module) -> set[str]:
    """Names bound by a statement that defines, imports or assigns."""
    found = {item.bound for item in imports_of(tree)}
    for node in nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {p.id for t in node.targets for p in ast.walk(t) if isinstance(p, ast.Name)}
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def _typing_only(tree: ast.Module) -> frozenset[str]:
    guards = [n for n in tree.body if isinstance(n, ast.If) and _is_type_checking(n.test)]
    under = {item.bound for guard in guards for part in guard.body for item in imports_of(part)}
    if not under:
        return frozenset()
    others = [node for node in tree.body if node not in guards]
    others += [part for guard in guards for part in guard.orelse]
    return frozenset(under - {item.bound for node in others for item in imports_of(node)})


def _is_type_checking(test: ast.expr) -> bool:
    name = test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")
    return name == "TYPE_CHECKING"
