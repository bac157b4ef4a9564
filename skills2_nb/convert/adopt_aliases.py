"""Names that hold the value of another, or a part of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

#: Calls that hand out the very parts of what they are given.
_WALKED = frozenset({"enumerate", "zip", "reversed", "sorted", "list", "iter", "items", "values"})


def held_whole(node: ast.expr) -> Iterator[str]:
    """Names whose own values an expression holds, by itself or within a literal."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            yield from held_whole(part)
    elif isinstance(node, ast.Dict):
        for part in node.values:
            yield from held_whole(part)
    elif isinstance(node, ast.IfExp):
        yield from (*held_whole(node.body), *held_whole(node.orelse))


def with_held(changed: Iterable[str], nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names changed in place, and those whose value, or a part of it, a changed name holds.

    A filter such as ``table[table.x > 0]`` makes a value of its own; ``rows[0]`` is a part.
    """
    pairs = [pair for node in nodes for part in ast.walk(node) for pair in _pairs(part)]
    found = set(changed)
    while more := {held for name, held in pairs if name in found} - found:
        found |= more
    return frozenset(found)


def _pairs(node: ast.AST) -> Iterator[tuple[str, str]]:
    """A name that a statement binds with each name whose value it may hold then."""
    if isinstance(node, ast.Assign):
        targets, held = node.targets, {*held_whole(node.value), *_parts(node.value)}
    elif isinstance(node, ast.For | ast.AsyncFor):
        targets, held = [node.target], {*held_whole(node.iter), *_parts(node.iter)}
    else:
        return
    for target in targets:
        yield from ((name, other) for name in held_whole(target) for other in held)


def _parts(node: ast.expr) -> Iterator[str]:
    """Names of which an expression hands out a part."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.UnaryOp):
        yield from (*held_whole(node.value), *_parts(node.value))
    elif isinstance(node, ast.Call) and _called(node.func) in _WALKED:
        given = [node.func.value] if isinstance(node.func, ast.Attribute) else node.args
        for part in given:
            yield from (*held_whole(part), *_parts(part))


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
