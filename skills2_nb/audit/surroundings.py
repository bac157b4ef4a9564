"""What a running step asks of its surroundings."""

from __future__ import annotations

import os
import sys
import time
from types import CodeType, FrameType
from typing import Any

_CLOCKS = frozenset(
    {
        *("time", "time_ns", "localtime", "gmtime", "ctime", "monotonic", "monotonic_ns"),
        *("perf_counter", "perf_counter_ns", "process_time", "clock_gettime"),
    }
)
#: Ways to ask a date class for this moment; one in compiled code is no call that Python shows.
_NOW = frozenset({"now", "today", "utcnow"})
_DEPTH = 5


class Watch:
    """While it is open, notes what a skill's own code asks that another time answers otherwise.

    Attributes:
        saw: ``clock``, ``environment``.
    """

    def __init__(self, code: str) -> None:
        """``code`` begins the file name of every piece of the skill's code."""
        self._code = code
        self._known: set[CodeType] = set()
        self.saw: set[str] = set()

    def __enter__(self) -> None:
        self._read = os.environ.encodekey
        os.environ.encodekey = self._asked
        sys.setprofile(self._called)

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        os.environ.encodekey = self._read

    def _called(self, frame: FrameType, event: str, function: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(self._code):
            return
        if code not in self._known:
            self._known.add(code)
            if _NOW.intersection(code.co_names):
                self.saw.add("clock")
        is_clock = event == "c_call" and getattr(function, "__self__", None) is time
        if is_clock and function.__name__ in _CLOCKS:
            self.saw.add("clock")

    def _asked(self, key: str) -> Any:
        frame: FrameType | None = sys._getframe(1)
        for _ in range(_DEPTH):
            if frame is None:
                break
            if frame.f_code.co_filename.startswith(self._code):
                self.saw.add("environment")
            frame = frame.f_back
        return self._read(key)
