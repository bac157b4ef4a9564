"""Other ways to a result: inverses, bounds and counts."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass

from skills2_nb.convert.adopt_kinds import NUMBERS
from skills2_nb.convert.adopt_units import changed_in, unparsed
from skills2_nb.convert.adopt_values import Found

#: How far two ways to one figure may lie apart, as a share of its size.
EXACT = "1e-09"
_DEEPEST = 5
_SAME = frozenset(
    ["copy", "assign", "rename", "sort_values", "astype", "fillna", "round", "reset_index"]
)
_FEWER = frozenset(["query", "dropna", "drop_duplicates", "head", "tail", "nlargest", "nsmallest"])
_FLAT = (ast.Assign, ast.Return, ast.Expr, ast.Assert, ast.AnnAssign)


@dataclass(frozen=True)
class _Body:
    """The statements behind a step's result.

    Attributes:
        values: names that have one value alone, with the expression that gives it.
        bound: every name that is bound, or whose value is changed.
        names: locals that are fields of the result or the whole of it, by the field's name.
        fixed: parameters that stay what they were.
    """

    step: Found
    nodes: list[ast.stmt]
    values: dict[str, ast.expr]
    bound: set[str]
    names: dict[str, str]
    fixed: set[str]

    def seen(self, node: ast.expr) -> ast.expr | None:
        """An expression in the names that the outside knows; None where it needs another."""
        walk = _Seen(self)
        made = walk.visit(copy.deepcopy(node))
        return None if walk.is_lost else made


def asserted(step: Found) -> Iterator[ast.expr]:
    """What a function's own body asserts of its parameters and its result."""
    body = _body(step)
    for node in body.nodes if step.function else ():
        test = body.seen(node.test) if isinstance(node, ast.Assert) else None
        if test is not None:
            yield test


def ways(step: Found) -> Iterator[tuple[str, ast.expr]]:
    """Conditions that hold of a result and are not how it was made, each with a name."""
    body = _body(step)
    for name, value in _results(body):
        claim = _another_way(name, value, body)
        if claim is not None:
            yield f"{name}_{claim[0]}", ast.parse(claim[1], mode="eval").body
    rows = _rows(body)
    if rows is not None:
        frame, same = rows
        test = ast.parse(f"len(output) {'==' if same else '<='} len({frame})", mode="eval").body
        yield "rows_stay" if same else "rows_never_grow", test


def _body(step: Found) -> _Body:
    nodes = list(step.function.body) if step.function else [n for u in step.units for n in u.nodes]
    counts: dict[str, int] = {}
    values: dict[str, ast.expr] = {}
    for part in (part for node in nodes for part in ast.walk(node)):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            counts[part.id] = counts.get(part.id, 0) + 1
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = node.value
    given = {param.name for param in step.params}
    moved = given | {name for node in nodes for name in changed_in(node)}
    values = {n: value for n, value in values.items() if counts[n] == 1 and n not in moved}
    bound = set(counts) | (moved - given)
    fixed = given - bound - {name for node in nodes for name in changed_in(node)}
    return _Body(step, nodes, values, bound | (given - fixed), _result_names(step, nodes), fixed)


def _result_names(step: Found, nodes: list[ast.stmt]) -> dict[str, str]:
    if step.function is None:
        return {name: "output" if step.is_whole else name for name, _ in step.outputs}
    value = _returned(nodes)
    if isinstance(value, ast.Name):
        return {value.id: "output"}
    if isinstance(value, ast.Dict) and step.fields:
        pairs = zip(step.fields, value.values, strict=True)
        return {part.id: key for key, part in pairs if isinstance(part, ast.Name)}
    return {}


def _returned(nodes: list[ast.stmt]) -> ast.expr | None:
    """What a function gives, where it has one ``return`` and that at its end."""
    found = [part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Return)]
    return found[0].value if len(found) == 1 and found[0] is nodes[-1] else None


