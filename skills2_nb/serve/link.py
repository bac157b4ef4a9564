"""Requests to a server, and what became of them.

One JSON-RPC message a request, in MCP's revision of 2026-07-28, over loopback connections that
are kept.
What a caller has to know of a request that failed is whether the other side may have done it:
:class:`Undelivered` says it has not, :class:`Lost` that nobody knows.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import select
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import h11

from skills2_nb.serve.frames import MOST_BYTES, Message

#: Seconds for a connection to come about.
CONNECT_SECONDS = 1.0
REVISION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "skills2 connect", "version": "1"},
}
_CHUNK = 65_536

#: Is told of each message that comes before the answer.
Tell = Callable[[Message], Awaitable[None]]


class LinkError(Exception):
    """A request without an answer; its text goes on from "the kernel of x …"."""


class Undelivered(LinkError):
    """Nothing was done: there is no connection, or the request was turned away."""


class Lost(LinkError):
    """The request was sent, and whether it was carried out is not known."""


class Refused(LinkError):
    """The server answered with an error of the protocol, and did nothing.

    Attributes:
        code: of JSON-RPC.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"answers: {message}")
        self.code = code


class Link:
    """The kept connections to a server.

    Args:
        url: where it answers, on this machine.
        token: what it asks for.
    """

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token
        self._idle: list[_Wire] = []
        self._number = 0

    async def ask(
        self,
        method: str,
        params: Mapping[str, Any],
        seconds: float | None,
        *,
        meta: Mapping[str, Any] | None = None,
        tell: Tell | None = None,
    ) -> Message:
        """Send a request and wait for its result.

        Args:
            seconds: for the answer, once there is a connection; None waits for ever.
            meta: goes into the request's ``_meta``.
            tell: is told of notifications that come before the answer.

        Raises:
            Undelivered: the server has not got it, or has turned it away.
            Refused: the server answered with an error.
            Lost: it was sent, and no answer came that is one.
        """
        self._number += 1
        whole = {**params, "_meta": {**_META, **(meta or {})}}
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": whole}
        body = json.dumps(message).encode()
        wire = await self._wire()
        head = self._head(method, params)
        try:
            async with asyncio.timeout(seconds):
                await wire.send(head, body)
                answer = await wire.receive()
                while "method" in answer:
                    if tell is not None:
                        await tell(answer)
                    answer = await wire.receive()
                await wire.finish()
        except TimeoutError:
            raise Lost(f"does not answer within {seconds:g} s") from None
        except (OSError, h11.RemoteProtocolError) as error:
            raise Lost("broke the connection before it answered") from error
        finally:
            if wire.is_done:
                self._idle.append(wire)
            else:
                wire.close()
        if answer.get("id") not in (None, message["id"]):
            raise Lost("answers to something else")
        return _result(answer)

    def close(self) -> None:
        """Let the connections go that nobody uses."""
        while self._idle:
            self._idle.pop().close()

    async def _wire(self) -> _Wire:
        while self._idle:
            wire = self._idle.pop()
            if not wire.is_stale:
                return wire
            wire.close()
        host, port = self._place()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return _Wire(*await asyncio.open_connection(host, port))
        except TimeoutError:
            raise Undelivered("does not answer") from None
        except OSError as error:
            raise Undelivered("does not answer") from error

    def _place(self) -> tuple[str, int]:
        """Host and port; a token goes to this machine alone."""
        try:
            parts = urlsplit(self._url)
            host, port = parts.hostname or "", parts.port or 0
            inside = host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            inside = False
        if not inside:
            raise Undelivered(f"gives an address that is not this machine's ({self._url[:80]})")
        return host, port

    def _head(self, method: str, params: Mapping[str, Any]) -> list[tuple[str, str]]:
        parts = urlsplit(self._url)
        named = [("Mcp-Name", str(params["name"]))] if "name" in params else []
        return [
            (":path", parts.path or "/"),
            ("Host", parts.netloc),
            ("Authorization", f"Bearer {self._token}"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", REVISION),
            ("Mcp-Method", method),
            *named,
        ]


class _Wire:
    """One connection, for one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._state = h11.Connection(h11.CLIENT)
        self._status = 0
        self._is_stream = False
        self._rest = b""
        self.is_done = False

    @property
    def is_stale(self) -> bool:
        """Whether the other side has closed it, or said what nobody asked for."""
        place = self._writer.get_extra_info("socket")
        if self._writer.is_closing() or self._reader.at_eof() or place is None:
            return True
        return bool(select.select([place], [], [], 0)[0])

    def close(self) -> None:
        """Let it go."""
        with contextlib.suppress(OSError, RuntimeError):  # the loop may have ended
            self._writer.close()

    async def send(self, head: Sequence[tuple[str, str]], body: bytes) -> None:
        """Send a request and wait for the head of its answer.

        Args:
            head: the path as ``:path``, then the headers.
        """
        self.is_done = False
        (_, path), *headers = head
        headers.append(("Content-Length", str(len(body))))
        request = h11.Request(method="POST", target=path, headers=headers)
        events = (request, h11.Data(data=body), h11.EndOfMessage())
        self._writer.write(b"".join(self._state.send(event) or b"" for event in events))
        await self._writer.drain()
        answer = await self._next()
        if not isinstance(answer, h11.Response):
            raise Lost("broke the connection before it answered")
        kind = dict(answer.headers).get(b"content-type", b"").partition(b";")[0]
        self._status = answer.status_code
        self._is_stream = self._status == 200 and kind == b"text/event-stream"
        self._rest = b""

    async def receive(self) -> Message:
        """The next message of the answer.

        Raises:
            LinkError: there is none.
        """
        if self._is_stream:
            return await self._event()
        whole = bytearray()
        while part := await self._part(len(whole)):
            whole += part
        return _judged(self._status, bytes(whole))

    async def finish(self) -> None:
        """Read to the end of the answer, so that the connection may be used again."""
        while self._state.their_state is h11.SEND_BODY:
            await self._part(0)
        if self._state.states == {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}:
            self._state.start_next_cycle()
            self.is_done = True

    async def _event(self) -> Message:
        """The next message of a stream of events."""
        while True:
            event, mark, rest = self._rest.replace(b"\r\n", b"\n").partition(b"\n\n")
            if mark:
                self._rest = rest
                lines = [line[5:].strip() for line in event.split(b"\n") if line[:5] == b"data:"]
                if any(lines):
                    return _message(b"\n".join(lines))
                continue
            part = await self._part(len(self._rest))
            if not part:
                raise Lost("ended its answer before the result")
            self._rest += part

    async def _part(self, before: int) -> bytes:
        """The next bytes of the answer's body; none at its end."""
        if before > MOST_BYTES:
            raise Lost("answers with more than can be taken")
        event = await self._next()
        if isinstance(event, h11.EndOfMessage):
            return b""
        if not isinstance(event, h11.Data):
            raise Lost("broke the connection within its answer")
        return bytes(event.data)

    async def _next(self) -> Any:
        while (event := self._state.next_event()) is h11.NEED_DATA:
            self._state.receive_data(await self._reader.read(_CHUNK))
        return event


def _judged(status: int, body: bytes) -> Message:
    """The message of an answer, or what its status says of the request."""
    if status in (401, 403, 421):
        raise Undelivered(f"turns its caller away ({status})")
    try:
        return _message(body)
    except Lost:
        if 400 <= status < 500:
            raise Undelivered(f"turns its caller away ({status})") from None
        raise


def _message(body: bytes) -> Message:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Lost("answers with something that is no MCP")
    return value


def _result(message: Message) -> Message:
    error, result = message.get("error"), message.get("result")
    if isinstance(error, dict):
        code = error.get("code")
        raise Refused(code if isinstance(code, int) else 0, str(error.get("message"))[:400])
    if not isinstance(result, dict):
        raise Lost("answers with something that is no MCP")
    return result
