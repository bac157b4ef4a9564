"""Which names of a notebook can be exported, or why not."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from skills2_nb.convert.adopt_aliases import held_whole, with_held
from skills2_nb.convert.adopt_kinds import bag
from skills2_nb.convert.adopt_units import Function, Source, Unit, called, changed_in, own, reads_of
from skills2_nb.convert.adopt_values import passed
from skills2_nb.convert.source import NOTEBOOK_ONLY

_BUILTINS = frozenset(dir(builtins))
#: Calls that make a constant and touch nothing outside it.
_MAKERS = bag(
    "Path PurePath compile set frozenset dict tuple list Decimal Fraction date datetime "
    "timedelta Timestamp namedtuple range"
)
_DRAWING = ("matplotlib", "seaborn", "plotly", "altair", "bokeh")
_EFFECTS = {
    "network": ("requests", "urllib", "httpx", "boto3", "smtplib", "socket"),
    "process": ("subprocess", "multiprocessing"),
    "random": ("random", "secrets", "uuid"),
    "clock": ("time",),
}
_WRITES = ("to_csv", "to_excel", "to_parquet", "to_sql", "write_text", "write_bytes", "savefig")
_NOW = ("now", "today", "utcnow")


class Exports:
    """Looks names up in a notebook; what it finds never changes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._known: dict[str, str] = {}
        self._stars = [
            unit.cell for unit in source.units for i in unit.names.imports if i.name == "*"
        ]

    def why_not(self, name: str) -> str:
        """Why a name cannot be exported as it stands; empty where it can."""
        if name not in self._known:
            self._known[name] = ""  # what refers to itself is judged by the rest
            self._known[name] = self._judge(name)
        return self._known[name]

    def unit(self, name: str) -> Unit | None:
        """The unit that binds a name, the first where there are several."""
        return next(iter(self.source.bound.get(name, ())), None)

    def closure(self, names: set[str]) -> set[str]:
        """The names of a notebook that these lean on, themselves among them."""
        reached: set[str] = set()
        waiting = sorted(names)
        while waiting:
            name = waiting.pop()
            unit = self.unit(name)
            if name not in reached and unit is not None:
                reached.add(name)
                waiting += sorted(unit.reads)
        return reached

    def faults(self, function: Function) -> str:
        """Why a function cannot be a step, whatever it is called with; empty where it can."""
        given = function.args
        if function.decorator_list:
            return f"`{function.name}` has a decorator of its own"
        if given.vararg or given.kwarg or given.posonlyargs:
            return f"`{function.name}` takes arguments without a name of their own"
        parts = list(own(function.body))
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in parts):
            return f"`{function.name}` yields; return a list"
        is_said = any(isinstance(part, ast.Global | ast.Nonlocal) for part in parts)
        if is_said or self._changed_globals(function):
            return f"`{function.name}` changes a global"
        if any(
            isinstance(part, ast.Name) and part.id in ("input", "exec", "eval") for part in parts
        ):
            return f"`{function.name}` asks for input or runs text"
        if not any(isinstance(part, ast.Return) and part.value is not None for part in parts):
            return f"`{function.name}` returns nothing, so there is nothing to check"
        if self.draws(function):
            return f"`{function.name}` draws; a step computes, and a scratch cell draws"
        return ""

    def _changed_globals(self, function: Function) -> set[str]:
        """Values of the notebook that a function changes in place; a library's state is none."""
        changed = {name for node in function.body for name in changed_in(node)}
        return (
            changed & set(reads_of([function])) & set(self.source.bound) - set(self.source.modules)
        )

    def aliases(self, unit: Unit) -> Iterator[tuple[str, set[str]]]:
        """Names that a unit binds, each with the names whose own values it may hold then."""
        for node in own(unit.nodes):
            if not isinstance(node, ast.Assign):
                continue
            held = set(held_whole(node.value))
            call = node.value
            if isinstance(call, ast.Call) and _last(call.func) in self.source.functions:
                function = self.source.functions[_last(call.func)][1]
                given = passed(function, call)
                values = [given[name] for name in returned_parameters(function) & set(given)]
                held |= {value.id for value in values if isinstance(value, ast.Name)}
            for target in node.targets:
                yield from ((name, held) for name in held_whole(target))

    def draws(self, node: ast.stmt) -> bool:
        """Whether code uses a library that draws, itself or through a function it calls."""
        return any(map(self.is_drawing, self.closure(set(reads_of([node])))))

    def is_drawing(self, name: str) -> bool:
        """Whether a name is that of a library that draws."""
        return self.source.modules.get(name, "").startswith(_DRAWING)

    def effects(self, nodes: list[ast.stmt]) -> tuple[str, ...]:
        """What code does beside returning, as far as names of modules and methods tell."""
        uses = set(reads_of(nodes))
        parts = list(nodes)
        for name in sorted(self.closure(uses)):
            unit = self.unit(name)
            parts += list(unit.nodes) if unit is not None and unit.kind == "function" else []
        modules = {
            self.source.modules.get(name, "").partition(".")[0] for name in self.closure(uses)
        }
        said = "".join(ast.unparse(part).replace("'", '"') for part in parts)
        in_memory = ("to_sql",) if '":memory:"' in said else ()  # a database that is no file
        found = {effect for effect, names in _EFFECTS.items() if modules & set(names)} | set(
            _by_attribute(parts, in_memory)
        )
        if "random" in found and _is_seeded(parts):
            found.discard("random")
        return tuple(sorted(found))

    def _judge(self, name: str) -> str:
        units = self.source.bound.get(name, [])
        if not units:
            return self._unbound(name)
        if len(units) > 1 and not _same_imports(name, units):
            cells = " and ".join(str(n) for n in sorted({unit.cell for unit in units}))
            return f"`{name}` is bound more than once (cell {cells})"
        unit = units[0]
        if unit.kind == "import":
            star = any(item.name == "*" or item.level for item in unit.names.imports)
            return f"`{unit.text.strip()}` cannot be exported" if star else ""
        if name in self.source.changed:
            return f"`{name}` is changed after it is made"
        if unit.kind not in ("literal", "function", "class") and not self._is_constant(unit):
            return f"`{name}` is computed in cell {unit.cell}, and not passed"
        for used in sorted(unit.reads):
            why = self.why_not(used) if used != name else ""
            if why:
                return why
        return ""

    def _unbound(self, name: str) -> str:
        if name in NOTEBOOK_ONLY:
            return f"`{name}` exists in a notebook only"
        if name in _BUILTINS or name == "math":  # which the adopted notebook imports
            return ""
        if self._stars:
            return f"`{name}` may come from the star import in cell {self._stars[0]}"
        return f"no cell defines `{name}`"

    def _is_constant(self, unit: Unit) -> bool:
        node = unit.nodes[0] if len(unit.nodes) == 1 else None
        if unit.kind != "compute" or not isinstance(node, ast.Assign | ast.AnnAssign):
            return False
        value = node.value
        if isinstance(value, ast.Lambda):
            return True
        for part in ast.walk(value) if value is not None else ():
            if isinstance(part, ast.Call) and _last(part.func) not in _MAKERS:
                return False
            if (
                isinstance(part, ast.Name)
                and part.id in self.source.bound
                and self.why_not(part.id)
            ):
                return False
            if isinstance(part, ast.Subscript | ast.Await | ast.ListComp):
                return False
        return value is not None and any(
            isinstance(part, ast.Call | ast.Set | ast.Constant) for part in ast.walk(value)
        )


