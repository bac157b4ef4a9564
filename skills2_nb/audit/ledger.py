"""What earlier audits saw of a run, one line an audit."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from skills2_nb.audit.profile import Audit
from skills2_nb.contract.canonical import encode
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import PRIVATE_FILE, folder, home
from skills2_nb.contract.lock import locked
from skills2_nb.contract.state import RunState

Line = Mapping[str, Any]
FILE = "audits.jsonl"


def entry(audit: Audit, state: RunState, ts: str) -> dict[str, Any]:
    """The ledger's line for an audit of a run.

    Args:
        audit: the judgement.
        state: the run as it was judged; its count and head bind the line to the journal.
        ts: the time of the audit in UTC, as a journal writes it.
    """
    return {
        "ts": ts,
        "run": state.run,
        "skill": audit.skill,
        "version": state.version,
        "digest": state.digest,
        "count": state.count,
        "head": state.head,
        "level": audit.level,
        "classic": {"score": audit.classic.score, "verdict": audit.classic.verdict},
        "strict": {"score": audit.strict.score, "verdict": audit.strict.verdict},
    }


def append(line: Line) -> None:
    """Add a line to ``ledger/audits.jsonl``, under a lock.

    Raises:
        JournalError: the ledger cannot be written.
    """
    data = (encode(line) + "\n").encode("ascii")
    try:
        path = folder("ledger") / FILE
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        try:
            with locked(fd):
                os.write(fd, data)
        finally:
            os.close(fd)
    except OSError as error:
        raise JournalError(f"cannot write to the ledger in {home()}: {error}") from error


def lines(run: str | None = None) -> tuple[dict[str, Any], ...]:
    """The ledger's lines in order, of one run or of all; a line that is none is passed over."""
    path = home() / "ledger" / FILE
    if not path.is_file():
        return ()
    found = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and run in (None, line.get("run")):
            found.append(line)
    return tuple(found)
