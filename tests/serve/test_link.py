"""What became of a request, by what came back."""

import asyncio
import json
from typing import Any

import pytest

from skills2_nb.serve.link import Link, LinkError, Lost, Refused, Undelivered

JSON = "application/json"
EVENTS = "text/event-stream; charset=utf-8"


def message(**facts: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1} | facts).encode()


def http(body: bytes, status: int = 200, kind: str = JSON, *, size: int | None = None) -> bytes:
    length = len(body) if size is None else size
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
    return head.encode() + body


def chunked(*parts: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {EVENTS}\r\ntransfer-encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return head.encode() + chunks + b"0\r\n\r\n"


NOTE = b'{"jsonrpc": "2.0", "method": "notifications/progress"}'
GOOD = message(result={"done": True})
WRONG = message(error={"code": -32601, "message": "no such method"})


async def outcome(*answers: bytes) -> Any:
    """What `ask` gives or raises, once for each answer, and how many connections that took."""
    left, opened = list(answers), 0

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        while left:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            await reader.readexactly(int(head.partition("content-length: ")[2].split("\r")[0]))
            answer = left.pop(0)
            writer.write(answer)
            if b"connection: close" in answer:
                break
        writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    link = Link(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", "token")
    heard: list[str] = []

    async def tell(note: Any) -> None:
        heard.append(note["method"])

    try:
        found: Any = None
        for _ in answers:
            try:
                found = await link.ask("tools/list", {}, 1, tell=tell)
            except LinkError as error:
                found = error
        return found, heard, opened
    finally:
        link.close()
        server.close()


@pytest.mark.parametrize(
    "answer",
    [
        http(GOOD),
        http(b"data: %s\n\n" % GOOD, kind=EVENTS),
        http(b": ping\r\n\r\nevent: message\r\ndata: %s\r\n\r\n" % GOOD, kind=EVENTS),
        chunked(b"da", b"ta: " + GOOD[:9], GOOD[9:] + b"\r", b"\n\r", b"\n"),
    ],
)
def test_a_result(answer: bytes) -> None:
    found, heard, _ = asyncio.run(outcome(answer))
    assert (found, heard) == ({"done": True}, [])


def test_what_comes_before_a_result() -> None:
    answer = chunked(b"data: %s\n\n" % NOTE, b"data: %s\n\ndata: %s\n\n" % (NOTE, GOOD))
    found, heard, _ = asyncio.run(outcome(answer))
    assert (found, heard) == ({"done": True}, ["notifications/progress"] * 2)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (http(WRONG), Refused),
        (http(WRONG, 404), Refused),
        (http(b"", 401), Undelivered),
        (http(GOOD, 403), Undelivered),
        (http(b"Not Found", 404), Undelivered),
        (http(b"<html>", 500), Lost),
        (http(b"<html>"), Lost),
        (http(b"[1]"), Lost),
        (http(message()), Lost),
        (http(message(result=7)), Lost),
        (http(message(id=2, result={})), Lost),
        (http(GOOD, size=len(GOOD) + 5) + b"HTTP", Lost),
        (http(b"data: %s\n\n" % NOTE, kind=EVENTS), Lost),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", Lost),
        (b"", Lost),
    ],
)
def test_no_result(answer: bytes, kind: type[LinkError]) -> None:
    found, _, _ = asyncio.run(outcome(answer))
    assert type(found) is kind, found


def test_connections_are_kept_while_they_are_good() -> None:
    second = http(message(id=2, result={"done": True}))
    assert asyncio.run(outcome(http(GOOD), second)) == ({"done": True}, [], 1)
    last = http(GOOD).replace(b"content-type", b"connection: close\r\ncontent-type")
    assert asyncio.run(outcome(last, second)) == ({"done": True}, [], 2)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://192.0.2.1:80/mcp", "not this machine's"),
        ("http://example.com/mcp", "not this machine's"),
        ("http://127.0.0.1.example.com:80/mcp", "not this machine's"),
        ("http://[broken/mcp", "not this machine's"),
        ("http://127.0.0.1:1/mcp", "does not answer"),
        ("http://127.0.0.1:none/mcp", "not this machine's"),
        ("", "not this machine's"),
    ],
)
def test_where_no_token_goes(url: str, why: str) -> None:
    with pytest.raises(Undelivered, match=why):
        asyncio.run(Link(url, "token").ask("tools/list", {}, 1))
