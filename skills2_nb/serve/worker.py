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
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.errors import ContractError, Skills2Error, UnknownRunError, told
from skills2_nb.contract.loader import load
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.serve.checklist import checklist
from skills2_nb.serve.frames import Message, packed, receive, send
from skills2_nb.serve.streams import Streams, printed

try:
    import resource
except ImportError:  # pragma: no cover - Windows has no such bounds
    resource = None  # type: ignore[assignment]  # asked about before each use

#: So many runs are held open; the one not used for longest is let go and resumed by its journal.
MOST_RUNS = 256
#: Address space that libraries and thread stacks take and never fill, in bytes.
SPARE = 1024 * 1024 * 1024
_MB = 1024 * 1024
#: Seconds of processor time beyond the budget, after which the kernel ends a worker left alone.
_GRACE = 10
#: Seconds of processor time that an import may take at least.
_IMPORT = 60


class Worker:
    """The runs of one skill, and what may be asked of them."""

    def __init__(self, skill: Skill) -> None:
        self.skill = skill
        self._runs: OrderedDict[str, Run] = OrderedDict()

    def answer(self, request: Message) -> Message:
        """Do what a message asks; ``{"ok": ...}`` or ``{"error": ...}``, and what was printed."""
        work: Callable[[Message], Message] = getattr(self, f"on_{request['op']}")
        with printed() as told:
            try:
                reply: Message = {"ok": work(request)}
            except ContractError as error:
                reply = {"error": self._facts(error, request)}
            except Skills2Error as error:
                reply = {"error": {**error.to_dict(), "step": request.get("step")}}
            except BaseException as error:  # a step may raise anything, SystemExit too
                reply = {"error": _foreign(request, error), "tired": _is_tired(error)}
        return reply | {"printed": told.text()}

    def on_start(self, request: Message) -> Message:
        """Open a run; its checklist."""
        run = Run.start(
            self.skill,
            request["inputs"],
            prompt=request["prompt"],
            vouched=request["vouched"],
            writer="worker",
            session=request["session"],
            prompt_id=request["prompt_id"],
        )
        self._keep(run)
        steps = checklist(self.skill, run.state.inputs)
        return {"run": run.id, "steps": steps, "next": self._next(run)}

    def on_call(self, request: Message) -> Message:
        """Call a step in a run."""
        run = self._run(request["run"])
        step = request["step"]
        before = run.state.last.get(step)
        result = run.call(step, request["args"], request["refs"])
        kept = run.state.last.get(step)
        if kept is not None and kept is not before:
            output = kept.output
        else:  # the journal could not be written; the result still reaches its caller
            output = self.skill.step(step).plain_output(result, [])
        notices, run.notices[:] = list(run.notices), []
        return {"output": output, "next": self._next(run), "notices": notices}

    def on_end(self, request: Message) -> Message:
        """Close a run."""
        run = self._run(request["run"], changed=True)
        owed = [spec.id for spec in self.skill.owed(run.state) if spec.id not in run.state.last]
        run.end(by="tool")
        if request["answer"] is not None:
            run.answer(request["answer"], request["prompt_id"])
        return {"missing": owed}

    def _run(self, id: str, *, changed: bool = False) -> Run:
        run = self._runs.get(id)
        if run is None:
            run = Run.resume(self.skill, id, writer="worker")
            if run.state.skill != self.skill.name:
                said = f"run {id} is of {run.state.skill}, not of {self.skill.name}"
                run.close()
                raise UnknownRunError(said)
            self._keep(run)
        self._runs.move_to_end(id)
        if not changed and run.state.digest != self.skill.digest:
            raise _Changed(
                f"{self.skill.name} was exported anew since run {id} began; start a new run",
                next=["start_run"],
            )
        return run

    def _keep(self, run: Run) -> None:
        self._runs[run.id] = run
        while len(self._runs) > MOST_RUNS:
            _, oldest = self._runs.popitem(last=False)
            oldest.close()

    def _next(self, run: Run) -> list[str]:
        return run.ready() or (["end_run"] if run.state.is_open else [])

    def _facts(self, error: ContractError, request: Message) -> Message:
        facts = error.to_dict()
        facts["step"] = error.step or request.get("step")
        run = self._runs.get(request.get("run", ""))
        if not facts["next"] and run is not None:
            facts["next"] = self._next(run)
        return facts


class _Changed(ContractError):
    """The package of a run is not the one that is served now."""

    kind = "package_changed"
    reason = "package_changed"


def _foreign(request: Message, error: BaseException) -> Message:
    step = request.get("step")
    who = step or request["op"]
    return {
        "kind": "exception",
        "message": f"{who} raised {told(error)}"[:2_000],
        "step": step,
        "missing": [],
        "next": [step] if step else [],
        "values": {},
    }


def _is_tired(error: BaseException) -> bool:
    """Whether a process had better not go on after such an error."""
    return isinstance(error, MemoryError)


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
        most = time.process_time() + (seconds + _GRACE) * (os.cpu_count() or 1)
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
    _end_with_server(streams.given)
    _limit(settings)
    _budget(max(settings["timeout"], _IMPORT))
    with printed() as told:
        try:
            worker = Worker(load(folder))
            hello: Message = {"ok": {"digest": worker.skill.digest}}
        except Skills2Error as error:
            hello = {"error": {"kind": "broken", "message": error.message}}
    streams.check()
    send(streams.told, packed(hello | {"printed": told.text()}))
    while "ok" in hello and (request := receive(streams.given)) is not None:
        _budget(settings["timeout"])
        reply = worker.answer(request)
        streams.check()
        send(streams.told, _fitting(reply))
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
