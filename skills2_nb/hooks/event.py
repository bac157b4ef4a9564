"""One event: what comes of it, and what it is answered.

A field that is absent, unknown or of another type than it should have is as good as absent:
clients of other versions send other fields. JSON is read by the scanner that ``json`` is built on,
without ``json`` itself, which would double the time of a start.
"""

import time

from skills2_nb.hooks.intake import Intake
from skills2_nb.hooks.system import variable

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # an interpreter without the C part
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner

#: A text as JSON, in ASCII alone.
quoted = encode_basestring_ascii

#: So much is kept; of more, nothing is a whole event.
MOST_BYTES = 4 * 1024 * 1024
#: After so many seconds without a byte nothing more is expected; after so many the event is late.
QUIET, LATEST = 1.0, 5.0
#: Turns that no user asked for: a wake-up, a task that ended, a poll.
MACHINE = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")
_BLANK = "\ufeff \t\r\n"
_LONGEST_ID = 128
_LONGEST_SESSION = 256
#: A client cuts what it is given behind 10,000 characters.
MOST_TEXT = 9_000


class Event:
    """One event.

    Attributes:
        fields: what came, whatever it was.
        raw: the object's own text.
        name: of the event.
        session: the session's id; empty where none came that can be one.
        prompt_id: the client's id of the prompt; empty where it sends none.
    """

    __slots__ = ("fields", "name", "prompt_id", "raw", "session")

    def __init__(self, fields: "dict[str, object]", raw: str = "") -> None:
        self.fields, self.raw = fields, raw
        self.name = self.text("hook_event_name")
        session = self.text("session_id")
        self.session = session if _is_session(session) else ""
        self.prompt_id = self.text("prompt_id")

    def text(self, field: str) -> str:
        """A field's text; empty where it has none."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else ""

    def has(self, field: str) -> bool:
        """Whether a field is there and holds something."""
        return bool(self.fields.get(field))

    @property
    def place(self) -> str:
        """The folder that the session works in: of a project, for all its commands may leave it."""
        here, project = self.text("cwd"), variable("CLAUDE_PROJECT_DIR").rstrip("/")
        return project if project and not f"{here}/".startswith(f"{project}/") else here

    @property
    def is_users(self) -> bool:
        """Whether a person, or a program in a person's place, asked for this turn."""
        return self.text("source") not in MACHINE and not self.has("agent_id")


def received(fd: int) -> "Event | None":
    """The event that comes through a pipe; None where nothing comes that is one.

    The first whole object ends the wait, for some clients never close their end.
    """
    intake, limit = Intake(fd, MOST_BYTES), time.monotonic() + LATEST
    event = None
    while event is None and time.monotonic() < limit:
        arrived = intake.wait(min(QUIET, limit - time.monotonic()))
        is_last = intake.ended or not arrived
        if intake.is_whole and (is_last or intake.is_braced):
            event = parsed(intake.data())
        if is_last:
            break
    intake.drain()
    return event


def parsed(data: bytes) -> "Event | None":
    """The event that some bytes begin with."""
    try:
        text = data.decode("utf-8").lstrip(_BLANK)
    except ValueError:
        return None
    found = first_object(text)
    return Event(found[0], text[: found[1]]) if found else None


def is_name(text: str) -> bool:
    """Whether a client's id can be a file's name as it is."""
    plain = text.replace("_", "a").replace("-", "a")
    return len(text) <= _LONGEST_ID and plain.isascii() and plain.isalnum()


def _is_session(text: str) -> bool:
    plain = text.isascii() and text.isprintable() and " " not in text
    return plain and 0 < len(text) <= _LONGEST_SESSION


class _Reading:
    """How the scanner reads: as ``json.loads`` does."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012  # one read a process


_scan = make_scanner(_Reading)  # type: ignore[arg-type]  # it reads attributes, of whatever it is given


def first_object(text: str) -> "tuple[dict[str, object], int] | None":
    """The JSON object that a text begins with, and where it ends; None where there is none."""
    try:
        value, end = _scan(text, 0)
    except (StopIteration, ValueError, RecursionError, SystemError):
        # the last is what is left of a ValueError where `json` was never imported
        return None
    return (value, end) if isinstance(value, dict) else None


def record(data: bytes) -> "dict[str, object]":
    """A JSON object in a file; empty where it is none."""
    try:
        found = first_object(data.decode("utf-8"))
    except ValueError:
        return {}
    return found[0] if found else {}


def written(facts: "dict[str, object]") -> bytes:
    """Texts, lists of texts and None as one JSON object."""
    return f"{{{','.join(f'{quoted(name)}:{_value(facts[name])}' for name in facts)}}}".encode()


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(_value, value))}]"
    return "null" if value is None else quoted(str(value))


def length(text: str) -> int:
    """Characters as the client counts them: one beyond the basic plane is two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def untagged(text: str) -> str:
    """A foreign text in which no tag opens or ends: clients set what hooks say between tags."""
    first, *rest = text.split("<")
    return first + "".join([_mark(part) + part for part in rest])


def _mark(behind: str) -> str:
    sign = behind[:1]
    return "\u2039" if sign.isalpha() or sign in ("/", "!", "?") else "<"


def context(event: str, text: str) -> str:
    """Facts for the model."""
    return _specific(event, "additionalContext", text)


def denial(reason: str) -> str:
    """A tool that is held back."""
    head = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    return f'{head}"permissionDecisionReason":{quoted(reason)}}}}}'


def block(reason: str) -> str:
    """A turn that is not over yet."""
    return f'{{"decision":"block","reason":{quoted(reason)}}}'


def _specific(event: str, field: str, text: str) -> str:
    head = f'{{"hookSpecificOutput":{{"hookEventName":{quoted(event)}'
    return f"{head},{quoted(field)}:{quoted(text)}}}}}"
