"""The MCP server: tools, resources and notifications."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO, cast

import anyio
import uvicorn
from fastmcp import FastMCP
from fastmcp.server.context import reset_transport, set_transport
from fastmcp.server.dependencies import get_context
from fastmcp.skills import Skill as McpSkill
from fastmcp.skills.provider import SkillFileResource, SkillManifestProvider
from fastmcp.skills.skill import SkillManifest
from fastmcp.tools.base import Tool, ToolResult
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ToolsListChanged,
)
from mcp_types import (
    CLIENT_INFO_META_KEY,
    PaginatedRequestParams,
    SubscriptionsListenRequestParams,
    TextContent,
)
from mcp_types import ToolAnnotations as Annotations
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect

from skills2_nb.library import resources
from skills2_nb.library.activation import Card
from skills2_nb.library.catalog import Catalog
from skills2_nb.serve import reading, tools
from skills2_nb.serve.backend import Backends, Skills
from skills2_nb.serve.calls import Judge
from skills2_nb.serve.desk import Desk
from skills2_nb.serve.pool import Pool
from skills2_nb.serve.replies import Reply, refused, sendable
from skills2_nb.serve.sessions import Transport, session_of
from skills2_nb.serve.surface import Surface, once
from skills2_nb.serve.tools import SKILL, VERB, ToolFacts
from skills2_nb.serve.transports import PATH, Token

#: Seconds between two looks at the roots.
WATCH_SECONDS = 1.0
#: Seconds for which a client may keep a list that nobody said has changed.
KEPT_SECONDS = 1
#: Seconds that requests have to come to their end when the server stops.
GRACE_SECONDS = 2
SESSION_HEADER = "mcp-session-id"


@dataclass(frozen=True)
class Options:
    """How a server serves.

    Attributes:
        judge: audits a run.
        transport: whose process this is.
        lazy: whether to list the fixed surface only.
        scripts: runs a skill's scripts; None where that is not allowed.
        say: takes a sentence for whoever looks after the server.
        watch: whether to look for packages that come, go or change.
        alone: whether this is the server of a plugin that holds one skill: it goes by the short
            name ``s``, and its tools by their steps' ids.
    """

    judge: Judge
    transport: Transport = field(default_factory=Transport)
    lazy: bool = False
    scripts: reading.Scripts | None = None
    say: Callable[[str], None] = lambda sentence: None
    watch: bool = True
    alone: bool = False


class SkillTool(Tool):
    """A tool whose call the desk answers; it validates nothing, the contract does."""

    facts: Any
    owner: Any

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Answer a call."""
        reply = sendable(await cast("Server", self.owner).answer(self.facts, arguments))
        return ToolResult(
            content=[TextContent(type="text", text=reply.text)],
            structured_content=reply.body,
            meta=reply.meta or None,
            is_error=reply.failed,
        )


