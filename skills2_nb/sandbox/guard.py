"""Audit hooks that refuse and remember what a wall forbids.

They see what Python itself does: opening a file to write, removing and renaming, sockets,
processes, native libraries. What native code does by itself they do not see, and code that sets
out to undo them may: where bubblewrap stands, the kernel refuses the same. A refusal is an
``OSError`` that code may swallow; the trip is known all the same.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FREE = frozenset({"/dev/null", os.devnull})
#: Events on a path, and how many of their first arguments are paths that change.
_CHANGES: Mapping[str, tuple[str, slice]] = {
    "os.chflags": ("changes", slice(1)),
    "os.chmod": ("changes", slice(1)),
    "os.chown": ("changes", slice(1)),
    "os.link": ("makes", slice(2)),
    "os.mkdir": ("makes", slice(1)),
    "os.remove": ("removes", slice(1)),
    "os.removexattr": ("changes", slice(1)),
    "os.rename": ("renames", slice(2)),
    "os.rmdir": ("removes", slice(1)),
    "os.setxattr": ("changes", slice(1)),
    "os.symlink": ("makes", slice(1, 2)),
    "os.truncate": ("writes", slice(1)),
    "os.utime": ("changes", slice(1)),
}
_PROCESSES = frozenset(
    {
        *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile"),
        *("os.startfile/2", "os.system", "pty.spawn", "subprocess.Popen"),
    }
)
_LISTS = frozenset({"os.listdir", "os.scandir"})
_SIGNALS = frozenset({"os.kill", "os.killpg"})
#: Asks nobody: the machine's own name.
_LOCAL = frozenset({"socket.gethostname"})
_LIBRARIES = ("/site-packages/", "/dist-packages/")
_STDLIB = os.__file__.rpartition("/")[0] + "/"
_TEMPFILE = f"{_STDLIB}tempfile.py"
_KIT = __file__.rpartition("/sandbox/")[0] + "/"


class RefusedError(PermissionError):
    """The wall refused what code tried to do."""


@dataclass(frozen=True)
class Trip:
    """Something the wall refused.

    Attributes:
        deed: what was tried, such as ``opens a socket`` or ``writes /tmp/x``.
        library: whether an installed library did it of its own, and not the code behind the wall.
    """

    deed: str
    library: bool


@dataclass
class Guard:
    """The hooks of one process. Once installed they stay to its end.

    Attributes:
        write: folders, resolved, in which files may change.
        network: whether sockets may be opened.
        hidden: folders, resolved, in which nothing may be read.
        trips: what was refused, in order.
    """

    write: tuple[str, ...] = ()
    network: bool = False
    hidden: tuple[str, ...] = ()
    trips: list[Trip] = field(default_factory=list)

    def install(self) -> None:
        """Refuse from now on."""
        sys.addaudithook(self._hear)

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """While it is open, what is hidden may be read."""
        hidden, self.hidden = self.hidden, ()
        try:
            yield
        finally:
            self.hidden = hidden

    def _hear(self, event: str, args: Any) -> None:
        deed = self._deed(event, args)
        if deed is None:
            return
        frame = sys._getframe(1)
        if frame.f_code.co_filename == _TEMPFILE:  # its names are drawn by chance
            deed = "makes a temporary file"
        self.trips.append(Trip(deed, _is_library(frame)))
        raise RefusedError(f"behind the wall nothing {deed}")

    def _deed(self, event: str, args: Any) -> str | None:
        """What an event does that is forbidden here, else None."""
        if event == "open":
            path, _, flags = args
            writes = isinstance(flags, int) and flags & _WRITES
            return self._changed("writes", [path]) if writes else self._seen(path)
        if event in _CHANGES:
            verb, which = _CHANGES[event]
            return self._changed(verb, args[which])
        if event in _LISTS:
            return self._seen(args[0])
        if event in _PROCESSES:
            return "starts a process"
        if event in _SIGNALS:
            return "sends a signal"
        if event == "ctypes.dlopen":
            return _native(args[0])
        if event.startswith("socket.") and not self.network:
            return _spoken(event, args)
        return None

    def _changed(self, verb: str, paths: Sequence[Any]) -> str | None:
        for path in paths:
            if isinstance(path, int):  # it was opened before, and so was looked at
                continue
            name = os.fsdecode(path)
            if name not in _FREE and not self._may_write(name):
                return f"{verb} {name[:200]}"
        return None

    def _seen(self, path: Any) -> str | None:
        if not self.hidden or path is None or isinstance(path, int):
            return None
        name = os.fsdecode(path)
        if name.startswith((_STDLIB, _KIT)) or any(part in name for part in _LIBRARIES):
            return None
        return "reads the records of runs" if _is_in(name, self.hidden) else None

    def _may_write(self, name: str) -> bool:
        return _is_in(name, self.write)


_STANDING: list[Guard] = []


def stand(write: tuple[str, ...], network: bool, hidden: tuple[str, ...] = ()) -> Guard:
    """Put up the guard of this process."""
    guard = Guard(write, network, hidden)
    _STANDING.append(guard)
    guard.install()
    return guard


def standing() -> Guard:
    """The guard of this process.

    Raises:
        IndexError: there is none.
    """
    return _STANDING[-1]


def _is_in(name: str, folders: tuple[str, ...]) -> bool:
    place = os.path.realpath(name)
    return any(place == folder or place.startswith(f"{folder}/") for folder in folders)


def _spoken(event: str, args: Any) -> str | None:
    """A socket that goes beyond the process; asyncio wakes itself by a pair of Unix ones."""
    if event == "socket.__new__":
        return None if args[1] in (1, -1) else "opens a socket"  # AF_UNIX, or not said yet
    return None if event in _LOCAL else "opens a socket"


def _native(name: Any) -> str | None:
    """A native library that an installed one loads is its own affair, and so is ctypes' start."""
    frame: FrameType | None = sys._getframe(3)
    starts = _found(frame, lambda code: code.co_name == "<module>" and _is_ctypes(code))
    if _is_library(frame) or (name is None and starts):
        return None
    return f"loads native code ({name or 'of the process'})"


def _is_ctypes(code: CodeType) -> bool:
    return code.co_filename == f"{_STDLIB}ctypes/__init__.py"


def _found(frame: FrameType | None, asked: Callable[[CodeType], bool]) -> bool:
    while frame is not None:
        if asked(frame.f_code):
            return True
        frame = frame.f_back
    return False


def _is_library(frame: FrameType | None) -> bool:
    """Whether the innermost code outside the standard library and the kit is an installed one."""
    while frame is not None:
        name = frame.f_code.co_filename
        ours = name.startswith((_KIT, "<frozen "))
        if not ours and any(part in name for part in _LIBRARIES):
            return True
        if not ours and not name.startswith(_STDLIB):
            return False
        frame = frame.f_back
    return False
