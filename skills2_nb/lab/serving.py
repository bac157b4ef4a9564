"""A server of this kernel's skill, and its card."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from skills2_nb.evals.proof import judge
from skills2_nb.lab.quiet import Quiet
from skills2_nb.lab.session import Session
from skills2_nb.lab.watch import Watch
from skills2_nb.serve.registry import Entry, registered
from skills2_nb.views import serving as card

if TYPE_CHECKING:
    from skills2_nb.serve.live_server import Heard, LiveServer

#: So many of the newest calls are shown.
SHOWN = 10
#: So many clients and open runs are remembered.
KEPT = 12
#: Seconds between two changes of the card at least.
PACE = 0.25
#: Seconds for the thread that draws it to end.
STOP_SECONDS = 2.0
#: FastMCP reads these as it is imported: its own handler would draw into the cells.
_LOGGING = {"FASTMCP_ENABLE_RICH_LOGGING": "false", "FASTMCP_LOG_LEVEL": "WARNING"}


class Serving:
    """What ``%skills2 serve`` has started in a kernel.

    Args:
        shell: the kernel's IPython.
        session: the kernel and its notebook now.
        earlier: the steps that stood in the file at some time.

    Raises:
        Skills2Error: there is no skill to serve yet.
    """

    def __init__(self, shell: Any, session: Session, earlier: set[str]) -> None:
        self._shell = shell
        self.watch = Watch(shell.user_ns, session, earlier)
        self._quiet = Quiet(shell)
        self._board = _Board()
        self._server: LiveServer | None = None
        self._display = f"skills2-{secrets.token_hex(8)}"
        self._parent: Any = None
        self._drawing: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether clients are answered."""
        return self._server is not None and self._server.is_running

    @property
    def url(self) -> str:
        """Where clients find the server; empty before it has begun."""
        return self._server.url if self._server is not None else ""

    def is_at(self, port: int) -> bool:
        """Whether it serves on that port."""
        return urlsplit(self.url).port == port

    def start(self, port: int = 0) -> None:
        """Begin to serve.

        Raises:
            SetupError: the port is taken, or the server cannot begin.
        """
        self._quiet.attach()
        try:
            with self._quiet.printed(), _set(_LOGGING):
                from skills2_nb.serve.live_server import Hooks, LiveServer
            hooks = Hooks(self.watch, self._judged, self._quiet.printed, self._board.hear)
            self._server = LiveServer(hooks, _kernel_id(self._shell))
            self._server.start(port)
        except BaseException:  # an interrupt too: nothing half begun stays behind
            if self._server is not None:
                self._server.stop()
            self._quiet.detach()
            raise
        self._begin()  # this very cell
        self._shell.events.register("pre_run_cell", self._begin)
        self._shell.events.register("post_run_cell", self._end)
        self._parent = getattr(self._shell.display_pub, "parent_header", None)
        self._drawing = threading.Thread(target=self._keep_card, name="skills2 card", daemon=True)
        self._drawing.start()

    def stop(self) -> None:
        """Stop serving and leave the kernel as it was."""
        if self._server is None:
            return
        for event, hook in (("pre_run_cell", self._begin), ("post_run_cell", self._end)):
            with contextlib.suppress(ValueError):
                self._shell.events.unregister(event, hook)
        self._server.stop()
        self._quiet.detach()
        self._board.close()
        if self._drawing is not None:
            self._drawing.join(STOP_SECONDS)

    def show(self) -> None:
        """Show the card here; it changes wherever it stands."""
        self._publish(update=False)

    def reload(self, session: Session) -> None:
        """Look at the kernel and the notebook anew."""
        self.watch.open(session)
        if self._server is not None:
            self._server.refresh()

    def lines(self) -> list[tuple[str, str]]:
        """What a table of facts says of the server."""
        seen = self._seen()
        return [("served", seen.headline), *seen.facts, *(("note", r) for r in seen.remarks)]

    def _begin(self, *_: Any) -> None:
        self._quiet.in_cell = True
        self.watch.begin()

    def _end(self, *_: Any) -> None:
        self._quiet.in_cell = False
        if self.watch.end() and self._server is not None:
            self._server.refresh()
            self._board.touch()

    async def _judged(self, run: str, _: Path) -> Mapping[str, Any]:
        from skills2_nb.serve.live_calls import Threads, in_thread

        threads = Threads()
        try:
            return await in_thread(partial(self._audit, run), threads)
        finally:
            threads.close()

    def _audit(self, run: str) -> Mapping[str, Any]:
        with self._quiet.printed():
            judged = judge(self.watch.session.basis(), run).audit
        return {**judged.to_dict(), "provenance": judged.provenance}

    def _keep_card(self) -> None:
        """Change the card as calls come, a few times a second at most."""
        while self._board.wait():
            with contextlib.suppress(Exception):  # a card that cannot be shown ends no server
                self._publish(update=True)
            time.sleep(PACE)
        with contextlib.suppress(Exception):
            self._publish(update=True)

    def _publish(self, *, update: bool) -> None:
        shown = card.bundle(self._seen()).data
        publisher = self._shell.display_pub
        pinned = getattr(publisher, "set_thread_parent", None) if update else None
        token = pinned(self._parent) if pinned is not None else None
        try:
            transient = {"display_id": self._display}
            publisher.publish(data=dict(shown), transient=transient, update=update)
        finally:
            if token is not None:
                publisher.reset_thread_parent(token)

    def _seen(self) -> card.Serving:
        server, live = self._server, self.watch.live
        assert server is not None
        board = self._board.now()
        remarks = [f"Its steps cannot be called now: {live.fault}"] if live.fault else []
        remarks += [f"{id_}: no cell defines it any more" for id_ in live.contract.ghosts]
        if server.entry is not None and server.is_running:
            remarks += _others(server.entry)
        return card.Serving(
            live.name,
            live.contract.notebook or "this kernel",
            server.url,
            server.is_running,
            remarks=remarks,
            **board,
        )


