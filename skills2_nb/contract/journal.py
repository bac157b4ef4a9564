"""A run's append-only record, line by line.

A line is canonical JSON in the key order ``v, run, seq, ts, kind, ..., writer, mac, prev, hash``.
``hash`` is the sha256 of the line's bytes before ``,"hash":`` followed by ``}``; ``prev`` is the
hash of the line before (64 zeros at first). So a journal is verified by slicing bytes, never by
encoding again. Standard library alone.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import PRIVATE_FILE
from skills2_nb.contract.lock import guard_forks, locked

Record = dict[str, Any]
VERSION = 1
GENESIS = "0" * 64
_HASH_KEY = b',"hash":"'
#: Bytes of ``,"hash":"<64 hex>"}`` at a line's end.
_TAIL = len(_HASH_KEY) + 64 + 2
_RESERVED = frozenset({"v", "run", "seq", "ts", "kind", "writer", "mac", "prev", "hash"})
KINDS = frozenset(
    ("run_started", "step_ok", "step_failed", "rejected", "run_ended", "answer", "note", "healed")
)
BINARY = getattr(os, "O_BINARY", 0)
_decode = json.JSONDecoder().raw_decode


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


def now() -> str:
    """The time in UTC to the microsecond, always of one width, so that text order is time order."""
    second, nano = divmod(time.time_ns(), 1_000_000_000)
    return f"{_second(second)}.{nano // 1000:06d}Z"


@functools.lru_cache(maxsize=1)
def _second(second: int) -> str:
    """A second since the epoch as text; the next record mostly falls into the same one."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))


class Journal:
    """The journal of one run, open for appending by any number of threads and processes.

    Args:
        path: the file, made with mode 0600 where it is absent.
        run: the run's id, written in every line.
        writer: who appends, ``<serve|kernel|cli|worker>:<key id or pid>``.
        on_record: is handed every record once, in order, own and others' alike.
    """

    def __init__(
        self,
        path: Path,
        run: str,
        writer: str,
        on_record: Callable[[Record], None] | None = None,
    ) -> None:
        self.path = path
        self.run = run
        self.writer = writer
        self._run_text = encode_plain(run)
        self._writer_text = encode_plain(writer)
        self._on_record = on_record
        self.lock = threading.RLock()
        self._busy = False
        self._fd: int | None = None
        self._offset = 0
        self._seq = 0
        self._head = GENESIS
        self._ts = ""
        guard_forks(self)

    def append(
        self, kind: str, fields: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    ) -> Record:
        """Append one record of plain values and return it as it stands on disk.

        Args:
            kind: one of the record kinds.
            fields: what the kind carries, already canonical; or a function that gives it, called
                under the lock after others' records were read. What it raises stops the append.

        Raises:
            JournalError: the file was cut, replaced or removed, or cannot be written.
        """
        with self.lock:
            self._enter()
            try:
                fd = self._open()
                with locked(fd):
                    self._catch_up(fd)
                    return self._write(fd, kind, fields() if callable(fields) else fields)
            except OSError as error:
                raise JournalError(f"cannot write to the journal {self.path}: {error}") from error
            finally:
                self._busy = False

    def sync(self) -> None:
        """Read what others have appended since the last look.

        Raises:
            JournalError: the file was cut, replaced or removed, or cannot be read.
        """
        with self.lock:
            self._enter()
            try:
                fd = self._open()
                if os.fstat(fd).st_size != self._offset:
                    with locked(fd):
                        self._catch_up(fd)
            except OSError as error:
                raise JournalError(f"cannot read the journal {self.path}: {error}") from error
            finally:
                self._busy = False

    def close(self) -> None:
        """Let the file go; the next append opens it again."""
        with self.lock:
            fd, self._fd = self._fd, None
            if fd is not None:
                os.close(fd)

    def _enter(self) -> None:
        """A signal's handler, say, must not write into a line that its own thread is writing."""
        if self._busy:
            raise JournalError(f"the journal {self.path} is being written by this very thread")
        self._busy = True

    def _open(self) -> int:
        if self._fd is None:
            fresh = 0 if self._offset else os.O_CREAT
            self._fd = os.open(self.path, os.O_RDWR | os.O_APPEND | BINARY | fresh, PRIVATE_FILE)
        return self._fd

    def _catch_up(self, fd: int) -> None:
        found = os.fstat(fd)
        size = found.st_size
        if found.st_nlink == 0:
            raise JournalError(
                f"the journal {self.path} was removed or replaced while the run was open; "
                "start a new run"
            )
        if size == self._offset:
            return
        if size < self._offset:
            raise JournalError(
                f"the journal {self.path} was cut from {self._offset} to {size} bytes while the "
                "run was open; start a new run"
            )
        data = pread(fd, size - self._offset, self._offset)
        *lines, torn = data.split(b"\n")
        for line in lines:
            record = _parsed(line, self.path, self._seq + 1)
            if (record.get("prev"), record.get("seq")) != (self._head, self._seq + 1):
                raise JournalError(
                    f"{self.path}: line {self._seq + 1} does not follow the one before; see "
                    "`skills2 runs verify`, and start a new run"
                )
            self._accept(record, len(line) + 1)
        if torn:
            self._heal(fd, torn)

    def _heal(self, fd: int, torn: bytes) -> None:
        """A writer died within a line: its bytes are kept aside and noted."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | BINARY
        aside = os.open(self.path.with_suffix(".torn"), flags, PRIVATE_FILE)
        with os.fdopen(aside, "ab") as file:
            file.write(torn)
        os.ftruncate(fd, self._offset)
        self._write(fd, "healed", {"bytes": len(torn), "sha256": hashlib.sha256(torn).hexdigest()})

    def _write(self, fd: int, kind: str, fields: Mapping[str, Any]) -> Record:
        clash = _RESERVED.intersection(fields)
        if clash:
            raise JournalError(f"a record's own keys cannot be given: {', '.join(sorted(clash))}")
        seq, ts = self._seq + 1, max(now(), self._ts)
        inner = encode_plain(fields)[1:-1]
        line, value = sealed(
            f'{{"v":{VERSION},"run":{self._run_text},"seq":{seq},"ts":"{ts}","kind":"{kind}",'
            f'{inner}{"," if inner else ""}"writer":{self._writer_text},"mac":null,'
            f'"prev":"{self._head}"'.encode("ascii")
        )
        self._put(fd, line)
        record: Record = {
            "v": VERSION,
            "run": self.run,
            "seq": seq,
            "ts": ts,
            "kind": kind,
            **fields,
            "writer": self.writer,
            "mac": None,
            "prev": self._head,
            "hash": value,
        }
        self._accept(record, len(line))
        return record

    def _put(self, fd: int, line: bytes) -> None:
        done = os.write(fd, line)
        if done != len(line):
            os.ftruncate(fd, self._offset)
            raise JournalError(f"cannot write to the journal {self.path}: the disk is full")

    def _accept(self, record: Record, size: int) -> None:
        """Move on by a record of ``size`` bytes; one not come to its end here is read again."""
        if self._on_record is not None:
            self._on_record(record)
        self._seq, self._head, self._ts, self._offset = (
            record["seq"],
            record["hash"],
            record["ts"],
            self._offset + size,
        )

    def after_fork(self) -> None:
        """In the child: the lock is the parent's, and so is what the open file has locked."""
        self.lock = threading.RLock()
        self._busy = False
        self.close()


