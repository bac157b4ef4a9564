"""An executed notebook, and whether it may be believed.

papermill's exit code is no verdict: it is 0 after ``sys.exit(0)`` in a cell, and says 1 of an
exception that was expected. A notebook is green only where no exception is recorded, every code
cell was completed, and its audit says so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skills2_nb import errors
from skills2_nb.errors import Skills2Error
from skills2_nb.evals.believed import unsound
from skills2_nb.views.render import AUDIT_MIMETYPE
from skills2_nb.views.values import counted

GOOD, REFUSED, MISUSED, UNPROVEN, SETUP = 0, 1, 2, 3, 4
#: From the worst to the best: what a suite as a whole leaves with.
WORST_FIRST = (SETUP, MISUSED, REFUSED, UNPROVEN, GOOD)
_CODES = {"pass": GOOD, "fail": REFUSED, "unproven": UNPROVEN}
#: Cells that papermill put in; a reader of the source does not count them.
_PUT_IN = {"injected-parameters", "papermill-error-cell-tag"}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_MISSING = re.compile(r"ModuleNotFoundError: No module named '(\w+)")
_FULL = re.compile(r"\[Errno (28|122)\]")
_COMMAND = re.compile(r"Command '?(.+?)'? returned non-zero exit status (-?\d+)", re.DOTALL)


@dataclass(frozen=True)
class Executed:
    """What an executed notebook comes to.

    Attributes:
        code: 0 green, 1 a check said no, 2 unreadable, 3 nothing proven, 4 the environment.
        why: what keeps it from green, in sentences.
        evaluation: the audit that it shows; None where it shows none that may be believed.
        missing: a library that was not there.
    """

    code: int
    why: tuple[str, ...] = ()
    evaluation: Mapping[str, Any] | None = None
    missing: str | None = None

    @property
    def is_green(self) -> bool:
        """Whether all was run, nothing raised, and the audit says pass."""
        return self.code == GOOD


def read(raw: Mapping[str, Any], *, runner: str | None = None) -> Executed:
    """Judge a notebook that papermill has executed.

    Args:
        raw: the notebook as JSON.
        runner: who was to play; an audit of another one is not believed.
    """
    cells = [cell for cell in _cells(raw) if not _PUT_IN & set(_tags(cell))]
    failed = _raised(cells)
    if failed is not None:
        return failed
    cells_all = _cells(raw)
    if "papermill" not in raw.get("metadata", {}):
        return Executed(UNPROVEN, ("the notebook was not executed by papermill",))
    if raw["metadata"]["papermill"].get("exception") or any(map(_is_marked, cells_all)):
        return Executed(REFUSED, ("papermill has recorded an exception in the notebook",))
    idle = [number for number, cell in enumerate(cells, 1) if not _is_done(cell)]
    if idle or not all(map(_is_done, cells_all)):
        named = ", ".join(map(str, idle)) or "of the parameters"
        return Executed(UNPROVEN, (f"not every code cell was run: cell {named} was not",))
    return _audited(cells, runner)


def worst(codes: Sequence[int]) -> int:
    """The exit code of several; none prove nothing."""
    return next((code for code in WORST_FIRST if code in codes), UNPROVEN)


def last_begun(raw: Mapping[str, Any]) -> str:
    """The cell that was at work when the kernel went, for a message."""
    cells = [cell for cell in _cells(raw) if not _PUT_IN & set(_tags(cell))]
    begun = [
        number
        for number, cell in enumerate(cells, 1)
        if cell.get("cell_type") == "code" and _papermill(cell).get("start_time")
    ]
    return _place(begun[-1], cells[begun[-1] - 1]) if begun else "the first cell"


def code_of(name: str) -> int | None:
    """The exit code of an error of the kit by the name of its class; None for another's."""
    kind = getattr(errors, name, None)
    return kind.exit_code if isinstance(kind, type) and issubclass(kind, Skills2Error) else None


def _audited(cells: Sequence[Mapping[str, Any]], runner: str | None) -> Executed:
    found = next(reversed(list(_audits(cells))), None)
    if found is None:
        return Executed(
            UNPROVEN,
            ("the notebook ran to its end and its last code cell shows no audit of a skill",),
        )
    fault = _unsound(found, runner)
    if fault:
        return Executed(UNPROVEN, (f"the notebook's audit cannot be believed: {fault}",))
    verdict = found["verdict"]
    return Executed(_CODES[verdict], tuple(found["why"]), found)


