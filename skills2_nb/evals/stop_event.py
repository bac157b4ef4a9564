"""What a stopped session left behind to be worked on.

A hook writes the client's event into the session's folder as ``stop-<hash>.json`` and starts the
worker on it. Whoever may write there may write anything: the place, the size and the session are
checked before a word of it is believed. Standard library alone, as the block verdict has no time.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.contract.descriptor import BINARY
from skills2_nb.contract.home import home
from skills2_nb.errors import UnreadableError, UsageError

SESSIONS = "sessions"
#: A hook reads at most this much of an event, and writes little around it.
MOST_BYTES = 16 * 1024 * 1024
SUBAGENT = "SubagentStop"
_JOB = re.compile(r"stop-[0-9a-f]{8,64}\.json")
_KEY = re.compile(r"[0-9a-f]{16}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True)
class Prompt:
    """What a hook wrote down of the newest prompt of a session.

    Attributes:
        text: what the user asked; None where nobody wrote it down.
        id: the client's id of it.
        skills: the skills whose checklist was told for it.
        since: when it was written, as journals write the time.
    """

    text: str | None = None
    id: str | None = None
    skills: tuple[str, ...] = ()
    since: str = ""


@dataclass(frozen=True)
class StopEvent:
    """The end of an answer.

    Attributes:
        job: the file that tells of it.
        session: the client's id of the session.
        prompt_id: the client's id of the prompt that was answered, where it sends one.
        answer: the last message of the assistant.
        is_subagent: whether a subagent came to its end, and not the session's own agent.
        agent: the kind of the subagent.
        cwd: the folder the client works in.
        enforce: ``off``, ``advise`` or ``block``.
        plugin: the folder of the plugin whose hook it was; None for one of the settings.
        neighbour: the kit's own home, where a plugin's hook saw one; its job is done in another.
        prompt: the newest prompt of the session.
    """

    job: Path
    session: str
    prompt_id: str | None
    answer: str | None
    is_subagent: bool
    agent: str
    cwd: Path | None
    enforce: str
    plugin: Path | None
    neighbour: Path | None
    prompt: Prompt

    @property
    def folder(self) -> Path:
        """The session's folder."""
        return self.job.parent

    @property
    def is_newest(self) -> bool:
        """Whether nothing was asked since the prompt that was answered.

        Of a client that sends no ids the times tell.
        """
        if self.prompt_id is None:
            return self.given >= self.prompt.since
        return self.prompt_id == self.prompt.id

    @property
    def given(self) -> str:
        """When the answer was given, as journals write the time."""
        try:
            return _moment(self.job.stat().st_mtime_ns)
        except OSError:
            return _moment(time.time_ns())

    @property
    def question(self) -> str | None:
        """The text of the prompt that was answered, where it is known."""
        return self.prompt.text if self.is_newest else None

    @property
    def told(self) -> tuple[str, ...]:
        """The skills that were told for the prompt that was answered."""
        return self.prompt.skills if self.is_newest else ()

    @property
    def blocks(self) -> int:
        """How often the answer to this prompt was sent back."""
        named = self.prompt_id or ""
        key = named if _NAME.fullmatch(named) else key_of(named or self.prompt.text or "")
        try:
            return (self.folder / f"{key}.blocks").stat().st_size
        except OSError:
            return 0


def key_of(session: str) -> str:
    """The name of a session's folder."""
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_job(path: Path) -> bool:
    """Whether a file's name is that of a job."""
    return _JOB.fullmatch(path.name) is not None


def read_event(job: Path) -> StopEvent:
    """The event of a job.

    Raises:
        UsageError: the file does not lie in a session's folder of this home.
        UnreadableError: it cannot be read, or is not what a hook writes.
    """
    place = place_of(job)
    facts = _object(plain_bytes(place), place)
    event = facts.get("event")
    session = event.get("session_id") if isinstance(event, dict) else None
    if not isinstance(event, dict) or not isinstance(session, str):
        raise UnreadableError(f"{place} tells of no event of a session")
    if key_of(session) != place.parent.name:
        raise UnreadableError(f"{place} tells of another session than its folder's")
    return StopEvent(
        job=place,
        session=session,
        prompt_id=_text(event, "prompt_id"),
        answer=_text(event, "last_assistant_message"),
        is_subagent=event.get("hook_event_name") == SUBAGENT or bool(event.get("agent_id")),
        agent=_text(event, "agent_type") or "",
        cwd=_folder(event.get("cwd")),
        enforce=_text(facts, "enforce") or "advise",
        plugin=_folder(facts.get("plugin")),
        neighbour=_folder(facts.get("neighbour")),
        prompt=read_prompt(place.parent),
    )


def read_prompt(folder: Path) -> Prompt:
    """The newest prompt of a session's folder; an empty one where there is none to be read."""
    path = folder / "prompt.json"
    try:
        since = _moment(path.stat().st_mtime_ns)
        facts = _object(plain_bytes(path), path)
    except (OSError, UnreadableError):
        return Prompt()
    skills = facts.get("skills")
    names = [name for name in skills if isinstance(name, str)] if isinstance(skills, list) else []
    return Prompt(_text(facts, "prompt"), _text(facts, "prompt_id"), tuple(names[:16]), since)


def place_of(job: Path) -> Path:
    """The job's own place, links resolved.

    Raises:
        UsageError: it is not in a session's folder of this home.
    """
    sessions = Path(os.path.realpath(home() / SESSIONS))
    folder = Path(os.path.realpath(job.parent))
    if folder.parent != sessions or not _KEY.fullmatch(folder.name) or not is_job(job):
        raise UsageError(f"{job} is no job of a session below {sessions}; hooks write those there")
    return folder / job.name


def plain_bytes(path: Path) -> bytes:
    """A plain file's bytes; a link, a pipe or a device is none, and neither is a big one.

    Raises:
        UnreadableError: it is none, or cannot be read.
    """
    flags = os.O_RDONLY | BINARY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        fd = os.open(path, flags)
        with os.fdopen(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                raise UnreadableError(f"{path} is no plain file of at most {MOST_BYTES} bytes")
            return file.read(MOST_BYTES)
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read ({error.strerror})") from error


def _object(data: bytes, path: Path) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise UnreadableError(f"{path} is not JSON") from None
    if not isinstance(value, dict):
        raise UnreadableError(f"{path} is no JSON object")
    return value


def _text(facts: Mapping[str, Any], name: str) -> str | None:
    """A text as journals can keep it: JSON may hold halves of characters."""
    value = facts.get(name)
    if not isinstance(value, str):
        return None
    return value.encode("utf-8", "replace").decode("utf-8")


def _folder(value: Any) -> Path | None:
    if not isinstance(value, str) or "\0" in value or not os.path.isabs(value):  # noqa: PTH117
        return None
    path = Path(value)
    return path if path.is_dir() else None


def _moment(ns: int) -> str:
    """A time of a file as journals write it."""
    second, rest = divmod(ns, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(second))}.{rest // 1000:06d}Z"
