"""One walk through a cell's tree, scope by scope."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from skills2_nb.convert.scopes import Definition, Scope, Scopes, names_in


def scopes_of(tree: ast.Module, *, lazy_annotations: bool = False) -> Scopes:
    """Walk through a module as the compiler does, which tells names apart scope by scope.

    Args:
        tree: its syntax tree.
        lazy_annotations: whether annotations are not evaluated (``from __future__``).
    """
    walk = _Walk(lazy_annotations)
    walk.enter(Scope("module"), tree.body)
    for scope, roots in walk.waiting:  # grows on the way
        walk.fill(scope, roots)
    found = walk.found
    for scope in found.all:
        if "super" in scope.reads and scope.kind in _CALLED:
            scope.reads.add("__class__")
        if scope.private:
            scope.mangle()
    if walk.count > _MOST_NODES or walk.blocks > _MOST_BLOCKS:
        found.plain = False
    if len(found.definitions) > 1:
        own = {id(node) for node in walk.own}
        found.definitions.sort(key=lambda node: (id(node) not in own, node.lineno))
    return found


class _Walk:
    """One walk: the scopes still to be filled, and what has been found."""

    __slots__ = ("blocks", "count", "found", "lazy", "own", "scope", "stack", "waiting")

    def __init__(self, lazy: bool) -> None:
        self.found, self.lazy = Scopes(), lazy
        self.waiting: list[tuple[Scope, list[ast.AST]]] = []
        self.own: list[Definition] = []
        self.count = self.blocks = 0

    def enter(self, scope: Scope, roots: Iterable[ast.AST]) -> None:
        """Note a scope; its nodes are looked at when the scopes before it are done."""
        self.found.all.append(scope)
        self.waiting.append((scope, list(roots)))

    def inner(
        self,
        kind: str,
        roots: Iterable[ast.AST],
        binds: Iterable[str] = (),
        parent: Scope | None = None,
        private: str = "",
    ) -> Scope:
        """Note a scope below the present one, or below another."""
        around = parent or self.scope
        made = Scope(kind, around, private or around.private, binds)
        self.enter(made, roots)
        return made

    def fill(self, scope: Scope, stack: list[ast.AST]) -> None:
        """Look at every node that belongs to a scope itself."""
        self.scope, self.stack = scope, stack
        reads, loads, count = scope.reads, self.found.loads, 0
        while stack:
            node = stack.pop()
            kind = node.__class__
            count += 1
            if kind is ast.Name:
                name, line = node.id, node.lineno  # type: ignore[attr-defined]  # kind tells it
                if node.ctx.__class__ is ast.Load:  # type: ignore[attr-defined]  # as above
                    reads.add(name)
                    if line < loads.get(name, line + 1):
                        loads[name] = line
                else:
                    self.bind(name, line)
            elif (parts := _PARTS.get(kind)) is not None:
                for part in parts:
                    value = getattr(node, part)
                    if value.__class__ is list:
                        stack += value
                    elif value is not None:
                        stack.append(value)
            elif kind in _SPECIAL:
                _SPECIAL[kind](self, node)
            else:
                self.found.plain = False
                stack.extend(ast.iter_child_nodes(node))
        self.count += count

    def bind(self, name: str, line: int | None = None) -> None:
        """A name gets a value in the present scope."""
        scope, found = self.scope, self.found
        scope.binds.add(name)
        if scope.parent is not None:
            found.local.add(name)
        if line is not None and line < found.stores.get(name, line + 1):
            found.stores[name] = line

    def annotate(self, annotations: list[ast.expr], parent: Scope | None = None) -> None:
        """Note annotations, which count unless nobody evaluates them."""
        self.found.annotations += annotations
        if self.lazy:
            self.inner("annotation", annotations, parent=parent)
        elif parent is not None:
            self.inner("function", annotations, parent=parent)
        else:
            self.stack += annotations

    def parameters(self, given: ast.arguments) -> tuple[list[str], list[ast.expr]]:
        """Names and annotations of parameters; their defaults belong to the present scope."""
        self.stack += given.defaults
        self.stack += filter(None, given.kw_defaults)
        args = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        args += filter(None, (given.vararg, given.kwarg))
        names = [arg.arg for arg in args]
        if len(set(names)) < len(names):
            self.found.plain = False
        return names, [arg.annotation for arg in args if arg.annotation is not None]

    def define(self, node: Definition) -> Scope | None:
        """Note a definition; its type parameters, if it has some, are a scope of their own."""
        self.found.definitions.append(node)
        if self.scope.parent is None:
            self.own.append(node)
        self.bind(node.name, node.lineno)
        self.stack += node.decorator_list
        given = getattr(node, "type_params", ())
        return self.generic(given) if given else None

    def generic(self, parameters: Iterable[ast.AST]) -> Scope:
        """A scope that holds type parameters."""
        self.found.plain = False
        parts = [part for item in parameters for part in ast.iter_child_nodes(item)]
        names = {item.name for item in parameters}  # type: ignore[attr-defined]  # new in 3.12
        self.found.local |= names
        return self.inner("function", parts, names)


def _function(walk: _Walk, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    around = walk.define(node)
    names, annotations = walk.parameters(node.args)
    if node.returns is not None:
        annotations.append(node.returns)
    if annotations:
        walk.annotate(annotations, around)
    walk.inner("function", node.body, names, around)
    if node.__class__ is ast.AsyncFunctionDef:
        walk.found.plain = False


def _class(walk: _Walk, node: ast.ClassDef) -> None:
    around = walk.define(node)
    _keywords(walk, node.keywords)
    outside = [*node.bases, *node.keywords]
    if around is None:
        walk.stack += outside
    else:
        walk.inner("function", outside, parent=around)
    walk.inner("class", node.body, parent=around, private=node.name)


def _lambda(walk: _Walk, node: ast.Lambda) -> None:
    names, _ = walk.parameters(node.args)
    walk.inner("function", [node.body], names)


def _comprehension(
    walk: _Walk, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> None:
    made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    first, *others = node.generators
    walk.stack.append(first.iter)
    roots = [*made, first.target, *first.ifs]
    roots += [part for g in others for part in (g.target, g.iter, *g.ifs)]
    walk.inner("comprehension", roots)
    if any(generator.is_async for generator in node.generators):
        walk.found.plain = False


def _call(walk: _Walk, node: ast.Call) -> None:
    walk.stack.append(node.func)
    walk.stack += node.args
    if node.keywords:
        walk.stack += [keyword.value for keyword in node.keywords]
        _keywords(walk, node.keywords)


def _keywords(walk: _Walk, given: list[ast.keyword]) -> None:
    if len({keyword.arg for keyword in given}) < len(given):
        walk.found.plain = False


def _walrus(walk: _Walk, node: ast.NamedExpr) -> None:
    """In a comprehension it binds a name of what is around."""
    walk.found.plain = False
    walk.stack.append(node.value)
    here = host = walk.scope
    while host.kind == "comprehension" and host.parent is not None:
        host = host.parent
    walk.scope = host
    walk.bind(node.target.id, node.target.lineno)
    walk.scope = here


def _import(walk: _Walk, node: ast.Import) -> None:
    walk.found.imports.append(node)
    for alias in node.names:
        walk.bind(alias.asname or alias.name.partition(".")[0], node.lineno)


def _import_from(walk: _Walk, node: ast.ImportFrom) -> None:
    walk.found.imports.append(node)
    for alias in node.names:
        if alias.name == "*":
            walk.found.plain = False
        else:
            walk.bind(alias.asname or alias.name, node.lineno)
    if node.module == "__future__":
        walk.found.plain = False


def _annotated(walk: _Walk, node: ast.AnnAssign) -> None:
    if not isinstance(node.target, ast.Name):
        walk.stack.append(node.target)
    elif node.simple or node.value is not None:
        walk.bind(node.target.id, node.target.lineno)
    if node.value is not None:
        walk.stack.append(node.value)
    walk.annotate([node.annotation])


def _for(walk: _Walk, node: ast.For | ast.AsyncFor) -> None:
    walk.blocks += 1
    walk.found.loops |= names_in(node.target)
    walk.stack += [node.iter, node.target, *node.body, *node.orelse]
    if node.__class__ is ast.AsyncFor:
        walk.found.plain = False


def _while(walk: _Walk, node: ast.While) -> None:
    walk.blocks += 1
    walk.stack += [node.test, *node.body, *node.orelse]


def _with(walk: _Walk, node: ast.With | ast.AsyncWith) -> None:
    walk.blocks += len(node.items)
    walk.stack += node.body
    for item in node.items:
        walk.stack.append(item.context_expr)
        if item.optional_vars is not None:
            walk.found.loops |= names_in(item.optional_vars)
            walk.stack.append(item.optional_vars)
    if node.__class__ is ast.AsyncWith:
        walk.found.plain = False


def _try(walk: _Walk, node: ast.Try) -> None:
    walk.blocks += 2
    walk.stack += [*node.body, *node.handlers, *node.orelse, *node.finalbody]
    if any(handler.type is None for handler in node.handlers[:-1]):
        walk.found.plain = False


def _handler(walk: _Walk, node: ast.ExceptHandler) -> None:
    walk.stack += node.body
    if node.type is not None:
        walk.stack.append(node.type)
    if node.name is not None:
        walk.found.loops.add(node.name)
        walk.bind(node.name)


def _return(walk: _Walk, node: ast.Return) -> None:
    if walk.scope.kind != "function":
        walk.found.plain = False
    if node.value is not None:
        walk.stack.append(node.value)


def _global(walk: _Walk, node: ast.Global) -> None:
    walk.found.plain = False
    walk.scope.shared |= set(node.names)


def _nonlocal(walk: _Walk, node: ast.Nonlocal) -> None:
    walk.found.plain = False
    walk.scope.outer |= set(node.names)


def _capture(walk: _Walk, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
    walk.found.plain = False
    name = node.rest if isinstance(node, ast.MatchMapping) else node.name
    if name is not None:
        walk.bind(name)
    walk.stack.extend(ast.iter_child_nodes(node))


def _alias(walk: _Walk, node: ast.AST) -> None:
    """``type X = ...``, which is evaluated when somebody asks."""
    name, value, parameters = (getattr(node, part) for part in ("name", "value", "type_params"))
    walk.bind(name.id, name.lineno)
    walk.inner("function", [value], parent=walk.generic(parameters))


_CALLED = frozenset(("function", "comprehension"))
#: Beyond these the compiler's own limits on depth could come into play.
_MOST_NODES, _MOST_BLOCKS = 1000, 6
#: Nodes about which the compiler has no rule of its own, and the parts of them that hold nodes.
_PARTS: dict[type, tuple[str, ...]] = {
    type(None): (),
    ast.Assert: ("msg", "test"),
    ast.Assign: ("value", "targets"),
    ast.Attribute: ("value",),
    ast.AugAssign: ("value", "target"),
    ast.BinOp: ("right", "left"),
    ast.BoolOp: ("values",),
    ast.Compare: ("comparators", "left"),
    ast.Constant: (),
    ast.Delete: ("targets",),
    ast.Dict: ("values", "keys"),
    ast.Expr: ("value",),
    ast.FormattedValue: ("format_spec", "value"),
    ast.If: ("orelse", "body", "test"),
    ast.IfExp: ("orelse", "body", "test"),
    ast.JoinedStr: ("values",),
    ast.keyword: ("value",),
    ast.List: ("elts",),
    ast.Pass: (),
    ast.Raise: ("cause", "exc"),
    ast.Set: ("elts",),
    ast.Slice: ("step", "upper", "lower"),
    ast.Subscript: ("slice", "value"),
    ast.Tuple: ("elts",),
    ast.UnaryOp: ("operand",),
}
_SPECIAL: dict[type[ast.AST], Callable[[_Walk, Any], None]] = {
    ast.AnnAssign: _annotated,
    ast.AsyncFor: _for,
    ast.AsyncFunctionDef: _function,
    ast.AsyncWith: _with,
    ast.Call: _call,
    ast.ClassDef: _class,
    ast.DictComp: _comprehension,
    ast.ExceptHandler: _handler,
    ast.For: _for,
    ast.FunctionDef: _function,
    ast.GeneratorExp: _comprehension,
    ast.Global: _global,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.MatchAs: _capture,
    ast.MatchMapping: _capture,
    ast.MatchStar: _capture,
    ast.NamedExpr: _walrus,
    ast.Nonlocal: _nonlocal,
    ast.Return: _return,
    ast.SetComp: _comprehension,
    ast.Try: _try,
    ast.While: _while,
    ast.With: _with,
    **({ast.TypeAlias: _alias} if hasattr(ast, "TypeAlias") else {}),
}