class _Board:
    """What was asked so far; written by the server's thread, read by others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._over = False
        self._calls: deque[card.Call] = deque(maxlen=SHOWN)
        self._clients: dict[str, None] = {}
        self._open: dict[str, None] = {}
        self._total = 0

    def hear(self, heard: Heard) -> None:
        """Note a call."""
        with self._lock:
            self._total += 1
            self._calls.appendleft(card.Call(heard.verb, heard.outcome, heard.seconds * 1000))
            if heard.client:
                self._clients.setdefault(heard.client)
            if heard.run is not None and heard.outcome == "ok" and heard.verb != "audit_run":
                self._open.pop(heard.run, None)
                if heard.verb != "end_run":
                    self._open[heard.run] = None
            for known in (self._clients, self._open):
                while len(known) > KEPT:
                    del known[next(iter(known))]
        self._changed.set()

    def touch(self) -> None:
        """Have the card drawn again."""
        self._changed.set()

    def now(self) -> dict[str, Any]:
        """What the card says of it."""
        with self._lock:
            return {
                "clients": tuple(self._clients),
                "calls": tuple(self._calls),
                "total": self._total,
                "run": next(reversed(self._open), None),
            }

    def wait(self) -> bool:
        """Wait for something to show; false once there will be no more."""
        self._changed.wait()
        self._changed.clear()
        return not self._over

    def close(self) -> None:
        """Let whoever waits go."""
        self._over = True
        self._changed.set()


def _others(own: Entry) -> list[str]:
    """A sentence for each skill of ours that another kernel serves as well."""
    said = []
    for other in registered():
        both = sorted(set(other.skills) & set(own.skills))
        if other.pid == own.pid or not both:
            continue
        newest = max((own, other), key=lambda entry: entry.started)
        said.append(
            f"{', '.join(both)} is served from two kernels: {_file(own)} and {_file(other)}; "
            f"skills2 connect takes the one that began last, {_file(newest)}"
        )
    return said


def _file(entry: Entry) -> str:
    if entry.notebook is None:
        return f"the kernel of process {entry.pid}"
    return f"{Path(os.path.relpath(entry.notebook)).as_posix()} (process {entry.pid})"


def _kernel_id(shell: Any) -> str | None:
    """Jupyter's id of the kernel, by the name of its connection file."""
    app = getattr(getattr(shell, "kernel", None), "parent", None)
    stem = Path(str(getattr(app, "connection_file", "") or "")).stem
    return stem.removeprefix("kernel-") or None


@contextlib.contextmanager
def _set(values: Mapping[str, str]) -> Iterator[None]:
    """While it is open, the environment says so, unless it says something of its own."""
    added = [name for name in values if name not in os.environ]
    os.environ.update({name: values[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
