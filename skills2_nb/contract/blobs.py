"""Values too big for a line, kept once by digest."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from contextvars import ContextVar, Token
from pathlib import Path
from typing import Any

from skills2_nb.contract.canonical import BLOB_TAG as BLOB_TAG
from skills2_nb.contract.canonical import ESCAPE_TAG, encode_plain
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.home import PRIVATE_FILE, folder, home

TABLE_TAG = "$table"
#: A value whose canonical text is longer than this many bytes leaves its line.
INLINE_BYTES = 64 * 1024
_HEX = frozenset("0123456789abcdef")
_NUMBERS = frozenset({int, float, bool, type(None)})
_ALONE = _NUMBERS | {str}


#: Blobs that a run holds in memory alone, because its skill withholds values.
_SHELTER: ContextVar[dict[str, bytes] | None] = ContextVar("sheltered blobs", default=None)


class sheltered:
    """While it is open, tables go to ``shelter`` and are found there; nothing of them on disk.

    Args:
        shelter: bytes by sha256; None leaves all as it is.
    """

    __slots__ = ("_shelter", "_token")
    _token: Token[dict[str, bytes] | None] | None

    def __init__(self, shelter: dict[str, bytes] | None) -> None:
        self._shelter = shelter

    def __enter__(self) -> None:
        nothing = self._shelter is None and _SHELTER.get() is None
        self._token = None if nothing else _SHELTER.set(self._shelter)

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _SHELTER.reset(self._token)


def hold(data: bytes) -> str:
    """Keep ``data`` in the open shelter, else on disk, and return its sha256.

    Raises:
        JournalError: it cannot be written.
    """
    shelter = _SHELTER.get()
    if shelter is None:
        return put(data)
    sha = hashlib.sha256(data).hexdigest()
    shelter[sha] = data
    return sha


def path(sha: str) -> Path:
    """The file of the blob ``sha``.

    Raises:
        JournalError: ``sha`` is no sha256 in hex.
    """
    if len(sha) != 64 or not _HEX.issuperset(sha):
        raise JournalError(f"{sha[:80]!r} is no blob's digest: 64 hex digits are wanted")
    return home() / "blobs" / sha


def put(data: bytes) -> str:
    """Keep ``data`` and return its sha256; a blob that is there already is not written again.

    Raises:
        JournalError: it cannot be written.
    """
    sha = hashlib.sha256(data).hexdigest()
    place = path(sha)
    try:
        if not _is_there(place, len(data)):
            _write(place, data)
    except OSError as error:
        raise JournalError(f"cannot keep a value of {len(data)} bytes: {error}") from error
    return sha


def _is_there(place: Path, size: int) -> bool:
    """A machine that lost power may leave the name and not the bytes."""
    try:
        return place.stat().st_size == size
    except FileNotFoundError:
        return False


def _write(place: Path, data: bytes) -> None:
    draft = folder("blobs") / f".{place.name}.{secrets.token_hex(4)}"
    try:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        draft.replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def get(sha: str) -> bytes:
    """The bytes of the blob ``sha``, checked against their digest.

    Raises:
        JournalError: the blob is gone or its bytes were changed.
    """
    shelter = _SHELTER.get()
    if shelter is not None and sha in shelter:
        return shelter[sha]
    try:
        data = path(sha).read_bytes()
    except OSError as error:
        raise JournalError(f"the value {sha[:12]} is not in {home() / 'blobs'}: {error}") from error
    if hashlib.sha256(data).hexdigest() != sha:
        raise JournalError(f"the value {sha[:12]} was changed on disk: its digest does not match")
    return data


def deflate(value: Any) -> Any:
    """``value`` (plain) with its big parts moved to blobs: fields first, else the whole."""
    if _is_small(value) or len(encode_plain(value)) <= INLINE_BYTES:
        return value
    if isinstance(value, dict) and value.keys() != {ESCAPE_TAG}:
        parts = {name: _moved(item) for name, item in value.items()}
        if len(encode_plain(parts)) <= INLINE_BYTES:
            return parts
    return _moved(value)


def inflate(value: Any) -> Any:
    """Undo :func:`deflate`: read back what left the line, at whatever depth of fields.

    Raises:
        JournalError: a value is gone or was changed.
    """
    if (
        type(value) is dict
        and BLOB_TAG not in value
        and _ALONE.issuperset(map(type, value.values()))
    ):
        return value
    if not isinstance(value, dict) or (ESCAPE_TAG in value and len(value) == 1):
        return value
    if BLOB_TAG in value and value.keys() == {BLOB_TAG, "bytes"}:
        return inflate(json.loads(get(value[BLOB_TAG])))
    for item in value.values():  # a loop: journals of many records are all read through here
        if isinstance(item, dict):
            return {name: inflate(item) for name, item in value.items()}
    return value


def _is_small(value: Any) -> bool:
    """Whether a look is enough: most values of a step are numbers and short text."""
    if isinstance(value, str):
        return len(value) < 100
    if isinstance(value, dict):
        if len(value) >= 100:
            return False
        for item in value.values():  # a loop: every record's result is looked through here
            if type(item) not in _NUMBERS and not _is_small(item):
                return False
        return True
    return not isinstance(value, list)


def _moved(value: Any) -> Any:
    text = encode_plain(value)
    if len(text) <= INLINE_BYTES:
        return value
    return {BLOB_TAG: put(text.encode("ascii")), "bytes": len(text)}
