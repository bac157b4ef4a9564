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
from typing import Any

from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import PRIVATE_FILE
from skills2_nb.contract.lock import locked

Record = dict[str, Any]
VERSION = 1
GENESIS = "0" * 64
_HASH_KEY = b',"hash":"'
#: Bytes of ``,"hash":"<64 hex>"}`` at a line's end.
_TAIL = len(_HASH_KEY) + 64 + 2
_RESERVED = frozenset({"v", "run", "seq", "ts", "kind", "writer", "mac", "prev", "hash"})


@dataclass(frozen=True)
class Fault:
    """One place where a journal is not what was written.

    Attributes:
        line: 1-based line number.
        message: what is wrong there.
    """

    line: int
    message: str


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
        self._lock = threading.RLock()
        self._fd: int | None = None
        self._pid = -1
        self._offset = 0
        self._seq = 0
        self._head = GENESIS
        self._ts = ""

    def append(
        self, kind: str, fields: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    ) -> Record:
        """Append one record of plain values and return it as it stands on disk.

        Args:
            kind: one of the record kinds.
            fields: what the kind carries, already canonical; or a function that gives it, called
                under the lock after others' records were read. What it raises stops the append.

        Raises:
            JournalError: the file was cut, or cannot be written.
        """
        self._enter_process()
        with self._lock:
            fd = self._open()
            with locked(fd):
                self._catch_up(fd)
                return self._write(fd, kind, fields() if callable(fields) else fields)

    def sync(self) -> None:
        """Read what others have appended since the last look."""
        self._enter_process()
        with self._lock:
            fd = self._open()
            if os.fstat(fd).st_size != self._offset:
                with locked(fd):
                    self._catch_up(fd)

    def close(self) -> None:
        """Let the file go; the next append opens it again."""
        with self._lock:
            if self._fd is not None and self._pid == os.getpid():
                os.close(self._fd)
            self._fd = None

    def _enter_process(self) -> None:
        """After a fork the child shares the parent's lock and must open the file anew."""
        pid = os.getpid()
        if pid != self._pid:
            self._lock = threading.RLock()
            self._fd = None
            self._pid = pid

    def _open(self) -> int:
        if self._fd is None:
            try:
                self._fd = os.open(
                    self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, PRIVATE_FILE
                )
            except OSError as error:
                raise JournalError(f"cannot open the journal {self.path}: {error}") from error
        return self._fd

    def _catch_up(self, fd: int) -> None:
        size = os.fstat(fd).st_size
        if size == self._offset:
            return
        if size < self._offset:
            raise JournalError(
                f"the journal {self.path} was cut from {self._offset} to {size} bytes while the "
                "run was open; start a new run"
            )
        data = _pread(fd, size - self._offset, self._offset)
        whole = data.rfind(b"\n") + 1
        for line in data[:whole].splitlines():
            self._accept(_parsed(line, self.path, self._seq + 1))
        self._offset += whole
        if whole < len(data):
            self._heal(fd, data[whole:])

    def _heal(self, fd: int, torn: bytes) -> None:
        """A writer died within a line: its bytes are kept aside and noted."""
        with self.path.with_suffix(".torn").open("ab") as aside:
            aside.write(torn)
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
        self._offset += len(line)
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
        self._accept(record)
        return record

    def _put(self, fd: int, line: bytes) -> None:
        try:
            done = os.write(fd, line)
        except OSError as error:
            raise JournalError(f"cannot write to the journal {self.path}: {error}") from error
        if done != len(line):
            os.ftruncate(fd, self._offset)
            raise JournalError(f"cannot write to the journal {self.path}: the disk is full")

    def _accept(self, record: Record) -> None:
        self._seq = record["seq"]
        self._head = record["hash"]
        self._ts = record["ts"]
        if self._on_record is not None:
            self._on_record(record)


_BINARY = getattr(os, "O_BINARY", 0)


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
    faults: list[Fault] = []
    prev, number = GENESIS, 0
    try:
        lines = path.open("rb")
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error}") from error
    with lines:
        for number, line in enumerate(lines, 1):
            message, prev = _check(line, number, prev)
            if message:
                faults.append(Fault(number, message))
    if number == 0:
        faults.append(Fault(1, "the journal is empty"))
    return faults


def _check(line: bytes, number: int, prev: str) -> tuple[str | None, str]:
    """What is wrong with a line, and the hash that the next one has to name."""
    if not line.endswith(b"\n"):
        return "the line is not complete", prev
    stripped = line[:-1]
    body, tail = stripped[:-_TAIL], stripped[-_TAIL:]
    named = tail[len(_HASH_KEY) : -2].decode("ascii", "replace")
    if not (tail.startswith(_HASH_KEY) and tail.endswith(b'"}')):
        return "the line does not end with its hash", prev
    if hashlib.sha256(body + b"}").hexdigest() != named:
        return "the line's bytes do not give its hash: it was changed", named
    try:
        record = json.loads(stripped)
    except ValueError:
        return "the line is no JSON, though its hash is right: it was forged", named
    if record.get("prev") != prev:
        return "the line does not follow the one before: lines were cut, swapped or added", named
    if record.get("seq") != number:
        return f"the line says it is number {record.get('seq')}", named
    return None, named


def _parsed(line: bytes, path: Path, number: int) -> Record:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise JournalError(
            f"{path}: line {number} is no record ({error}); see `skills2 runs verify`"
        ) from error
    if not isinstance(record, dict) or not isinstance(record.get("hash"), str):
        raise JournalError(f"{path}: line {number} is no record; see `skills2 runs verify`")
    return record


def _pread(fd: int, count: int, offset: int) -> bytes:
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
