"""One use of a skill, from its first call to its end."""

from __future__ import annotations

import datetime as dt
import os
import re
import secrets
import time
import warnings
from collections.abc import Callable, Mapping
from contextvars import Token
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.contract import invariants as inv
from skills2_nb.contract.binding import Bound, bind
from skills2_nb.contract.blobs import deflate
from skills2_nb.contract.body import completed
from skills2_nb.contract.canonical import plain
from skills2_nb.contract.capture import Capture
from skills2_nb.contract.errors import (
    ContractError,
    DefinitionError,
    GuardError,
    JournalError,
    OrderError,
    OutputError,
    RunEndedError,
    UnknownRunError,
)
from skills2_nb.contract.home import folder, home
from skills2_nb.contract.inputs import run_inputs
from skills2_nb.contract.journal import Journal, Record
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check, RunState
from skills2_nb.contract.step import Caller, broken, current

_RUN_ID = re.compile(r"(\d{4})(\d\d)(\d\d)-\d{6}-[0-9a-f]{8}")


@dataclass(frozen=True)
class _Prepared:
    """A call that may be made: its typed arguments, their plain form and their origins."""

    spec: StepSpec
    inputs: dict[str, Any]
    args: dict[str, Any]
    origins: dict[str, Any]


class Run:
    """A journalled use of a skill. Make one with :meth:`start` or :meth:`resume`.

    As a context manager it is *current*: plain calls of its skill's steps are journalled in it.

    Attributes:
        id: the run's id.
        path: its journal.
        state: what it has come to.
        notices: what could not be recorded, in plain sentences.
    """

    def __init__(self, skill: Skill, id: str, path: Path, writer: str) -> None:
        self.skill = skill
        self.id = id
        self.path = path
        self.state = RunState()
        self.notices: list[str] = []
        self._capture = Capture(skill.runtime.capture, frozenset(skill.runtime.redact))
        self._journal = Journal(path, id, f"{writer}:{os.getpid()}", self._take)
        self._tokens: list[Token[Caller | None]] = []

    @classmethod
    def start(
        cls,
        skill: Skill,
        inputs: Mapping[str, Any] | None = None,
        *,
        prompt: str | None = None,
        vouched: str = "client",
        writer: str = "kernel",
        folders: tuple[Path, ...] | None = None,
    ) -> Run:
        """Open a run and its journal.

        Args:
            inputs: values that steps may bind by name.
            prompt: what the user asked.
            vouched: who vouches for inputs and prompt: ``hook``, ``cli``, ``case`` or ``client``.
            writer: ``serve``, ``kernel``, ``cli`` or ``worker``.
            folders: where relative paths among the inputs are sought; left out, the working
                folder, then the package.

        Raises:
            JournalError: the journal cannot be written.
        """
        at = dt.datetime.now(dt.UTC)
        id_ = f"{at:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
        if folders is None:
            folders = (Path.cwd(), *([skill.folder] if skill.folder else []))
        try:
            path = folder("runs", f"{at:%Y-%m-%d}") / f"{id_}.jsonl"
        except OSError as error:
            raise JournalError(f"cannot keep runs in {home()}: {error}") from error
        run = cls(skill, id_, path, writer)
        given = run_inputs(inputs, folders)
        run._journal.append(
            "run_started",
            {
                "skill": skill.name,
                "version": skill.version,
                "digest": skill.digest,
                "live": skill.live,
                "inputs": deflate(run._capture.values(given)),
                "prompt": prompt,
                "vouched": vouched,
            },
        )
        run.state.inputs = given
        return run

    @classmethod
    def resume(cls, skill: Skill, id: str, *, writer: str = "kernel") -> Run:
        """Go on with a run, from any process.

        Raises:
            UnknownRunError: no journal has that id.
            JournalError: its journal cannot be read.
        """
        run = cls(skill, id, find(id), writer)
        run._journal.sync()
        return run

    def call(
        self,
        step: str,
        args: Mapping[str, Any] | None = None,
        refs: Mapping[str, str] | None = None,
    ) -> Any:
        """Call a step and return its validated result.

        Args:
            args: values by parameter name; what is left out is bound.
            refs: references by parameter name, ``"step#/field"``.

        Raises:
            ContractError: a promise was broken; the record says the same.
        """
        prepared = self._prepare(step, args or {}, refs or {})
        begun = time.perf_counter_ns()
        token = current.set(None)
        try:
            result = completed(prepared.spec.fn, prepared.inputs)
        except BaseException as error:
            self._fail(prepared, "exception", _foreign(prepared.spec, error), begun)
            raise
        finally:
            current.reset(token)
        return self._finish(prepared, result, begun)

    async def acall(
        self,
        step: str,
        args: Mapping[str, Any] | None = None,
        refs: Mapping[str, str] | None = None,
    ) -> Any:
        """:meth:`call` for a coroutine step."""
        prepared = self._prepare(step, args or {}, refs or {})
        begun = time.perf_counter_ns()
        token = current.set(None)
        try:
            result = await prepared.spec.fn(**prepared.inputs)
        except BaseException as error:
            self._fail(prepared, "exception", _foreign(prepared.spec, error), begun)
            raise
        finally:
            current.reset(token)
        return self._finish(prepared, result, begun)

    def end(self, by: str = "tool", answer: str | None = None) -> None:
        """Close the run to calls; an ``answer`` follows as its own record."""
        self._journal.append("run_ended", lambda: self._ending(by))
        if answer is not None:
            self.answer(answer)

    def answer(self, text: str, prompt_id: str | None = None) -> None:
        """Record the answer given to the user."""
        self._journal.append("answer", {"text": text, "prompt_id": prompt_id})

    def note(self, text: str) -> None:
        """Record a remark."""
        self._journal.append("note", {"text": text})

    def ready(self) -> list[str]:
        """The steps not done yet that may be called now."""
        return self.skill.ready(self.state) if self.state.is_open else []

    def owns(self, spec: StepSpec) -> bool:
        """Whether the step is one of the run's skill."""
        return any(step.fn is spec.fn for step in self.skill.steps)

    def call_plainly(self, spec: StepSpec, given: dict[str, Any]) -> Any:
        """A plain call made while the run is current."""
        if spec.is_async:
            return self.acall(spec.id, given)
        return self.call(spec.id, given)

    def close(self) -> None:
        """Let the journal's file go; the run stays open."""
        self._journal.close()

    def __enter__(self) -> Run:
        self._tokens.append(current.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        current.reset(self._tokens.pop())

    def _take(self, record: Record) -> None:
        self.state.apply(record)

    def _prepare(self, step: str, args: Mapping[str, Any], refs: Mapping[str, str]) -> _Prepared:
        """Check order, bind and validate; a refusal is recorded before it is raised."""
        self._journal.sync()
        bound = Bound({}, {})
        try:
            spec = self.skill.step(step)
            self._check_order(spec)
            bound = bind(self.skill, spec, self.state, args, refs)
            inputs = spec.validate(bound.values)
            return _Prepared(spec, inputs, spec.plain_args(inputs), bound.origins)
        except ContractError as error:
            self._refuse(step, error, args, bound)
            raise

    def _check_order(self, spec: StepSpec) -> None:
        state, skill = self.state, self.skill
        if not state.is_open:
            raise RunEndedError(
                f"{spec.id} was called after run {self.id} had ended; start a new run",
                step=spec.id,
                next=["start_run"],
            )
        if skill.guard(spec, state) is False:
            raise GuardError(
                f"{spec.id} is not due in this run: its guard is false",
                step=spec.id,
                next=skill.ready(state),
            )
        missing = skill.missing(spec, state)
        if missing:
            raise OrderError(
                f"{spec.id} was called before {', '.join(missing)}; call {missing[0]} next",
                step=spec.id,
                missing=missing,
                next=skill.ready(state),
            )

    def _finish(self, call: _Prepared, result: Any, begun: int) -> Any:
        spec = call.spec
        checks: tuple[Check, ...] = ()
        shown: Any = None
        try:
            output = spec.validate_output(result)
            shown = _plain_output(spec, output)
            view = self.skill.view(self.state) if spec.reads_run else None
            checks = inv.check(spec.invariants, call.inputs, output, view)
            broken(spec, checks, call.inputs, output)
        except ContractError as error:
            self._fail(call, error.reason, error.to_dict(), begun, shown, checks)
            raise
        except DefinitionError as error:
            self._fail(call, "exception", _foreign(spec, error), begun, shown)
            raise
        fields = self._fields(call, begun, checks) | {"output": self._capture.output(shown)}

        def still_in_order() -> dict[str, Any]:
            self._check_order(spec)
            return fields

        self._record("step_ok", spec.id, still_in_order)
        self._reveal(call, shown)
        return output

    def _fail(
        self,
        call: _Prepared,
        reason: str,
        error: dict[str, Any],
        begun: int,
        output: Any = None,
        checks: tuple[Check, ...] = (),
    ) -> None:
        fields = self._fields(call, begun, checks)
        fields |= {
            "reason": reason,
            "error": self._capture.error(error),
            "output": self._capture.output(output),
        }
        self._record("step_failed", call.spec.id, fields)

    def _refuse(
        self, step: str, error: ContractError, args: Mapping[str, Any], bound: Bound
    ) -> None:
        fields: dict[str, Any] = {
            "step": step,
            "reason": error.reason,
            "error": self._capture.error(error.to_dict()),
        }
        if error.reason == "input":
            given = {name: _shown(item) for name, item in {**args, **bound.values}.items()}
            fields |= {"args": self._capture.values(given), "bound": bound.origins}
            self._record("step_failed", step, fields)
        else:
            self._record("rejected", step, fields)

    def _fields(self, call: _Prepared, begun: int, checks: tuple[Check, ...]) -> dict[str, Any]:
        return {
            "step": call.spec.id,
            "args": self._capture.values(call.args),
            "bound": call.origins,
            "invariants": self._capture.checks(checks),
            "us": (time.perf_counter_ns() - begun) // 1000,
        }

    def _reveal(self, call: _Prepared, output: Any) -> None:
        if self._capture.withholds:
            newest = self.state.last.get(call.spec.id)
            if newest is not None:
                self.state.reveal(newest.seq, call.args, output)

    def _record(
        self, kind: str, step: str, fields: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    ) -> None:
        """Append; a result still reaches its caller when the journal cannot be written."""
        try:
            self._journal.append(kind, fields)
        except JournalError as error:
            notice = f"{step} is not in the journal: {error}"
            self.notices.append(notice)
            warnings.warn(notice, RuntimeWarning, stacklevel=4)
        except ContractError as error:
            self._refuse(step, error, {}, Bound({}, {}))
            raise

    def _ending(self, by: str) -> dict[str, Any]:
        if not self.state.is_open:
            raise RunEndedError(f"run {self.id} has ended already; start a new run")
        return {"by": by, "count": self.state.count, "head": self.state.head}


def find(id: str) -> Path:
    """The journal of the run ``id``.

    Raises:
        UnknownRunError: no journal has that id.
    """
    match = _RUN_ID.fullmatch(id)
    if match is not None:
        path = home() / "runs" / "-".join(match.groups()) / f"{id}.jsonl"
        if path.is_file():
            return path
    raise UnknownRunError(f"there is no run {id[:80]!r} in {home()}; `skills2 runs list` has them")


def _plain_output(spec: StepSpec, output: Any) -> Any:
    try:
        return spec.plain_output(output)
    except (TypeError, ValueError) as error:
        raise OutputError(
            f"{spec.id} returned what cannot be recorded: {error}", step=spec.id
        ) from None


def _foreign(spec: StepSpec, error: BaseException) -> dict[str, Any]:
    """An exception of the step's own, as a record carries it."""
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return {
        "kind": "exception",
        "message": f"{spec.id} raised {told}"[:2_000],
        "step": spec.id,
        "missing": [],
        "next": [spec.id],
        "values": {},
    }


def _shown(value: Any) -> Any:
    try:
        return plain(value)
    except (TypeError, ValueError):
        return inv.shown.repr(value)
