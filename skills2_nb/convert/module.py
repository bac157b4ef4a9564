"""The exported cells as one module, and its addresses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skills2_nb.convert.source import Code
from skills2_nb.formats.roles import Role


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a run of lines of ``runtime/skill.py`` comes from.

    Attributes:
        first: 1-based line of the module that is the cell's first exported line.
        last: 1-based line of the module that is its last.
        cell: the cell's number.
        cell_id: the cell's id.
        offset: lines of the cell before its first exported line.
        name: what stands behind ``# %%``.
    """

    first: int
    last: int
    cell: int
    cell_id: str | None
    offset: int
    name: str

    def line(self, number: int) -> int:
        """The line of the cell behind a line of the module."""
        return number - self.first + 1 + self.offset


@dataclass(frozen=True, slots=True)
class Module:
    """``runtime/skill.py``: its text, and the cell behind each of its lines."""

    text: str
    origins: tuple[Origin, ...]

    def where(self, line: int) -> tuple[Origin, int] | None:
        """The origin of a line of the module and the line in the cell; None for the kit's own."""
        for origin in self.origins:
            if origin.first <= line <= origin.last:
                return origin, origin.line(line)
        return None


def assemble(codes: Sequence[Code], names: Sequence[str], notebook: str) -> Module:
    """Put exported cells into one module, in cell order, each after ``# %% <role> <name>``.

    ``__future__`` imports are hoisted; where one stood, a comment keeps its line.

    Args:
        codes: the exported cells.
        names: what stands behind ``# %%``, one a cell.
        notebook: the notebook's file name.
    """
    futures = _futures(codes)
    lines = [header(notebook), ""]
    if futures:
        lines += [*futures, ""]
    origins = []
    for code, name in zip(codes, names, strict=True):
        body = without_futures(code).split("\n")
        lines += ["", f"# %% {name}"]
        first = len(lines) + 1
        lines += body
        origins.append(
            Origin(
                first,
                len(lines),
                code.number,
                code.assignment.cell.id,
                code.assignment.offset,
                name,
            )
        )
        lines.append("")
    return Module("\n".join(lines).rstrip("\n") + "\n", tuple(origins))


def header(notebook: str) -> str:
    """The first line of ``runtime/skill.py``: which notebook it is made from.

    A name that Python would read as the file's encoding is broken up.
    """
    name = re.sub(r"coding(?=[:=])", "coding ", notebook)
    return f"# Made from {name}. Edit the notebook and export it again."


def made_from(text: str) -> str:
    """What :func:`header` said at the top of a text; empty where it says nothing."""
    match = re.match(r"# Made from (.*)\. Edit the notebook and export it again\.\r?\n", text)
    return match.group(1) if match else ""


def headline(code: Code, step_ids: Iterable[str]) -> str:
    """What stands behind ``# %%``: the role's word and a name."""
    word = code.assignment.word or code.assignment.role.word
    if code.assignment.role is Role.STEP:
        return f"step {next(iter(step_ids), '')}".rstrip()
    body = code.tree.body if code.tree else []
    defined = [
        node.name
        for node in body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    if defined:
        return f"{word} {defined[0]}"
    bound = sorted(set(code.names.binds) - {item.bound for item in code.names.imports})
    if bound:
        return f"{word} {min(bound, key=lambda name: (code.names.binds[name], name))}"
    return f"{word} imports" if code.names.imports else word


def without_futures(code: Code) -> str:
    """The cell's text with its ``__future__`` imports as comments."""
    if "__future__" not in code.text or code.tree is None:
        return code.text
    lines = code.text.encode("utf-8").split(b"\n")
    for node in reversed(code.tree.body):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            _comment_out(lines, node)
    return b"\n".join(lines).decode("utf-8")


def handing_on(names: Iterable[str], caption: str) -> str:
    """A module that hands names of ``runtime/skill.py`` on under an address of their own.

    Where there is none it imports the module all the same: what fails there must show.
    """
    ordered = sorted(set(names))
    if not ordered:
        return f'"""{caption}"""\n\nfrom . import skill as skill\n\n__all__: list[str] = []\n'
    imports = "".join(f"from .skill import {name} as {name}\n" for name in ordered)
    listed = "".join(f'    "{name}",\n' for name in ordered)
    return f'"""{caption}"""\n\n{imports}\n__all__ = [\n{listed}]\n'


def _futures(codes: Iterable[Code]) -> list[str]:
    return sorted(
        {
            item.text
            for code in codes
            for item in code.names.imports
            if item.module == "__future__" and item.name
        }
    )


def _comment_out(lines: list[bytes], node: ast.ImportFrom) -> None:
    """Turn a statement's lines into comments; columns count UTF-8 bytes."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = lines[first][: node.col_offset]
    after = lines[last][node.end_col_offset :].lstrip()
    if before.strip() or (after and not after.startswith(b"#")):
        kept = before + after.removeprefix(b";").lstrip()
        lines[first : last + 1] = [kept] + [b""] * (last - first)
        return
    for number in range(first, last + 1):
        lines[number] = b"# " + lines[number]
