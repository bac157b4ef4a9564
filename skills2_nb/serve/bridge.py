"""One address for an agent: kernels first, else packages."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.dependencies import get_context
from fastmcp.server.providers import Provider
from fastmcp.tools.base import Tool

from skills2_nb.library.activation import Card
from skills2_nb.library.catalog import Catalog
from skills2_nb.serve.desk import Desk
from skills2_nb.serve.frames import Message
from skills2_nb.serve.kernels import Kernels
from skills2_nb.serve.router import Carried, Router
from skills2_nb.serve.server import Options, Server
from skills2_nb.serve.sessions import TOOL_USE
from skills2_nb.serve.surface import once
from skills2_nb.serve.tools import ToolFacts

#: The request's own progress token, in Python and on the wire.
_TOKENS = ("progress_token", "progressToken")


class Bridge(Server):
    """A server whose skills run in the kernels that serve them, or from their packages.

    Attributes:
        kernels: those that run on this machine.
    """

    def __init__(self, catalog: Catalog, options: Options) -> None:
        self.kernels = Kernels(self.refresh, once(options.say))
        super().__init__(catalog, options)
        self.mcp.add_provider(_Known(self))

    def desk(self) -> Desk:
        """Where calls come in, and go on from."""
        return Router(
            self.catalog,
            self._pool,
            self._options.judge,
            scripts=self._options.scripts,
            say=self._say,
            kernels=self.kernels,
            carried=_carried,
        )

    def beside(self) -> Mapping[str, Sequence[ToolFacts]]:
        """The tools of the skills that kernels serve."""
        return self.kernels.listed({card.name for card in self.catalog.cards})

    def cards(self) -> Sequence[Card]:
        """The skills of kernels, then those of packages."""
        live = self.kernels.cards()
        names = {card.name for card in live}
        return [*live, *(card for card in self.catalog.cards if card.name not in names)]

    @contextlib.asynccontextmanager
    async def _life(self, app: FastMCP[Any]) -> AsyncIterator[None]:
        async with super()._life(app):
            watch = asyncio.ensure_future(self.kernels.watch())
            try:
                yield
            finally:
                watch.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await watch


class _Known(Provider):
    """Tools that a kernel has listed once: a call of one is answered after it has gone, too."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge

    async def _get_tool(self, name: str, version: Any = None) -> Tool | None:
        kernels = self._bridge.kernels
        if name not in kernels.known:  # the first call may come before the first look
            await kernels.settled()
        facts = kernels.known.get(name)
        return None if facts is None else self._bridge.tool(facts)


def _carried() -> Carried:
    """What the request that is being answered takes along."""
    context = get_context().request_context
    if context is None:
        return Carried()
    given: Mapping[str, Any] = context.meta or {}
    meta = {TOOL_USE: given[TOOL_USE]} if TOOL_USE in given else {}
    token = next((given[name] for name in _TOKENS if given.get(name) is not None), None)
    if token is None:
        return Carried(meta)

    async def tell(message: Message) -> None:
        facts = message.get("params")
        if message.get("method") != "notifications/progress" or not isinstance(facts, dict):
            return
        done, total, said = (facts.get(name) for name in ("progress", "total", "message"))
        if isinstance(done, (int, float)):
            await context.session.report_progress(
                done,
                total if isinstance(total, (int, float)) else None,
                said if isinstance(said, str) else None,
            )

    return Carried({**meta, "progressToken": token}, tell)
