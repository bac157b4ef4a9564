"""The servers of running kernels, as files.

A kernel that serves its skill says so in Jupyter's runtime folder, in ``skills2-<pid>-<port>.json``
(0600, it holds the token)::

    {"v": 1, "host", "pid", "url", "token", "skills": [...], "notebook", "kernel", "started"}

``notebook`` is an absolute path or null, ``kernel`` Jupyter's id of the kernel or null, ``started``
a time in UTC whose text order is time order. A reader passes over a file it cannot read.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from skills2_nb.contract.home import PRIVATE_FILE, PRIVATE_FOLDER
from skills2_nb.contract.journal import now

try:
    from jupyter_core.paths import jupyter_runtime_dir

    _JUPYTERS: Callable[[], str] | None = jupyter_runtime_dir
except ImportError:
    _JUPYTERS = None
if sys.platform == "win32":
    import ctypes

VERSION = 1
#: A registration is small; a bigger file is none.
MOST_BYTES = 64 * 1024
_QUERY_LIMITED_INFORMATION = 0x1000


@dataclass(frozen=True)
class Entry:
    """One running server.

    Attributes:
        skills: the names of what it serves.
        notebook: whose kernel it is, as an absolute path; None where no file is known.
        started: when it began, in UTC; text order is time order.
        path: the file that says so.
        kernel: Jupyter's id of the kernel, where it is known.
    """

    pid: int
    url: str
    token: str
    skills: tuple[str, ...]
    notebook: str | None
    started: str
    path: Path
    kernel: str | None = None


def runtime_folder() -> Path:
    """Jupyter's runtime folder, by Jupyter's own rule; it need not be there."""
    return _folder(os.environ) if _JUPYTERS is None else Path(_JUPYTERS()).absolute()


def register(
    url: str,
    token: str,
    skills: tuple[str, ...],
    notebook: str | None,
    *,
    kernel: str | None = None,
    started: str | None = None,
) -> Entry:
    """Say that this process serves skills; said again of the same port, it replaces the first.

    Raises:
        OSError: the runtime folder cannot be written to.
    """
    place = runtime_folder()
    place.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    port = urlsplit(url).port
    path = place / f"skills2-{os.getpid()}-{port}.json"
    entry = Entry(os.getpid(), url, token, skills, notebook, started or now(), path, kernel)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        with os.fdopen(fd, "w", encoding="ascii") as file:
            json.dump(_facts(entry), file)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    return entry


def remove(entry: Entry) -> None:
    """Take a registration of this process back; in a fork of it nothing happens."""
    if entry.pid == os.getpid():
        with contextlib.suppress(OSError):
            entry.path.unlink(missing_ok=True)


def registered() -> list[Entry]:
    """The servers whose processes run on this machine, newest first.

    The files of those that have gone are removed. A server may still be silent: its kernel may
    have been stopped, or the process that has its number now may be another.
    """
    found = []
    for path in sorted(runtime_folder().glob("skills2-*-*.json")):
        facts = _read(path)
        if facts is None or facts.get("host") != socket.gethostname():
            continue  # a home may be shared by machines, and each knows its own processes alone
        entry = _entry(facts, path)
        if entry is None:
            continue
        if is_running(entry.pid):
            found.append(entry)
        else:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
    return sorted(found, key=lambda entry: (entry.started, entry.pid), reverse=True)


def is_running(pid: int) -> bool:
    """Whether there is a process of that number."""
    if sys.platform == "win32":
        handle = ctypes.windll.kernel32.OpenProcess(_QUERY_LIMITED_INFORMATION, False, pid)
        if handle:
            ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it is another user's
    return True


def _facts(entry: Entry) -> dict[str, Any]:
    return {
        "v": VERSION,
        "host": socket.gethostname(),
        "pid": entry.pid,
        "url": entry.url,
        "token": entry.token,
        "skills": list(entry.skills),
        "notebook": entry.notebook,
        "kernel": entry.kernel,
        "started": entry.started,
    }


def _read(path: Path) -> dict[str, Any] | None:
    try:
        with path.open("rb") as file:
            value = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("v") == VERSION else None


def _entry(facts: Mapping[str, Any], path: Path) -> Entry | None:
    """The entry that a file's facts make; None where one is not what it should be."""
    pid, skills = facts.get("pid"), facts.get("skills")
    texts = [facts.get(name) for name in ("url", "token", "started")]
    maybe = [facts.get(name) for name in ("notebook", "kernel")]
    if type(pid) is not int or pid <= 0 or not isinstance(skills, list):
        return None
    if not all(isinstance(text, str) for text in [*texts, *skills]):
        return None
    if not all(isinstance(text, (str, type(None))) for text in maybe):
        return None
    url, token, started = map(str, texts)
    return Entry(pid, url, token, tuple(skills), maybe[0], started, path, maybe[1])


def _folder(environ: Mapping[str, str]) -> Path:
    """The runtime folder where Jupyter itself is not installed."""
    told = environ.get("JUPYTER_RUNTIME_DIR")
    if told:
        return Path(told).absolute()
    return _data_folder(environ) / "runtime"


def _data_folder(environ: Mapping[str, str]) -> Path:
    told = environ.get("JUPYTER_DATA_DIR")
    if told:
        return Path(told).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Jupyter"
    if os.name == "nt":
        moved = environ.get("APPDATA")
        return Path(moved) / "jupyter" if moved else Path.home() / ".jupyter" / "data"
    moved = environ.get("XDG_DATA_HOME")
    return (Path(moved) if moved else Path.home() / ".local" / "share") / "jupyter"
