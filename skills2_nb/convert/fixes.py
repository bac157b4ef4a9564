"""lint --fix: the mends of which only one is right."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skills2_nb.convert.folder import folder_of, read_folder
from skills2_nb.convert.plan import Plan, plan
from skills2_nb.formats.files import read_bytes, write_atomic
from skills2_nb.formats.notebook import parse_notebook
from skills2_nb.formats.patch import merged, patch
from skills2_nb.formats.problem import Problem

_BOM = "\ufeff".encode()
#: One mend may lay bare another; a notebook that is never done is left as it is by then.
ROUNDS = 50


@dataclass(frozen=True)
class Fixed:
    """What ``lint --fix`` did.

    Attributes:
        fixed: the problems mended, in the order of mending.
        left: the problems that are still there.
        changed: whether the notebook's bytes changed.
    """

    fixed: tuple[Problem, ...]
    left: tuple[Problem, ...]
    changed: bool


def fix(path: Path, *, write: bool = True) -> Fixed:
    """Mend in place what has one right mend; every byte outside the cells mended stays.

    A second call changes nothing. Notebooks of nbformat 3 are only looked at.

    Args:
        path: the notebook.
        write: whether to write it; else only tell.

    Raises:
        UnreadableError: the file is no notebook.
        SetupError: the notebook is not writable; it is as before.
    """
    before = read_bytes(path)
    folder, problems = read_folder(folder_of(path))
    data, fixed = before, []
    now = _plan(data, path, folder, problems)
    for _ in range(ROUNDS):
        mendable = [problem for problem in now.problems if problem.edit is not None]
        after = _patched(data, now, mendable)
        if after == data:
            break
        later = _plan(after, path, folder, problems)
        fixed += [problem for problem in mendable if problem not in later.problems]
        data, now = after, later
    if write and data != before:
        write_atomic(path, data)
    return Fixed(tuple(dict.fromkeys(fixed)), now.problems, data != before)


def _plan(data: bytes, path: Path, folder: dict[str, bytes], problems: tuple[Problem, ...]) -> Plan:
    return plan(parse_notebook(data, path), folder, problems)


def _patched(data: bytes, now: Plan, mendable: list[Problem]) -> bytes:
    if not mendable or now.notebook.raw.get("nbformat") != 4:
        return data
    edits = merged([problem.edit for problem in mendable if problem.edit is not None])
    text = patch(now.notebook.text, edits)
    return (_BOM if data.startswith(_BOM) else b"") + text.encode("utf-8")