def _unsound(told: Mapping[str, Any], runner: str | None) -> str:
    """Why an audit does not hold together; empty where it does. A green over nothing is none."""
    if runner is not None and told.get("runner") != runner:
        return f"it is of the runner {told.get('runner')!r} and {runner!r} was asked for"
    try:
        return unsound(told)
    except (KeyError, TypeError, AttributeError) as error:
        return f"it is not of the form of an evaluation ({type(error).__name__}: {error})"


def _audits(cells: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The evaluations that the last code cell shows."""
    last: Mapping[str, Any] = next(
        (cell for cell in reversed(cells) if _source(cell).strip() and _is_code(cell)), {}
    )
    for output in last.get("outputs", ()):
        told = output.get("data", {}).get(AUDIT_MIMETYPE)
        if isinstance(told, Mapping) and {"skill", "verdict", "why", "cases"} <= told.keys():
            yield told


def _raised(cells: Sequence[Mapping[str, Any]]) -> Executed | None:
    """What a cell raised, as what it is; None where no cell did."""
    for number, cell in enumerate(cells, 1):
        for output in cell.get("outputs", ()):
            if output.get("output_type") == "error":
                after = [c for c in cells[number:] if not _is_done(c)]
                return _told(output, _place(number, cell), len(after))
    return None


def _told(output: Mapping[str, Any], place: str, after: int) -> Executed:
    name, value = str(output.get("ename")), _ANSI.sub("", str(output.get("evalue")))
    trace = _ANSI.sub("", "\n".join(map(str, output.get("traceback", ()))))
    missing = _MISSING.search(trace)
    if missing is not None:
        library = missing[1]
        said = value if code_of(name) else f"{place}: the library {library!r} is not installed"
        return Executed(SETUP, (said,), missing=library)
    code = code_of(name)
    if code is not None:
        return Executed(code, (value,))
    if name == "SystemExit":
        was = "was" if after == 1 else "were"
        lost = f"; {counted(after, 'cell')} after it {was} never run" if after else ""
        called = f"sys.exit({value})" if value else "sys.exit()"
        return Executed(REFUSED, (f"{place} called {called}, which ended the notebook{lost}",))
    if _FULL.search(value):
        return Executed(SETUP, (f"{place}: {value}. Mend: free some space and try again",))
    command = _COMMAND.search(value) if name == "CalledProcessError" else None
    if command is not None:
        said = f"the command {_bare(command[1])} failed with exit code {command[2]}"
        return Executed(REFUSED, (f"{place}: {said}",))
    return Executed(REFUSED, (f"{place} raised {name}: {value}".rstrip(": "),))


def _bare(text: str) -> str:
    """A command as it was typed: IPython quotes some and hands others over as bytes."""
    try:
        told = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text.strip("'\"")
    return told.decode("utf-8", "replace").strip() if isinstance(told, bytes) else str(told)


def _place(number: int, cell: Mapping[str, Any]) -> str:
    first = next((line for line in _source(cell).splitlines() if line.strip()), "")
    return f"cell {number} (`{first.strip()[:60]}`)"


def _is_done(cell: Mapping[str, Any]) -> bool:
    """Whether a cell was run; nothing runs text and empty cells."""
    if not _is_code(cell) or not _source(cell).strip():
        return True
    return _papermill(cell).get("status") == "completed" and cell.get("execution_count") is not None


def _is_marked(cell: Mapping[str, Any]) -> bool:
    return bool(_papermill(cell).get("exception"))


def _is_code(cell: Mapping[str, Any]) -> bool:
    return cell.get("cell_type") == "code"


def _papermill(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    told = cell.get("metadata", {}).get("papermill")
    return told if isinstance(told, Mapping) else {}


def _cells(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(raw.get("cells", ()))


def _tags(cell: Mapping[str, Any]) -> Sequence[str]:
    tags = cell.get("metadata", {}).get("tags")
    return tags if isinstance(tags, list) else ()


def _source(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)
