"""One code cell, looked at and not run."""

from __future__ import annotations

import ast
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath

from skills2_nb.convert import dialect
from skills2_nb.convert.names import Names, names_of
from skills2_nb.convert.scopes import names_in
from skills2_nb.formats.problem import Edit, Problem
from skills2_nb.formats.roles import Assignment, Role

#: Names that a kernel has and a module has not.
NOTEBOOK_ONLY = frozenset({"display", "get_ipython", "In", "Out", "_", "__", "___"})
_FAULT_CODES = {"syntax": "C401", "ipython": "C402", "language": "C403", "indent": "C404"}
_OPENERS = frozenset({"open", "Path", "PurePath", "loadtxt", "genfromtxt", "load"})
_READS = "read_"


@dataclass(frozen=True, slots=True)
class Code:
    """A code cell and what its text says.

    Attributes:
        tree: the syntax tree; of an IPython cell, with IPython's lines taken out; None where
            there is nothing left to read.
        clean: whether the text is plain Python as it stands.
        names: what it binds and uses.
        problems: what is wrong with the cell by itself.
    """

    assignment: Assignment
    tree: ast.Module | None
    clean: bool
    names: Names = field(default_factory=Names)
    problems: tuple[Problem, ...] = ()

    @property
    def text(self) -> str:
        """The cell's code, LF, without a directive line."""
        return self.assignment.text

    @property
    def number(self) -> int:
        """The cell's number."""
        return self.assignment.cell.number

    @property
    def exported(self) -> bool:
        """Whether the cell goes to ``runtime/skill.py``."""
        return self.assignment.role in (Role.STEP, Role.SETUP)


def look(assignments: Iterable[Assignment]) -> tuple[Code, ...]:
    """Look at every code cell; those with a role are held to what a module allows.

    Each cell is parsed once and its tree walked through once. Compiled is only a cell about which
    that walk cannot tell: most have nothing that the compiler could object to.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = [_parsed(a) for a in assignments if a.cell.kind == "code"]
        lazy = any(c.tree and c.exported and _has_future_annotations(c) for c in parsed)
        return tuple(_named(code, lazy) for code in parsed)


def script_problems(assignment: Assignment) -> tuple[Problem, ...]:
    """What keeps a cell exported to a ``.py`` file from being Python."""
    return _parse(assignment).problems


def is_checked(assignment: Assignment) -> bool:
    """Whether a code cell must be plain Python."""
    if assignment.role in (Role.SCRIPT, Role.ASSET, Role.REFERENCE):
        return assignment.target.endswith(".py")
    return assignment.role in (Role.STEP, Role.SETUP, Role.CASES)


def _parsed(assignment: Assignment) -> Code:
    """A cell with its tree; one that does not even parse, or says what is lazy, is judged now."""
    if _foreign_language(assignment) or "__future__" in assignment.text:
        return _parse(assignment)
    try:
        return Code(assignment, ast.parse(assignment.text), True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return _parse(assignment)


def _parse(assignment: Assignment) -> Code:
    language = _foreign_language(assignment)
    if language:
        fault = assignment.problem(
            "C403",
            f"the cell is not Python but {language}",
            "write it in Python, or take the role away",
            line=1,
        )
        return Code(assignment, None, False, problems=(fault,) if is_checked(assignment) else ())
    found, readable = dialect.faults(assignment.text)
    problems = [_problem(assignment, fault) for fault in found] if is_checked(assignment) else []
    tree = None
    if readable or not found:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(readable)
    return Code(assignment, tree, not found, problems=tuple(problems))


def _named(code: Code, lazy: bool) -> Code:
    if code.tree is None:
        return code
    names = names_of(code.tree, lazy_annotations=lazy)
    if code.clean and not (names.plain and "__debug__" not in identifiers(code.text)):
        judged = _parse(code.assignment)
        if not judged.clean:
            return _named(judged, lazy)
    problems = (*code.problems, *(_module_faults(code, names) if code.exported else ()))
    return Code(code.assignment, code.tree, code.clean, names, problems)


def identifiers(text: str) -> str:
    """A text in which each identifier stands as Python spells it (NFKC)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _has_future_annotations(code: Code) -> bool:
    """Whether a cell says ``from __future__ import annotations``."""
    return code.tree is not None and any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in code.tree.body
    )


def _foreign_language(assignment: Assignment) -> str:
    vscode = assignment.cell.metadata.get("vscode")
    language = vscode.get("languageId") if isinstance(vscode, dict) else None
    return language if isinstance(language, str) and language.lower() != "python" else ""


def _problem(assignment: Assignment, fault: dialect.Fault) -> Problem:
    edit = None
    if fault.mended is not None:
        edit = Edit(assignment.cell.number, source=assignment.with_text(fault.mended))
    return assignment.problem(
        _FAULT_CODES[fault.kind], fault.message, fault.mend, line=fault.line, edit=edit
    )


def _module_faults(code: Code, names: Names) -> Iterator[Problem]:
    """What plain Python allows and an exported module does not."""
    at = code.assignment.problem
    for item in names.imports:
        if item.level:
            yield at(
                "C405",
                f"`{item.text}` is relative, and a notebook has no package",
                "import by the full name, or put the code in a setup cell",
                line=item.line,
            )
        elif item.name == "*":
            yield at(
                "C406",
                f"`{item.text}` hides which names it brings",
                "import the names you use",
                line=item.line,
            )
    text = identifiers(code.text)
    tree = code.tree or ast.Module([], [])
    if "__file__" in text or "__name__" in text:
        yield from _main_guards(code, tree)
    if any(word in text for word in (*_OPENERS, _READS)):
        yield from _relative_paths(code, tree)


def _main_guards(code: Code, tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "__file__":
            yield code.assignment.problem(
                "C407",
                "`__file__` does not exist in a notebook",
                "take the path as a parameter of the step",
                line=node.lineno,
            )
        elif isinstance(node, ast.If) and "__name__" in names_in(node.test):
            yield code.assignment.problem(
                "C413",
                "a `__name__` guard runs in the notebook and never in the package",
                "move its body to a cell without a role",
                line=node.lineno,
            )


def _relative_paths(code: Code, tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args or not _opens(node.func):
            continue
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            path = first.value
            if _is_relative_file(path):
                yield code.assignment.problem(
                    "C414",
                    f"{path!r} is sought in the folder the process happens to run in",
                    "take the path as a parameter: a run input is sought beside the caller, "
                    "then in the package",
                    line=node.lineno,
                )


def _opens(func: ast.expr) -> bool:
    name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
    return name in _OPENERS or name.startswith(_READS)


def _is_relative_file(path: str) -> bool:
    if not path or "://" in path or path.startswith("~") or len(path) > 250 or "\n" in path:
        return False
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).drive:
        return False
    return "/" in path or "\\" in path or bool(PurePosixPath(path).suffix)
