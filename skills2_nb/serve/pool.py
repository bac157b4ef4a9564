"""One worker for each skill, replaced when it is lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Container
from typing import Any

from skills2_nb.errors import Skills2Error
from skills2_nb.library.activation import Contract
from skills2_nb.serve.frames import Message, packed
from skills2_nb.serve.process import BrokenPackage, Process

#: So many calls of one skill may wait for its worker; one more is told that it is busy.
MOST_WAITING = 32
#: A process that nobody calls for so many seconds is let go; runs go on by their journals.
IDLE_SECONDS = 300.0
#: A package that failed to import is tried again after so many seconds.
RETRY_SECONDS = 10.0


class Worker:
    """The worker of one exported package. Its calls run one after the other.

    Args:
        contract: the package's; another export has a worker of its own.

    Attributes:
        fault: why the package does not import; None where nothing is known against it.
        process: what the steps run in; None before the first call and after a loss.
    """

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.fault: str | None = None
        self.process: Process | None = None
        self._failed = 0.0
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._closed = False
        self._tasks: set[asyncio.Task[Any]] = set()
        self._idling: asyncio.TimerHandle | None = None

    async def ask(self, request: Message) -> Message:
        """Hand a request over and wait for its turn and its answer.

        Returns:
            ``{"ok": ...}`` or ``{"error": {"kind", "message", ...}}``. Kinds of this side are
            ``busy``, ``broken`` (the package does not import), and ``timeout``, ``crashed`` and
            ``memory``: the step had begun, its process is gone, and that is journalled.
        """
        if self._waiting > MOST_WAITING:
            return _error(
                "busy",
                f"{self.contract.name} has {MOST_WAITING} calls waiting; call again later",
            )
        self._waiting += 1
        dropped = asyncio.Event()
        task = self._begun(self._in_turn(request, dropped))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            dropped.set()  # nobody waits: begin it not, but let it end if it has begun
            raise
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """End the process now, whatever it does."""
        self._closed = True
        await self._drop()

    async def retire(self) -> None:
        """End the process once the calls that wait have come to their end."""
        async with self._turn:
            await self.close()

    async def _in_turn(self, request: Message, dropped: asyncio.Event) -> Message:
        async with self._turn:
            if dropped.is_set() or self._closed:
                return _error("busy", f"{self.contract.name} is being let go; call again")
            try:
                process = await self._ready()
            except BrokenPackage as error:
                return _error("broken", str(error))
            return await self._exchange(process, request)

    async def _exchange(self, process: Process, request: Message) -> Message:
        step, runtime = request.get("step") or request["op"], self.contract.runtime
        try:
            data = packed(request)
        except ValueError as error:
            return _error("too_large", f"{step} cannot be handed over: {error}")
        begun = time.monotonic()
        try:
            async with asyncio.timeout(runtime.timeout):
                reply = await process.ask(data)
        except TimeoutError:
            await self._drop()
            lost = ("timeout", f"{step} took longer than {runtime.timeout:g} s")
        except (asyncio.IncompleteReadError, OSError):
            await self._drop()
            lost = ("crashed", f"{step} ended the process it ran in ({process.how()})")
            if process.over:
                lost = ("memory", f"{step} filled more than {runtime.memory_mb} MB")
        else:
            if reply.get("tired"):
                await self._drop()
            self._rest()
            return reply
        return self._lost(request, *lost, time.monotonic() - begun)

    def _lost(self, request: Message, kind: str, said: str, seconds: float) -> Message:
        """Record a step whose process is gone, also for a caller that went away meanwhile."""
        from skills2_nb.serve import losses

        made = _error(kind, f"{said}; it was stopped, and the run goes on")
        if request["op"] != "call":
            return made
        step = request["step"]
        made["error"] |= {"step": step, "missing": [], "next": [step], "values": {}}
        try:
            losses.record(self.contract.runtime, request, made["error"], seconds)
        except (Skills2Error, TypeError, ValueError) as fault:
            made["error"]["notices"] = [f"{step} is not in the journal: {fault}"]
        return made

    async def _ready(self) -> Process:
        if self.process is not None and self.process.is_ready:
            return self.process
        await self._drop()
        if self.fault is not None and time.monotonic() - self._failed < RETRY_SECONDS:
            raise BrokenPackage(self.fault)
        try:
            self.process = await Process.start(self.contract)
            await self.process.greet()
        except (BrokenPackage, OSError) as error:
            await self._drop()
            self.fault, self._failed = str(error), time.monotonic()
            raise BrokenPackage(self.fault) from None
        self.fault = None
        return self.process

    async def _drop(self) -> None:
        process, self.process = self.process, None
        if self._idling is not None:
            self._idling.cancel()
            self._idling = None
        if process is not None:
            await process.end()

    def _rest(self) -> None:
        """Look again later whether anybody has called since."""
        if self.process is not None and self._idling is None:
            self._later(IDLE_SECONDS)

    def _later(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._idling = loop.call_later(seconds, lambda: self._begun(self._let_go_if_idle()))

    async def _let_go_if_idle(self) -> None:
        async with self._turn:
            self._idling = None
            if self.process is None:
                return
            left = self.process.used + IDLE_SECONDS - time.monotonic()
            if left > 0:
                self._later(left)
            else:
                await self._drop()

    def _begun(self, work: Any) -> asyncio.Task[Any]:
        """A task that is kept until it is done."""
        task: asyncio.Task[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class Pool:
    """The workers of a server, by skill."""

    def __init__(self) -> None:
        self._workers: dict[str, tuple[Any, Worker]] = {}
        self._going: set[asyncio.Task[None]] = set()

    def worker(self, contract: Contract, mark: Any) -> Worker:
        """The worker of a skill; of a new export a new one, and the old one is let go.

        Args:
            mark: what tells two exports of a skill apart.
        """
        known = self._workers.get(contract.name)
        if known is not None and known[0] == mark:
            return known[1]
        made = Worker(contract)
        self._workers[contract.name] = (mark, made)
        if known is not None:
            self._retire(known[1])
        return made

    def keep(self, names: Container[str]) -> None:
        """Let the workers go whose skills are not among ``names``."""
        for name in [name for name in self._workers if name not in names]:
            self._retire(self._workers.pop(name)[1])

    @property
    def faults(self) -> dict[str, str]:
        """Why packages do not import, by skill."""
        found = {name: worker.fault for name, (_, worker) in self._workers.items()}
        return {name: said for name, said in found.items() if said is not None}

    async def close(self) -> None:
        """End every worker."""
        workers = [worker for _, worker in self._workers.values()]
        self._workers = {}
        await asyncio.gather(*(worker.close() for worker in workers), *self._going)

    def _retire(self, worker: Worker) -> None:
        task = asyncio.ensure_future(worker.retire())
        self._going.add(task)
        task.add_done_callback(self._going.discard)


def _error(kind: str, message: str, **facts: Any) -> Message:
    return {"error": {"kind": kind, "message": message, **facts}}
