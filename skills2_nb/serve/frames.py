"""JSON messages between a server and a worker.

A frame is four bytes, big-endian, that say how many bytes follow, and those bytes: one JSON object
in ASCII. Standard library alone, so that a worker starts light.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

#: Nobody sends a bigger message; what is bigger is said to be too large.
MOST_BYTES = 64 * 1024 * 1024
HEAD = struct.Struct(">I")

Message = dict[str, Any]


def packed(message: Message) -> bytes:
    """The bytes of a message.

    Raises:
        ValueError: it is too large, or holds a number that JSON has none for.
    """
    body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(body) > MOST_BYTES:
        raise ValueError(f"a message of {len(body):,} bytes is too large")
    return HEAD.pack(len(body)) + body


def unpacked(body: bytes) -> Message:
    """The message of the bytes that follow a head."""
    message: Message = json.loads(body)
    return message


def send(fd: int, data: bytes) -> None:
    """Write a packed message to a file descriptor that blocks."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def receive(fd: int) -> Message | None:
    """Read a message from a file descriptor that blocks; None where the other side has gone."""
    head = _exactly(fd, HEAD.size)
    body = None if head is None else _exactly(fd, HEAD.unpack(head)[0])
    return None if body is None else unpacked(body)


def _exactly(fd: int, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        part = os.read(fd, size - len(data))
        if not part:
            return None
        data += part
    return bytes(data)
