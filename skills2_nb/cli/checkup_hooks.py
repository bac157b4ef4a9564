"""What hooks and their worker left to be looked at."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

from skills2_nb.cli.checkup import Finding
from skills2_nb.contract.home import VARIABLE, home
from skills2_nb.errors import UnreadableError
from skills2_nb.evals.elsewhere import homes
from skills2_nb.evals.stop_event import SESSIONS, is_job
from skills2_nb.hooks.log import MOST_BYTES, NAME
from skills2_nb.library.audits import listed

#: A job younger than this, in seconds, may still be worked on.
YOUNG = 150
_SHOWN = 3
#: How a line of ours begins: a plugin of somebody else may have a file of that name.
_OURS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ")


def hook_findings(now: float | None = None) -> Iterator[Finding]:
    """Faults on record, jobs that stayed, and the newest audit; nothing where no hook ever ran.

    The hooks of a plugin leave theirs in its data folder.

    Args:
        now: seconds since the epoch.
    """
    now = time.time() if now is None else now
    yield from _faults("hooks", home() / NAME)
    yield from _jobs("hooks", home() / SESSIONS, now, "")
    for place in homes():
        if place.is_dir():
            check = f"hooks of {place.name}"
            yield from _faults(check, place / NAME, _OURS)
            yield from _jobs(check, place / SESSIONS, now, f"{VARIABLE}={shlex.quote(str(place))} ")
    yield from _audits()


def _faults(check: str, log: Path, ours: re.Pattern[str] | None = None) -> Iterator[Finding]:
    """What a log tells.

    Args:
        ours: how a line has to begin; left out, each counts.
    """
    try:
        with log.open("rb") as file:
            text = file.read(2 * MOST_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return
    except OSError as error:
        yield Finding(check, "warning", f"{log} cannot be read: {error.strerror}", _MEND_READ)
        return
    lines = [line for line in text.splitlines() if line.strip() and (not ours or ours.match(line))]
    if lines:
        newest = "; ".join(reversed(lines[-_SHOWN:]))
        said = f"{len(lines)} fault{'s' if len(lines) > 1 else ''} in {log}, the newest: {newest}"
        yield Finding(check, "warning", said, "mend what it names, then delete the file")


def _jobs(check: str, sessions: Path, now: float, before: str) -> Iterator[Finding]:
    """Jobs that stayed.

    Args:
        before: what stands before a command that works on them.
    """
    try:
        found = [*sessions.glob("*/stop-*.json")] if sessions.is_dir() else []
        stayed = [path for path in found if is_job(path) and now - path.lstat().st_mtime > YOUNG]
    except OSError as error:
        said = f"{sessions} cannot be read: {error.strerror or error}"
        yield Finding(check, "warning", said, _MEND_READ)
        return
    if stayed:
        first = sorted(stayed)[0]
        said = (
            f"{len(stayed)} answer{'s were' if len(stayed) > 1 else ' was'} not audited to the end "
            f"({first.relative_to(sessions).as_posix()}{', …' if len(stayed) > 1 else ''})"
        )
        again = f"{before}skills2 hooks after --again {shlex.quote(str(first))}"
        yield Finding(check, "warning", said, again)


def _audits() -> Iterator[Finding]:
    try:
        newest = listed(limit=1)
    except UnreadableError as error:
        yield Finding("audits", "warning", error.message)
        return
    for item in newest:
        score = "?" if item.score is None else f"{item.score:.2f}"
        said = f"{item.number} on record, the newest: {item.skill} {item.verdict} {score}"
        yield Finding("audits", "ok", f"{said}, {item.ts[:16].replace('T', ' ')} UTC")


_MEND_READ = "change its permissions, or set SKILLS2_HOME to another folder"
