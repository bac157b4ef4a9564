"""Where to go on reading a long journal.

A snapshot beside the runs, ``index/<run>.json``, names the places of the few lines that a run is
resumed from: its start, what is no call, the newest success of each step, and the line it ends
with. It holds no value, and each line it leads to is checked; one that is wrong, torn or of
another journal is passed over, and the whole journal is read. Audits never look at it.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from skills2_nb.contract.call import STATUS, call_of, checked
from skills2_nb.contract.calls import Calls
from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import PRIVATE_FILE, PRIVATE_FOLDER
from skills2_nb.contract.journal import Journal, Record, parsed, unsealed
from skills2_nb.contract.lines import Lines
from skills2_nb.contract.state import RunState

VERSION = 1
#: A journal grown by this many records is worth a new snapshot.
EVERY = 512
#: The same when a run is let go.
AT_LAST = 64
#: A run keeps about so many of its newest calls in memory.
KEPT = 1_024
#: Of so many records that are no calls none is made: it would take long to read.
MOST_OTHERS = 256
_MALFORMED = (ValueError, TypeError, LookupError, OverflowError, RecursionError)
#: A record's number and where its line begins, in bytes.
Place = tuple[int, int]


class Places:
    """The places of the lines that one run is resumed from.

    Args:
        journal: the run's journal.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._path = journal.path
        self._last: dict[str, Place] = {}
        self._others: list[Place] = []
        self._newest: Place = (0, 0)
        self._head = ""
        self._written = 0

    def see(self, record: Record) -> None:
        """Take in the next record, which the journal hands on."""
        self._newest = place = (record["seq"], self._journal.offset)
        self._head = record["hash"]
        kind = record["kind"]
        if kind == "step_ok":
            self._last[record["step"]] = place
        elif kind not in STATUS:
            self._others.append(place)

    def keep(self, every: int | None = None) -> None:
        """Make a snapshot if the journal has grown by ``every`` records (``EVERY``) since."""
        if self._newest[0] - self._written < (every or EVERY) or len(self._others) > MOST_OTHERS:
            return
        with self._journal.lock:
            facts = self._facts(self._journal.offset)
        if self._path.is_file():  # erased while it was open, it leaves nothing
            _write(place_of(self._path), facts)

    def open(self) -> RunState:
        """The run as its snapshot has it, the journal set behind it; else one without a record."""
        try:
            facts = json.loads(place_of(self._path).read_bytes())
            with self._path.open("rb") as file:
                state = self._opened(facts, file)
        except (OSError, JournalError, *_MALFORMED):
            state = None
        return self.state() if state is None else state

    def state(self, upto: int = 0) -> RunState:
        """A run with nothing done behind its first ``upto`` records, which are read at need."""
        return RunState(calls=Calls(Lines(self._path), upto, KEPT))

    def _facts(self, end: int) -> dict[str, Any]:
        self._written = self._newest[0]
        return {
            "v": VERSION,
            "run": self._journal.run,
            "end": end,
            "head": self._head,
            "newest": self._newest,
            "last": list(self._last.values()),
            "others": list(self._others),
        }

    def _opened(self, facts: dict[str, Any], file: BinaryIO) -> RunState | None:
        if (facts["v"], facts["run"]) != (VERSION, self._journal.run):
            return None
        newest, *_ = self._records(file, [facts["newest"]])
        if file.tell() != facts["end"] or newest["hash"] != facts["head"]:
            return None
        others = list(self._records(file, facts["others"]))
        last = list(self._records(file, facts["last"]))
        if not _are_apart(others, last) or newest["seq"] < max(map(_seq, others + last)):
            return None
        state = self.state(newest["seq"])
        for record in others:
            state.apply(record)
        for record in last:
            state.last[record["step"]] = checked(call_of, record)
        state.count, state.head = newest["seq"], newest["hash"]
        self._recall(facts, newest, last)
        self._journal.begin(facts["end"], newest)
        return state

    def _records(self, file: BinaryIO, places: Iterable[Place]) -> Iterator[Record]:
        """The records at these places, each a sound line of this run.

        Raises:
            ValueError: one is not.
        """
        for number, at in places:
            file.seek(at)
            line = file.readline()
            record = parsed(line, self._path, number)
            if not unsealed(line) or (record["run"], record["seq"]) != (self._journal.run, number):
                raise ValueError(number)
            yield record

    def _recall(self, facts: dict[str, Any], newest: Record, last: list[Record]) -> None:
        self._newest, self._head = (newest["seq"], facts["newest"][1]), newest["hash"]
        self._others = [(number, at) for number, at in facts["others"]]
        places = [(number, at) for number, at in facts["last"]]
        self._last = dict(zip((record["step"] for record in last), places, strict=True))
        self._written = self._newest[0]


def place_of(journal: Path) -> Path:
    """The file of the snapshot of a run's journal, ``<home>/runs/<date>/<run>.jsonl``."""
    return journal.parents[2] / "index" / f"{journal.stem}.json"


def _write(place: Path, facts: dict[str, Any]) -> None:
    """Where it cannot be kept, the journal is read whole next time."""
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):
        place.parent.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        try:
            fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
            with os.fdopen(fd, "w", encoding="ascii") as file:
                file.write(encode_plain(facts))
            draft.replace(place)
        except OSError:
            draft.unlink(missing_ok=True)


def _are_apart(others: list[Record], last: list[Record]) -> bool:
    """Whether the one are no calls and begin with the start, the other successes by step."""
    return (
        others[0]["seq"] == 1
        and not any(record["kind"] in STATUS for record in others)
        and all(record["kind"] == "step_ok" for record in last)
        and len({record["step"] for record in last}) == len(last)
    )


def _seq(record: Record) -> int:
    seq: int = record["seq"]
    return seq
