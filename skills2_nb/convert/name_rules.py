"""Lint of names across cells."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator

from skills2_nb.convert.context import Context
from skills2_nb.convert.names import annotation_names
from skills2_nb.convert.source import NOTEBOOK_ONLY, Code
from skills2_nb.convert.steps import KIT
from skills2_nb.formats.problem import Edit, Problem
from skills2_nb.formats.roles import Role

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__builtins__"}
#: Names of the kit that an author may forget to import.
KIT_NAMES = ("step", "case", "Table", "Run")
_HINTS = {
    "display": "return the value, or import it: from IPython.display import display",
    "get_ipython": "take the line away; a package has no IPython",
}


def names_exist(context: Context) -> Iterator[Problem]:
    """C407 to C409, C412: every name an exported cell uses is there in the package."""
    hidden = _hidden(context)
    for code in context.exported:
        for name, line in code.names.uses.items():
            if name not in context.known and name not in _BUILTINS:
                yield _absent(context, code, name, line, hidden.get(name))
            elif name in _BUILTINS and name in NOTEBOOK_ONLY and name not in context.known:
                yield _absent(context, code, name, line, None)


def bound_once(context: Context) -> Iterator[Problem]:
    """C410: one name is bound by one exported cell; the same import twice is fine."""
    first: dict[str, Code] = {}
    for code in context.exported:
        for name, line in code.names.binds.items():
            if name in code.names.loops or name == "_":
                continue
            other = first.setdefault(name, code)
            if other is not code and not _same_import(name, other, code):
                yield code.assignment.problem(
                    "C410",
                    f"{name!r} is bound in cell {other.number} "
                    f"(line {_cell_line(other, name)}) too",
                    "rename one of them, or delete it",
                    line=line,
                )


def defined_first(context: Context) -> Iterator[Problem]:
    """C411: a name used while its cell runs is defined in that cell or above it."""
    defined: set[str] = set()
    for code in context.exported:
        for name, line in code.names.now.items():
            definition = context.known.get(name)
            if (
                definition is not None
                and name not in defined
                and name not in code.names.binds
                and definition.code.number > code.number
            ):
                yield code.assignment.problem(
                    "C411",
                    f"{name!r} is used here and defined below, in cell {definition.code.number}",
                    "move that cell above this one",
                    line=line,
                )
        defined |= set(code.names.binds)


def shadowed(context: Context) -> Iterator[Problem]:
    """C416: a built-in bound anew means something else in every cell of the package."""
    for code in context.exported:
        for name, line in code.names.binds.items():
            if hasattr(builtins, name) and not name.startswith("_") and name != "display":
                yield code.assignment.problem(
                    "C416",
                    f"the built-in {name!r} is bound anew for every exported cell",
                    "give it another name",
                    line=line,
                )


def typing_only(context: Context) -> Iterator[Problem]:
    """C417: a step's signature is read at run time, where type checkers' imports are absent."""
    names = {name for code in context.exported for name in code.names.typing_only}
    names -= {
        item.bound
        for code in context.exported
        for item in code.names.imports
        if item.bound not in code.names.typing_only
    }
    for step in context.steps if names else ():
        annotations = [p.annotation for p in step.parameters] + [step.function.returns]
        for name in sorted({n for a in annotations for n in annotation_names(a)} & names):
            yield step.code.assignment.problem(
                "C417",
                f"step {step.name!r} is annotated with {name!r}, which only type checkers import",
                "import it outside `if TYPE_CHECKING:`",
                line=step.function.lineno,
            )


def _hidden(context: Context) -> dict[str, Code]:
    """Names that unexported code cells bind, with the first cell that does."""
    made: dict[str, Code] = {}
    for code in context.unexported:
        if code.assignment.role is not Role.CASES:
            for name in code.names.binds:
                made.setdefault(name, code)
    return made


def _absent(context: Context, code: Code, name: str, line: int, hidden: Code | None) -> Problem:
    at = code.assignment.problem
    if hidden is not None:
        where = f"cell {hidden.number}"
        return at(
            "C408",
            f"{name!r} is defined in {where} only, which is not exported",
            f"tag {where} `setup`, or define {name!r} in an exported cell",
            line=line,
            edit=_export_imports(hidden),
        )
    if name in KIT_NAMES:
        return at(
            "C412",
            f"{name!r} is not imported",
            f"write: from {KIT} import {name}",
            line=line,
            edit=Edit(code.number, source=_with_import(code, name)),
        )
    if name in NOTEBOOK_ONLY or name.startswith(("_i", "_oh", "_dh")):
        return at(
            "C407",
            f"{name!r} is only defined in notebooks",
            _HINTS.get(name, "give the value a name of its own"),
            line=line,
        )
    return at("C409", f"no cell defines {name!r}", "define or import it", line=line)


def _export_imports(code: Code) -> Edit | None:
    """The tag `setup` for a cell that holds imports and nothing else; else no edit."""
    body = code.tree.body if code.tree and code.clean else []
    only_imports = body and all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in body)
    stars = any(item.name == "*" or item.level for item in code.names.imports)
    if not only_imports or stars or code.assignment.explicit:
        return None
    return Edit(code.number, tags=(*code.assignment.cell.tags, Role.SETUP.word))


def _with_import(code: Code, name: str) -> str:
    """The cell's source with an import of a kit's name, below its ``__future__`` imports."""
    lines = code.text.split("\n")
    futures = [
        node.end_lineno or node.lineno
        for node in (code.tree.body if code.tree else [])
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    at = max(futures, default=0)
    lines.insert(at, f"from {KIT} import {name}")
    return code.assignment.with_text("\n".join(lines))


def _same_import(name: str, first: Code, second: Code) -> bool:
    """Whether both cells bind the name by the same import; ``import a.b``, ``import a.c`` too."""
    one, two = (
        {
            (item.module.partition(".")[0], None, item.level)
            if item.name is None and item.bound == item.module.partition(".")[0]
            else (item.module, item.name, item.level)
            for item in code.names.imports
            if item.bound == name
        }
        for code in (first, second)
    )
    return bool(one) and one == two


def _cell_line(code: Code, name: str) -> int:
    return code.names.binds[name] + code.assignment.offset


RULES: tuple[Callable[[Context], Iterable[Problem]], ...] = (
    names_exist,
    bound_once,
    defined_first,
    shadowed,
    typing_only,
)
