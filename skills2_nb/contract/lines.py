"""The lines of a journal by number, read again at need."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.journal import Record, parsed, unsealed


class Lines:
    """Gives records of a journal by their numbers, from 1, as often as they are asked for.

    Args:
        path: the journal.
        marks: what :func:`mark` gave for each line when it was read first; without them a line
            has to be sound in itself and to name its own number.
    """

    def __init__(self, path: Path, marks: Sequence[int] | None = None) -> None:
        self.path = path
        self._marks = marks
        self._starts = array("Q", (0,))
        self._lock = threading.Lock()

    def __call__(self, numbers: Iterable[int]) -> Iterator[Record]:
        """The records of these numbers, in that order.

        Raises:
            JournalError: the file cannot be read, or a line is not what it was.
        """
        try:
            with self.path.open("rb") as file:
                for number in numbers:
                    self._reach(file, number)
                    if number > len(self._starts):
                        raise self._changed(number)
                    file.seek(self._starts[number - 1])
                    yield self._record(file.readline(), number)
        except OSError as error:
            raise JournalError(f"cannot read the journal {self.path}: {error}") from error

    def _reach(self, file: BinaryIO, number: int) -> None:
        """Find out where each line begins, as far as the one wanted."""
        if number <= len(self._starts):
            return
        with self._lock:
            at = self._starts[-1]
            file.seek(at)
            for line in file:
                at += len(line)
                self._starts.append(at)
                if len(self._starts) >= number:
                    return

    def _record(self, line: bytes, number: int) -> Record:
        if not unsealed(line):
            raise self._changed(number)
        record = parsed(line, self.path, number)
        was = self._marks[number - 1] if self._marks is not None else mark(record["hash"])
        if mark(record["hash"]) != was or record.get("seq") != number:
            raise self._changed(number)
        return record

    def _changed(self, number: int) -> JournalError:
        return JournalError(
            f"{self.path}: line {number} is not what it was when the run was read; see "
            f"`skills2 runs verify {self.path.stem}`"
        )


def mark(hash_: str) -> int:
    """8 bytes by which the line of this hash is known again, in this process alone."""
    return hash(hash_)
