"""The secret that a process signs its records with.

A process has one key for each home that it keeps records in: 32 random bytes in the file
``keys/<id>``, 0600 in a folder 0700, never beside the journals. The id is the first half of the
secret's own sha256, so another secret cannot be put in its place. Standard library alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import threading
from pathlib import Path
from typing import NamedTuple

from skills2_nb.contract.descriptor import BINARY
from skills2_nb.contract.home import PRIVATE_FILE, PRIVATE_FOLDER

FOLDER = "keys"
SECRET_BYTES = 32
_ID = re.compile(r"[0-9a-f]{16}")
#: The block of sha256 in bytes, and the two pads of RFC 2104.
_BLOCK, _INNER, _OUTER = 64, 0x36, 0x5C
#: How many homes a process keeps keys of; trials have one each, and are soon gone.
_MOST_HOMES = 16


class Key:
    """A secret that makes MACs and is never shown.

    Args:
        secret: the bytes of the key; they are not kept.

    Attributes:
        id: 16 hex digits that stand for it in a record's ``writer``.
    """

    __slots__ = ("_inner", "_outer", "id")

    def __init__(self, secret: bytes) -> None:
        self.id = hashlib.sha256(b"key " + secret).hexdigest()[:16]
        block = secret.ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ _INNER for byte in block))
        self._outer = hashlib.sha256(bytes(byte ^ _OUTER for byte in block))

    def mac(self, head: bytes, prev: bytes) -> str:
        """The HMAC-SHA256 of ``head + prev`` in hex.

        The padded key is hashed once and copied: half the time of ``hmac.digest``.
        """
        inner = self._inner.copy()
        inner.update(head)
        inner.update(prev)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.hexdigest()

    def __repr__(self) -> str:
        return f"Key({self.id})"


class Kept(NamedTuple):
    """A key that lies in a home.

    Attributes:
        private: whether its file is ours, and nobody else may read or change it.
    """

    key: Key
    private: bool


class _Ring:
    """The keys of this process by home."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """In a forked child: the keys are the parent's, and so is whoever holds the lock."""
        self._lock = threading.Lock()
        self._held: dict[Path, Key] = {}

    def own(self, home: Path) -> Key | None:
        with self._lock:
            key = self._held.pop(home, None)
            if key is None or not place(home, key.id).is_file():
                try:
                    key = _made(home)
                except OSError:
                    return None
            self._held[home] = key
            if len(self._held) > _MOST_HOMES:
                del self._held[next(iter(self._held))]
            return key


_RING = _Ring()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_RING.reset)


def own(home: Path) -> Key | None:
    """The key of this process in a home, made where it has none; None where none can be kept."""
    return _RING.own(home)


def place(home: Path, id: str) -> Path:
    """The file of a key."""
    return home / FOLDER / id


def named(writer: str) -> str | None:
    """The id of the key that a ``writer`` names; None where it names a process."""
    id_ = writer.rpartition(":")[2]
    return id_ if _ID.fullmatch(id_) else None


def kept(home: Path, id: str) -> Kept | None:
    """The key of that id; None where it is not there, cannot be read, or is another one."""
    if not _ID.fullmatch(id):
        return None
    flags = os.O_RDONLY | BINARY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        fd = os.open(place(home, id), flags)
        try:
            found = os.fstat(fd)
            secret = os.read(fd, SECRET_BYTES + 1) if stat.S_ISREG(found.st_mode) else b""
        finally:
            os.close(fd)
    except OSError:
        return None
    key = Key(secret) if len(secret) == SECRET_BYTES else None
    return Kept(key, _is_private(found)) if key is not None and key.id == id else None


def _is_private(found: os.stat_result) -> bool:
    """Windows has no such modes: there the rights of the user's folder have to do."""
    if not hasattr(os, "geteuid"):
        return True
    return found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077


def _made(home: Path) -> Key:
    """A new key, whole under its name or not there at all."""
    secret = os.urandom(SECRET_BYTES)
    key = Key(secret)
    target = place(home, key.id)
    target.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    fresh = target.with_name(f".{key.id}")
    try:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, PRIVATE_FILE)
        with os.fdopen(fd, "wb") as file:
            file.write(secret)
        fresh.replace(target)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise
    return key