class _Seen(ast.NodeTransformer):
    """Puts the outside's names for locals; other locals are replaced by what they stand for."""

    def __init__(self, body: _Body) -> None:
        self.body, self.depth, self.is_lost = body, 0, False

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name is a field, a parameter, a global, or a local that one expression made."""
        body = self.body
        if node.id in body.fixed or node.id not in body.bound:
            return node
        if node.id in body.names and node.id in body.values:
            return ast.Name(body.names[node.id], ast.Load())
        if node.id not in body.values or self.depth >= _DEEPEST:
            self.is_lost = True
            return node
        self.depth += 1
        made = self.visit(copy.deepcopy(body.values[node.id]))
        self.depth -= 1
        return made  # type: ignore[no-any-return]  # what a transformer's visit gives


def _results(body: _Body) -> Iterator[tuple[str, ast.expr]]:
    """The fields of a result, or the whole of it, each with the expression behind it."""
    step = body.step
    if step.function is None:
        pairs = [("output" if step.is_whole else n, body.values.get(n)) for n, _ in step.outputs]
    else:
        value = _returned(body.nodes)
        value = body.values.get(value.id, value) if isinstance(value, ast.Name) else value
        is_mapping = isinstance(value, ast.Dict) and bool(step.fields)
        pairs = [("output", value)]
        if isinstance(value, ast.Dict) and is_mapping:
            pairs = list(zip(step.fields, value.values, strict=False))
    kinds = dict(step.kind.parts) if step.fields else {"output": step.kind}
    for name, found in pairs:
        value = body.values.get(found.id) if isinstance(found, ast.Name) else found
        if value is not None and name in kinds and kinds[name].name in (*NUMBERS, "str", "list"):
            yield name, value


def _another_way(name: str, value: ast.expr, body: _Body) -> tuple[str, str] | None:
    node, slack = value, EXACT
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        if node.func.id == "round":
            slack = _rounding(node)
        elif node.func.id == "int" and isinstance(node.args[0], ast.BinOp):
            return None  # what int() cuts off is more than rounding
        elif node.func.id not in ("int", "float"):
            break
        node = node.args[0]
    inside = body.seen(node) if slack else None
    if inside is None or name in _names(inside):
        return None
    return _claim(name, inside, slack, body.step)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _rounding(node: ast.Call) -> str:
    """A little more than half a unit of the last digit that ``round`` keeps."""
    digits = node.args[1] if len(node.args) > 1 else ast.Constant(0)
    if isinstance(digits, ast.Constant) and isinstance(digits.value, int) and digits.value >= 0:
        return f"{0.5 * 10.0**-digits.value:.10g}1" if digits.value else "0.501"
    return ""


def _claim(name: str, node: ast.expr, slack: str, step: Found) -> tuple[str, str] | None:
    if isinstance(node, ast.BinOp):
        text = _inverse(name, node, slack)
        return ("leads_back", text) if text else None
    if isinstance(node, ast.ListComp):
        return _of_list(name, node, step)
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    if isinstance(node.func, ast.Name) and len(node.args) == 1:
        return _of_call(name, node.func.id, node.args[0], slack, step)
    if isinstance(node.func, ast.Attribute) and not node.args:
        return _of_series(name, unparsed(node.func.value), node.func.attr, slack)
    return None


def _of_call(
    name: str, function: str, node: ast.expr, slack: str, step: Found
) -> tuple[str, str] | None:
    inner = unparsed(node)
    if function in ("max", "min") and _annotation(inner, step) in ("list[int]", "list[str]"):
        sign, end = (">=", "highest") if function == "max" else ("<=", "lowest")
        text = f"{name} in {inner} and all({name} {sign} item for item in {inner})"
        return f"is_the_{end}", text
    if function == "len" and _annotation(inner, step).startswith("list"):
        return "counts_each", f"{name} == sum(1 for _ in {inner})"
    if function == "sum":
        inner = inner[1:-1] if isinstance(node, ast.GeneratorExp) else inner
        return "adds_up", _close(name, f"math.fsum({inner})", slack)
    return None


def _annotation(name: str, step: Found) -> str:
    return next((param.kind.annotation for param in step.params if param.name == name), "")


def _of_list(name: str, node: ast.ListComp, step: Found) -> tuple[str, str] | None:
    """A list made of another: one for one, or fewer where a condition picks them."""
    inner = unparsed(node.generators[0].iter)
    if len(node.generators) > 1 or not _annotation(inner, step).startswith("list"):
        return None
    sign, end = ("<=", "never_grows") if node.generators[0].ifs else ("==", "keeps_all")
    return end, f"len({name}) {sign} len({inner})"


def _of_series(name: str, inner: str, method: str, slack: str) -> tuple[str, str] | None:
    near = f"{slack} * max(1, abs({name}))" if slack == EXACT else slack
    within = f"{inner}.min() - {near} <= {name} <= {inner}.max() + {near}"
    ordered = f"{inner}.sort_values().dropna().iloc"
    known = {
        "sum": ("is_mean_times_count", f"abs({inner}.mean() * {inner}.count() - {name}) <= {near}"),
        "mean": ("lies_in_range", within),
        "median": ("lies_in_range", within),
        "nunique": ("counts_each_once", f"{name} == len({inner}.dropna().drop_duplicates())"),
        "max": ("is_last_in_order", f"abs({ordered}[-1] - {name}) <= {near}"),
        "min": ("is_first_in_order", f"abs({ordered}[0] - {name}) <= {near}"),
    }
    if method not in known or not re.search(r"\[[\"']", inner):
        return None
    end, text = known[method]
    return end, text if method == "nunique" else f"{inner}.count() == 0 or {text}"


def _inverse(name: str, node: ast.BinOp, slack: str) -> str:
    """The other operation leads back: a quotient times its divisor is the dividend."""
    left, right = unparsed(node.left), _bracketed(node.right)
    is_exact = slack == EXACT
    if isinstance(node.op, ast.Div):
        near = f"{slack} * max(1, abs({left if is_exact else right}))"
        return _unless(name, f"abs({name} * {right} - {_bracketed(node.left)}) <= {near}")
    if isinstance(node.op, ast.Sub):
        return _close(f"{name} + {right}", left, slack, name)
    if isinstance(node.op, ast.Add):
        return _close(f"{name} - {right}", left, slack, name)
    factor = node.right.value if isinstance(node.right, ast.Constant) else 0
    if isinstance(node.op, ast.Mult) and isinstance(factor, int | float) and factor:
        near = f"{slack} * max(1, abs({name}))" if is_exact else slack
        return _unless(name, f"abs({name} / {right} - {_bracketed(node.left)}) <= {near}")
    return ""


def _close(one: str, two: str, slack: str, name: str = "") -> str:
    name = name or one
    near = f"{slack} * max(1, abs({two}), abs({name}))" if slack == EXACT else slack
    side = f"({two})" if re.search(r" [-+] ", two) else two
    return _unless(name, f"abs({one} - {side}) <= {near}")


def _unless(name: str, claim: str) -> str:
    """The claim, but for what is no number: the notebook may well go on with such a value."""
    return f"not math.isfinite({name}) or {claim}"


def _bracketed(node: ast.expr) -> str:
    text = unparsed(node)
    return f"({text})" if isinstance(node, ast.BinOp) else text


def _rows(body: _Body) -> tuple[str, bool] | None:
    """The table whose rows a table has, and whether it has all of them."""
    step = body.step
    if step.kind.name != "frame" or not all(isinstance(node, _FLAT) for node in body.nodes):
        return None
    if any(isinstance(node, ast.Expr) and any(changed_in(node)) for node in body.nodes):
        return None
    values = _frames_made(body.nodes)
    value = values.get(step.outputs[0][0]) if step.outputs else _returned(body.nodes)
    frames = {param.name for param in step.params if param.kind.name == "frame"}
    return _stem(value, values, frames, set(values)) if value is not None else None


def _frames_made(nodes: list[ast.stmt]) -> dict[str, ast.expr]:
    """Names that one assignment alone binds; columns may well be put into their values."""
    made: dict[str, ast.expr] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            made[name] = ast.Constant(None) if name in made else node.value
    return made


def _stem(
    node: ast.expr, values: dict[str, ast.expr], frames: set[str], bound: set[str]
) -> tuple[str, bool] | None:
    if isinstance(node, ast.Name):
        if node.id in values:
            rest = {name: value for name, value in values.items() if name != node.id}
            return _stem(values[node.id], rest, frames, bound - {node.id})
        return (node.id, True) if node.id in frames and node.id not in bound else None
    if isinstance(node, ast.Subscript):
        below = _stem(node.value, values, frames, bound)
        if below is None or isinstance(node.slice, ast.Constant | ast.Tuple):
            return None
        return below[0], below[1] and isinstance(node.slice, ast.List)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        below = _stem(node.func.value, values, frames, bound)
        if below is None or any(word.arg in ("inplace", "n") for word in node.keywords):
            return None
        return below if node.func.attr in _SAME else _fewer(below, node.func.attr)
    return None


def _fewer(below: tuple[str, bool], method: str) -> tuple[str, bool] | None:
    return (below[0], False) if method in _FEWER else None
