"""What the exported cells define, by name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from skills2_nb.convert.names import written
from skills2_nb.convert.source import Code

Function = ast.FunctionDef | ast.AsyncFunctionDef
_PLAIN_BASES = ("BaseModel", "pydantic.BaseModel", "TypedDict", "typing.TypedDict", "object")
_MAKERS = ("Field", "field")


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
        nodes = _nodes(code)
        for name, line in code.names.binds.items():
            made.setdefault(name, Definition(name, nodes.get(name), code, line))
    return made


def fields_of(name: str | None, known: Mapping[str, Definition]) -> tuple[str, ...] | None:
    """The fields of a model by its name; None where the text does not tell them all."""
    declared = _declared(name, known)
    return None if declared is None else tuple(declared)


def required_of(name: str | None, known: Mapping[str, Definition]) -> tuple[str, ...] | None:
    """The fields of a model that have no default; None where the text does not tell."""
    declared = _declared(name, known)
    if declared is None:
        return None
    return tuple(name for name, part in declared.items() if not _has_default(part.value))


def annotations_of(name: str | None, known: Mapping[str, Definition]) -> dict[str, ast.expr]:
    """How the fields of a model are annotated, as far as the text tells."""
    return {name: part.annotation for name, part in (_declared(name, known) or {}).items()}


def literal(node: ast.expr, known: Mapping[str, Definition]) -> object:
    """The value of a literal, or of a name bound once to a literal.

    Raises:
        ValueError: it cannot be read without running it.
        UnicodeEncodeError: a text in it holds half a character, which no file can keep.
    """
    found = resolved(node, known)
    if isinstance(found, ast.Constant):
        if isinstance(found.value, str):
            found.value.encode("utf-8")
        return found.value
    value = ast.literal_eval(found)
    for part in ast.walk(found):
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


def _nodes(code: Code) -> dict[str, ast.AST]:
    """Functions and classes by name, and the expression of each plain assignment."""
    nodes = dict(code.names.definitions)
    for node in code.tree.body if code.tree else ():
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    nodes[target.id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            nodes[node.target.id] = node.value
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            nodes[node.name] = node
    return nodes


def _declared(name: str | None, known: Mapping[str, Definition]) -> dict[str, ast.AnnAssign] | None:
    """The fields of a model by name, each as it was written last."""
    definition = known.get(name or "")
    if definition is None or not isinstance(definition.node, ast.ClassDef):
        return None
    return _fields(definition.node, known, 0)


def _fields(
    node: ast.ClassDef, known: Mapping[str, Definition], depth: int
) -> dict[str, ast.AnnAssign] | None:
    made: dict[str, ast.AnnAssign] = {}
    if not node.bases and not _is_dataclass(node):
        return None
    for base in node.bases:
        name = written(base)
        if name in _PLAIN_BASES:
            continue
        parent = known.get(name)
        if depth > 20 or parent is None or not isinstance(parent.node, ast.ClassDef):
            return None
        inherited = _fields(parent.node, known, depth + 1)
        if inherited is None:
            return None
        made |= inherited
    own = _own_fields(node)
    return None if own is None else made | own


@lru_cache(maxsize=256)
def _own_fields(node: ast.ClassDef) -> dict[str, ast.AnnAssign] | None:
    """What a class itself declares, the same for each step that returns it; never to be changed."""
    made: dict[str, ast.AnnAssign] = {}
    for part in node.body:
        if isinstance(part, ast.Assign) and written(part.targets[0]) == "model_config":
            return None
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            name = part.target.id
            if not name.startswith("_") and "ClassVar" not in written(part.annotation):
                made[name] = part
    return made


def _has_default(value: ast.expr | None) -> bool:
    """Whether a field's right-hand side is a default: ``Field(title="x")`` is none."""
    if value is None or (isinstance(value, ast.Constant) and value.value is ...):
        return False
    if isinstance(value, ast.Call) and written(value.func).rpartition(".")[2] in _MAKERS:
        first = value.args[0] if value.args else None
        named = {keyword.arg: keyword.value for keyword in value.keywords}
        given = first or named.get("default") or named.get("default_factory")
        return given is not None and _has_default(given)
    return True


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in written(item) for item in node.decorator_list)
