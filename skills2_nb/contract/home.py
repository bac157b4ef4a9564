"""Where the kit keeps its records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
#: The variable that names the place.
VARIABLE = "SKILLS2_HOME"


_ELSEWHERE: ContextVar[Path | None] = ContextVar("records elsewhere", default=None)


def home() -> Path:
    """``$SKILLS2_HOME``, else ``~/.claude/skills2``; absolute, and read anew at each call.

    A step may change the working folder; a journal opened before must still be found.
    """
    elsewhere = _ELSEWHERE.get()
    if elsewhere is not None:
        return elsewhere
    place = os.environ.get(VARIABLE)
    return Path(place or "~/.claude/skills2").expanduser().absolute()


def folder(*parts: str) -> Path:
    """The folder ``home()/parts``, made with mode 0700 where it is absent."""
    place = home().joinpath(*parts)
    if not place.is_dir():
        for step in reversed([place, *place.parents][: len(parts) + 1]):
            step.mkdir(mode=PRIVATE_FOLDER, exist_ok=True, parents=True)
    return place


@contextmanager
def elsewhere(place: Path) -> Iterator[None]:
    """While it is open, this context's records go to ``place``: for trials that leave no trace."""
    token = _ELSEWHERE.set(place)
    try:
        yield
    finally:
        _ELSEWHERE.reset(token)
