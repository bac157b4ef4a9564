"""The files that a step's body reads while it runs.

One audit hook a process hears every ``open`` of Python's own; a context variable says which call
it belongs to, so runs that go on at once do not mix. Tasks, ``asyncio.to_thread`` and the loop
that a step is run in carry the context; a thread that a step starts itself does not, and its files
are not noted. Nor is a file that a library opens natively, by its own C, C++ or Rust, as polars,
pyarrow, DuckDB and sqlite3 do, unless the call was given its absolute path. Nothing here may
disturb a step: whatever fails is left out.
"""

from __future__ import annotations

import functools
import hashlib
import os
import site
import stat
import sys
import sysconfig
from collections import OrderedDict
from collections.abc import Mapping
from contextvars import ContextVar, Token
from pathlib import Path
from typing import Any

from skills2_nb.contract.canonical import DIGEST_TAG, digest
from skills2_nb.contract.home import home

#: A bigger file is known by its size and the sha256 of its first ``HEAD`` bytes.
WHOLE = 256 * 1024 * 1024
HEAD = 16 * 1024 * 1024
#: So many files of one call are kept; a call that opens more is known by the first of them.
MOST = 10_000
_WRITES = os.O_WRONLY | os.O_TRUNC
#: No data of a step: devices, and the time zones of the system.
_SYSTEM = (
    *("/proc/", "/sys/", "/dev/", "/etc/localtime", "/etc/zoneinfo/"),
    *("/usr/share/zoneinfo/", "/usr/lib/zoneinfo/", "/usr/share/lib/zoneinfo/"),
)
_KNOWN: OrderedDict[str, tuple[tuple[int, int, int], dict[str, Any]]] = OrderedDict()
_MOST_KNOWN = 1_024
_OPENED: ContextVar[dict[str, None] | None] = ContextVar("files opened", default=None)
_listening = False


class Reads:
    """While it is open, what this context opens for reading is noted.

    The digests are those of the files when :meth:`files` is asked, at the end of a call.
    """

    __slots__ = ("_opened", "_token")
    _token: Token[dict[str, None] | None]

    def __init__(self) -> None:
        self._opened: dict[str, None] = {}

    def __enter__(self) -> None:
        if not _listening:
            _listen()
        self._token = _OPENED.set(self._opened)

    def __exit__(self, *_: object) -> None:
        _OPENED.reset(self._token)

    def files(
        self, withheld: bool = False, args: Mapping[str, Any] | None = None
    ) -> dict[str, dict[str, Any]]:
        """``{path: {"sha256", "bytes"}}`` of the regular files read, by absolute path.

        A file over ``WHOLE`` bytes has ``"head"`` too: its sha256 is that of so many first bytes.
        The interpreter's files, installed libraries, imported modules, the kit's own records and
        what is gone again by now are left out.

        Args:
            withheld: whether the skill keeps values from its journal. A path may hold one, so
                ``$digest:`` and the digest of the path stand for it.
            args: the call's plain arguments: the files that they name by absolute path count too.
        """
        for value in (args or {}).values():
            if type(value) is str and ("/" in value or "\\" in value):
                self._opened |= _named_file(value)
        if not self._opened:
            return {}
        try:
            told = {path: facts for path in _outside(self._opened) if (facts := look(path))}
        except Exception:  # a step is never disturbed
            return {}
        return {named(path): facts for path, facts in told.items()} if withheld else told


def _named_file(text: str) -> dict[str, None]:
    """The file that an argument names, where there is one."""
    try:
        return {text: None} if len(text) < 1_024 and Path(text).is_absolute() else {}
    except ValueError:
        return {}


def named(path: str) -> str:
    """What stands for a path that is not kept."""
    return f"{DIGEST_TAG}:{digest(path)}"


def look(path: str) -> dict[str, Any] | None:
    """Size and sha256 of a regular file as it is now; None where there is none to be read.

    A file that was seen before with the same size, time of change and inode is not read again.
    """
    try:
        seen = Path(path).stat()
        if not stat.S_ISREG(seen.st_mode):
            return None
        mark = (seen.st_size, seen.st_mtime_ns, seen.st_ino)
        known = _KNOWN.get(path)
        if known is None or known[0] != mark:
            known = (mark, _facts(path, seen.st_size))
            _KNOWN[path] = known
            while len(_KNOWN) > _MOST_KNOWN:
                _KNOWN.popitem(last=False)
        return dict(known[1])
    except (OSError, ValueError, KeyError):
        return None


def _facts(path: str, size: int) -> dict[str, Any]:
    with Path(path).open("rb") as file:
        if size > WHOLE:
            head = hashlib.sha256(file.read(HEAD)).hexdigest()
            return {"sha256": head, "bytes": size, "head": HEAD}
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": size}


def _listen() -> None:
    """Start to hear of files; a hook stays for the life of the process."""
    global _listening
    _listening = True
    sys.addaudithook(_hear)


def _hear(event: str, args: Any) -> None:
    if event != "open":  # every event of the process comes through here
        return
    opened = _OPENED.get()
    if opened is None:
        return
    try:
        path, _, flags = args
        if isinstance(path, int) or flags & _WRITES or len(opened) >= MOST:
            return
        name = os.fsdecode(path)
        if not name.endswith(".pyc"):
            opened[str(Path(name).absolute())] = None
    except Exception:
        return


def _outside(opened: dict[str, None]) -> list[str]:
    """The paths that are a step's data, sorted."""
    inside = (*_code_folders(), *_SYSTEM, f"{home()}{os.sep}")
    data = sorted(path for path in opened if not path.startswith(inside))
    if any(path.endswith(".py") for path in data):
        modules = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        data = [path for path in data if path not in modules]
    return data


@functools.cache
def _code_folders() -> tuple[str, ...]:
    """Where the interpreter, installed libraries and the kit lie."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    places = [Path(place) for name in names if (place := sysconfig.get_paths().get(name))]
    places += [Path(site.getusersitepackages()), Path(__file__).parents[1]]
    both = {str(form) for place in places for form in (place.absolute(), place.resolve())}
    return tuple(sorted(f"{place}{os.sep}" for place in both))
