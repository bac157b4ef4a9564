"""Hooks' records that nobody will read again."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

from skills2_nb.contract.home import home

DAY = 86_400
#: A call is looked up while it runs, a session while it may be taken up again.
CALLS_DAYS, SESSION_DAYS = 1, 30
_SESSION = re.compile(r"[0-9a-f]{16}")


def prune(now: float | None = None) -> int:
    """Remove old records of calls and of sessions; how many went. What cannot be removed stays.

    Args:
        now: seconds since the epoch.
    """
    moment = time.time() if now is None else now
    gone = 0
    for entry in _entries(home() / "calls"):
        if _age(entry, moment) > CALLS_DAYS * DAY:
            gone += _removed(entry)
    for entry in _entries(home() / "sessions"):
        if entry.is_dir(follow_symlinks=False) and _SESSION.fullmatch(entry.name):
            newest = min([_age(entry, moment), *(_age(e, moment) for e in _entries(entry))])
            if newest > SESSION_DAYS * DAY:
                shutil.rmtree(entry.path, ignore_errors=True)
                gone += not Path(entry.path).exists()
    return gone


def _entries(folder: str | Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _age(entry: os.DirEntry[str], now: float) -> float:
    try:
        return now - entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return 0.0


def _removed(entry: os.DirEntry[str]) -> bool:
    try:
        Path(entry.path).unlink()
    except OSError:
        return False
    return True
