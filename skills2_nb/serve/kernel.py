"""A running kernel that serves skills, as its callers see it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skills2_nb.serve import tools
from skills2_nb.serve.frames import Message
from skills2_nb.serve.link import Link, Lost, Refused, Tell, Undelivered
from skills2_nb.serve.registry import Entry
from skills2_nb.serve.replies import Reply, refused
from skills2_nb.serve.tools import SKILL, VERB, ToolFacts

#: Seconds for a kernel to say what it serves, or that it is there at all.
LIST_SECONDS = 2.0
#: A kernel that was not heard of for so many seconds is asked whether it is there before a call.
FRESH_SECONDS = 1.0
#: A call is waited for so many seconds longer than its step may take.
SPARE_SECONDS = 5.0
#: What a step may take where its kernel does not say.
STEP_SECONDS = 60.0
#: Seconds that an audit may take.
AUDIT_SECONDS = 300.0
_MOST_PAGES = 20
_LISTEN = {"notifications": {"toolsListChanged": True}}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_OWN = "io.modelcontextprotocol/"


class Kernel:
    """The server of one running kernel.

    Attributes:
        entry: how it is registered.
        answers: whether it answered when it was last asked.
        why: what it did instead, as the end of a sentence.
        tools: what it listed last, by skill.
        summaries: what it says of its skills, by name.
        asked: set once it is known whether it answers.
    """

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.answers = False
        self.why = "does not answer"
        self.tools: dict[str, tuple[ToolFacts, ...]] = {}
        self.summaries: dict[str, dict[str, Any]] = {}
        self.asked = asyncio.Event()
        self._link = Link(entry.url, entry.token)
        self._heard = 0.0

    @property
    def told(self) -> str:
        """What a reader knows it by."""
        if self.entry.notebook:
            return f"the kernel of {Path(self.entry.notebook).name}"
        return f"the kernel with process id {self.entry.pid}"

    @property
    def skills(self) -> frozenset[str]:
        """The skills it serves, or says that it does."""
        return frozenset(self.entry.skills) | self.tools.keys()

    def moved(self, entry: Entry) -> None:
        """Its address, its token or its skills are others now."""
        self.close()
        self.entry = entry
        self._link = Link(entry.url, entry.token)
        self._heard = 0.0

    def close(self) -> None:
        """Let its connections go."""
        self._link.close()

    async def look(self) -> None:
        """Ask what it serves.

        Raises:
            LinkError: it does not say.
        """
        found: dict[str, list[ToolFacts]] = {}
        for tool in await self._listed():
            facts = _facts(tool)
            if facts is not None:
                found.setdefault(facts.skill, []).append(facts)
        params = {"name": "list_skills", "arguments": {}}
        listed = _reply(await self._asked("tools/call", params, LIST_SECONDS)).body
        self.summaries = _summaries(listed.get("skills"))
        self.tools = {skill: tuple(facts) for skill, facts in found.items()}

    async def listen(self, tell: Tell) -> None:
        """Tell of its notifications, the first of which says that it listens, until it ends.

        Raises:
            LinkError: it does not listen, or has gone.
        """
        await self._link.ask("subscriptions/listen", _LISTEN, None, tell=tell)

    async def call(
        self,
        skill: str,
        verb: str,
        arguments: Mapping[str, Any],
        meta: Mapping[str, Any],
        tell: Tell | None,
    ) -> Reply:
        """Call a tool of a skill; of none, a global one.

        Raises:
            Undelivered: nothing was done.
            Lost: whether it was done is not known.
        """
        if time.monotonic() - self._heard > FRESH_SECONDS:
            await self._greet()
        name = tools.named(skill, verb) if skill else verb
        params = {"name": name, "arguments": dict(arguments)}
        try:
            result = await self._asked("tools/call", params, self._seconds(skill, verb), meta, tell)
        except Refused as error:
            return refused("unknown_step", f"{self.told} {error}", step=verb)
        return _reply(result)

    async def _greet(self) -> None:
        """Make sure that it is there, so that a call to it is none into the void."""
        try:
            await self._asked("server/discover", {}, LIST_SECONDS)
        except Lost as error:
            raise Undelivered(str(error)) from error

    async def _listed(self) -> list[Any]:
        found: list[Any] = []
        params: dict[str, Any] = {}
        for _ in range(_MOST_PAGES):
            page = await self._asked("tools/list", params, LIST_SECONDS)
            listed, cursor = page.get("tools"), page.get("nextCursor")
            if not isinstance(listed, list):
                break
            found += listed
            if not cursor:
                return found
            params = {"cursor": cursor}
        raise Lost("answers with something that is no list of tools")

    async def _asked(
        self,
        method: str,
        params: Mapping[str, Any],
        seconds: float,
        meta: Mapping[str, Any] | None = None,
        tell: Tell | None = None,
    ) -> Message:
        result = await self._link.ask(method, params, seconds, meta=meta, tell=tell)
        self._heard = time.monotonic()
        return result

    def _seconds(self, skill: str, verb: str) -> float:
        if verb == "audit_run":
            return AUDIT_SECONDS + SPARE_SECONDS
        seconds = self.summaries.get(skill, {}).get("timeout")
        if not isinstance(seconds, (int, float)) or not 0 < seconds < 1e6:
            seconds = STEP_SECONDS
        return seconds + SPARE_SECONDS


def _facts(tool: Any) -> ToolFacts | None:
    """A listed tool of a skill; None of any other, and of one that goes by another's name."""
    try:
        meta = tool.get("_meta") or {}
        skill, verb = (str(meta.get(key) or "") for key in (SKILL, VERB))
        title, description = (str(tool.get(key) or "") for key in ("title", "description"))
        name = str(tool["name"])
        told = tool.get("annotations") or {}
        hints = {key: told[key] for key in _HINTS if isinstance(told.get(key), bool)}
        given, made = tool["inputSchema"], tool.get("outputSchema")
        if not skill or name != tools.named(skill, verb) or not _is_object(given):
            return None
    except (KeyError, TypeError, AttributeError):
        raise Lost("answers with something that is no list of tools") from None
    output = made if _is_object(made) else None
    return ToolFacts(name, verb, title, description, given, skill, output, hints)


def _is_object(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "object"


def _summaries(listed: Any) -> dict[str, dict[str, Any]]:
    items = listed if isinstance(listed, list) else []
    named = [item for item in items if isinstance(item, dict) and isinstance(item.get("name"), str)]
    return {item["name"]: item for item in named}


def _reply(result: Message) -> Reply:
    """A tool's result as a reply.

    Raises:
        Lost: it is none.
    """
    body, content, failed = (result.get(k) for k in ("structuredContent", "content", "isError"))
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    text = "\n".join(part for part in texts if isinstance(part, str))
    if not isinstance(body, dict):
        if failed and text:
            return refused("unknown_step", text)
        raise Lost("answers with something that is no result")
    meta = result.get("_meta")
    kept = {k: v for k, v in meta.items() if _OWN not in k} if isinstance(meta, dict) else {}
    return Reply(body, text, bool(failed), kept)