def changed_parameters(function: Function) -> set[str]:
    """Parameters whose values a function changes in place."""
    names = {part.arg for part in (*function.args.args, *function.args.kwonlyargs)}
    changed = {name for node in function.body for name in changed_in(node)}
    return names & with_held(changed, function.body)


def returned_parameters(function: Function) -> set[str]:
    """Parameters whose own values a function may hand back, alone or within a literal."""
    names = {part.arg for part in (*function.args.args, *function.args.kwonlyargs)}
    names -= {
        target.id
        for node in function.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    returned = [node.value for node in own(function.body) if isinstance(node, ast.Return)]
    return names & {name for value in returned if value for name in held_whole(value)}


def _by_attribute(parts: list[ast.stmt], harmless: tuple[str, ...]) -> Iterator[str]:
    writes = set(_WRITES) - set(harmless)
    for node in parts:
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and part.attr in writes:
                yield "files"
            elif isinstance(part, ast.Attribute) and part.attr in _NOW:
                yield "clock"
            elif isinstance(part, ast.Attribute) and part.attr in ("random", "rng", "default_rng"):
                yield "random"
            elif isinstance(part, ast.Attribute) and part.attr in ("environ", "getenv"):
                yield "environment"
        for call in called(node):
            mode = call.args[1] if len(call.args) > 1 else None
            is_told = _last(call.func) == "open" and isinstance(mode, ast.Constant)
            if is_told and set(ast.unparse(call.args[1])) & set("wax+"):
                yield "files"


def _is_seeded(parts: list[ast.stmt]) -> bool:
    """Whether chance has a seed in the code itself."""
    return any(
        isinstance(part, ast.Call)
        and _last(part.func) in ("seed", "default_rng", "Random", "RandomState")
        and part.args
        for node in parts
        for part in ast.walk(node)
    )


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _same_imports(name: str, units: list[Unit]) -> bool:
    texts = {item.text for unit in units for item in unit.names.imports if item.bound == name}
    return len(texts) == 1 and all(unit.kind == "import" for unit in units)