class Server:
    """The skills of a catalog over MCP.

    Attributes:
        mcp: the server as FastMCP has it, for any transport.
        surface: what is listed.
    """

    def __init__(self, catalog: Skills, options: Options, pool: Backends | None = None) -> None:
        self.catalog = catalog
        self._say = once(options.say)
        self.surface = Surface(
            catalog,
            lazy=options.lazy,
            scripts=options.scripts is not None,
            say=self._say,
            beside=self.beside,
            alone=options.alone,
        )
        self._options = options
        self._pool: Backends = Pool() if pool is None else pool
        self._web: uvicorn.Server | None = None
        self._desk = self.desk()
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._legacy: dict[int, Any] = {}
        self.mcp = self._made()
        self._apply()

    async def answer(self, facts: ToolFacts, arguments: dict[str, Any]) -> Reply:
        """Answer a call of a tool, in the session that its request belongs to."""
        context = get_context().request_context
        meta: Mapping[str, Any] = (context.meta if context else None) or {}
        request = context.request if context else None
        header = request.headers.get(SESSION_HEADER) if request is not None else None
        session = session_of(meta, header, self._options.transport)
        before = len(self._desk.activated)
        try:
            reply = await self._desk.answer(facts.skill, facts.verb, arguments, session)
        except Exception as error:  # a fault of the kit's own ends no server
            logging.getLogger(__name__).exception("a call of %s failed", facts.name)
            return refused("fault", f"skills2 met a fault of its own ({type(error).__name__})")
        if len(self._desk.activated) != before and self._options.transport.session is not None:
            await self.refresh()
        return reply

    def desk(self) -> Desk:
        """Where calls come in."""
        options = self._options
        return Desk(
            self.catalog,
            self._pool,
            options.judge,
            scripts=options.scripts,
            say=self._say,
            alone=options.alone,
        )

    def client(self) -> str:
        """What the client of the call being answered goes by; empty where it says nothing."""
        context = get_context().request_context
        told = ((context.meta if context else None) or {}).get(CLIENT_INFO_META_KEY)
        named = told.get("name") if isinstance(told, dict) else None
        request = context.request if context else None
        return str(named or (request.headers.get("user-agent", "") if request is not None else ""))

    def beside(self) -> Mapping[str, Sequence[ToolFacts]]:
        """The tools of skills that are served elsewhere, in the place of their packages'."""
        return {}

    def cards(self) -> Sequence[Card]:
        """What clients are told of the skills before they ask."""
        return self.catalog.cards

    async def refresh(self) -> bool:
        """List what is there now; whether that has changed, in which case clients are told."""
        if not self._apply():
            return False
        await self._bus.publish(ToolsListChanged())
        await self._bus.publish(ResourcesListChanged())
        for session in list(self._legacy.values()):
            with contextlib.suppress(Exception):  # a client that has gone
                await session.send_tool_list_changed()
        return True

    def _apply(self) -> bool:
        activated = self._desk.activated if self._options.transport.session is not None else set()
        change = self.surface.change(set(activated))
        self._desk.lazy = self.surface.lazy
        for name in change.gone:
            self.mcp.local_provider.remove_tool(name)
        for facts in change.fresh:
            self.mcp.add_tool(self.tool(facts))
        alone, lazy = self._options.alone, self.surface.lazy
        self.mcp.instructions = tools.instructions(self.cards(), lazy=lazy, alone=alone)
        return bool(change)

    def tool(self, facts: ToolFacts) -> SkillTool:
        """A tool as FastMCP has it."""
        return SkillTool(
            name=facts.name,
            title=facts.title,
            description=facts.description,
            parameters=facts.input,
            output_schema=facts.output,
            annotations=Annotations.model_validate(dict(facts.hints)),
            meta={SKILL: facts.skill, VERB: facts.verb},
            facts=facts,
            owner=self,
        )

    def _made(self) -> FastMCP[Any]:
        made = FastMCP(
            tools.ALONE if self._options.alone else tools.SERVER,
            version=version("skills2-nb"),
            lifespan=self._life,
            on_duplicate="replace",
            mask_error_details=True,
            dereference_schemas=False,
            cache_ttl=KEPT_SECONDS,
            cache_scope="private",
        )
        if isinstance(self.catalog, Catalog):  # a kernel's skill has no folder of files
            made.add_provider(_Skills(self.catalog, self._say))
        # FastMCP serves no `subscriptions/listen`; this is the one private door to the server
        # below it that does.
        inner = made._mcp_server
        inner.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, self._listen
        )
        inner.add_request_handler("tools/list", PaginatedRequestParams, self._listing)
        return made

    async def _listing(
        self, context: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None
    ) -> Any:
        """List the tools, and note an older client that is to be told of a change."""
        if self._options.transport.session is not None:
            self._legacy[id(context.session._connection)] = context.session
        return await self.mcp._on_list_tools(context, params)

    @contextlib.asynccontextmanager
    async def _life(self, _: FastMCP[Any]) -> AsyncIterator[None]:
        watch = asyncio.ensure_future(self._watch()) if self._options.watch else None
        try:
            yield
        finally:
            if watch is not None:
                watch.cancel()
            self._listen.close()
            self._legacy.clear()
            await self._pool.close()

    async def _watch(self) -> None:
        """List anew when packages come, go or are exported again."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                if await asyncio.to_thread(self.catalog.refresh):
                    self._pool.keep({card.name for card in self.catalog.cards})
                    await self.refresh()
            except Exception:
                logging.getLogger(__name__).exception("the roots cannot be looked at")

    async def over_pipes(self, given: TextIO, told: TextIO) -> None:
        """Serve the one client at the other end of two pipes, until it has gone."""
        inner = self.mcp._mcp_server
        token = set_transport("stdio")
        try:
            async with (
                self.mcp._lifespan_manager(),
                stdio_server(anyio.wrap_file(given), anyio.wrap_file(told)) as (read, write),
            ):
                await inner.run(read, write, inner.create_initialization_options())
        finally:
            reset_transport(token)

    async def over_http(
        self, listening: socket.socket, token: str | None, hosts: Sequence[str] = ()
    ) -> None:
        """Serve any number of clients on a socket, until a signal or :meth:`stop` ends it.

        Args:
            listening: bound.
            token: what each request has to bear; None lets everybody in.
            hosts: names that a ``Host`` header may say beside the machine's own.
        """
        logging.getLogger("mcp.server.streamable_http").addFilter(_is_news)
        app = self.mcp.http_app(
            path=PATH,
            middleware=[Middleware(Token, token=token)] if token is not None else [],
            stateless_http=True,
            json_response=True,
            host_origin_protection=True,
            allowed_hosts=list(hosts),
        )
        config = uvicorn.Config(
            app,
            lifespan="on",
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
            log_config=None,
            log_level="critical",  # it would tell of each request it cuts short, in fifty lines
            access_log=False,
        )
        self._web = uvicorn.Server(config)
        await self._web.serve(sockets=[listening])

    @property
    def is_up(self) -> bool:
        """Whether clients over HTTP are being answered."""
        return self._web is not None and self._web.started

    def stop(self) -> None:
        """End :meth:`over_http`; called on the server's loop."""
        self._listen.close()
        if self._web is not None:
            self._web.should_exit = True

    async def close(self) -> None:
        """End the workers, whatever they do."""
        await self._pool.close()


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a line is worth its place: that a client hung up while it spoke is not."""
    return record.exc_info is None or not isinstance(record.exc_info[1], ClientDisconnect)


class _Skills(SkillManifestProvider):
    """The packages as MCP skills (SEP-2640); a folder that is none is skipped with a warning."""

    def __init__(self, catalog: Catalog, say: Callable[[str], None]) -> None:
        super().__init__()
        self._catalog = catalog
        self._say = say
        self._known: dict[Path, tuple[Any, SkillManifest | None]] = {}

    async def load_manifests(self) -> Mapping[str, SkillManifest]:
        """Digests and sizes of every file, read once an export."""
        return await asyncio.to_thread(self._manifests)

    async def read_file(self, resource: SkillFileResource) -> bytes:
        """A file's bytes, from within the skill's folder alone."""
        folder = next(c.folder for c in self._catalog.cards if c.name == resource.skill_path)
        most = max(resource.file.size, 1)
        return resources.read(folder, resource.file_path, most=most).data

    def _manifests(self) -> dict[str, SkillManifest]:
        found = {}
        for card in self._catalog.cards:
            mark = self._catalog.mark(card.name)
            known = self._known.get(card.folder)
            if known is None or known[0] != mark:
                known = self._known[card.folder] = (mark, self._manifest(card.folder))
            if known[1] is not None:
                found[card.name] = known[1]
        return found

    def _manifest(self, folder: Path) -> SkillManifest | None:
        try:
            return McpSkill.from_directory(folder).manifest
        except (OSError, ValueError) as error:
            reason = str(error).split("\n", 1)[0]
            self._say(f"{folder.name} is not listed as an MCP skill: {reason}")
            return None
