"""Which session a call belongs to, and its open run.

Nothing in a stateless request says whose it is. What does, in this order: the record that a hook
wrote of the call (``calls/<toolUseId>``), the word of a bridge (``_meta["skills2/session"]``), the
client's environment, its ``Mcp-Session-Id``, and on stdio the process itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from skills2_nb.contract.home import PRIVATE_FILE, folder, home

TOOL_USE = "claudecode/toolUseId"
SESSION = "skills2/session"
ENVIRONMENT = "CLAUDE_CODE_SESSION_ID"
#: A hook's record holds one prompt, which may be long; a bigger file is none.
MOST_BYTES = 16 * 1024 * 1024
#: So many sessions' runs are known at once; those not used for longest are read from disk again.
MOST_KNOWN = 10_000
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_SESSION = re.compile(r"[\x21-\x7e]{1,256}")
Known = Literal["hook", "bridge", "environment", "header", "process"]


@dataclass(frozen=True)
class Session:
    """Whose call it is.

    Attributes:
        id: the session's; None where nothing says.
        by: what said so.
        prompt: what the user asked, as a hook wrote it down; None where none did.
        prompt_id: the client's id of that prompt.
    """

    id: str | None = None
    by: Known | None = None
    prompt: str | None = None
    prompt_id: str | None = None

    def vouched(self, prompt: str | None) -> str:
        """Who vouches for a prompt: ``hook`` where one saw the same, else ``client``."""
        if self.prompt is None or (prompt is not None and _flat(prompt) != _flat(self.prompt)):
            return "client"
        return "hook"


@dataclass(frozen=True)
class Transport:
    """What a way to this server says of its callers.

    Attributes:
        session: of the one client that a process on stdio serves; None for a shared server.
        by: what said so.
    """

    session: str | None = None
    by: Known | None = None

    @classmethod
    def stdio(cls, environ: Mapping[str, str] = os.environ) -> Transport:
        """One client, named by its environment or by this process."""
        named = environ.get(ENVIRONMENT, "")
        if _SESSION.fullmatch(named):
            return cls(named, "environment")
        return cls(f"process-{os.getpid()}-{secrets.token_hex(4)}", "process")


def session_of(meta: Mapping[str, Any], header: str | None, transport: Transport) -> Session:
    """The session of a call.

    Args:
        meta: the request's ``_meta``.
        header: its ``Mcp-Session-Id``.
        transport: the way it came.
    """
    used = _call_record(meta.get(TOOL_USE))
    if used is not None:
        return _with_prompt(used["session"], "hook", used.get("prompt_id"))
    bridged = meta.get(SESSION)
    if isinstance(bridged, str) and _SESSION.fullmatch(bridged):
        return _with_prompt(bridged, "bridge", None)
    if transport.by == "environment":
        return _with_prompt(transport.session, transport.by, None)
    if header is not None and _SESSION.fullmatch(header):
        return Session(header, "header")
    return Session(transport.session, transport.by)


def _with_prompt(session: str | None, by: Known, prompt_id: Any) -> Session:
    """A client's session with the prompt that its hook wrote down, if it is the call's own."""
    record = _record(_place(session or "") / "prompt.json")
    prompt, found = record.get("prompt"), record.get("prompt_id")
    if not isinstance(prompt, str):
        return Session(session, by, None, prompt_id if isinstance(prompt_id, str) else None)
    if isinstance(prompt_id, str) and found != prompt_id:
        return Session(session, by, None, prompt_id)  # another was asked meanwhile
    return Session(session, by, prompt, found if isinstance(found, str) else None)


def _call_record(id: Any) -> dict[str, Any] | None:
    if not isinstance(id, str) or not _ID.fullmatch(id):
        return None
    record = _record(home() / "calls" / id)
    named = record.get("session")
    return record if isinstance(named, str) and _SESSION.fullmatch(named) else None


def _place(session: str) -> Path:
    return home() / "sessions" / _key(session)


def _key(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()[:16]


def _record(path: Path) -> dict[str, Any]:
    """A hook's record; empty where there is none that can be read."""
    try:
        with path.open("rb") as file:
            value = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _flat(text: str) -> str:
    return " ".join(text.split())


@dataclass
class Place:
    """The run that a session has of a skill.

    Attributes:
        run: the newest; None before the first.
        is_open: whether steps may still be called, as far as this server knows.
        lock: held while a run is opened or closed.
    """

    run: str | None = None
    is_open: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Runs:
    """The runs of sessions. A session that outlives the server finds its run on disk."""

    def __init__(self) -> None:
        self._places: OrderedDict[tuple[str, str], Place] = OrderedDict()

    def place(self, session: Session, skill: str) -> Place:
        """Where the session's run of a skill is noted."""
        key = (session.id or "", skill)
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._recalled(session, skill)
        self._places.move_to_end(key)
        if len(self._places) > MOST_KNOWN:
            self._drop()
        return found

    def catch_up(self, session: Session, skill: str) -> None:
        """Take over the run that another server has opened for the session since."""
        place, kept = self.place(session, skill), self._recalled(session, skill)
        if kept.run is not None and kept.run != place.run:
            place.run, place.is_open = kept.run, True

    def note(self, session: Session, skill: str, run: str) -> None:
        """Remember a run that was opened, beyond this process where the session lasts longer."""
        place = self.place(session, skill)
        place.run, place.is_open = run, True
        if session.id is None or session.by == "process":
            return
        with contextlib.suppress(OSError):  # the run itself is journalled
            path = folder("sessions", _key(session.id)) / _file(skill)
            draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
            fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
            with os.fdopen(fd, "w", encoding="ascii") as file:
                file.write(run)
            draft.replace(path)

    def _recalled(self, session: Session, skill: str) -> Place:
        if session.id is None or session.by == "process":
            return Place()
        try:
            run = (_place(session.id) / _file(skill)).read_text(encoding="ascii")[:64]
        except (OSError, ValueError):
            return Place()
        return Place(run, True)

    def _drop(self) -> None:
        for key, place in self._places.items():
            if not place.lock.locked():
                del self._places[key]
                return


def _file(skill: str) -> str:
    """The name of the file that holds the id of a session's run of a skill."""
    return f"run-{hashlib.sha256(skill.encode()).hexdigest()[:16]}"
