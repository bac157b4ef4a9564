"""One use of a skill, from its first call to its end."""

from __future__ import annotations

import datetime as dt
import inspect
import re
import secrets
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from skills2_nb.contract import invariants as inv
from skills2_nb.contract.binding import Bound, bind
from skills2_nb.contract.blobs import deflate, sheltered
from skills2_nb.contract.body import Prepared, Within, ask_leave, completed
from skills2_nb.contract.capture import (
    Capture,
    foreign,
    plain_args,
    plain_output,
    shown_plainly,
)
from skills2_nb.contract.errors import (
    ContractError,
    JournalError,
    RunEndedError,
    UnknownRunError,
)
from skills2_nb.contract.home import folder, home
from skills2_nb.contract.inputs import run_inputs
from skills2_nb.contract.journal import Journal, Record
from skills2_nb.contract.ledger import headed
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.snapshot import AT_LAST, Places
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check
from skills2_nb.contract.step import Caller, broken, current

#: What was current before each run that this context entered; a run may be entered in many.
_BEFORE: ContextVar[tuple[Caller | None, ...]] = ContextVar("callers before", default=())
_RUN_ID = re.compile(r"(\d{4})(\d\d)(\d\d)-\d{6}-[0-9a-f]{8}")


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
        self.notices: list[str] = []
        self._shelter: dict[str, bytes] = {}
        runtime = skill.runtime
        self._capture = Capture(runtime.capture, frozenset(runtime.redact), self._shelter)
        self._journal = Journal(path, id, writer, self._take, home())
        self._places = Places(self._journal)
        self.state = self._places.state()

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
        session: str | None = None,
        prompt_id: str | None = None,
    ) -> Run:
        """Open a run and its journal.

        Args:
            inputs: values that steps may bind by name.
            prompt: what the user asked.
            vouched: who vouches for inputs and prompt: ``hook``, ``cli``, ``case`` or ``client``.
            writer: ``serve``, ``kernel``, ``cli`` or ``worker``.
            folders: where relative paths among the inputs are sought; left out, the working
                folder, then the package.
            session: the client's session, where it is known.
            prompt_id: the client's id of the prompt, where it is known.

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
                "session": session,
                "prompt_id": prompt_id,
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
        run.state = run._places.open()
        run._journal.sync()
        run._places.keep()
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
        try:
            with prepared.within:
                result = completed(prepared.spec.fn, prepared.inputs)
        except BaseException as error:
            self._fail(prepared, "exception", foreign(prepared.spec, error), begun)
            raise
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
        try:
            with prepared.within:
                result = prepared.spec.fn(**prepared.inputs)
                if inspect.isawaitable(result):
                    result = await result
        except BaseException as error:
            self._fail(prepared, "exception", foreign(prepared.spec, error), begun)
            raise
        return self._finish(prepared, result, begun)

    def end(self, by: str = "tool", answer: str | None = None) -> None:
        """Close the run to calls; an ``answer`` follows as its own record."""
        headed(self._journal.append("run_ended", lambda: self._ending(by)))
        if answer is not None:
            self.answer(answer)
        self._places.keep(AT_LAST)

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
        self._places.keep(AT_LAST)
        self._journal.close()

    def __enter__(self) -> Run:
        _BEFORE.set((*_BEFORE.get(), current.get()))
        current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        *others, before = _BEFORE.get() or (None,)
        _BEFORE.set(tuple(others))
        current.set(before)

    def _take(self, record: Record) -> None:
        """An interrupted append is read again: what the state has already is passed over."""
        if record["seq"] > self.state.count:
            self.state.apply(record)
            self._places.see(record)

    def _prepare(self, step: str, args: Mapping[str, Any], refs: Mapping[str, str]) -> Prepared:
        """Check order, bind and validate; a refusal is recorded before it is raised."""
        try:
            self._journal.sync()
        except JournalError as error:
            if not isinstance(error.__cause__, OSError):
                raise  # else the record will say so: a full disk keeps nobody from a result
        bound = Bound({}, {})
        lost: list[JournalError] = []
        try:
            with self._tables():
                spec = self.skill.step(step)
                self.skill.admit(spec, self.state)
                bound = bind(self.skill, spec, self.state, args, refs)
                inputs = spec.validate(bound.values)
                shown = plain_args(spec, inputs, lost)
            seen = self.state.count
            return Prepared(spec, inputs, shown, bound.origins, lost, seen, Within())
        except ContractError as error:
            self._refuse(step, error, args, bound)
            raise

    def _finish(self, call: Prepared, result: Any, begun: int) -> Any:
        spec = call.spec
        checks: tuple[Check, ...] = ()
        shown: Any = None
        try:
            with self._tables():
                output = spec.validate_output(result)
                shown = plain_output(spec, output, call.lost)
                view = self.skill.view(self.state) if spec.reads_run else None
                checks = inv.check(spec.invariants, call.inputs, output, view)
            broken(spec, checks, call.inputs, output)
        except ContractError as error:
            self._fail(call, error.reason, error.to_dict(), begun, shown, checks)
            raise
        except (Exception, SystemExit) as error:  # code in the result, a check as it is written
            self._fail(call, "exception", foreign(spec, error), begun, shown)
            raise

        def fields() -> dict[str, Any]:
            return self._fields(call, begun, checks, shown)

        kept = self._record("step_ok", spec.id, fields, call.lost, lambda: self._admit(call))
        if kept is not None and self._capture.withholds:
            self.state.reveal(kept["seq"], call.args, shown)
        return output

    def _admit(self, call: Prepared) -> None:
        """Let a call be recorded that was let through before others moved the run."""
        if self.state.count != call.seen:
            with self._tables():
                self.skill.admit(call.spec, self.state)

    def _fail(
        self,
        call: Prepared,
        reason: str,
        error: dict[str, Any],
        begun: int,
        output: Any = None,
        checks: tuple[Check, ...] = (),
    ) -> None:
        def fields() -> dict[str, Any]:
            return self._fields(call, begun, checks, output) | {
                "reason": reason,
                "error": self._capture.error(error),
            }

        self._record("step_failed", call.spec.id, fields, call.lost)

    def _refuse(
        self, step: str, error: ContractError, args: Mapping[str, Any], bound: Bound
    ) -> None:
        facts: dict[str, Any] = {
            "step": step,
            "reason": error.reason,
            "error": self._capture.error(error.to_dict()),
        }

        def fields() -> dict[str, Any]:
            given = {**args, **bound.values}.items()
            values = {str(name): shown_plainly(item) for name, item in given}
            return facts | {"args": self._capture.values(values), "bound": bound.origins}

        if error.reason == "input":
            self._record("step_failed", step, fields)
        else:
            self._record("rejected", step, lambda: facts)

    def _fields(
        self, call: Prepared, begun: int, checks: tuple[Check, ...], output: Any
    ) -> dict[str, Any]:
        capture = self._capture
        fields = {
            "step": call.spec.id,
            "args": capture.values(call.args),
            "bound": call.origins,
            "invariants": capture.checks(checks),
            "output": capture.output(output),
            "us": (time.perf_counter_ns() - begun) // 1000,
        }
        files = call.within.files(capture.withholds, call.args)
        if files:
            fields["files"] = deflate(files)
        return fields

    def _record(
        self,
        kind: str,
        step: str,
        make: Callable[[], Mapping[str, Any]],
        lost: Sequence[JournalError] = (),
        check: Callable[[], None] | None = None,
    ) -> Record | None:
        """Append; a result still reaches its caller when it cannot be kept."""

        def checked() -> Mapping[str, Any]:
            ask_leave(self.id, self.state.count + 1)
            if check is not None:
                check()
            return fields

        try:
            if lost:
                raise lost[0]
            fields = make()
            record = self._journal.append(kind, checked)
            self._places.keep()
            return record
        except JournalError as error:
            notice = f"{step} is not in the journal: {error}"
            self.notices.append(notice)
            warnings.warn(notice, RuntimeWarning, stacklevel=4)
            return None
        except ContractError as error:
            self._refuse(step, error, {}, Bound({}, {}))
            raise

    def _tables(self) -> sheltered:
        """Where tables are kept while a call is looked at: in memory where values are withheld."""
        return sheltered(self._shelter if self._capture.withholds else None)

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
