"""Runs on record that may be of the same question."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

from skills2_nb.audit.reading import Reading
from skills2_nb.audit.siblings import WINDOW, is_asked, same_question
from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.home import home
from skills2_nb.contract.state import RunState
from skills2_nb.errors import JournalError

#: How many journals are read beyond their first line, the newest first.
MOST = 256
#: The second of the start as a run's id begins with it.
_SECOND = "%Y%m%d-%H%M%S"


def siblings_of(state: RunState, most: int = MOST) -> tuple[RunState, ...]:
    """The other runs of a run's question, the oldest first.

    Of each run of the day before and after only the first line is read; the rest only of those
    that are of the question. A journal that is damaged gives what can be read of it.

    Args:
        most: how many journals may be read as a whole; the newest of them are.
    """
    if not is_asked(state):
        return ()
    found: list[RunState] = []
    for path in _near(state):
        if len(found) >= most:
            break
        if _may_be(state, path):
            other = _read(path)
            if other is not None and same_question(state, other):
                found.append(other)
    return tuple(sorted(found, key=lambda other: (other.started, other.run)))


def _near(state: RunState) -> Iterator[Path]:
    """Journals of runs started within a day, the newest first; nothing is opened."""
    try:
        began = dt.datetime.fromisoformat(state.started)
    except ValueError:
        return
    first, last = began - WINDOW, began + WINDOW
    lowest, highest = first.strftime(_SECOND), last.strftime(_SECOND)
    for days in (1, 0, -1):
        folder = home() / "runs" / f"{began + dt.timedelta(days=days):%Y-%m-%d}"
        names = sorted(folder.glob("*.jsonl"), reverse=True) if folder.is_dir() else []
        for path in names:
            if lowest <= path.stem[: len(lowest)] <= highest and path.stem != state.run:
                yield path


def _may_be(state: RunState, path: Path) -> bool:
    """Whether a journal's first line is the start of a run of the same question."""
    if not path.is_file():  # a pipe would be waited for
        return False
    try:
        with path.open("rb") as file:
            line = file.readline()
        if f'"skill":{encode_plain(state.skill)}'.encode("ascii") not in line:
            return False
        other = RunState()
        other.apply(json.loads(line))
    except (OSError, ValueError, RecursionError, JournalError):
        return False
    return same_question(state, other)


def _read(path: Path) -> RunState | None:
    try:
        return Reading(path).state
    except JournalError:
        return None
