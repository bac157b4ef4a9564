"""What a server's threads print and show, kept from cells.

A kernel sends whatever a thread prints or displays to the newest cell. Here a context variable says
whose output it is: within :meth:`Quiet.printed` it is kept apart, everywhere else it goes its way.
A thread that a step starts has a context of its own, and a process writes to the kernel's own
descriptors: their output is not kept apart.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any

from skills2_nb.serve.streams import Printed

_SINK: ContextVar[Printed | None] = ContextVar("output kept apart", default=None)


class _Diverted:
    """A way to write that keeps apart what belongs apart, and hands on the rest."""

    def __init__(self, onward: Any) -> None:
        self.onward = onward

    def __call__(self, text: str, *args: Any, **options: Any) -> Any:
        sink = _SINK.get()
        if sink is None or not isinstance(text, str):
            return self.onward(text, *args, **options)
        sink.write(text.encode("utf-8", "backslashreplace"))
        return len(text)


class _Write:
    """``write`` of a diverted stream.

    IPython puts a function of its own in the place of a stream's ``write`` for each cell and puts
    back what it found. So what is set here is kept below, and what was found here is unwrapped.

    Args:
        write: that of the stream's own class.
    """

    def __init__(self, write: Any) -> None:
        self._write = write

    def __get__(self, stream: Any, _: type) -> Any:
        if stream is None:
            return self._write
        return _Diverted(vars(stream).get("write") or partial(self._write, stream))

    def __set__(self, stream: Any, write: Any) -> None:
        vars(stream)["write"] = write.onward if isinstance(write, _Diverted) else write

    def __delete__(self, stream: Any) -> None:
        del vars(stream)["write"]


class Quiet:
    """Tells the output of cells from that of a server's threads.

    Args:
        shell: the kernel's IPython.

    Attributes:
        in_cell: whether a cell is being run.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._diverted: list[tuple[Any, type]] = []
        self.in_cell = False

    def attach(self) -> None:
        """Divert the kernel's streams; a terminal's own cannot be, and stay as they are.

        A stream stays the object it is: handlers of logging hold it since long before.
        """
        for stream in (sys.stdout, sys.stderr):
            kind = type(stream)
            with contextlib.suppress(TypeError):
                own = {"write": _Write(kind.write), "__slots__": ()}
                stream.__class__ = type(kind.__name__, (kind,), own)
                self._diverted.append((stream, kind))

    def detach(self) -> None:
        """Make the streams what they were."""
        for stream, kind in self._diverted:
            stream.__class__ = kind
        self._diverted.clear()

    @contextlib.contextmanager
    def printed(self) -> Iterator[Printed]:
        """While it is open, what this thread prints is kept and what it shows is dropped."""
        kept = Printed()
        token = _SINK.set(kept)
        hooked = self._hooked()
        figures = _figures()
        is_alone = not self.in_cell
        try:
            yield kept
        finally:
            if is_alone and not self.in_cell:
                _close(figures)
            if hooked:
                self._shell.display_pub.unregister_hook(_dropped)
            _SINK.reset(token)

    def _hooked(self) -> bool:
        """Have what this thread displays dropped; hooks are a thread's own."""
        register = getattr(self._shell.display_pub, "register_hook", None)
        if register is not None:
            register(_dropped)
        return register is not None


def _dropped(message: Any) -> None:
    """A hook that hands no message on."""


def _figures() -> frozenset[int]:
    """The numbers of Matplotlib's open figures: the next cell would show each of them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return frozenset(pyplot.get_fignums()) if pyplot is not None else frozenset()


def _close(before: frozenset[int]) -> None:
    """Close the figures opened since, as far as no cell can have opened them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in _figures() - before:
        assert pyplot is not None
        pyplot.close(number)
