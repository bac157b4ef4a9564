"""Python modules written by hand, as cells."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skills2_nb.convert.markers import Piece
from skills2_nb.formats.files import is_text, over_lf

RUNTIME = "runtime/"
#: What others stand on first; what stands on all others last.
_FIRST = ("models", "validators")
_LAST = ("skill", "steps")
_HERE = re.compile(r"runtime(?:\.\w+)?")


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of modules.

    Attributes:
        pieces: the cells.
        paths: the modules that are in them, or hold nothing of their own.
    """

    pieces: tuple[Piece, ...]
    paths: frozenset[str]


def taken_in(files: Mapping[str, bytes]) -> Taken:
    """The modules of ``runtime/`` as cells of one namespace: a cell a step, others together.

    Models come first, then validators, then others, then steps. Imports among the modules fall
    away where they name what they bring, since the cells share their names. A module that is no
    Python, or lies deeper, is not taken.
    """
    pieces: list[Piece] = []
    paths = set()
    for path in _in_order(files):
        tree = _tree(files[path])
        if tree is None:
            continue
        text = over_lf(files[path]).decode("utf-8")
        paths.add(path)
        if not is_empty(tree):
            pieces += _pieces(text, tree)
    return Taken(tuple(pieces), frozenset(paths))


def hands_on(data: bytes) -> bool:
    """Whether a module holds nothing of its own: a docstring, imports and ``__all__``."""
    tree = _tree(data)
    return tree is not None and is_empty(tree)


def is_empty(tree: ast.Module) -> bool:
    """Whether a module only hands names on."""
    return all(_is_docstring(node) or _is_all(node) or _is_among(node) for node in tree.body)


def _in_order(files: Mapping[str, bytes]) -> list[str]:
    names = [path for path in files if re.fullmatch(r"runtime/\w+\.py", path)]

    def rank(path: str) -> tuple[int, str]:
        stem = path.removeprefix(RUNTIME).removesuffix(".py")
        if stem in _FIRST:
            return _FIRST.index(stem), stem
        return (100 + _LAST.index(stem), stem) if stem in _LAST else (50, stem)

    return sorted(names, key=rank)


def _tree(data: bytes) -> ast.Module | None:
    if not is_text(data):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(over_lf(data).decode("utf-8"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _pieces(text: str, tree: ast.Module) -> Iterator[Piece]:
    """The cells of one module: runs of statements, and each step by itself."""
    lines = text.split("\n")
    shared: list[str] = []
    start = 0
    for index, node in enumerate(tree.body):
        is_last = index == len(tree.body) - 1
        end = len(lines) if is_last else _end(tree.body, index)
        chunk = "\n".join(lines[start:end])
        start = end
        if _falls_away(node, lines):
            chunk = "\n".join(_without(lines, node, end, chunk))
            shared += [chunk] if chunk.strip() else []
        elif _is_step(node):
            yield from _shared(shared)
            shared = []
            yield Piece("step", "", chunk.strip("\n"))
        else:
            shared.append(chunk)
    yield from _shared(shared)


def _end(body: Sequence[ast.stmt], index: int) -> int:
    """The line after a statement; what follows it belongs to the next one."""
    return max(body[index].end_lineno or 0, 1)


def _shared(chunks: Sequence[str]) -> Iterator[Piece]:
    text = "\n".join(chunks).strip("\n")
    if text.strip():
        yield Piece("setup", "", text)


def _without(lines: Sequence[str], node: ast.stmt, end: int, chunk: str) -> list[str]:
    """The comments before a statement that falls away, and whatever follows it in its chunk."""
    before = chunk.split("\n")
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    offset = end - len(before)
    return [line for number, line in enumerate(before, offset) if not first <= number < last]


def _falls_away(node: ast.stmt, lines: Sequence[str]) -> bool:
    if not (_is_all(node) or _is_among(node)):
        return False
    first, last = lines[node.lineno - 1], lines[(node.end_lineno or node.lineno) - 1]
    tail = last.encode("utf-8")[node.end_col_offset :].strip()
    return not first[: node.col_offset].strip() and (not tail or tail.startswith(b"#"))


def _is_step(node: ast.stmt) -> bool:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list]
    return any(ast.unparse(mark).rpartition(".")[2] == "step" for mark in marks)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_all(node: ast.stmt) -> bool:
    target = None
    if isinstance(node, ast.Assign):
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    return isinstance(target, ast.Name) and target.id == "__all__"


def _is_among(node: ast.stmt) -> bool:
    """Whether a statement imports names, under their own names, from a module beside this one."""
    if not isinstance(node, ast.ImportFrom):
        return False
    beside = node.level == 1 or (node.level == 0 and bool(_HERE.fullmatch(node.module or "")))
    modules_themselves = node.module in (None, "runtime")
    same = all(alias.asname in (None, alias.name) for alias in node.names)
    if modules_themselves:
        return beside and same and node.names[0].asname is not None
    return beside and same
