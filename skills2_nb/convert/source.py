"""One code cell, looked at and not run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath

from skills2_nb.convert import dialect
from skills2_nb.convert.names import Names, has_future_annotations, names_of, nodes
from skills2_nb.formats.problem import Edit, Problem
from skills2_nb.formats.roles import Assignment, Role

#: Names that a kernel has and a module has not.
NOTEBOOK_ONLY = frozenset({"display", "get_ipython", "In", "Out", "_", "__", "___"})
_FAULT_CODES = {"syntax": "C401", "ipython": "C402", "language": "C403", "indent": "C404"}
_OPENERS = frozenset({"open", "Path", "PurePath", "loadtxt", "genfromtxt", "load"})


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
    """Look at every code cell; those with a role are held to what a module allows."""
    parsed = [_parse(a) for a in assignments if a.cell.kind == "code"]
    lazy = any(c.tree and c.exported and has_future_annotations(c.tree) for c in parsed)
    return tuple(_named(code, lazy) for code in parsed)


def script_problems(assignment: Assignment) -> tuple[Problem, ...]:
    """What keeps a cell exported to a ``.py`` file from being Python."""
    return _parse(assignment).problems


def is_checked(assignment: Assignment) -> bool:
    """Whether a code cell must be plain Python."""
    if assignment.role in (Role.SCRIPT, Role.ASSET, Role.REFERENCE):
        return assignment.target.endswith(".py")
    return assignment.role in (Role.STEP, Role.SETUP, Role.CASES)


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
    tree = _tree(readable) if readable or not found else None
    return Code(assignment, tree, not found, problems=tuple(problems))


def _named(code: Code, lazy: bool) -> Code:
    if code.tree is None:
        return code
    text = code.text if code.clean else ast.unparse(code.tree)
    names = names_of(code.tree, text, lazy_annotations=lazy)
    problems = (*code.problems, *(_module_faults(code, names) if code.exported else ()))
    return Code(code.assignment, code.tree, code.clean, names, problems)


def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


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
    tree = code.tree or ast.Module([], [])
    yield from _main_guards(code, tree)
    yield from _relative_paths(code, tree)


def _main_guards(code: Code, tree: ast.Module) -> Iterator[Problem]:
    for node in nodes(tree):
        if isinstance(node, ast.Name) and node.id == "__file__":
            yield code.assignment.problem(
                "C407",
                "`__file__` does not exist in a notebook",
                "take the path as a parameter of the step",
                line=node.lineno,
            )
        elif isinstance(node, ast.If) and "__name__" in {
            part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)
        }:
            yield code.assignment.problem(
                "C413",
                "a `__name__` guard runs in the notebook and never in the package",
                "move its body to a cell without a role",
                line=node.lineno,
            )


def _relative_paths(code: Code, tree: ast.Module) -> Iterator[Problem]:
    for node in nodes(tree):
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
    return name in _OPENERS or name.startswith("read_")


def _is_relative_file(path: str) -> bool:
    if not path or "://" in path or path.startswith("~") or len(path) > 250 or "\n" in path:
        return False
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).drive:
        return False
    return "/" in path or "\\" in path or bool(PurePosixPath(path).suffix)
