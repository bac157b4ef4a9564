"""The end of a run and its answer, without its package.

The worker comes when the client has stopped: the package may be gone or hang by then, and the run
has to be closed all the same. A server may be at work in the journal; each record is decided on
under the journal's lock.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.home import home
from skills2_nb.contract.journal import Journal, Record
from skills2_nb.contract.ledger import headed

WRITER = "worker"


class Closing:
    """One run, open for its last records.

    Args:
        path: its journal.

    Raises:
        JournalError: from each method, where the journal cannot be read on or written.
    """

    def __init__(self, path: Path) -> None:
        self._is_ended = False
        self._count, self._head = 0, ""
        self._answer: str | None = None
        self._notes: set[str] = set()
        self._journal = Journal(path, path.stem, WRITER, self._take, home())

    def end(self) -> bool:
        """End the run by ``stop``; false where it had ended already."""
        record = self._append("run_ended", self._ending)
        if record is not None:
            headed(record)
        return record is not None

    def answer(self, text: str, prompt_id: str | None) -> bool:
        """Keep the answer; false where the same one is the newest already."""

        def fields() -> Mapping[str, Any]:
            if self._answer is not None and _flat(self._answer) == _flat(text):
                raise _Done
            return {"text": text, "prompt_id": prompt_id}

        return self._append("answer", fields) is not None

    def note(self, text: str) -> bool:
        """Keep a remark; false where it is there already."""

        def fields() -> Mapping[str, Any]:
            if text in self._notes:
                raise _Done
            return {"text": text}

        return self._append("note", fields) is not None

    def close(self) -> None:
        """Let the file go."""
        self._journal.close()

    def __enter__(self) -> Closing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, kind: str, fields: Callable[[], Mapping[str, Any]]) -> Record | None:
        with contextlib.suppress(_Done):
            return self._journal.append(kind, fields)
        return None

    def _ending(self) -> Mapping[str, Any]:
        if self._is_ended:
            raise _Done
        return {"by": "stop", "count": self._count, "head": self._head}

    def _take(self, record: Record) -> None:
        """Fold what matters here; an answer that a step has overtaken is none."""
        kind = record.get("kind")
        self._count, self._head = record["seq"], record["hash"]
        if kind == "run_ended":
            self._is_ended = True
        elif kind == "answer":
            self._answer = str(record.get("text"))
        elif kind == "step_ok":
            self._answer = None
        elif kind == "note":
            self._notes.add(str(record.get("text")))


class _Done(Exception):
    """What was to be written is there."""


def _flat(text: str) -> str:
    return " ".join(text.split())
