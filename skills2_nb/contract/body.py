"""A step's body, run to its end."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import os
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from typing import Any, NamedTuple

from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.reads import Reads
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.step import Caller, current

#: Asked under the journal's lock before a call is recorded: the run's id and the record's number.
#: What it raises keeps the record out.
leave: ContextVar[Callable[[str, int], None] | None] = ContextVar("leave to record", default=None)


def ask_leave(run: str, seq: int) -> None:
    """Ask whoever watches over this call whether it may still be recorded."""
    ask = leave.get()
    if ask is not None:
        ask(run, seq)


class Within(Reads):
    """Open while a body runs: no run is current in it, and the files it reads are noted.

    A copy of the process that a body forks, and that comes out of it, ends here: the call is the
    first one's to record and to answer.
    """

    __slots__ = ("_caller", "_process")
    _caller: Token[Caller | None]
    _process: int

    def __enter__(self) -> None:
        self._process = os.getpid()
        self._caller = current.set(None)
        Reads.__enter__(self)  # by name: this is on every call's way

    def __exit__(self, *raised: object) -> None:
        if os.getpid() != self._process:
            os._exit(0)
        Reads.__exit__(self, *raised)
        current.reset(self._caller)


class Prepared(NamedTuple):
    """A call that may be made.

    Attributes:
        seen: how many records the run had when it was let through.
        inputs: its typed arguments.
        args: their plain form.
        origins: where each came from.
        lost: why values of the call could not be kept beside its record.
        within: open while its body runs.
    """

    spec: StepSpec
    inputs: dict[str, Any]
    args: dict[str, Any]
    origins: dict[str, Any]
    lost: list[JournalError]
    seen: int
    within: Within


def completed(fn: Callable[..., Any], inputs: Mapping[str, Any]) -> Any:
    """The result of a step; a coroutine is run to its end, beside a loop that runs already."""
    result = fn(**inputs)
    if not inspect.iscoroutine(result):  # asyncio takes a generator for one, too
        return result
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(result)
    box: list[Any] = []
    context = contextvars.copy_context()

    def work() -> None:
        try:
            box.append((asyncio.run(result), None))
        except BaseException as error:
            box.append((None, error))

    thread = threading.Thread(target=lambda: context.run(work))
    thread.start()
    thread.join()
    value, error = box[0]
    if error is not None:
        raise error
    return value
