"""The runs of a session, and those of one prompt."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import home
from skills2_nb.contract.journal import read
from skills2_nb.contract.state import RunState
from skills2_nb.errors import UnreadableError
from skills2_nb.evals.stop_event import StopEvent, plain_bytes

#: A session has one run a skill; more are not looked at.
MOST = 64
_MOST_SOUGHT = 2_000
_RUN = re.compile(r"(\d{4})(\d\d)(\d\d)-\d{6}-[0-9a-f]{8}")


@dataclass(frozen=True)
class SessionRun:
    """The newest run of a session and a skill.

    Attributes:
        path: its journal.
        state: the run as far as its journal can be read.
        is_whole: whether it could be read to its end.
    """

    path: Path
    state: RunState
    is_whole: bool

    @property
    def id(self) -> str:
        """The run's id."""
        return self.path.stem

    @property
    def touched(self) -> str:
        """When it was started, or a step was last called in it."""
        newest = self.state.calls[-1:]
        return max([self.state.started, *(call.ts for call in newest)])

    def is_touched_for(self, event: StopEvent) -> bool:
        """Whether it was begun for the prompt, or a step was called in it since."""
        if event.prompt_id is not None and self.state.prompt_id == event.prompt_id:
            return True
        return event.is_newest and self.touched >= event.prompt.since

    def is_of(self, event: StopEvent) -> bool:
        """Whether the answer speaks of it: of the prompt, or open when the answer was given."""
        if self.is_touched_for(event):
            return True
        is_before = event.prompt_id is None and self.touched <= event.given
        return self.state.is_open and (event.is_newest or is_before)


def runs_of(event: StopEvent) -> list[SessionRun]:
    """The runs of the session, as the server noted them; others' runs are passed over.

    The server's note of a skill leads to its newest run. A job that was left over may be of an
    earlier one: that is sought among the journals.
    """
    noted = [note for note in sorted(event.folder.glob("run-*"))[:MOST] if _run_id(note)]
    found = [run for note in noted if (run := _noted_run(note, event)) is not None]
    known = {run.path for run in found}
    if not event.is_newest:
        found += [_read(path) for path in _of_prompt(event) if path not in known]
    return sorted(found, key=lambda run: (run.state.started, run.id))


def _noted_run(note: Path, event: StopEvent) -> SessionRun | None:
    path = journal_of(_run_id(note))
    run = _read(path) if path is not None else None
    if run is None or run.state.session != event.session:
        return None
    key = hashlib.sha256(run.state.skill.encode("utf-8", "replace")).hexdigest()[:16]
    return run if note.name == f"run-{key}" else None


def journal_of(id: str) -> Path | None:
    """The journal of a run, by its whole id."""
    match = _RUN.fullmatch(id)
    path = home() / "runs" / "-".join(match.groups()) / f"{id}.jsonl" if match else None
    return path if path is not None and path.is_file() else None


def _run_id(note: Path) -> str:
    """What stands in a session's note of a run."""
    try:
        return plain_bytes(note)[:64].decode("ascii").strip()
    except (UnreadableError, ValueError):
        return ""


def _of_prompt(event: StopEvent) -> Iterator[Path]:
    """The journals of the days before the answer that name its session and prompt."""
    given = dt.datetime.fromtimestamp(event.job.stat().st_mtime, dt.UTC)
    for days in (1, 0):
        folder = home() / "runs" / f"{given - dt.timedelta(days=days):%Y-%m-%d}"
        for path in sorted(folder.glob("*.jsonl"))[-_MOST_SOUGHT:]:
            if not path.is_file():  # a pipe would be waited for
                continue
            try:
                with path.open("rb") as file:
                    record = json.loads(file.readline())
                if (record["session"], record["prompt_id"]) == (event.session, event.prompt_id):
                    yield path
            except (OSError, ValueError, LookupError, TypeError, RecursionError):
                continue


def _read(path: Path) -> SessionRun:
    state, is_whole = RunState(), True
    try:
        for record in read(path):
            state.apply(record)
    except JournalError:
        is_whole = False
    return SessionRun(path, state, is_whole)
