"""Lines that only IPython understands."""

from __future__ import annotations

import re
import textwrap
import warnings
from dataclasses import dataclass

_MAGIC = re.compile(
    r"^[ \t]*(?:%%?[A-Za-z]|!|\?|[,;/][A-Za-z_])"  # %magic, !command, ?help, /call
    r"|^[^#'\"]*=[ \t]*[!%][A-Za-z./~$\"']"  # files = !ls
    r"|^[^#'\"]*\w\?\??[ \t]*(?:#.*)?$"  # print?
)
_ASSIGNED = re.compile(r"^([ \t]*[\w., ]+=)[ \t]*[!%]")
_OTHER = re.compile(
    r"^%{1,2}(sql|r|R|scala|julia|bash|sh|md|markdown|html|javascript|js|perl|ruby)\b"
)
_PROMPT = re.compile(r"^[ \t]*(>>>|\.\.\.)( |$)")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text is no Python module: what, on which line, and the mend.

    Attributes:
        kind: ``syntax``, ``ipython``, ``language`` or ``indent``.
        mended: the text put right, where one mend is right.
    """

    kind: str
    line: int
    message: str
    mend: str
    mended: str | None = None


def compiles(text: str) -> SyntaxError | None:
    """None where the text is a Python module, else the first error of the compiler.

    ``ast.parse`` is not enough: it lets top-level ``await`` and ``return`` through.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<cell>", "exec", dont_inherit=True)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            return SyntaxError(str(error) or type(error).__name__, ("<cell>", 1, 1, ""))
    return None


def faults(text: str) -> tuple[list[Fault], str]:
    """Why a cell is not plain Python, and the text with IPython's lines taken out.

    Plain Python comes first, so ``%`` in an expression or a string is never taken for a magic.
    A line is IPython's only if the compiler stumbles over it and it looks like it.
    """
    error = compiles(text)
    if error is None:
        return [], text
    special = _whole_cell(text)
    if special is not None:
        return [special], ""
    found: dict[int, Fault] = {}
    original = text.split("\n")
    lines = list(original)
    while error is not None:
        number = _stumbled(original, error, found)
        if number is None:
            return [*found.values(), _syntax(error)], ""
        found[number] = _magic(original[number - 1], number)
        continued = number - 1 in found and _goes_on(original, number - 1)
        lines[number - 1] = "" if continued else _placeholder(original[number - 1])
        error = compiles("\n".join(lines))
    return list(found.values()), "\n".join(lines)


def _whole_cell(text: str) -> Fault | None:
    """Faults that a cell has as a whole: a cell magic, an indent, prompts."""
    first = next((i for i, line in enumerate(text.split("\n"), 1) if line.strip()), 1)
    line = text.split("\n")[first - 1]
    if _OTHER.match(line):
        return _language(line, first)
    if line.startswith("%%"):
        return _magic(line, first)
    dedented = textwrap.dedent(text)
    if dedented != text and compiles(dedented) is None:
        return Fault(
            "indent",
            first,
            "the whole cell is indented, which IPython forgives and a module does not",
            "move the cell's lines to the left margin",
            dedented,
        )
    if _PROMPT.match(line):
        return Fault(
            "ipython", first, "the cell holds `>>>` prompts", "delete the prompts and the output"
        )
    return None


def _stumbled(lines: list[str], error: SyntaxError, found: dict[int, Fault]) -> int | None:
    """The 1-based line to blame on IPython, if the compiler's complaint points at one."""
    number = error.lineno or 1
    for candidate in (number, number - 1):
        if not 1 <= candidate <= len(lines) or candidate in found:
            continue
        continues = candidate - 1 in found and _goes_on(lines, candidate - 1)
        if continues or _MAGIC.match(lines[candidate - 1]):
            return candidate
    return None


def _goes_on(lines: list[str], number: int) -> bool:
    return lines[number - 1].endswith("\\")


def _magic(line: str, number: int) -> Fault:
    return Fault(
        "ipython",
        number,
        f"only IPython understands `{line.strip()}`",
        "write it in Python, or move it to a cell without a role",
    )


def _language(line: str, number: int) -> Fault:
    return Fault(
        "language",
        number,
        f"the cell is not Python: it starts with `{line.split()[0]}`",
        "write it in Python, or take the role away",
    )


def _placeholder(line: str) -> str:
    """A Python line that stands for an IPython line, so that the rest can be looked at."""
    assigned = _ASSIGNED.match(line)
    if assigned:
        return f"{assigned.group(1)} None"
    return line[: len(line) - len(line.lstrip())] + "pass"


_HINTS = (
    ("'await' outside", "a module has no running loop: await inside an `async def` step"),
    ("'async", "a module has no running loop: move it into an `async def` step"),
    ("'return' outside", "return inside a function only"),
    ("null bytes", "delete the invisible character in the cell"),
)


def _syntax(error: SyntaxError) -> Fault:
    message = error.msg or "invalid syntax"
    column = f", column {error.offset}" if error.offset else ""
    mend = next((hint for start, hint in _HINTS if start in message), "correct that line")
    return Fault("syntax", error.lineno or 1, f"SyntaxError{column}: {message}", mend)
