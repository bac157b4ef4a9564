"""A journal read once: its chain, its end, its run."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.audit.macs import Macs
from skills2_nb.audit.shape import misshapen
from skills2_nb.audit.skim import Skim
from skills2_nb.contract import chain
from skills2_nb.contract.chain import Fault
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.journal import Record

#: What may follow the end of a run.
AFTER_END = frozenset({"answer", "note", "rejected", "healed"})
#: How many faults are told one by one.
MOST = 8


@contextmanager
def _uncollected() -> Iterator[None]:
    """Records are trees, no rings; the collector would look through all of them over and over."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@dataclass(frozen=True)
class End:
    """What the end of a run says, and what stands before it.

    Attributes:
        count: the number of records it names.
        head: the hash it names.
        before: how many records stand before it.
        hash: the hash of the last of them.
    """

    count: Any
    head: Any
    before: int
    hash: Any


class Reading:
    """One pass over a journal; its records are folded and let go.

    Args:
        path: the journal.
        earlier: ledger lines of the run, each with a ``count`` and ``head`` to look for.

    Attributes:
        state: the run as far as it can be read.
        stopped: why it could not be read on, else None.
        count: how many records could be read.
        faults: the first breaks of the chain, by line.
        more: how many there are beyond them.
        torn: the number of a last line that its writer did not finish, else 0.
        end: the end of the run, else None.
        late: the first records behind the end that may not follow it.
        macs: what the MACs of its lines say.

    Raises:
        JournalError: the file cannot be read at all.
    """

    def __init__(self, path: Path, earlier: Iterable[Mapping[str, Any]] = ()) -> None:
        self.stopped: str | None = None
        self.count = 0
        self.faults: list[Fault] = []
        self.more = 0
        self.torn = 0
        self.end: End | None = None
        self.late: list[Record] = []
        self.macs = Macs()
        self._head: Any = None
        self._wanted = {line.get("count") for line in earlier if isinstance(line.get("count"), int)}
        self._heads: dict[int, Any] = {}
        self._skim = Skim(path)
        self._read(path)
        self.state = self._skim.state()

    def holds(self, line: Mapping[str, Any]) -> bool:
        """Whether the record that a ledger line names stands where the line says."""
        count, head = line.get("count"), line.get("head")
        return isinstance(count, int) and head is not None and self._heads.get(count) == head

    def _read(self, path: Path) -> None:
        with _uncollected():
            for record, fault in chain.scan(path, self.macs.see):
                if fault is not None:
                    self._blame(fault)
                if self.stopped is not None or self.torn:
                    continue
                if fault is None and record and self.end is None and self._skim.pass_by(record):
                    self._count(record)
                else:
                    self._take(record, sound=fault is None)

    def _blame(self, fault: Fault) -> None:
        if fault.torn and fault.line > 1:
            self.torn = fault.line
        elif len(self.faults) < MOST:
            self.faults.append(fault)
        else:
            self.more += 1

    def _take(self, record: Record | None, *, sound: bool) -> None:
        """Fold one record; the first that cannot be folded ends the run as it can be read."""
        if record is None:
            self.stopped = f"line {self.count + 1} of the journal is no record"
            return
        if self.end is not None or record.get("kind") == "run_ended":
            self._mark(record)
        self.stopped = misshapen(record, self.count + 1)
        if self.stopped is not None:
            return
        try:
            self._skim.take(record, sound=sound)
        except JournalError as error:
            self.stopped = str(error)
            return
        self._count(record)

    def _count(self, record: Record) -> None:
        self.count += 1
        self._head = record["hash"]
        if self.count in self._wanted:
            self._heads[self.count] = self._head

    def _mark(self, record: Record) -> None:
        kind = record.get("kind")
        if self.end is not None:
            if kind not in AFTER_END and len(self.late) < MOST:
                self.late.append(record)
        elif kind == "run_ended":
            self.end = End(record.get("count"), record.get("head"), self.count, self._head)
