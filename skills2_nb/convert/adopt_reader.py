"""What kind of value an expression gives, read from its text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from skills2_nb.convert.adopt_kinds import (
    BOOL,
    DICT,
    FLOAT,
    FRAME,
    INDEXED,
    INT,
    LINES,
    LIST,
    NAMELESS,
    NONE,
    NUMBER,
    PLAIN,
    PYTHON,
    REAL,
    SERIES,
    STR,
    TABLES,
    UNKNOWN,
    WIDE,
    Kind,
    element,
    joined,
    listed,
)
from skills2_nb.convert.adopt_methods import CALLS, of_method, of_module
from skills2_nb.convert.adopt_units import Function, Source, changed_in, own

#: How deep calls within calls are followed.
_DEEPEST = 6
#: What makes columns that no table of a run can hold.
_ODD_COLUMNS = ("to_period", "period_range", "interval_range")
_PYTHON = frozenset({"int", "float", "real", "str", "bool", "list", "none"})


class Reader:
    """Tells kinds in a notebook; values of names are handed in, nothing is kept.

    Args:
        source: the notebook whose functions, classes and imports are known.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._depth = 0
        odd = any(word in unit.text for unit in source.units for word in _ODD_COLUMNS)
        self._frame = UNKNOWN if odd else FRAME

    def kind(self, node: ast.expr | None, env: Mapping[str, Kind]) -> Kind:
        """The kind of an expression where names have the kinds of ``env``."""
        tell = getattr(self, f"_{type(node).__name__.lower()}", None)
        kind: Kind = tell(node, env) if tell else UNKNOWN
        return self._frame if kind == FRAME else kind

    def returned(self, function: Function, given: Mapping[str, Kind]) -> Kind:
        """What a function gives, called with arguments of these kinds."""
        if self._depth >= _DEEPEST or isinstance(function, ast.AsyncFunctionDef):
            return UNKNOWN
        self._depth += 1
        try:
            env = dict(given)
            self.run(function.body, env)
            nodes = [part for part in own(function.body) if isinstance(part, ast.Return)]
            if not nodes or all(node.value is None for node in nodes):
                return NONE
            return joined(self.kind(node.value, env) if node.value else NONE for node in nodes)
        finally:
            self._depth -= 1

    def run(self, body: Iterable[ast.stmt], env: dict[str, Kind]) -> None:
        """Follow statements in order and note the kinds that names come to have."""
        for node in body:
            self._follow(node, env)

    def _follow(self, node: ast.stmt, env: dict[str, Kind]) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        if isinstance(node, ast.For | ast.While | ast.If | ast.Try):
            self._branch(node, env)
        elif isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, self.kind(item.context_expr, env), env)
            self.run(node.body, env)
        elif isinstance(node, ast.Expr):
            self._change(node.value, env)
        else:
            self._assign(node, env)

    def _branch(self, node: ast.For | ast.While | ast.If | ast.Try, env: dict[str, Kind]) -> None:
        """Follow what may run, or run more than once: names are of one kind or of another."""
        parts: list[list[ast.stmt]] = [node.body, node.orelse]
        if isinstance(node, ast.Try):
            parts += [handler.body for handler in node.handlers] + [node.finalbody]
        rounds = 2 if isinstance(node, ast.For | ast.While) else 1
        for body in parts * rounds:
            inner = dict(env)
            if isinstance(node, ast.For):
                self._bind(node.target, element(self.kind(node.iter, inner)), inner)
            self.run(body, inner)
            for name, kind in inner.items():
                env[name] = joined((env[name], kind)) if name in env else kind

    def _assign(self, node: ast.stmt, env: dict[str, Kind]) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, self.kind(node.value, env), env)
        elif isinstance(node, ast.AnnAssign):
            self._bind(node.target, self.kind(node.value, env), env)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            old = env.get(node.target.id, UNKNOWN)
            env[node.target.id] = self._sum(old, self.kind(node.value, env), node.op)
        for name in changed_in(node):
            env[name] = _opened(env.get(name, UNKNOWN))

    def _change(self, node: ast.expr, env: dict[str, Kind]) -> None:
        """A call that changes the value whose method it is."""
        func = node.func if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(func, ast.Attribute):
            return
        for name in changed_in(node):
            old = env.get(name, UNKNOWN)
            is_own = isinstance(func.value, ast.Name)
            if is_own and old.name in TABLES:
                words = {word.arg: word.value for word in node.keywords}
                env[name] = of_method(old, func.attr, node.args, words)
            elif is_own and old.name == "list" and func.attr == "append" and node.args:
                kinds = [] if old.cls == "empty" else [element(old)]
                env[name] = listed([*kinds, self.kind(node.args[0], env)])
            else:
                env[name] = _opened(old)

    def _bind(self, target: ast.expr, kind: Kind, env: dict[str, Kind]) -> None:
        if isinstance(target, ast.Name):
            env[target.id] = kind
        elif isinstance(target, ast.Tuple | ast.List):
            parts = dict(kind.parts) if kind.name == "tuple" else {}
            for place, part in enumerate(target.elts):
                inner = element(kind) if kind.name in ("plain", "list") else UNKNOWN
                self._bind(part, parts.get(str(place), inner), env)
        elif isinstance(target, ast.Attribute) and target.attr == "index":
            for name in [target.value.id] if isinstance(target.value, ast.Name) else []:
                env[name] = INDEXED

    # --- expressions, by the name of their node -------------------------------------------

    def _constant(self, node: ast.Constant, env: Mapping[str, Kind]) -> Kind:
        if node.value is None:
            return NONE
        name = type(node.value).__name__
        return Kind(name) if name in ("int", "float", "str", "bool") else UNKNOWN

    def _joinedstr(self, node: ast.JoinedStr, env: Mapping[str, Kind]) -> Kind:
        return STR

    def _name(self, node: ast.Name, env: Mapping[str, Kind]) -> Kind:
        return env.get(node.id, UNKNOWN)

    def _list(self, node: ast.List, env: Mapping[str, Kind]) -> Kind:
        if not node.elts:
            return Kind("list", cls="empty")
        return listed(self.kind(part, env) for part in node.elts)

    def _tuple(self, node: ast.Tuple, env: Mapping[str, Kind]) -> Kind:
        parts = enumerate(self.kind(part, env) for part in node.elts)
        return Kind("tuple", tuple((str(place), kind) for place, kind in parts))

    def _dict(self, node: ast.Dict, env: Mapping[str, Kind]) -> Kind:
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        kinds = [self.kind(value, env) for value in node.values]
        if not all(isinstance(key, str) for key in keys):
            return UNKNOWN
        return Kind("dict", tuple(zip(map(str, keys), kinds, strict=True)))

    def _listcomp(self, node: ast.ListComp, env: Mapping[str, Kind]) -> Kind:
        inner = self._within(node.generators, env)
        return listed([self.kind(node.elt, inner)])

    def _generatorexp(self, node: ast.GeneratorExp, env: Mapping[str, Kind]) -> Kind:
        return Kind("rows", (("*", self.kind(node.elt, self._within(node.generators, env))),))

    def _dictcomp(self, node: ast.DictComp, env: Mapping[str, Kind]) -> Kind:
        inner = self._within(node.generators, env)
        is_text = self.kind(node.key, inner).name in ("str", "plain")
        return DICT if is_text and self.kind(node.value, inner).name in PYTHON else UNKNOWN

    def _within(
        self, generators: Iterable[ast.comprehension], env: Mapping[str, Kind]
    ) -> dict[str, Kind]:
        inner = dict(env)
        for part in generators:
            self._bind(part.target, element(self.kind(part.iter, inner)), inner)
        return inner

    def _compare(self, node: ast.Compare, env: Mapping[str, Kind]) -> Kind:
        kinds = [self.kind(part, env) for part in (node.left, *node.comparators)]
        names = {kind.name for kind in kinds}
        if names & {"series", *TABLES}:
            return next((kind for kind in kinds if kind.name in TABLES), NAMELESS)
        is_kept = all(kind.is_kept for kind in kinds)
        return BOOL if names <= _PYTHON else NUMBER if is_kept else UNKNOWN

    def _unaryop(self, node: ast.UnaryOp, env: Mapping[str, Kind]) -> Kind:
        kind = self.kind(node.operand, env)
        return BOOL if isinstance(node.op, ast.Not) else INT if kind == BOOL else kind

    def _boolop(self, node: ast.BoolOp, env: Mapping[str, Kind]) -> Kind:
        return joined(self.kind(part, env) for part in node.values)

    def _ifexp(self, node: ast.IfExp, env: Mapping[str, Kind]) -> Kind:
        return joined((self.kind(node.body, env), self.kind(node.orelse, env)))

    def _binop(self, node: ast.BinOp, env: Mapping[str, Kind]) -> Kind:
        return self._sum(self.kind(node.left, env), self.kind(node.right, env), node.op)

    def _sum(self, one: Kind, two: Kind, op: ast.operator) -> Kind:
        names = {one.name, two.name}
        if names & {"series", *TABLES}:
            return next((kind for kind in (one, two) if kind.name in TABLES), NAMELESS)
        if one == STR and isinstance(op, ast.Mod | ast.Add | ast.Mult):
            return STR
        if names == {"list"} and isinstance(op, ast.Add):
            return LIST
        return _number(names, op)

    def _attribute(self, node: ast.Attribute, env: Mapping[str, Kind]) -> Kind:
        kind = self.kind(node.value, env)
        if kind.name in TABLES:
            special = {
                "shape": Kind("tuple", (("0", INT), ("1", INT))),
                "T": WIDE,
                "empty": BOOL,
                "loc": kind,
                "iloc": kind,
            }
            hidden = ("columns", "index", "values", "dtypes", "style", "plot", "size")
            return special.get(node.attr, UNKNOWN if node.attr in hidden else SERIES)
        if kind.name == "series":
            return UNKNOWN if node.attr in ("index", "values", "plot", "size") else kind
        return UNKNOWN

    def _subscript(self, node: ast.Subscript, env: Mapping[str, Kind]) -> Kind:
        kind, key = self.kind(node.value, env), node.slice
        if kind.name in TABLES:
            return self._of_frame(kind, node, env)
        if kind.name in ("grouped", "flat", "column"):
            is_one = kind.name == "grouped" and self.kind(key, env) == STR
            return Kind("column") if is_one else kind
        if kind.name == "series":
            masked = isinstance(key, ast.Slice) or self.kind(key, env).name in ("series", "list")
            return kind if masked else NUMBER
        if isinstance(key, ast.Slice):
            return kind if kind.name in ("str", "list") else UNKNOWN
        if kind.name in ("dict", "tuple") and isinstance(key, ast.Constant) and kind.parts:
            return dict(kind.parts).get(str(key.value), UNKNOWN)
        return element(kind) if kind.name in ("list", "str", "dict", "plain") else UNKNOWN

    def _of_frame(self, kind: Kind, node: ast.Subscript, env: Mapping[str, Kind]) -> Kind:
        key = node.slice
        at = node.value.attr if isinstance(node.value, ast.Attribute) else ""
        if at in ("loc", "iloc") and isinstance(key, ast.Tuple) and len(key.elts) == 2:
            rows, columns = (self._is_many(part, env) for part in key.elts)
            return kind if rows and columns else NAMELESS if rows or columns else NUMBER
        if at in ("loc", "iloc"):
            return kind if self._is_many(key, env) else NAMELESS
        if self._is_many(key, env):
            return kind
        return SERIES if self.kind(key, env).name in ("str", "plain") else UNKNOWN

    def _is_many(self, node: ast.expr, env: Mapping[str, Kind]) -> bool:
        many = ("series", "list", "frame")
        return isinstance(node, ast.Slice | ast.List) or self.kind(node, env).name in many

    def _call(self, node: ast.Call, env: Mapping[str, Kind]) -> Kind:
        func = node.func
        if isinstance(func, ast.Name):
            return self._plain_call(func.id, node, env)
        if not isinstance(func, ast.Attribute):
            return UNKNOWN
        words = {word.arg: word.value for word in node.keywords}
        if "inplace" in words:
            return NONE
        root = func.value.id if isinstance(func.value, ast.Name) else ""
        if root in self.source.modules and root not in env:
            given = [self.kind(part, env) for part in node.args]
            return of_module(self.source.modules[root], func.attr, given, words)
        kind = self.kind(func.value, env)
        if kind.name == "object":
            return self._own_method(kind.cls, func.attr)
        if kind.name in TABLES and func.attr == "merge":
            other = self.kind(node.args[0], env) if node.args else UNKNOWN
            kind = kind if other == FRAME else INDEXED
        return of_method(kind, func.attr, node.args, words)

    def _plain_call(self, name: str, node: ast.Call, env: Mapping[str, Kind]) -> Kind:
        if name in self.source.functions:
            function = self.source.functions[name][1]
            return self.returned(function, self.arguments(function, node, env))
        if name in self.source.classes:
            return Kind("object", cls=name)
        given = [self.kind(part, env) for part in node.args]
        if name in self.source.modules:
            module, _, word = self.source.modules[name].rpartition(".")
            return of_module(module, word, given, {word.arg: word.value for word in node.keywords})
        if name in self.source.bound:
            return UNKNOWN
        return _built_in(name, given)

    def arguments(
        self, function: Function, node: ast.Call, env: Mapping[str, Kind]
    ) -> dict[str, Kind]:
        """The kinds of a call's arguments and defaults, and of what the function sees around it."""
        names = [part.arg for part in (*function.args.args, *function.args.kwonlyargs)]
        made = {name: kind for name, kind in env.items() if name not in names}
        made |= {name: self.kind(value, env) for name, value in defaults(function).items()}
        made |= {name: self.kind(value, env) for name, value in zip(names, node.args, strict=False)}
        made |= {word.arg: self.kind(word.value, env) for word in node.keywords if word.arg}
        return made

    def _own_method(self, cls: str, name: str) -> Kind:
        """What a method that the notebook's class defines gives; of itself nothing is known."""
        body = self.source.classes[cls].body if cls in self.source.classes else []
        for part in body:
            if isinstance(part, ast.FunctionDef) and part.name == name and not part.decorator_list:
                return self.returned(part, {"self": Kind("object", cls=cls)})
        return UNKNOWN


