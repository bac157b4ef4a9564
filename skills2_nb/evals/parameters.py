"""The parameters that a notebook takes, read from its cell."""

from __future__ import annotations

import ast
import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.formats.notebook import Notebook, read_notebook

#: The tag of the cell whose names may be given from outside; papermill looks for it too.
TAG = "parameters"
#: What the notebook of evals takes, in the order of its cell.
NAMES = (
    "skill",
    "runner",
    "profile",
    "threshold",
    "baseline",
    "trials",
    "out",
    "only",
    "recorded",
)


def read(path: Path) -> Mapping[str, Any]:
    """The parameters of an eval notebook, each with its default; None where that is computed.

    Raises:
        UnreadableError: it is no notebook, or its cell of parameters is not what it must be.
    """
    cell = _cell(read_notebook(path), path)
    try:
        tree = ast.parse(cell)
    except SyntaxError as error:
        raise UnreadableError(
            f"{path}: the cell tagged `{TAG}` is no Python (line {error.lineno}: {error.msg})"
        ) from None
    found = {name: _plain(value) for name, value in _assigned(tree)}
    lost = [name for name in NAMES if name not in found]
    if lost:
        raise UnreadableError(
            f"{path}: the cell tagged `{TAG}` does not set {', '.join(lost)}; an eval notebook "
            f"sets {', '.join(NAMES)}"
        )
    return found


def given(words: tuple[str, ...], known: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of ``NAME=VALUE`` words, each value as JSON or text.

    Args:
        known: the names that the notebook takes.

    Raises:
        UsageError: a word without ``=``, a name twice, or one that the notebook does not take.
    """
    made: dict[str, Any] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign:
            raise UsageError(f"-p {word}: a parameter is written NAME=VALUE")
        if name not in known:
            raise UsageError(f"the eval notebook has no parameter {name!r}; {_near(name, known)}")
        if name in made:
            raise UsageError(f"the parameter {name!r} is given twice; give it once")
        made[name] = _value(text)
    return made


def _cell(notebook: Notebook, path: Path) -> str:
    cells = [cell for cell in notebook.cells if cell.kind == "code" and TAG in cell.tags]
    if len(cells) != 1:
        told = "no code cell is" if not cells else f"{len(cells)} code cells are"
        raise UnreadableError(
            f"{path}: {told} tagged `{TAG}`; exactly one may be, for papermill writes the values "
            "after the first and a second one would undo them"
        )
    return cells[0].source


def _assigned(tree: ast.Module) -> list[tuple[str, ast.expr | None]]:
    """Each plain name that a cell sets, and the expression."""
    made: list[tuple[str, ast.expr | None]] = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            made += [(t.id, node.value) for t in node.targets if isinstance(t, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            made.append((node.target.id, node.value))
    return made


def _plain(value: ast.expr | None) -> Any:
    try:
        return None if value is None else ast.literal_eval(value)
    except (ValueError, TypeError):
        return None


def _near(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"it is one of {', '.join(known)}"


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
