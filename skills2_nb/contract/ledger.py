"""What is kept when a journal is gone, or never was there."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.canonical import encode
from skills2_nb.contract.descriptor import BINARY, pread
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import PRIVATE_FILE, folder, home
from skills2_nb.contract.journal import Record, now
from skills2_nb.contract.lock import locked

#: One line a run that ended: ``ts, run, count, head, writer, by``.
HEADS = "heads"


def place(name: str) -> Path:
    """The file ``ledger/<name>.jsonl``, which need not be there."""
    return home() / "ledger" / f"{name}.jsonl"


def append(name: str, facts: Mapping[str, Any]) -> None:
    """Add one line, ``ts`` and the facts, in one write; a torn line before it is closed first.

    Raises:
        JournalError: it cannot be written.
    """
    line = f"{encode({'ts': now(), **facts})}\n".encode("ascii")
    try:
        folder("ledger")
        fd = os.open(place(name), os.O_RDWR | os.O_APPEND | os.O_CREAT | BINARY, PRIVATE_FILE)
        try:
            with locked(fd):
                _put(fd, line)
        finally:
            os.close(fd)
    except OSError as error:
        raise JournalError(f"{place(name)} cannot be written: {error}") from error


def _put(fd: int, line: bytes) -> None:
    size = os.fstat(fd).st_size
    if size and pread(fd, 1, size - 1) != b"\n":
        line = b"\n" + line
    if os.write(fd, line) != len(line):
        os.ftruncate(fd, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def headed(end: Record) -> None:
    """Keep the head of a run that has just ended; a ledger that cannot be written is passed over.

    Args:
        end: the ``run_ended`` record.
    """
    facts = {"run": end["run"], "count": end["seq"], "head": end["hash"]}
    with contextlib.suppress(JournalError):
        append(HEADS, facts | {"writer": end["writer"], "by": end["by"]})


def read(name: str, run: str | None = None) -> Iterator[dict[str, Any]]:
    """The lines in order; one that is no JSON object is passed over.

    Args:
        run: only lines that may be of this run are looked at: the ledger grows by every run.
    """
    path = place(name)
    if not path.is_file():
        return
    wanted = (run or "").encode("utf-8")
    for line in path.read_bytes().split(b"\n"):
        if wanted not in line:
            continue
        try:
            facts = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(facts, dict):
            yield facts