def sealed(body: bytes) -> tuple[bytes, str]:
    """A line and its hash, from the line's bytes before ``,"hash":``."""
    value = hashlib.sha256(body + b"}").hexdigest()
    return body + _HASH_KEY + value.encode("ascii") + b'"}\n', value


def read(path: Path) -> Iterator[Record]:
    """The records of a journal in order; a partial last line is passed over.

    Raises:
        JournalError: the file cannot be read, or a whole line is no record.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error}") from error
    with file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield _parsed(line, path, number)


def verify(path: Path) -> list[Fault]:
    """Every break of the chain, by line; an empty list is a whole journal.

    Raises:
        JournalError: the file cannot be read.
    """
    return [fault for _, fault in scan(path) if fault is not None]


def scan(path: Path) -> Iterator[tuple[Record | None, Fault | None]]:
    """Each line once: its record, None where it is none, and what is wrong with it.

    A line that was changed gives its record as it stands now. Nothing is kept, so a journal of
    any length takes no more room than its longest line.

    Raises:
        JournalError: the file cannot be read.
    """
    before = _Before()
    number = 0
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                record, message, before = _check(line, number, before)
                torn = not line.endswith(b"\n")
                yield record, Fault(number, message, torn) if message else None
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error}") from error
    if number == 0:
        yield None, Fault(1, "the journal is empty")


class _Before(NamedTuple):
    """What the lines so far ask of the next one."""

    prev: str = GENESIS
    run: Any = None
    ts: str = ""


def _check(line: bytes, number: int, before: _Before) -> tuple[Record | None, str | None, _Before]:
    """A line's record, what is wrong with it, and what the next one has to agree with."""
    if not line.endswith(b"\n"):
        return None, "the line is not complete", before
    body, tail = line[: -_TAIL - 1], line[-_TAIL - 1 : -1]
    if not (tail.startswith(_HASH_KEY) and tail.endswith(b'"}')):
        also = ", and is one of CR LF: the file was converted" if line.endswith(b"\r\n") else ""
        return _record(line), f"the line does not end with its hash{also}", before
    named = tail[len(_HASH_KEY) : -2].decode("ascii", "replace")
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
    if record.get("v") != VERSION or record.get("kind") not in KINDS:
        return f"the line is of a kind or version that nobody writes: {record.get('kind')!r}"[:120]
    if not isinstance(record.get("run"), str) or record["run"] != (before.run or record["run"]):
        return f"the line is of another run: {record.get('run')!r}"[:120]
    if not isinstance(record.get("ts"), str) or record["ts"] < before.ts:
        return "the line is older than the one before"
    return None


def _parsed(line: bytes, path: Path, number: int) -> Record:
    try:
        text = line.decode("ascii")
        record, end = _decode(text)
    except (ValueError, RecursionError) as error:
        raise JournalError(
            f"{path}: line {number} is no record ({error}); see `skills2 runs verify`"
        ) from error
    more = text[end:].strip()
    if more or not isinstance(record, dict) or not isinstance(record.get("hash"), str):
        raise JournalError(f"{path}: line {number} is no record; see `skills2 runs verify`")
    return record


def pread(fd: int, count: int, offset: int) -> bytes:
    """Read ``count`` bytes at ``offset``; plain reads where the system has no ``pread``."""
    parts: list[bytes] = []
    while count > 0:
        if hasattr(os, "pread"):
            part = os.pread(fd, count, offset)
        else:  # pragma: no cover - Windows
            os.lseek(fd, offset, os.SEEK_SET)
            part = os.read(fd, count)
        if not part:
            break
        parts.append(part)
        count -= len(part)
        offset += len(part)
    return b"".join(parts)
