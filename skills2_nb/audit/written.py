"""Files that a call may have written for itself to read.

A step that puts its result by gives the same again because it reads it, and not because it is
right: run again it shows nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.contract.reads import named
from skills2_nb.contract.state import Call, RunState


@dataclass(frozen=True)
class Written:
    """What a run says of its files.

    Attributes:
        names: all that its calls read, failed ones as well.
        began: the run's start, in seconds since the epoch.
        code: the package's folder, whose digest is on record.
    """

    names: frozenset[str]
    began: float
    code: str

    @classmethod
    def of(cls, state: RunState, package: Path | None) -> Written:
        """The files on a run's record."""
        names = frozenset(name for call in state.calls for name in call.files)
        return cls(names, _seconds(state.started), f"{package}/")

    def by(self, call: Call, opened: Iterable[str]) -> str | None:
        """A file, of those that a call opened when it was run again, that speaks for no result.

        It was written while the call ran, or no call had read it and it was written since the
        run began. File systems tell time by some milliseconds: what a call wrote at its very start
        goes for written before.

        Args:
            opened: absolute paths.
        """
        end = _seconds(call.ts)
        start = end - call.us / 1e6
        for path in opened:
            if path.startswith(self.code):
                continue
            changed = _changed(path)
            known = path in self.names or named(path) in self.names
            if start <= changed <= end or (not known and changed > self.began):
                return path
        return None


def _seconds(moment: str) -> float:
    try:
        return dt.datetime.fromisoformat(moment).timestamp()
    except (ValueError, TypeError):
        return float("inf")


def _changed(path: str) -> float:
    try:
        return Path(path).stat().st_ctime
    except (OSError, ValueError):
        return 0.0
