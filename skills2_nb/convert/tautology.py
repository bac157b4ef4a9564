"""Predicates that hold whatever they are asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from skills2_nb.convert.definitions import Function

#: How a field is annotated, by its name; absent where the text does not tell.
Types = Mapping[str, ast.expr]
_HOLD_OF_EQUALS = (ast.Eq, ast.Is, ast.LtE, ast.GtE)
_NAMELESS = ("locals", "globals", "vars", "eval", "exec")
_OPEN = ("Any", "object", "None", "Optional", "Union")


def why_always(node: Function, types: Types) -> str | None:
    """Why a predicate holds whatever it is asked, in words; None where it may say no.

    Args:
        types: the annotations of the fields that its parameters name.
    """
    claims = _claims(node)
    if isinstance(claims, str):
        return claims
    reasons = [_reason(value, types) for value in claims]
    return reasons[0] if reasons and all(reasons) else None


@lru_cache(maxsize=256)
def _claims(node: Function) -> str | tuple[ast.expr, ...]:
    """What a predicate gives or asserts, none where it may say no; or why that does not matter.

    Many steps share a predicate, and its text is the same for each.
    """
    parts = list(_own_parts(node))
    if any(isinstance(part, ast.Raise) for part in parts):
        return ()
    returned = [part.value for part in parts if isinstance(part, ast.Return)]
    if not _reads_parameters(node):
        if all(value is None or _is_false(value) for value in returned):
            return ()
        return "reads none of its parameters" if _parameters(node) else "takes no parameter"
    asserted = [part.test for part in parts if isinstance(part, ast.Assert)]
    if not asserted and None in returned:
        return ()
    kept = [value for value in returned if value is not None and not (asserted and _is_none(value))]
    return (*asserted, *kept)


def _reason(node: ast.expr, types: Types) -> str | None:
    """Why an expression is always true."""
    if isinstance(node, ast.Constant):
        return "gives a constant" if node.value else None
    if isinstance(node, ast.BoolOp):
        reasons = [_reason(value, types) for value in node.values]
        if isinstance(node.op, ast.Or):
            return next((reason for reason in reasons if reason), None)
        return reasons[0] if all(reasons) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "gives a constant" if _is_false(node.operand) else None
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _reason_of_comparison(node, types)
    return _reason_of_type(node, types) if isinstance(node, ast.Call) else None


def _reason_of_comparison(node: ast.Compare, types: Types) -> str | None:
    left, op, right = node.left, node.ops[0], node.comparators[0]
    if isinstance(op, _HOLD_OF_EQUALS) and _is_same(left, right):
        return f"compares `{ast.unparse(left)}` with itself"
    if isinstance(op, ast.IsNot) and _is_none(right):
        name = _field(left)
        if name in types and not _is_open(types[name]):
            return f"asks whether {name} is there, which its type says"
    is_length = isinstance(left, ast.Call) and ast.unparse(left.func) == "len"
    is_zero = isinstance(right, ast.Constant) and right.value == 0
    if is_length and isinstance(op, ast.GtE) and is_zero:
        return "asks for a length of at least zero"
    return None


def _reason_of_type(node: ast.Call, types: Types) -> str | None:
    """``isinstance(total, int)`` of a field that is annotated as just that."""
    if ast.unparse(node.func) != "isinstance" or len(node.args) != 2:
        return None
    name, kinds = _field(node.args[0]), node.args[1]
    named = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    if name not in types:
        return None
    own = ast.unparse(types[name]).partition("[")[0]
    if own in map(ast.unparse, named) or (own == "bool" and "int" in map(ast.unparse, named)):
        return f"asks for the type that {name} has anyway"
    return None


def _field(node: ast.expr) -> str:
    """The field an expression names: ``total``, ``output.total``; empty for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id in ("output", "inputs") else ""
    return node.id if isinstance(node, ast.Name) else ""


def _is_same(one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions are one and the same value; calls may differ each time."""
    if type(one) is not type(other) or isinstance(one, ast.Name):
        return isinstance(other, ast.Name) and isinstance(one, ast.Name) and one.id == other.id
    has_call = any(isinstance(part, (ast.Call, ast.Await)) for part in ast.walk(one))
    return not has_call and ast.dump(one) == ast.dump(other)


def _is_open(annotation: ast.expr) -> bool:
    """Whether an annotation may allow None; a text or a name of the author's own may."""
    if isinstance(annotation, ast.Constant):
        return True
    names = {part.id for part in ast.walk(annotation) if isinstance(part, ast.Name)}
    names |= {part.attr for part in ast.walk(annotation) if isinstance(part, ast.Attribute)}
    constants = [part.value for part in ast.walk(annotation) if isinstance(part, ast.Constant)]
    if None in constants or names.intersection(_OPEN):
        return True
    return not names <= _PLAIN


def _reads_parameters(node: Function) -> bool:
    names = {
        part.id
        for statement in node.body
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    return bool(names.intersection(_parameters(node)) or names.intersection(_NAMELESS))


def _parameters(node: Function) -> list[str]:
    given = node.args
    return [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _own_parts(node: Function) -> Iterator[ast.AST]:
    """Everything in a function's own body, inner functions and classes apart."""
    waiting: list[ast.AST] = list(reversed(node.body))
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += reversed(list(ast.iter_child_nodes(part)))


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


_PLAIN = frozenset({"int", "float", "str", "bool", "list", "dict", "set", "tuple", "frozenset"})
