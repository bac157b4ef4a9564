"""The ways to a server: two pipes, or a loopback port."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import io
import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any, TextIO

from skills2_nb.errors import SetupError, UsageError

PATH = "/mcp"
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True)
class Address:
    """Where a server listens.

    Attributes:
        host: as it was given; IPv6 without brackets.
        port: 0 for a free one.
    """

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """``HOST:PORT``, ``:PORT`` or ``PORT``; the host is loopback where none is given.

        Raises:
            UsageError: it is none of these.
        """
        host, _, port = text.rpartition(":")
        if not (port.isascii() and port.isdigit()) or int(port) > 65_535:
            raise UsageError(
                f"{text!r} is no HOST:PORT; write 127.0.0.1:8765, or :0 for a free one"
            )
        return cls(host.strip("[]") or "127.0.0.1", int(port))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def bound(self) -> socket.socket:
        """A socket that listens there.

        Raises:
            SetupError: the port is taken or the host is not this machine's.
        """
        try:
            family, _, _, _, place = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            # The protocol is said so that asyncio sends at once: else each answer waits 40 ms.
            made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        except OSError as error:
            raise self._refused(error) from error
        try:
            if os.name == "posix":  # elsewhere it would share the port with whoever has it
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(place)
            made.listen(128)
        except OSError as error:
            made.close()
            raise self._refused(error) from error
        return made

    def _refused(self, error: OSError) -> SetupError:
        return SetupError(
            f"{self.host}:{self.port} cannot be listened at ({error.strerror}); choose another "
            "port, or 0 for a free one"
        )


def url(host: str, port: int) -> str:
    """The address that a client is given."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}{PATH}"


class Token:
    """Lets requests through that bear the token.

    Args:
        app: what answers them.
        token: the secret; it is kept as a digest.
    """

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._digest = _digest(token.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or 401."""
        if scope["type"] != "http" or self._is_let(scope):
            await self._app(scope, receive, send)
            return
        head = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 401, "headers": head})
        await send({"type": "http.response.body", "body": b"A bearer token is needed.\n"})

    def _is_let(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(b" ")
        # Digests are of one length, so that comparing them tells nothing of the token.
        return scheme.lower() == b"bearer" and hmac.compare_digest(_digest(token), self._digest)


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


@contextlib.contextmanager
def pipes() -> Iterator[tuple[TextIO, TextIO]]:
    """This process's stdin and stdout for the protocol alone.

    Nothing else reads the one or writes to the other any more: descriptor 0 is empty, and what
    libraries and children print on 1 goes to stderr, before and after as well as meanwhile.
    """
    given, told = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    sys.stdout.flush()
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    sys.stdout = sys.stderr
    yield (
        io.TextIOWrapper(os.fdopen(given, "rb"), encoding="utf-8", errors="replace"),
        io.TextIOWrapper(os.fdopen(told, "wb"), encoding="utf-8", newline="\n"),
    )


async def until_told(work: Awaitable[None], close: Callable[[], Awaitable[None]]) -> None:
    """Do the work until it ends, or end this process when a signal says stop.

    Args:
        work: serves.
        close: ends what has to be ended when a signal came.
    """
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    code = 0

    def stop(number: int) -> None:
        nonlocal code
        code = 130 if number == signal.SIGINT else 0
        told.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C raises KeyboardInterrupt
            loop.add_signal_handler(number, stop, number)
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(told.wait())
    await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if task.done():
        return task.result()
    await close()
    sys.stderr.flush()
    os._exit(code)  # a thread waits for the client's next line, and nothing can wake it
