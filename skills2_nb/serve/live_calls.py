"""Calls of a live skill, each in a thread of the kernel."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import threading
import time
from collections.abc import Callable, Container
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

from skills2_nb.errors import Skills2Error
from skills2_nb.library.activation import Contract
from skills2_nb.serve import losses
from skills2_nb.serve.backend import Backend
from skills2_nb.serve.frames import Message
from skills2_nb.serve.live import Live
from skills2_nb.serve.open_runs import Leave, OpenRuns
from skills2_nb.serve.streams import Printed

#: So many calls of one skill go on at once; one more is told that it is busy.
MOST_CALLS = 4
#: So many given-up calls may still run in the kernel.
MOST_LEFT = 32
#: Seconds that a call whose result is being recorded has for the rest.
REST_SECONDS = 5.0

T = TypeVar("T")
Capture = Callable[[], AbstractContextManager[Printed]]


class Threads:
    """Daemon threads, as many as there is work; a free one takes the next.

    Those of asyncio's own pool would keep a kernel from ending while a step hangs, and to start one
    takes longer than most steps do.
    """

    def __init__(self) -> None:
        self._free: list[queue.SimpleQueue[Callable[[], None] | None]] = []
        self._over = False

    def begin(self, work: Callable[[], None]) -> None:
        """Have work done; it raises nothing."""
        try:
            box = self._free.pop()
        except IndexError:
            box = queue.SimpleQueue()
            name = "skills2 call"
            threading.Thread(target=self._serve, args=(box,), name=name, daemon=True).start()
        box.put(work)

    def close(self) -> None:
        """Let the threads end, each when its work is done."""
        self._over = True
        while self._free:
            with contextlib.suppress(IndexError):
                self._free.pop().put(None)

    def _serve(self, box: queue.SimpleQueue[Callable[[], None] | None]) -> None:
        while (work := box.get()) is not None:
            work()
            self._free.append(box)
            if self._over:
                self.close()


def in_thread(work: Callable[[], T], threads: Threads) -> asyncio.Future[T]:
    """Do work in a thread, in this context; nobody ever waits for the thread itself."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(value: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def run() -> None:
        value, error = None, None
        try:
            value = context.run(work)
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
            loop.call_soon_threadsafe(partial(settle, value, error))

    threads.begin(run)
    return future


class Room:
    """How many calls of a skill go on; looked at on the server's loop alone."""

    def __init__(self) -> None:
        self.calls = 0
        self.left = 0

    def refusal(self, name: str) -> str | None:
        """Why there is no room for another call; None where there is."""
        if self.calls >= MOST_CALLS:
            return f"{name} has {self.calls} calls going on in its kernel; call again later"
        if self.left >= MOST_LEFT:
            return (
                f"{self.left} calls of {name} were given up and still run in its kernel; its "
                "author has to restart the kernel"
            )
        return None


class LiveBackend:
    """The steps of a kernel's skill as they were at one time.

    Args:
        live: the skill then.
        room: counts the calls of all times.
        threads: run them.
        printed: while it is open, what this thread prints and shows is kept from the cells.
    """

    def __init__(self, live: Live, room: Room, threads: Threads, printed: Capture) -> None:
        self.contract = live.contract
        self._live = live
        self._room = room
        self._threads = threads
        self._runs = OpenRuns(live.skill, "kernel", printed, live.folders, live.keep)
        self._tasks: set[asyncio.Task[Message]] = set()

    async def ask(self, request: Message) -> Message:
        """Do what is asked in a thread, and give it up after the skill's ``timeout``.

        Returns:
            As :class:`~skills2_nb.serve.backend.Backend` says; kinds of this side are ``busy``,
            ``broken`` and ``timeout``. A call that was given up may go on in the kernel, and is
            never recorded as a success.
        """
        name = self.contract.name
        if self._live.fault is not None:
            return _error("broken", f"{name} cannot be called as it is now: {self._live.fault}")
        refusal = self._room.refusal(name)
        if refusal is not None:
            return _error("busy", refusal)
        self._room.calls += 1
        task = asyncio.ensure_future(self._asked(request))
        self._tasks.add(task)
        task.add_done_callback(self._over)
        return await asyncio.shield(task)  # a call goes on whose caller has gone

    def close(self) -> None:
        """Let the journals go."""
        self._runs.close()

    def _over(self, task: asyncio.Task[Message]) -> None:
        self._tasks.discard(task)
        self._room.calls -= 1

    async def _asked(self, request: Message) -> Message:
        given, begun = Leave(), time.monotonic()
        work = in_thread(partial(self._runs.answer, request, given), self._threads)
        timeout = self.contract.runtime.timeout
        done, _ = await asyncio.wait([work], timeout=timeout)
        if not done and not given.give_up():
            done, _ = await asyncio.wait([work], timeout=REST_SECONDS)
        if done:
            return work.result()
        self._leave(work)
        lost = partial(self._lost, request, given, time.monotonic() - begun)
        return await in_thread(lost, self._threads)

    def _leave(self, work: asyncio.Future[Message]) -> None:
        """Count a call that goes on although nobody waits for it."""
        self._room.left += 1

        def ended(future: asyncio.Future[Message]) -> None:
            self._room.left -= 1
            if not future.cancelled():
                future.exception()

        work.add_done_callback(ended)

    def _lost(self, request: Message, given: Leave, seconds: float) -> Message:
        step = request.get("step") or request["op"]
        timeout = self.contract.runtime.timeout
        made = _error(
            "timeout",
            f"{step} took longer than {timeout:g} s and was given up; it may still run in the "
            "kernel, and the run goes on without it",
        )
        if request["op"] != "call":
            return made
        made["error"] |= {"step": step, "missing": [], "next": [step], "values": {}}
        if given.seq is not None:  # its own record was in time
            return made
        try:
            losses.record(self.contract.runtime, request, made["error"], seconds)
        except (Skills2Error, TypeError, ValueError) as fault:
            made["error"]["notices"] = [f"{step} is not in the journal: {fault}"]
        return made


class LiveBackends:
    """The one backend of a kernel's skill, another for each state of it.

    Args:
        printed: as :class:`LiveBackend` takes it.
    """

    def __init__(self, printed: Capture) -> None:
        self._printed = printed
        self._room = Room()
        self._threads = Threads()
        self._now: tuple[Live, LiveBackend] | None = None

    @property
    def faults(self) -> dict[str, str]:
        """Nothing beyond what the catalog says."""
        return {}

    def worker(self, contract: Contract, mark: Any) -> Backend:
        """The backend of the skill as it is now.

        Args:
            mark: its state, a :class:`~skills2_nb.serve.live.Live`.
        """
        if self._now is None or self._now[0] is not mark:
            if self._now is not None:
                self._now[1].close()
            self._now = (mark, LiveBackend(mark, self._room, self._threads, self._printed))
        return self._now[1]

    def keep(self, names: Container[str]) -> None:
        """There is one skill, and it stays."""

    async def close(self) -> None:
        """Let journals and threads go; calls that go on are the kernel's own."""
        self._threads.close()
        if self._now is not None:
            self._now[1].close()


def _error(kind: str, message: str) -> Message:
    return {"error": {"kind": kind, "message": message}}
