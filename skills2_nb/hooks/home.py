"""Where a hook keeps what it knows.

::

    H/sessions/<sha256(session)[:16]>/prompt.json    the prompt, and the skills told for it
                                      told-<key>-<sha256(skill)[:16]>    who makes it tells it
                                      audit.txt, <key>.blocks, stop-<hash>.json, restrict-<hash>
    H/calls/<tool use>                whose call it is
    H/hooks.log                       what went wrong
"""

import sys

from skills2_nb.hooks.event import Event, is_name, record
from skills2_nb.hooks.system import calls, make_folder, names, read, remove, variable

try:  # the bare modules: hashlib would load a whole library of ciphers
    if sys.version_info >= (3, 12):
        from _sha2 import sha256
    else:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]  # no stub
except ImportError:
    from hashlib import sha256

TYPE_CHECKING = False  # `typing` is dear
if TYPE_CHECKING:
    from typing import Literal

    Enforce = Literal["off", "advise", "block"]

MODES: "tuple[Enforce, ...]" = ("off", "advise", "block")
DEFAULT: "Enforce" = "advise"
#: A bigger record is none. The longest prompt is four times as long in ASCII.
MOST_RECORD = 16 * 1024 * 1024


class Home:
    """Whom a dispatcher works for.

    Attributes:
        path: H, where its records lie.
        index: the folder of the trigger index.
        enforce: ``off``, ``advise`` or ``block``.
        plugin: the plugin's folder; empty where the settings of a user or project call it.
        neighbour: the kit's own home, of a plugin where that is there; else empty.
    """

    __slots__ = ("enforce", "index", "neighbour", "path", "plugin")

    def __init__(self, enforce: str, plugin: str = "", data: str = "") -> None:
        self.enforce = enforce if enforce in MODES else DEFAULT
        self.plugin = plugin
        own = kits_home()
        self.path = data or own
        self.index = f"{plugin}/hooks/index" if plugin else f"{own}/index"
        self.neighbour = own if data and own != data and _is_folder(own) else ""

    def session(self, event: Event) -> str:
        """The folder of the event's session, which need not be there."""
        return f"{self.path}/sessions/{digest(event.session)}"

    def made_session(self, event: Event) -> str:
        """The folder of the event's session, made where it is absent.

        Raises:
            OSError: it cannot be made.
        """
        folder = self.session(event)
        make_folder(folder)
        return folder

    def prompt(self, event: Event) -> "dict[str, object]":
        """What is known of the session's newest prompt; empty where nothing is."""
        try:
            return record(read(f"{self.session(event)}/prompt.json", MOST_RECORD))
        except OSError:
            return {}

    def key(self, event: Event) -> str:
        """What a file is called that belongs to one prompt: its id, else a hash of it."""
        if event.prompt_id:
            return event.prompt_id if is_name(event.prompt_id) else digest(event.prompt_id)
        return digest(event.text("prompt") or str(self.prompt(event).get("prompt", "")))

    def guard(self, event: Event) -> str:
        """The file that says: of the dispatchers of this prompt, the one that blocks ends it."""
        return f"{self.session(event)}/{self.key(event)}.guarded"

    def fault(self, doing: str, error: BaseException) -> None:
        """Note what went wrong, where that can be noted."""
        from skills2_nb.hooks.log import fault

        fault(self.path, doing, error)


def release(folder: str) -> None:
    """Let every tool through again in a session."""
    for name in names(folder):
        if name.startswith("restrict-"):
            remove(f"{folder}/{name}")


def digest(text: str) -> str:
    """Sixteen digits that stand for a text in a file's name."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]  # type: ignore[no-any-return,unused-ignore]  # one of three modules


def kits_home() -> str:
    """``$SKILLS2_HOME``, else ``~/.claude/skills2``: as ``contract.home`` has it.

    Raises:
        OSError: the environment names no home, and neither does the system.
    """
    place = variable("SKILLS2_HOME") or "~/.claude/skills2"
    if place == "~" or place.startswith("~/"):
        place = _user() + place[1:]
    if not place.startswith("/") and place[1:2] != ":":
        place = f"{calls.getcwd()}/{place}"
    return place.rstrip("/") or "/"


def _user() -> str:
    named = variable("HOME" if calls.__name__ == "posix" else "USERPROFILE")
    if named:
        return named.rstrip("/")
    try:
        import pwd

        return pwd.getpwuid(calls.getuid()).pw_dir.rstrip("/")
    except (ImportError, KeyError):
        raise OSError(2, "no home: neither SKILLS2_HOME nor HOME is set") from None


def _is_folder(path: str) -> bool:
    try:
        return calls.stat(path).st_mode & 0o170000 == 0o040000
    except OSError:
        return False
