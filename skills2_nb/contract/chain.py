"""Whether a journal's lines are as they were written.

Standard library alone.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.journal import GENESIS, HASH_KEY, KINDS, TAIL, VERSION, Record

Watch = Callable[[bytes, Record], None]
_decode = json.JSONDecoder().raw_decode
_PLACE = operator.itemgetter("v", "run", "seq", "ts", "kind", "prev")


@dataclass(frozen=True)
class Fault:
    """One place where a journal is not what was written.

    Attributes:
        line: 1-based line number.
        message: what is wrong there.
        torn: whether it is a last line that its writer did not finish.
    """

    line: int
    message: str
    torn: bool = False


def verify(path: Path, watch: Watch | None = None) -> list[Fault]:
    """Every break of the chain, by line; an empty list is a whole journal.

    Raises:
        JournalError: the file cannot be read.
    """
    return [fault for _, fault in scan(path, watch) if fault is not None]


def scan(path: Path, watch: Watch | None = None) -> Iterator[tuple[Record | None, Fault | None]]:
    """Each line once: its record, None where it is none, and what is wrong with it.

    A line that was changed gives its record as it stands now. Nothing is kept, so a journal of
    any length takes no more room than its longest line.

    Args:
        watch: is handed each line that follows the one before, as bytes and as its record.

    Raises:
        JournalError: the file cannot be read.
    """
    before = _Before()
    number = 0
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                record, message = _following(line, number, before), None
                if record is None:
                    record, message, before = _check(line, number, before)
                if watch is not None and record is not None and message is None:
                    watch(line, record)
                torn = not line.endswith(b"\n")
                yield record, Fault(number, message, torn) if message else None
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error}") from error
    if number == 0:
        yield None, Fault(1, "the journal is empty")


@dataclass(slots=True)
class _Before:
    """What the lines so far ask of the next one."""

    prev: str = GENESIS
    run: Any = None
    ts: str = ""


def _following(line: bytes, number: int, before: _Before) -> Record | None:
    """The record of a line that is right in all; None where :func:`_check` has to look closer.

    ``before`` moves on by the line.
    """
    value = hashlib.sha256(line[: -TAIL - 1] + b"}").hexdigest()
    if not line.endswith(b'%b%b"}\n' % (HASH_KEY, value.encode("ascii"))):
        return None
    record = _record(line)
    if record is None:
        return None
    try:
        v, run, seq, ts, kind, prev = _PLACE(record)
    except (KeyError, TypeError):
        return None
    if not (
        prev == before.prev
        and seq == number
        and type(seq) is int
        and v == VERSION
        and type(run) is type(ts) is type(kind) is str
        and kind in KINDS
        and run == (before.run or run)
        and ts >= before.ts
    ):
        return None
    before.prev, before.run, before.ts = value, run, ts
    return record


def _check(line: bytes, number: int, before: _Before) -> tuple[Record | None, str | None, _Before]:
    """A line's record, what is wrong with it, and what the next one has to agree with."""
    if not line.endswith(b"\n"):
        return None, "the line is not complete", before
    body, tail = line[: -TAIL - 1], line[-TAIL - 1 : -1]
    if not (tail.startswith(HASH_KEY) and tail.endswith(b'"}')):
        also = ", and is one of CR LF: the file was converted" if line.endswith(b"\r\n") else ""
        return _record(line), f"the line does not end with its hash{also}", before
    named = tail[len(HASH_KEY) : -2].decode("ascii", "replace")
    after = _Before(named, before.run, before.ts)
    if hashlib.sha256(body + b"}").hexdigest() != named:
        return _record(line), "the line's bytes do not give its hash: it was changed", after
    record = _record(line)
    if record is None:
        return None, "the line is no JSON object, though its hash is right: it was forged", after
    after = _Before(named, before.run or record.get("run"), str(record.get("ts")))
    return record, _mismatch(record, number, before), after


def _record(line: bytes) -> Record | None:
    """The JSON object that a whole line is, else None."""
    try:
        record, end = _decode(line.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return record if end == len(line) - 1 and isinstance(record, dict) else None


def _mismatch(record: Record, number: int, before: _Before) -> str | None:
    """Where a record whose hash is right does not go with those before it."""
    if record.get("prev") != before.prev:
        return "the line does not follow the one before: lines were cut, swapped or added"
    if record.get("seq") != number or type(record["seq"]) is not int:
        return f"the line says it is number {record.get('seq')}"
    kind = record.get("kind")
    if record.get("v") != VERSION or not isinstance(kind, str) or kind not in KINDS:
        return f"the line is of a kind or version that nobody writes: {kind!r}"[:120]
    if not isinstance(record.get("run"), str) or record["run"] != (before.run or record["run"]):
        return f"the line is of another run: {record.get('run')!r}"[:120]
    if not isinstance(record.get("ts"), str) or record["ts"] < before.ts:
        return "the line is older than the one before"
    return None
