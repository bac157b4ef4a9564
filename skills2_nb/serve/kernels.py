"""The kernels that serve skills on this machine, watched."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.library.activation import Card
from skills2_nb.serve import registry
from skills2_nb.serve.frames import Message
from skills2_nb.serve.kernel import Kernel
from skills2_nb.serve.link import LinkError, Lost
from skills2_nb.serve.registry import Entry
from skills2_nb.serve.tools import ToolFacts

#: Seconds between two looks at the registrations, and at a kernel that did not answer.
LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Serving:
    """The kernels that say they serve a skill, newest first.

    Attributes:
        answering: those that answer and list it.
        silent: those that do not answer.
    """

    answering: tuple[Kernel, ...] = ()
    silent: tuple[Kernel, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.answering or self.silent)


@dataclass
class Kernels:
    """The kernels, and what has become of them.

    Args:
        changed: is called when other tools are there than before.
        say: takes a sentence for whoever looks after the server.

    Attributes:
        gone: who served a skill and has gone, by skill.
        known: every tool that a kernel has listed, by name.
    """

    changed: Callable[[], Awaitable[Any]]
    say: Callable[[str], None]
    gone: dict[str, str] = field(default_factory=dict)
    known: dict[str, ToolFacts] = field(default_factory=dict)
    _kernels: dict[int, Kernel] = field(default_factory=dict)
    _tasks: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    _looked: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self) -> None:
        """Keep up with registrations and kernels, until it is cancelled."""
        try:
            while True:
                try:
                    if self._take(await asyncio.to_thread(registry.registered)):
                        await self.changed()
                except Exception:
                    logging.getLogger(__name__).exception("the registrations cannot be looked at")
                self._looked.set()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            for task in self._tasks.values():
                task.cancel()
            for kernel in self._kernels.values():
                kernel.close()

    async def of(self, skill: str) -> Serving:
        """The kernels of a skill, as soon as it is known of each whether it answers."""
        await self.settled(skill)
        found = self._of(skill)
        return Serving(
            tuple(kernel for kernel in found if kernel.answers and skill in kernel.tools),
            tuple(kernel for kernel in found if not kernel.answers),
        )

    async def settled(self, skill: str | None = None) -> None:
        """Wait until each kernel that is registered, or says it serves a skill, was asked once."""
        await self._looked.wait()
        for kernel in self._newest() if skill is None else self._of(skill):
            await kernel.asked.wait()

    def kernel(self, pid: int) -> Kernel | None:
        """The kernel of a process; None where it has gone."""
        kernel = self._kernels.get(pid)
        return kernel if kernel is not None and registry.is_running(pid) else None

    def down(self, kernel: Kernel, error: LinkError) -> None:
        """A kernel did not answer a call: its tools are not listed until it does again."""
        kernel.answers, kernel.why = False, str(error)
        pid = kernel.entry.pid
        if self._kernels.get(pid) is kernel:
            self._tasks[pid].cancel()
            self._tasks[pid] = asyncio.ensure_future(self._keep(kernel))

    def listed(self, packages: Container[str]) -> dict[str, tuple[ToolFacts, ...]]:
        """The tools that kernels serve, by skill.

        Args:
            packages: skills that can be served otherwise; of any other the tools stay while its
                kernel is silent, so that a call of them is answered.
        """
        found: dict[str, tuple[ToolFacts, ...]] = {}
        kernels = self._newest()
        for kernel in sorted(kernels, key=lambda kernel: not kernel.answers):
            for skill, tools in kernel.tools.items():
                if kernel.answers or skill not in packages:
                    found.setdefault(skill, tools)
        return found

    def summaries(self) -> dict[str, dict[str, Any]]:
        """What the kernels that answer say of their skills, and which kernel it is, by skill."""
        found: dict[str, dict[str, Any]] = {}
        for kernel in self._newest():
            if kernel.answers:
                for skill in kernel.tools:
                    summary = kernel.summaries.get(skill, {"name": skill})
                    found.setdefault(skill, {**summary, "live": kernel.told})
        return found

    def cards(self) -> list[Card]:
        """What a listing says of the skills that kernels serve."""
        return [
            Card(skill, str(summary.get("description", "")), registry.runtime_folder())
            for skill, summary in self.summaries().items()
        ]

    def _of(self, skill: str) -> list[Kernel]:
        return [kernel for kernel in self._newest() if skill in kernel.skills]

    def _newest(self) -> list[Kernel]:
        def began(kernel: Kernel) -> tuple[str, int]:
            return (kernel.entry.started, kernel.entry.pid)

        return sorted(self._kernels.values(), key=began, reverse=True)

    def _take(self, entries: list[Entry]) -> bool:
        """Follow the registrations; whether a kernel has gone."""
        wanted: dict[int, Entry] = {}
        for entry in entries:
            wanted.setdefault(entry.pid, entry)  # of one process, its newest server
        lost = [pid for pid in self._kernels if pid not in wanted]
        for pid in lost:
            self._forget(pid)
        for pid, entry in wanted.items():
            kernel = self._kernels.get(pid)
            if kernel is None:
                kernel = self._kernels[pid] = Kernel(entry)
            elif kernel.entry == entry:
                continue
            else:
                self._tasks[pid].cancel()
                kernel.moved(entry)
            self._tasks[pid] = asyncio.ensure_future(self._keep(kernel))
        return bool(lost)

    def _forget(self, pid: int) -> None:
        kernel = self._kernels.pop(pid)
        self._tasks.pop(pid).cancel()
        kernel.answers = False
        kernel.asked.set()
        kernel.close()
        for skill in kernel.tools:
            self.gone[skill] = kernel.told

    async def _keep(self, kernel: Kernel) -> None:
        """Ask a kernel what it serves, and again whenever it says that this has changed."""

        async def heard(message: Message) -> None:
            await self._look(kernel)
            if not kernel.answers:
                raise Lost(kernel.why)  # it may do so again before it says anything

        while True:
            try:
                await self._look(kernel)
                if kernel.answers:
                    await kernel.listen(heard)
            except LinkError:
                pass
            except Exception:
                logging.getLogger(__name__).exception("what %s lists cannot be taken", kernel.told)
                kernel.answers = False
                kernel.asked.set()
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, kernel: Kernel) -> None:
        before = (kernel.answers, kernel.tools)
        try:
            await kernel.look()
        except LinkError as error:
            kernel.answers, kernel.why = False, str(error)
            self.say(f"{kernel.told} {error}")
        else:
            kernel.answers = True
            for skill, tools in kernel.tools.items():
                self.gone.pop(skill, None)
                self.known |= {facts.name: facts for facts in tools}
        kernel.asked.set()
        if before != (kernel.answers, kernel.tools):
            await self.changed()
