"""What the exported cells define, by name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from skills2_nb.convert.source import Code

Function = ast.FunctionDef | ast.AsyncFunctionDef
_PLAIN_BASES = ("BaseModel", "pydantic.BaseModel", "TypedDict", "typing.TypedDict", "object")


@dataclass(frozen=True, slots=True)
class Definition:
    """One module-level name: a function, a class, or something else that is bound."""

    name: str
    node: ast.AST | None
    code: Code
    line: int

    @property
    def is_class(self) -> bool:
        """Whether it is written as a class."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        """Whether it is written as a function."""
        return isinstance(self.node, (ast.FunctionDef, ast.AsyncFunctionDef))


def definitions_of(codes: Iterable[Code]) -> dict[str, Definition]:
    """Every name that a set of cells binds at module level; the first binding counts."""
    made: dict[str, Definition] = {}
    for code in codes:
        nodes = _nodes(code.tree)
        for name, line in code.names.binds.items():
            made.setdefault(name, Definition(name, nodes.get(name), code, line))
    return made


def fields_of(name: str | None, known: Mapping[str, Definition]) -> tuple[str, ...] | None:
    """The fields of a model by its name; None where the text does not tell them all."""
    definition = known.get(name or "")
    if definition is None or not isinstance(definition.node, ast.ClassDef):
        return None
    return _fields(definition.node, known, 0)


def literal(node: ast.expr, known: Mapping[str, Definition]) -> object:
    """The value of a literal, or of a name bound once to a literal.

    Raises:
        ValueError: it cannot be read without running it.
        UnicodeEncodeError: a text in it holds half a character, which no file can keep.
    """
    value = ast.literal_eval(resolved(node, known))
    for part in ast.walk(resolved(node, known)):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            part.value.encode("utf-8")
    return value


def resolved(node: ast.expr, known: Mapping[str, Definition]) -> ast.expr:
    """The literal that a name is bound to, else the expression itself."""
    if not isinstance(node, ast.Name):
        return node
    definition = known.get(node.id)
    bound = definition.node if definition else None
    return bound if isinstance(bound, ast.expr) else node


def _nodes(tree: ast.Module | None) -> dict[str, ast.AST]:
    """Functions and classes by name, and the expression of each plain assignment."""
    nodes: dict[str, ast.AST] = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            nodes.setdefault(node.name, node)
    for node in tree.body if tree else ():
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    nodes[target.id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            nodes[node.target.id] = node.value
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            nodes[node.name] = node
    return nodes


def _fields(
    node: ast.ClassDef, known: Mapping[str, Definition], depth: int
) -> tuple[str, ...] | None:
    names: list[str] = []
    if not node.bases and not _is_dataclass(node):
        return None
    for base in node.bases:
        written = ast.unparse(base)
        if written in _PLAIN_BASES:
            continue
        parent = known.get(written)
        if depth > 20 or parent is None or not isinstance(parent.node, ast.ClassDef):
            return None
        inherited = _fields(parent.node, known, depth + 1)
        if inherited is None:
            return None
        names += inherited
    for part in node.body:
        if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "model_config":
            return None
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            name = part.target.id
            if not name.startswith("_") and "ClassVar" not in ast.unparse(part.annotation):
                names.append(name)
    return tuple(dict.fromkeys(names))


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(item) for item in node.decorator_list)
