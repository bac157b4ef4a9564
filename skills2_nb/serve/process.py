"""A worker's process, as the server sees it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
import time
from pathlib import Path

from skills2_nb.library.activation import Contract
from skills2_nb.serve.frames import HEAD, MOST_BYTES, Message, packed, unpacked

#: Seconds that the import of a package may take, whatever its steps may.
IMPORT_SECONDS = 60.0
#: Seconds between two looks at a process's memory.
LOOK_SECONDS = 0.25
#: So many of the last bytes that it wrote past Python are kept, to tell how it died.
LAST_WORDS = 2_000
#: Seconds to wait for the end of what it wrote; one that left its group may hold the pipe.
_DRAIN_SECONDS = 0.5
_REAP_SECONDS = 0.005
_MB = 1024 * 1024


class BrokenPackage(Exception):
    """A package cannot be imported; the text is one sentence."""


class Process:
    """A process that a skill's steps run in, with everything that they start.

    Attributes:
        over: whether it was ended for its memory.
        used: when it last answered, by the monotonic clock.
    """

    def __init__(
        self, contract: Contract, process: asyncio.subprocess.Process, nonce: bytes
    ) -> None:
        self._contract = contract
        self._process = process
        self._nonce = nonce
        self._said = bytearray()
        self.over = False
        self.used = time.monotonic()
        self._draining = asyncio.ensure_future(self._drain())
        self._watching = asyncio.ensure_future(self._watch())

    @classmethod
    async def start(cls, contract: Contract) -> Process:
        """Start a process for a package; :meth:`greet` it before anything else.

        Raises:
            OSError: the system has no room for another process.
        """
        nonce = secrets.token_hex(16)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "skills2_nb.serve.worker",
            str(contract.card.folder),
            nonce,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
        )
        return cls(contract, process, nonce.encode("ascii"))

    async def greet(self) -> None:
        """Wait until the package is imported.

        Raises:
            BrokenPackage: it is not, and why.
        """
        runtime, name = self._contract.runtime, self._contract.name
        settings = {"memory_mb": runtime.memory_mb, "timeout": runtime.timeout}
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(IMPORT_SECONDS):
                await self._process.stdout.readuntil(self._nonce)
                reply = await self.ask(packed(settings))
        except TimeoutError:
            raise BrokenPackage(
                f"{name} does not import within {IMPORT_SECONDS:g} s; move slow work into a step"
            ) from None
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            await self.end()
            raise BrokenPackage(
                f"{name} ended its process while it was imported ({self.how()})"
            ) from None
        if "error" in reply:
            raise BrokenPackage(reply["error"]["message"])

    async def ask(self, data: bytes) -> Message:
        """The answer to a packed message.

        Raises:
            asyncio.IncompleteReadError: the process has gone.
            OSError: likewise.
        """
        given, told = self._process.stdin, self._process.stdout
        assert given is not None and told is not None
        given.write(data)
        await given.drain()
        (size,) = HEAD.unpack(await told.readexactly(HEAD.size))
        if size > MOST_BYTES:
            raise OSError("a step wrote to the pipe that its results go through")
        reply = unpacked(await told.readexactly(size))
        self.used = time.monotonic()
        return reply

    async def end(self) -> None:
        """Kill it with everything its steps started, and wait until it has gone."""
        self._kill()
        while self.is_alive:  # asyncio's own wait also waits for whoever left the group
            await asyncio.sleep(_REAP_SECONDS)
        self._watching.cancel()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._draining, _DRAIN_SECONDS)
        # asyncio has no public word for "done with": without it the pipes stay until collected.
        self._process._transport.close()  # type: ignore[attr-defined]

    @property
    def is_alive(self) -> bool:
        """Whether it still runs, as far as the loop has heard."""
        return self._process.returncode is None

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked: one that was killed while it waited hung up first."""
        assert self._process.stdout is not None
        return self.is_alive and not self._process.stdout.at_eof()

    def how(self) -> str:
        """How it ended, and the last line it wrote past Python."""
        code = self._process.returncode
        told = f"exit code {code}"
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                told = f"signal {signal.Signals(-code).name}"
        lines = self._said.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{told}, last words: {last[:300]}" if last else told

    async def _drain(self) -> None:
        """Take what is written past Python, so that nobody waits; keep the last of it."""
        stream = self._process.stderr
        assert stream is not None
        while data := await stream.read(64 * 1024):
            self._said += data
            del self._said[:-LAST_WORDS]

    async def _watch(self) -> None:
        """End it where it fills more memory than it may; say so where it has gone."""
        most = self._contract.runtime.memory_mb * _MB
        while self.is_alive:
            await asyncio.sleep(LOOK_SECONDS)
            if _resident(self._process.pid) > most:
                self.over = True
                self._kill()
        await asyncio.sleep(LOOK_SECONDS)  # for what it still had to say
        # A child that left the group holds the pipe open, and would keep its caller waiting.
        assert self._process.stdout is not None
        self._process.stdout.feed_eof()

    def _kill(self) -> None:
        """The group may outlive its first process."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:  # pragma: no cover - Windows
                self._process.kill()


def _resident(pid: int) -> int:
    """Bytes that a process fills; 0 where the system does not tell."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_bytes().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _environment() -> dict[str, str]:
    """The server's own, less its token; the kit is found where the server found it."""
    kept = {name: text for name, text in os.environ.items() if name != "SKILLS2_TOKEN"}
    root = Path(__file__).resolve().parents[2]
    # An installed kit is found without help; its folder must not come before the standard library.
    ours = [] if root.name in ("site-packages", "dist-packages") else [str(root)]
    paths = [*ours, *filter(None, [kept.get("PYTHONPATH")])]
    return kept | ({"PYTHONPATH": os.pathsep.join(paths)} if paths else {})
