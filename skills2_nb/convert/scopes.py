"""The scopes of a cell: what each binds and reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_AT_ONCE = frozenset(("module", "class", "comprehension"))


class Scope:
    """A module, class, function, comprehension, or an annotation that nobody evaluates.

    Attributes:
        kind: ``module``, ``class``, ``function``, ``comprehension`` or ``annotation``.
        private: the class whose private names are meant here; empty for none.
        binds: names bound here, parameters too.
        reads: names read here.
        shared: names declared ``global``.
        outer: names declared ``nonlocal``.
        counts: whether anything in it is ever evaluated.
        now: whether it runs while the module itself runs.
    """

    __slots__ = ("binds", "counts", "kind", "now", "outer", "parent", "private", "reads", "shared")

    def __init__(
        self,
        kind: str,
        parent: Scope | None = None,
        private: str = "",
        binds: Iterable[str] = (),
    ) -> None:
        self.kind, self.parent, self.private = kind, parent, private
        self.binds, self.reads = set(binds), set[str]()
        self.shared: frozenset[str] = frozenset()
        self.outer: frozenset[str] = frozenset()
        self.counts: bool = kind != "annotation" and (parent is None or parent.counts)
        self.now: bool = kind in _AT_ONCE and (parent is None or parent.now)

    def of_module(self) -> set[str]:
        """The names read here that mean one of the module."""
        free = self.reads - self.binds - self.outer
        if self.shared:
            free |= self.reads & self.shared
        around = self.parent
        if around is None or around.parent is None:
            return free
        return {name for name in free if name in self.shared or around.leaves(name)}

    def leaves(self, name: str) -> bool:
        """Whether a name that a scope within this one does not bind means one of the module."""
        scope = self
        while scope.parent is not None:
            if scope.kind == "class":
                if name == "__class__":
                    return False
            elif name in scope.shared:
                return True
            elif name in scope.binds or name in scope.outer:
                return False
            scope = scope.parent
        return True

    def mangle(self) -> None:
        """Private names as a class spells them: ``__x`` in ``C`` is ``_C__x``."""
        prefix = f"_{self.private.lstrip('_')}"

        def mangled(names: Iterable[str]) -> Iterator[str]:
            for name in names:
                hidden = name.startswith("__") and not name.endswith("__")
                yield prefix + name if hidden else name

        self.binds, self.reads = set(mangled(self.binds)), set(mangled(self.reads))
        self.shared, self.outer = frozenset(mangled(self.shared)), frozenset(mangled(self.outer))


@dataclass(slots=True)
class Scopes:
    """What one walk through a cell finds.

    Attributes:
        all: every scope, the module first.
        stores: the first line on which each name is bound, wherever in the cell.
        loads: the first line on which each name is read.
        local: names that functions and classes bind by assignment or definition.
        loops: names that loops, ``with`` and ``except`` bind.
        imports: every import statement.
        annotations: every annotation.
        definitions: every function and class, the module's own first, else by line.
        plain: whether the compiler can have nothing to say against the cell; where it is False,
            only compiling it tells.
    """

    all: list[Scope] = field(default_factory=list)
    stores: dict[str, int] = field(default_factory=dict)
    loads: dict[str, int] = field(default_factory=dict)
    local: set[str] = field(default_factory=set)
    loops: set[str] = field(default_factory=set)
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    annotations: list[ast.expr] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    plain: bool = True

    def bound(self) -> set[str]:
        """Names bound at module level, those that functions declare ``global`` too."""
        module, *others = self.all
        found = set(module.binds)
        for scope in others:
            if scope.shared and scope.counts:
                found |= scope.shared & scope.binds
        return found

    def used(self) -> tuple[set[str], set[str]]:
        """Names of the module that are read: at all, and while the cell itself runs."""
        module, *others = self.all
        used, now = set(module.reads), set(module.reads)
        for scope in others:
            names = scope.of_module() if scope.counts else set()
            used |= names
            if scope.now:
                now |= names
        return used, now


def names_in(target: ast.AST) -> set[str]:
    """Every name in an expression."""
    if isinstance(target, ast.Name):
        return {target.id}
    return {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
