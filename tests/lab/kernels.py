"""Real kernels, and clients of what they serve."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from jupyter_client import KernelManager
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from skills2_nb.serve.registry import Entry, registered


@dataclass
class Shown:
    """What came of a cell: printed text, bundles and errors, and bundles shown anew."""

    text: str = ""
    data: list[dict[str, Any]] = field(default_factory=list)
    updates: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None

    @property
    def plain(self) -> str:
        return "\n".join(item["text/plain"] for item in self.data)


class Kernel:
    """A kernel in which the code cells of a notebook were run."""

    def __init__(self, notebook: Path, *, first: str = "") -> None:
        self.notebook = notebook
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=str(notebook.parent))
        self.connect(first)

    def connect(self, first: str = "") -> None:
        """Go on with a kernel that has just begun."""
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        for code in ("%load_ext skills2_nb", first, *self.cells()):
            assert self.run(code).error is None

    def cells(self) -> list[str]:
        """The notebook's code but its cases."""
        cells = json.loads(self.notebook.read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        skipped = {"cases", "skip"}
        kept = [cell for cell in code if not skipped & set(cell["metadata"].get("tags", ()))]
        return ["".join(cell["source"]) for cell in kept]

    def send(self, code: str) -> str:
        """Begin a cell and give the message's id."""
        return str(self.client.execute(code))

    def get(self, sent: str) -> Shown:
        """Wait for a cell to end."""
        shown = Shown()
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            own = message["parent_header"].get("msg_id") == sent
            self.take(message, shown)
            if own and message["content"].get("execution_state") == "idle":
                return shown

    def take(self, message: Any, shown: Shown) -> None:
        """Note what a message shows."""
        content, kind = message["content"], message["msg_type"]
        if kind == "stream":
            shown.text += content["text"]
        elif kind in ("display_data", "execute_result"):
            shown.data.append(content["data"])
        elif kind == "update_display_data":
            shown.updates.append(content)
        elif kind == "error":
            shown.error = f"{content['ename']}: {content['evalue']}"

    def run(self, code: str) -> Shown:
        """Run a cell."""
        return self.get(self.send(code))

    def value(self, code: str) -> str:
        """What a cell shows as its value."""
        shown = self.run(code)
        assert shown.error is None, shown
        return shown.plain

    def until(self, what: Any, seconds: float = 10) -> Shown:
        """Take messages of no cell until they show what is waited for."""
        shown, end = Shown(), time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(Exception):
                self.take(self.client.get_iopub_msg(timeout=0.2), shown)
            if what(shown):
                return shown
        raise AssertionError(shown)

    def serve(self, words: str = "") -> tuple[Entry, Shown]:
        """`%skills2 serve`, and its registration."""
        shown = self.run(f"%skills2 serve {words}")
        assert shown.error is None and shown.data, shown
        pid = int(self.value("import os; os.getpid()"))
        (entry,) = [entry for entry in registered() if entry.pid == pid]
        return entry, shown

    def restart(self) -> None:
        self.client.stop_channels()
        self.manager.restart_kernel(now=True)
        self.connect()

    def close(self, *, now: bool = True) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=now)


@contextlib.contextmanager
def kernel(notebook: Path, **options: Any) -> Iterator[Kernel]:
    """A kernel until the block ends."""
    made = Kernel(notebook, **options)
    try:
        yield made
    finally:
        made.close()


@contextlib.asynccontextmanager
async def client(entry: Entry, mode: Any = "auto") -> AsyncIterator[Client]:
    """A client of a kernel's server, with its token."""
    given = {"Authorization": f"Bearer {entry.token}"}
    async with httpx2.AsyncClient(headers=given, timeout=60) as web:
        link = streamable_http_client(entry.url, http_client=web)
        async with Client(link, mode=mode) as made:
            yield made


class Caller:
    """Calls the tools of one skill, as a session that a bridge names."""

    def __init__(self, client: Client, skill: str, session: str | None = None) -> None:
        self.client = client
        self.skill = skill
        self.meta = {"skills2/session": session or f"session-{os.urandom(4).hex()}"}

    async def __call__(self, verb: str, **arguments: Any) -> Any:
        name = verb if "__" in verb else f"{self.skill}__{verb}"
        return await self.client.call_tool(name, arguments, meta=self.meta)

    async def good(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """A call that succeeds."""
        done = await self(verb, **arguments)
        assert not done.is_error, done.structured_content
        return dict(done.structured_content)

    async def bad(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """A call that is refused."""
        done = await self(verb, **arguments)
        assert done.is_error, done.structured_content
        return dict(done.structured_content)
