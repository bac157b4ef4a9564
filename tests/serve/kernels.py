"""Stand-ins for kernels: servers of other code, registered as a kernel registers itself."""

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from tests.serve.packages import SUMS, write_package
from tests.serve.servers import TOKEN, Served, http_server

#: The same skill as its author has it now: one more step, and another result.
LIVE = (
    SUMS.replace("gives a total of", "gives, live,")
    + '''
@step(required=False)
def doubled(total: int) -> Sum:
    """Twice as much."""
    return Sum(total=2 * total)
'''
)


def register(runtime: Path, url: str, pid: int, **facts: Any) -> Path:
    """Write a registration by hand, as the page of the format has it."""
    runtime.mkdir(parents=True, exist_ok=True)
    path = runtime / f"skills2-{pid}-{url.rpartition(':')[2].partition('/')[0]}.json"
    whole = {
        "v": 1,
        "host": socket.gethostname(),
        "pid": pid,
        "url": url,
        "token": TOKEN,
        "skills": ["sums"],
        "notebook": "/home/ana/sums.ipynb",
        "kernel": None,
        "started": "2026-03-01T09:15:22.000000Z",
    }
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(whole | facts))
    draft.replace(path)
    return path


@contextlib.contextmanager
def live(base: Path, home: Path, runtime: Path, code: str = LIVE, **facts: Any) -> Iterator[Served]:
    """A server of other code than the package's, registered until the block ends."""
    write_package(base / "live", "sums", code)
    with http_server(base / "live", home) as served:
        path = register(runtime, served.url, served.process.pid, **facts)
        try:
            yield served
        finally:
            path.unlink(missing_ok=True)


def _tool(verb: str) -> dict[str, Any]:
    meta = {"skills2/skill": "sums", "skills2/verb": verb}
    return {"name": f"sums__{verb}", "inputSchema": {"type": "object"}, "_meta": meta}


VERBS = ("start_run", "add", "tell", "end_run", "audit_run")


class Fake:
    """A server that behaves as it is told, request by request.

    Attributes:
        does: what it does with calls of steps: `answer`, `close`, `hang`, `garbage`, `refuse`.
        asked: the requests it got, as method or tool, with their `_meta`.
        dropped: set once a caller has gone before it was answered.
    """

    def __init__(self, does: str = "answer", *, everything: bool = False) -> None:
        self.does = does
        self.everything = everything
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.dropped = asyncio.Event()
        self.url = ""

    @property
    def called(self) -> list[str]:
        """The tools that were called, but for the listing of skills."""
        return [name for name, _ in self.asked if "/" not in name and name != "list_skills"]

    @contextlib.asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator["Fake"]:
        server = await asyncio.start_server(self._meet, "127.0.0.1", port)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        try:
            yield self
        finally:
            server.close()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        size = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        message = json.loads(await reader.readexactly(size))
        method, params = message["method"], message["params"]
        name = params.get("name", method)
        self.asked.append((name, params["_meta"]))
        is_step = method == "tools/call" and name != "list_skills"
        does = self.does if is_step or self.everything else "answer"
        if does == "close":
            return False
        if does == "hang" or method == "subscriptions/listen":
            await reader.read(1)
            self.dropped.set()
            return False
        if does == "refuse":
            writer.write(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n")
        elif does == "babble":
            writer.write(b"220 mail.example ESMTP\r\n\r\n")
        elif does == "garbage":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")
        else:
            self._answer(writer, message["id"], self._result(method, name), params["_meta"])
        await writer.drain()
        return True

    def _result(self, method: str, name: str) -> dict[str, Any]:
        if method == "tools/list":
            return {"tools": [_tool(verb) for verb in VERBS]}
        if method == "server/discover":
            return {}
        body: dict[str, Any] = {"total": 7, "run_id": "20260301-091522-5f0c9a1e", "next": []}
        if name == "list_skills":
            body = {"skills": [{"name": "sums", "description": "Adds up.", "timeout": 0.2}]}
        return {"content": [{"type": "text", "text": json.dumps(body)}], "structuredContent": body}

    def _answer(
        self, writer: asyncio.StreamWriter, id: int, result: dict[str, Any], meta: dict[str, Any]
    ) -> None:
        answer = json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()
        kind = b"application/json"
        if "progressToken" in meta:  # as a server does that streams its answers
            facts = {"progressToken": meta["progressToken"], "progress": 1, "total": 2}
            note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": facts}
            answer = b"data: %s\r\n\r\ndata: %s\r\n\r\n" % (json.dumps(note).encode(), answer)
            kind = b"text/event-stream"
        head = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n"
        writer.write(head % (kind, len(answer)) + answer)


def registered_fake(runtime: Path, fake: Fake, **facts: Any) -> Path:
    """Register a fake under a process that runs: this one."""
    return register(runtime, fake.url, facts.pop("pid", os.getpid()), **facts)
