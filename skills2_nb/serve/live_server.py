"""A server in a daemon thread of a running kernel."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import secrets
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from skills2_nb.errors import SetupError
from skills2_nb.serve import registry
from skills2_nb.serve.calls import Judge
from skills2_nb.serve.live import Host, Live, LiveCatalog
from skills2_nb.serve.live_calls import Capture, LiveBackends
from skills2_nb.serve.registry import Entry
from skills2_nb.serve.replies import Reply
from skills2_nb.serve.server import Options, Server
from skills2_nb.serve.tools import ToolFacts
from skills2_nb.serve.transports import Address, url

#: Seconds for the server to begin, and for a change to be told to its clients.
START_SECONDS = 30.0
TELL_SECONDS = 2.0
#: Seconds for the thread to end; it is a daemon, so one that does not keeps nothing alive.
STOP_SECONDS = 6.0
#: Seconds after which a cell that computes hands the interpreter on to a waiting call. The
#: interpreter's own 5 ms would be paid several times a call.
SWITCH_SECONDS = 0.0005


@dataclass(frozen=True)
class Heard:
    """A call that was answered.

    Attributes:
        verb: a step's id, or the word of a tool of the kit's own.
        outcome: ``ok``, else the kind of the error.
        seconds: how long it took.
        client: what the caller goes by; empty where it does not say.
        run: the run it belongs to, where that is known.
    """

    verb: str
    outcome: str
    seconds: float
    client: str
    run: str | None


@dataclass(frozen=True)
class Hooks:
    """What a kernel lends its server.

    Attributes:
        host: holds the skill.
        judge: audits a run.
        printed: while it is open, what this thread prints and shows is kept from the cells.
        hear: is told of each call, on the server's thread.
    """

    host: Host
    judge: Judge
    printed: Capture
    hear: Callable[[Heard], None]


class _Heard(Server):
    """A server whose calls are listened to."""

    hear: Callable[[Heard], None]

    async def answer(self, facts: ToolFacts, arguments: dict[str, Any]) -> Reply:
        begun = time.perf_counter()
        reply = await super().answer(facts, arguments)
        outcome = str(reply.body.get("kind", "error")) if reply.failed else "ok"
        run = reply.body.get("run_id") or arguments.get("run_id")
        self.hear(
            Heard(
                facts.verb,
                outcome,
                time.perf_counter() - begun,
                self.client(),
                run if isinstance(run, str) else None,
            )
        )
        return reply


class LiveServer:
    """Serves a kernel's skill on a loopback port, until it is stopped or the kernel ends.

    Args:
        hooks: what the kernel lends.
        id: Jupyter's id of the kernel, where it is known.

    Attributes:
        url: where clients find it.
        entry: its registration.
    """

    def __init__(self, hooks: Hooks, id: str | None = None) -> None:
        self.url = ""
        self.entry: Entry | None = None
        self._catalog = LiveCatalog(hooks.host)
        self._hooks = hooks
        self._id = id
        self._token = secrets.token_urlsafe(32)
        self._up = threading.Event()
        self._fault: BaseException | None = None
        self._server: _Heard | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = contextvars.Context()
        self._thread: threading.Thread | None = None
        self._switch: tuple[float, float] | None = None

    @property
    def live(self) -> Live:
        """The skill as it is served now."""
        return self._catalog.live

    @property
    def is_running(self) -> bool:
        """Whether its thread lives."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, port: int = 0) -> None:
        """Begin, and wait until clients are answered.

        Raises:
            UsageError: there is no such port.
            SetupError: the port is taken, the server cannot begin, or the runtime folder cannot be
                written to.
        """
        listening = Address.parse(str(port)).bound()
        self.url = url(*listening.getsockname()[:2])
        self._thread = threading.Thread(
            target=self._main, args=(listening,), name="skills2 serve", daemon=True
        )
        self._thread.start()
        if not self._up.wait(START_SECONDS) or self._fault is not None or not self.is_running:
            self.stop()
            listening.close()
            raise SetupError(f"the server did not begin: {self._fault or 'it took too long'}")
        try:
            self._register()
        except OSError as error:
            self.stop()
            raise SetupError(
                f"{registry.runtime_folder()} cannot be written to ({error.strerror}); "
                "JUPYTER_RUNTIME_DIR names another folder"
            ) from error
        self._hasten()
        atexit.register(self._forget)

    def refresh(self) -> None:
        """List the skill as it is by now, and tell the clients that listen what has changed."""
        if self.entry is not None and self.entry.skills != (self.live.name,):
            with contextlib.suppress(OSError):
                self._register()
        server = self._server
        if server is not None:
            with contextlib.suppress(TimeoutError, RuntimeError):
                self._told(server.refresh()).result(TELL_SECONDS)

    def stop(self) -> None:
        """End the thread and take the registration back; calls that go on stay the kernel's."""
        self._forget()
        atexit.unregister(self._forget)
        self._rest()
        if self._loop is not None and self._server is not None:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._server.stop, context=self._context)
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def _main(self, listening: Any) -> None:
        with self._hooks.printed():
            try:
                asyncio.run(self._work(listening))
            except BaseException as error:  # whatever it is, the kernel goes on
                self._fault = error
            finally:
                self._up.set()

    async def _work(self, listening: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        server = _Heard(
            self._catalog, Options(self._hooks.judge), LiveBackends(self._hooks.printed)
        )
        server.hear = self._hooks.hear
        self._server = server
        serving = asyncio.ensure_future(server.over_http(listening, self._token))
        while not server.is_up and not serving.done():
            await asyncio.sleep(0.005)
        self._up.set()
        await serving

    def _told(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Have work done on the server's loop and in its context: nothing of it lands in a cell."""
        done: Future[Any] = Future()
        loop = self._loop
        assert loop is not None

        def begin() -> None:
            task = loop.create_task(work)
            task.add_done_callback(lambda _: done.set_result(None))

        try:
            loop.call_soon_threadsafe(begin, context=self._context)
        except RuntimeError:
            work.close()
            raise
        return done

    def _register(self) -> None:
        live = self.live
        self.entry = registry.register(
            self.url,
            self._token,
            (live.name,),
            None if live.notebook is None else str(live.notebook.absolute()),
            kernel=self._id,
            started=None if self.entry is None else self.entry.started,
        )

    def _forget(self) -> None:
        if self.entry is not None:
            registry.remove(self.entry)

    def _hasten(self) -> None:
        self._switch = (sys.getswitchinterval(), SWITCH_SECONDS)
        sys.setswitchinterval(SWITCH_SECONDS)

    def _rest(self) -> None:
        """Put the interpreter's pace back, unless somebody else has set it since."""
        if self._switch is not None and abs(sys.getswitchinterval() - self._switch[1]) < 1e-6:
            sys.setswitchinterval(self._switch[0])
        self._switch = None
