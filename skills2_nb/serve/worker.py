"""The process that one skill's steps run in.

``python -m skills2_nb.serve.worker FOLDER NONCE``: speaks frames on what were its stdin and stdout
(the nonce goes first, whatever was printed before), and holds the runs of the skill. Everything
else that goes to the standard streams goes to stderr, which the server drains.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.errors import Skills2Error
from skills2_nb.contract.loader import load
from skills2_nb.serve.frames import Message, packed, receive, send
from skills2_nb.serve.ground import Ground, has_room
from skills2_nb.serve.open_runs import OpenRuns
from skills2_nb.serve.streams import Streams, printed

try:
    import resource
except ImportError:  # pragma: no cover - Windows has no such bounds
    resource = None  # type: ignore[assignment]  # asked about before each use

#: Address space that libraries and thread stacks take and never fill, in bytes.
SPARE = 1024 * 1024 * 1024
_MB = 1024 * 1024
#: Seconds of processor time beyond the budget, after which the kernel ends a worker left alone.
_GRACE = 10
#: Seconds of processor time that an import may take at least.
_IMPORT = 60
#: Asked for once: the system reads a file for it.
_PROCESSORS = os.cpu_count() or 1


def _limit(settings: Mapping[str, Any]) -> None:
    """The bound on memory that the kernel holds, where it knows one."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        most = int(settings["memory_mb"]) * _MB + SPARE
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _budget(seconds: float) -> None:
    """A bound on processor time from now on: it ends a hung worker whose server was killed."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        most = time.process_time() + (seconds + _GRACE) * _PROCESSORS
        resource.setrlimit(resource.RLIMIT_CPU, (int(most) + 1, hard))


def _end_with_server(fd: int) -> None:
    """End this process and all that its steps started once the server has gone."""
    if not hasattr(select, "poll"):
        return

    def watch() -> None:
        poll = select.poll()
        poll.register(fd, 0)
        while not any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
            time.sleep(1)
        _end()

    threading.Thread(target=watch, name="server gone", daemon=True).start()


def _end() -> None:
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def main(argv: list[str]) -> None:
    """Import a package, say how that went, and answer messages until there are no more."""
    folder, nonce = Path(argv[0]), argv[1]
    streams = Streams()
    os.write(streams.told, nonce.encode("ascii"))
    settings = receive(streams.given)
    if settings is None:
        return
    # A notice of the result says so too, and what a step printed is its own.
    warnings.filterwarnings("ignore", "[^ ]+ is not in the journal: ", RuntimeWarning)
    _end_with_server(streams.given)
    _limit(settings)
    _budget(max(settings["timeout"], _IMPORT))
    with printed() as told:
        try:
            runs = OpenRuns(load(folder))
            hello: Message = {"ok": {"digest": runs.skill.digest}}
        except Skills2Error as error:
            hello = {"error": {"kind": "broken", "message": error.message}}
    streams.check()
    ground = Ground()
    send(streams.told, packed(hello | {"printed": told.text()}))
    while "ok" in hello and (request := receive(streams.given)) is not None:
        _budget(settings["timeout"])
        reply = runs.answer(request)
        streams.check()
        if not has_room():
            reply["tired"] = True
        send(streams.told, _fitting(reply))
        ground.restore()  # while the caller reads
    _end()


def _fitting(reply: Message) -> bytes:
    """The reply as bytes, or word of why it cannot be sent."""
    try:
        return packed(reply)
    except ValueError as error:
        facts = {"kind": "too_large", "message": f"the result cannot be sent: {error}"}
        return packed({"error": facts})


if __name__ == "__main__":
    main(sys.argv[1:])