def defaults(function: Function) -> dict[str, ast.expr]:
    """The defaults of a function's parameters, by name."""
    plain = function.args.args
    made = dict(
        zip(
            (part.arg for part in plain[len(plain) - len(function.args.defaults) :]),
            function.args.defaults,
            strict=True,
        )
    )
    for part, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if value is not None:
            made[part.arg] = value
    return made


def _opened(kind: Kind) -> Kind:
    """A mapping or list into which something was put: what is in it is no longer told."""
    if kind.name == "dict":
        return DICT
    return Kind("list", (("*", NUMBER),)) if kind.name == "list" else kind


def _built_in(name: str, given: list[Kind]) -> Kind:
    """What a built-in function gives."""
    first = given[0] if given else UNKNOWN
    if name == "round":
        return INT if len(given) == 1 and first in (FLOAT, REAL) else first
    if name in ("max", "min"):
        return joined(given) if len(given) > 1 else element(first)
    if name == "abs":
        return first
    if name == "sum" and len(given) == 1:
        inner = element(first)
        return INT if inner in (INT, BOOL) else REAL if inner.name in PYTHON else NUMBER
    if name in ("list", "sorted"):
        return listed([element(first)])
    if name in ("zip", "enumerate"):
        columns = [INT] if name == "enumerate" else []
        columns += [element(kind) for kind in given]
        parts = tuple((str(place), kind) for place, kind in enumerate(columns))
        return Kind("rows", (("*", Kind("tuple", parts)),))
    return LINES if name == "open" else CALLS.get(name, UNKNOWN)


def _number(names: set[str], op: ast.operator) -> Kind:
    """What arithmetic gives of numbers of these kinds."""
    if names <= {"int", "bool"} and not isinstance(op, ast.Div | ast.Pow):
        return INT
    if isinstance(op, ast.Pow):
        return REAL if names <= {*PYTHON} else NUMBER if names <= {*PYTHON, "number"} else UNKNOWN
    if names <= {"int", "float", "bool", "real"}:
        return FLOAT if "float" in names or isinstance(op, ast.Div) else REAL
    if names <= set(PYTHON):
        unclear = isinstance(op, ast.Add | ast.Mult | ast.Mod)
        return FLOAT if isinstance(op, ast.Div) else PLAIN if unclear else REAL
    return NUMBER if names <= {*PYTHON, "number"} else UNKNOWN
