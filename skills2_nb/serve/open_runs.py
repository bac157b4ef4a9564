"""The open runs of one skill, and what may be asked of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from skills2_nb.contract.body import leave
from skills2_nb.contract.errors import ContractError, Skills2Error, UnknownRunError, told
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.serve.checklist import checklist
from skills2_nb.serve.frames import Message
from skills2_nb.serve.streams import Printed, printed

#: So many runs are held open; the one not used for longest is let go and resumed by its journal.
MOST_RUNS = 256


class Leave:
    """The leave to record one call, which either its step takes or whoever gives it up.

    Attributes:
        seq: the number of the call's newest record; None before it has one.
    """

    def __init__(self) -> None:
        self.seq: int | None = None
        self._run: str | None = None
        self._given_up = False
        self._lock = threading.Lock()

    def of(self, run: str) -> Leave:
        """The leave, for the records of that run alone: a step may call a run of another skill."""
        self._run = run
        return self

    def ask(self, run: str, seq: int) -> None:
        """Take the leave for a record; raises where the call was given up."""
        if run != self._run:
            return
        with self._lock:
            if self._given_up:
                raise GivenUpError("this call took too long and was given up")
            self.seq = seq

    def give_up(self) -> bool:
        """Give the call up, so that it is never recorded; false where it is by now."""
        with self._lock:
            self._given_up = self.seq is None
            return self._given_up


class GivenUpError(Exception):
    """A call came to its end after it had been given up."""


class OpenRuns:
    """The runs of one skill. Any number of threads may ask at once.

    Args:
        writer: who writes their journals.
        printed: while it is open, what this thread prints is kept.
        folders: where relative paths among run inputs are sought.
        keep: stores what a run that begins now can be replayed from, where no package holds it.
    """

    def __init__(
        self,
        skill: Skill,
        writer: str = "worker",
        printed: Callable[[], AbstractContextManager[Printed]] = printed,
        folders: tuple[Path, ...] | None = None,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        self.skill = skill
        self._writer = writer
        self._printed = printed
        self._folders = folders
        self._keep_sources = keep
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._lock = threading.RLock()

    def answer(self, request: Message, given: Leave | None = None) -> Message:
        """Do what a message asks; ``{"ok": ...}`` or ``{"error": ...}``, and what was printed."""
        with self._printed() as shown:
            try:
                reply: Message = {"ok": self._done(request, given or Leave())}
            except ContractError as error:
                reply = {"error": self._facts(error, request)}
            except Skills2Error as error:
                reply = {"error": {**error.to_dict(), "step": request.get("step")}}
            except BaseException as error:  # a step may raise anything, SystemExit too
                reply = {"error": _foreign(request, error), "tired": _is_tired(error)}
        return reply | {"printed": shown.text()}

    def close(self) -> None:
        """Let the journals go; a run that is asked for opens its own again."""
        with self._lock:
            for run in self._runs.values():
                run.close()

    def _done(self, request: Message, given: Leave) -> Message:
        if request["op"] == "start":
            return self._start(request)
        if request["op"] == "end":
            return self._end(request)
        return self._call(request, given)

    def _start(self, request: Message) -> Message:
        """Open a run; its checklist."""
        self._keep_sources()
        run = Run.start(
            self.skill,
            request["inputs"],
            prompt=request["prompt"],
            vouched=request["vouched"],
            writer=self._writer,
            folders=self._folders,
            session=request["session"],
            prompt_id=request["prompt_id"],
        )
        self._keep(run)
        steps = checklist(self.skill, run.state.inputs)
        return {"run": run.id, "steps": steps, "next": self._next(run)}

    def _call(self, request: Message, given: Leave) -> Message:
        """Call a step in a run."""
        run = self._run(request["run"])
        step = request["step"]
        token = leave.set(given.of(run.id).ask)
        try:
            result = run.call(step, request["args"], request["refs"])
        finally:
            leave.reset(token)
        kept = None if given.seq is None else run.state.by_seq.get(given.seq)
        if kept is not None and kept.step == step:
            output = kept.output
        else:  # the journal could not be written; the result still reaches its caller
            output = self.skill.step(step).plain_output(result, [])
        notices, run.notices[:] = list(run.notices), []
        return {"output": output, "next": self._next(run), "notices": notices}

    def _end(self, request: Message) -> Message:
        """Close a run."""
        run = self._run(request["run"], changed=True)
        owed = [spec.id for spec in self.skill.owed(run.state) if spec.id not in run.state.last]
        run.end(by="tool")
        if request["answer"] is not None:
            run.answer(request["answer"], request["prompt_id"])
        return {"missing": owed}

    def _run(self, id: str, *, changed: bool = False) -> Run:
        with self._lock:
            run = self._runs.get(id)
            if run is None:
                run = Run.resume(self.skill, id, writer=self._writer)
                if run.state.skill != self.skill.name:
                    said = f"run {id} is of {run.state.skill}, not of {self.skill.name}"
                    run.close()
                    raise UnknownRunError(said)
                self._keep(run)
            self._runs.move_to_end(id)
        ran, now = (run.state.digest, run.state.live), (self.skill.digest, self.skill.live)
        if not changed and ran != now:
            name = self.skill.name
            how = f"{name} was exported anew"
            if self.skill.live is not None:
                how = f"cells of {name} were run with another text"
            raise _Changed(f"{how} since run {id} began; start a new run", next=["start_run"])
        return run

    def _keep(self, run: Run) -> None:
        with self._lock:
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
    """The skill of a run is not the one that is served now."""

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
