"""What is kept when a journal is gone, or never was there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.canonical import encode
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import PRIVATE_FILE, folder, home
from skills2_nb.contract.journal import now
from skills2_nb.contract.lock import locked


def place(name: str) -> Path:
    """The file ``ledger/<name>.jsonl``, which need not be there."""
    return home() / "ledger" / f"{name}.jsonl"


def append(name: str, facts: Mapping[str, Any]) -> None:
    """Add one line, ``ts`` and the facts, in one write.

    Raises:
        JournalError: it cannot be written.
    """
    line = f"{encode({'ts': now(), **facts})}\n".encode("ascii")
    try:
        folder("ledger")
        fd = os.open(place(name), os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_FILE)
        try:
            with locked(fd):
                os.write(fd, line)
        finally:
            os.close(fd)
    except OSError as error:
        raise JournalError(f"{place(name)} cannot be written: {error.strerror}") from error


def read(name: str) -> Iterator[dict[str, Any]]:
    """The lines in order; one that is no JSON object is passed over."""
    path = place(name)
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            facts = json.loads(line)
        except ValueError:
            continue
        if isinstance(facts, dict):
            yield facts
