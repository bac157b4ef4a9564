"""Names for predicates, read from their expressions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from skills2_nb.convert.adopt_units import unparsed

_WORDS = {
    ast.Gt: "exceeds",
    ast.GtE: "is_at_least",
    ast.Lt: "is_below",
    ast.LtE: "is_at_most",
    ast.Eq: "equals",
    ast.NotEq: "differs_from",
    ast.In: "is_in",
    ast.NotIn: "is_not_in",
    ast.Is: "is",
    ast.IsNot: "is_not",
}
_ZERO = {
    ast.Gt: "is_positive",
    ast.GtE: "is_not_negative",
    ast.Lt: "is_negative",
    ast.Eq: "is_zero",
    ast.NotEq: "is_not_zero",
}
_LONGEST = 48


def named(test: ast.expr) -> str:
    """A name for a predicate: ``total > 0`` is ``total_is_positive``."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return named(test.values[-1])
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, op, right = test.left, type(test.ops[0]), test.comparators[0]
        if isinstance(right, ast.Constant) and right.value == 0 and op in _ZERO:
            return _cut(f"{_said(left)}_{_ZERO[op]}")
        return _cut(f"{_said(left)}_{_WORDS[op]}_{_said(right)}")
    if isinstance(test, ast.Compare):
        return _cut(f"{_said(test.comparators[0])}_lies_between")
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _cut(f"not_{_said(test.operand)}")
    return _cut(_said(test))


def free(name: str, taken: Iterable[str]) -> str:
    """A name like this one that nothing has yet."""
    made, count, used = name, 1, set(taken)
    while made in used:
        count += 1
        made = f"{name}_{count}"
    return made


def _said(node: ast.expr) -> str:
    words = re.findall(r"[A-Za-z0-9]+", unparsed(node))
    return "_".join(word.lower() for word in words if word not in ("bool", "float", "int"))


def _cut(text: str) -> str:
    text = re.sub(r"_+", "_", text).strip("_") or "it_holds"
    text = f"it_{text}" if text[0].isdigit() else text
    if len(text) <= _LONGEST:
        return text if text.isidentifier() else "it_holds"
    return text[:_LONGEST].rpartition("_")[0] or text[:_LONGEST]
