"""Names that a piece of code binds and names that it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from skills2_nb.convert.scope_walk import scopes_of
from skills2_nb.convert.scopes import names_in


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
        definitions: the first function or class of each name.
        plain: whether the cell is sure to compile; where it is False, compiling it tells.
    """

    binds: dict[str, int] = field(default_factory=dict)
    loops: frozenset[str] = frozenset()
    uses: dict[str, int] = field(default_factory=dict)
    now: dict[str, int] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    typing_only: frozenset[str] = frozenset()
    definitions: dict[str, ast.AST] = field(default_factory=dict)
    plain: bool = False


def names_of(tree: ast.Module, *, lazy_annotations: bool = False) -> Names:
    """Look at a module that compiles.

    Args:
        tree: its syntax tree.
        lazy_annotations: whether annotations are not evaluated (``from __future__``).
    """
    found = scopes_of(tree, lazy_annotations=lazy_annotations)
    imports = _imports(found.imports)
    bound = found.bound()
    if imports:
        bound.difference_update(item.bound for item in imports if item.module == "__future__")
    used, now = found.used()
    loads = found.loads
    for name, line in _annotation_names(found.annotations):
        if name not in used and name not in found.local:
            used.add(name)
        if line < loads.get(name, line + 1):
            loads[name] = line
    return Names(
        binds={name: found.stores.get(name, 1) for name in sorted(bound)},
        loops=frozenset(bound & found.loops - _defined_names(tree)) if found.loops else frozenset(),
        uses={name: loads.get(name, 1) for name in sorted(used)},
        now={name: loads.get(name, 1) for name in sorted(now)},
        imports=imports,
        typing_only=_typing_only(tree) if imports else frozenset(),
        definitions={node.name: node for node in reversed(found.definitions)},
        plain=found.plain,
    )


def imports_of(tree: ast.AST) -> tuple[Import, ...]:
    """Every import of a tree, in functions too, in order of lines."""
    return _imports(n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)))


def written(node: ast.expr) -> str:
    """An expression as text; a plain name, or one with dots, at no cost."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
        return f"{written(node.value)}.{node.attr}"
    return ast.unparse(node)


def annotation_names(node: ast.expr | None) -> set[str]:
    """The names in an annotation, those inside strings too."""
    return {name for name, _ in _annotation_names([node])} if node is not None else set()


def _imports(found: Iterable[ast.Import | ast.ImportFrom]) -> tuple[Import, ...]:
    made = []
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset)):
        for alias in node.names:
            if isinstance(node, ast.Import):
                bound = alias.asname or alias.name.partition(".")[0]
                made.append(Import(alias.name, None, bound, node.lineno))
            else:
                bound = alias.asname or alias.name
                made.append(Import(node.module or "", alias.name, bound, node.lineno, node.level))
    return tuple(made)


def _annotation_names(annotations: Iterable[ast.expr]) -> Iterator[tuple[str, int]]:
    """The names in annotations, each with the line it stands on."""
    for node in annotations:
        if isinstance(node, ast.Name):
            yield node.id, node.lineno
        else:
            yield from _annotated(node, texts=True)


def _annotated(node: ast.AST, *, texts: bool) -> Iterator[tuple[str, int]]:
    """Names below a node; a text is read where a type may stand, never in Literal or a call."""
    if isinstance(node, ast.Name):
        yield node.id, node.lineno
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and texts:
        yield from _quoted(node.value, node.lineno)
    elif isinstance(node, ast.Subscript):
        yield from _annotated(node.value, texts=False)
        yield from _subscripted(node, texts)
    else:
        for part in ast.iter_child_nodes(node):
            yield from _annotated(part, texts=texts and not isinstance(node, ast.Call))


def _subscripted(node: ast.Subscript, texts: bool) -> Iterator[tuple[str, int]]:
    word = getattr(node.value, "attr", getattr(node.value, "id", ""))
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for place, part in enumerate(inner):
        is_type = word != "Literal" and (word != "Annotated" or place == 0)
        yield from _annotated(part, texts=texts and is_type)


def _quoted(text: str, line: int) -> Iterator[tuple[str, int]]:
    if text.isidentifier():
        yield text, line
        return
    try:
        for name, _ in _annotated(ast.parse(text, mode="eval"), texts=True):
            yield name, line
    except (SyntaxError, ValueError, RecursionError):
        return


def _defined_names(tree: ast.Module) -> set[str]:
    """Names bound by a statement that defines, imports or assigns."""
    found = {item.bound for item in imports_of(tree)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(*map(names_in, node.targets))
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
