"""A run's append-only record, line by line.

A line is canonical JSON in the key order ``v, run, seq, ts, kind, ..., writer, mac, prev, hash``.
``hash`` is the sha256 of the line's bytes before ``,"hash":`` followed by ``}``; ``prev`` is the
hash of the line before (64 zeros at first). So a journal is verified by slicing bytes, never by
encoding again. ``mac`` is the HMAC-SHA256, by the writer's key, of the line's bytes before
``,"mac":`` followed by ``prev``; null where the writer has no key. Standard library alone.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract import keys
from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.descriptor import BINARY, pread
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import PRIVATE_FILE
from skills2_nb.contract.lock import guard_forks, locked

Record = dict[str, Any]
VERSION = 1
GENESIS = "0" * 64
HASH_KEY = b',"hash":"'
#: Bytes of ``,"hash":"<64 hex>"}`` at a line's end.
TAIL = len(HASH_KEY) + 64 + 2
_RESERVED = frozenset({"v", "run", "seq", "ts", "kind", "writer", "mac", "prev", "hash"})
KINDS = frozenset(
    ("run_started", "step_ok", "step_failed", "rejected", "run_ended", "answer", "note", "healed")
)
_decode = json.JSONDecoder().raw_decode


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
        writer: who appends, ``<serve|kernel|cli|worker>:<key id or pid>``; with ``home`` the word
            before the colon alone.
        on_record: is handed every record once, in order, own and others' alike.
        home: where this process keeps its key; without one, records bear no MAC.
    """

    def __init__(
        self,
        path: Path,
        run: str,
        writer: str,
        on_record: Callable[[Record], None] | None = None,
        home: Path | None = None,
    ) -> None:
        self.path = path
        self.run = run
        self.writer = writer
        self._kind = writer
        self._home = home
        self._key: keys.Key | None = None
        self._run_text = encode_plain(run)
        self._writer_text = "" if home is not None else encode_plain(writer)
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
                if os.lseek(fd, 0, os.SEEK_END) != self._offset:  # half the time of fstat
                    with locked(fd):
                        self._catch_up(fd)
            except OSError as error:
                raise JournalError(f"cannot read the journal {self.path}: {error}") from error
            finally:
                self._busy = False

    @property
    def offset(self) -> int:
        """Where the records read so far end, in bytes; while one is handed on, where it begins."""
        return self._offset

    def begin(self, end: int, newest: Record) -> None:
        """Read on behind a record that ends at that byte, before anything else is read."""
        self._seq, self._head, self._ts = newest["seq"], newest["hash"], newest["ts"]
        self._offset = end

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
            record = parsed(line, self.path, self._seq + 1)
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
        if not _RESERVED.isdisjoint(fields):
            clash = ", ".join(sorted(_RESERVED.intersection(fields)))
            raise JournalError(f"a record's own keys cannot be given: {clash}")
        if not self._writer_text:
            self._sign()
        seq, ts = self._seq + 1, max(now(), self._ts)
        inner = encode_plain(fields)[1:-1] + "," if fields else ""
        head = (
            f'{{"v":{VERSION},"run":{self._run_text},"seq":{seq},"ts":"{ts}","kind":"{kind}",'
            f'{inner}"writer":{self._writer_text}'
        ).encode("ascii")
        prev = self._head.encode("ascii")
        mac = None if self._key is None else self._key.mac(head, prev)
        shown = b"null" if mac is None else b'"%b"' % mac.encode("ascii")
        line, value = sealed(b'%b,"mac":%b,"prev":"%b"' % (head, shown, prev))
        self._put(fd, line)
        record: Record = {
            "v": VERSION,
            "run": self.run,
            "seq": seq,
            "ts": ts,
            "kind": kind,
            **fields,
            "writer": self.writer,
            "mac": mac,
            "prev": self._head,
            "hash": value,
        }
        self._accept(record, len(line))
        return record

    def _sign(self) -> None:
        """Find this process's key, else go by its number; asked once, and anew after a fork."""
        self._key = None if self._home is None else keys.own(self._home)
        self.writer = f"{self._kind}:{os.getpid() if self._key is None else self._key.id}"
        self._writer_text = encode_plain(self.writer)

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
        if self._home is not None:
            self._key, self._writer_text = None, ""
        self.close()


def sealed(body: bytes) -> tuple[bytes, str]:
    """A line and its hash, from the line's bytes before ``,"hash":``."""
    value = hashlib.sha256(body + b"}").hexdigest()
    return body + HASH_KEY + value.encode("ascii") + b'"}\n', value


def unsealed(line: bytes) -> bool:
    """Whether a whole line ends with the hash of its own bytes."""
    return sealed(line[: -TAIL - 1])[0] == line


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
                yield parsed(line, path, number)


def parsed(line: bytes, path: Path, number: int) -> Record:
    """The record that a line is.

    Raises:
        JournalError: it is none; the message names the file and the line.
    """
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
