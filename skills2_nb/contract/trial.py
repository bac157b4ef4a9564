"""What ``case(...)`` does in a kernel: run, and show a tick."""

from __future__ import annotations

import inspect
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from skills2_nb.contract import invariants as inv
from skills2_nb.contract.body import completed
from skills2_nb.contract.canonical import plain
from skills2_nb.contract.errors import ContractError, Skills2Error
from skills2_nb.contract.home import elsewhere
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.step import run_alone, run_alone_async
from skills2_nb.contract.walk import walk

#: How close two numbers of a case have to be, as a share of their size.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Trial:
    """What came of one case.

    Attributes:
        ok: whether the case holds.
        label: the case in a few words.
        detail: what was seen, in one sentence.
    """

    ok: bool
    label: str
    detail: str

    def __str__(self) -> str:
        return f"{'✓' if self.ok else '✗'} {self.label}{f': {self.detail}' if self.detail else ''}"

    def _ipython_display_(self) -> None:
        """Nothing more: the trial was shown when it ran, wherever it stands in its cell."""


#: While true, cases are passed over: cells are run for the steps that they define.
passed_over: ContextVar[bool] = ContextVar("cases passed over", default=False)
_PASSED = Trial(True, "passed over", "")


def _print(trial: Trial) -> None:
    print(trial)  # noqa: T201 - the tick is the output of the cell


#: How a trial is shown; a notebook front end may put its own in place.
show: list[Callable[[Trial], None]] = [_print]
#: Judges a finished run case by its audit: ``(skill, run, case) -> (holds, sentence)``.
judge: list[Callable[[Skill, Run, Mapping[str, Any]], tuple[bool, str]]] = []
#: Names the skill and its files of the notebook in use: ``(namespace) -> Skill``.
collect: list[Callable[[Mapping[str, Any]], Skill]] = []


def case(prompt: str, **keys: Any) -> Trial:
    """A run case: the steps are walked by binding, or by ``calls``, and the outcome judged.

    Args:
        prompt: what a user would ask.
        keys: the keys of an eval row: ``inputs, must_call, must_not_call, must_mention,
            must_not, expected_audit, expect, calls, tags, ...``; literals alone.
    """
    if passed_over.get():
        return _PASSED
    frame = sys._getframe(1)
    trial = run_case({"prompt": prompt, **keys}, frame.f_globals)
    show[-1](trial)
    return trial


def step_case(
    fn: Any, *args: Any, expect: Any = None, fails: str | None = None, **given: Any
) -> Trial:
    """A step case: one call outside any run.

    Args:
        expect: the result, or those of its fields that matter.
        fails: the invariant, the kind of error or the exception's name it has to fail with.
        given: arguments by name; ``id`` is the eval row's, unless the step takes one.
    """
    if passed_over.get():
        return _PASSED
    takes_id = "id" in fn.__step__.parameter_names
    taken = {key: value for key, value in given.items() if takes_id or key != "id"}
    trial = _tried(fn, args, taken, expect, fails)
    show[-1](trial)
    return trial


def tried(
    spec: StepSpec, given: Mapping[str, Any], expect: Any = None, fails: str | None = None
) -> Trial:
    """A step case of a step that is known by its spec; nothing is shown.

    Args:
        given: its arguments by name.
        expect: as in :func:`step_case`, and so is ``fails``.
    """
    fn = partial(run_alone_async if spec.is_async else run_alone, spec)
    return _outcome(
        f"{spec.id}({_told((), given)})",
        spec,
        lambda: completed(fn, {"given": given}),
        expect,
        fails,
    )


def run_case(row: Mapping[str, Any], namespace: Mapping[str, Any]) -> Trial:
    """Run a case on the steps of ``namespace``; nothing is left behind."""
    label = inv.shown.repr(row["prompt"])
    try:
        skill = collect[-1](namespace) if collect else Skill.collect(namespace, "notebook")
    except Skills2Error as error:
        return Trial(False, label, str(error))
    if not skill.steps:
        return Trial(False, label, "there is no step yet: run the step cells first")
    with tempfile.TemporaryDirectory() as place, elsewhere(Path(place)):
        run = Run.start(
            skill, row.get("inputs"), prompt=row["prompt"], vouched="case", folders=_folders(skill)
        )
        try:
            return _judged(row, skill, run, label)
        finally:
            run.close()


def _judged(row: Mapping[str, Any], skill: Skill, run: Run, label: str) -> Trial:
    error = _call_all(row, run)
    if judge:
        ok, sentence = judge[-1](skill, run, row)
        return Trial(ok, label, sentence if ok else f"{sentence}{_because(error)}")
    problem = _calls_amiss(row, run)
    if problem:
        return Trial(False, label, f"{problem}{_because(error)}")
    if error is not None and row.get("expected_audit", "pass") == "pass":
        return Trial(False, label, str(error))
    return Trial(True, label, f"{len(run.state.last)} of {len(skill.steps)} steps ran")


def _call_all(row: Mapping[str, Any], run: Run) -> BaseException | None:
    """Make the case's explicit calls, else walk; the last failure is handed back."""
    if "calls" not in row:
        return walk(run).error
    last: BaseException | None = None
    for item in row["calls"]:
        try:
            run.call(item["step"], item.get("args"), item.get("refs"))
        except (Exception, SystemExit) as error:
            last = error
    return last


def _calls_amiss(row: Mapping[str, Any], run: Run) -> str | None:
    called = set(run.state.last)
    missing = [name for name in _named(row, "must_call") if name not in called]
    if missing:
        return f"{', '.join(missing)} did not succeed"
    unwanted = [name for name in _named(row, "must_not_call") if name in called]
    return f"{', '.join(unwanted)} was called" if unwanted else None


def _named(row: Mapping[str, Any], key: str) -> list[str]:
    return [item if isinstance(item, str) else item["step"] for item in row.get(key, ())]


def _because(error: BaseException | None) -> str:
    return f" ({error})" if error is not None else ""


def _tried(fn: Any, args: Any, given: Mapping[str, Any], expect: Any, fails: str | None) -> Trial:
    spec = fn.__step__

    def call() -> Any:
        return completed(fn, inspect.signature(spec.fn).bind_partial(*args, **given).arguments)

    return _outcome(f"{spec.id}({_told(args, given)})", spec, call, expect, fails)


def _told(args: Iterable[Any], given: Mapping[str, Any]) -> str:
    return ", ".join(
        [inv.shown.repr(a) for a in args] + [f"{k}={inv.shown.repr(v)}" for k, v in given.items()]
    )


def _outcome(
    label: str, spec: StepSpec, call: Callable[[], Any], expect: Any, fails: str | None
) -> Trial:
    try:
        output = call()
    except (Exception, SystemExit) as error:
        return _failed(label, error, fails)
    if fails is not None:
        return Trial(False, label, f"it should fail with {fails!r} and does not")
    if expect is not None and not agrees(spec.plain_output(output), plain(expect)):
        return Trial(False, label, f"it gives {inv.shown.repr(output)}")
    return Trial(True, label, "")


def _failed(label: str, error: BaseException, fails: str | None) -> Trial:
    names = failure_names(error)
    if fails in names:
        return Trial(True, label, f"fails with {fails}, as it should")
    wanted = f", and should with {fails!r}" if fails else ""
    return Trial(False, label, f"it fails with {names[0]!r}{wanted}: {error}")


def failure_names(error: BaseException) -> tuple[str, ...]:
    """What a case may call a failure: the invariant, the kind, the class."""
    named = [getattr(error, "invariant", None)]
    if isinstance(error, ContractError):
        named += [error.kind, error.reason]
    else:
        named.append("exception")
    return tuple(dict.fromkeys(name for name in [*named, type(error).__name__] if name))


def agrees(seen: Any, wanted: Any) -> bool:
    """Whether a plain value is the one wanted: mappings by the keys named, numbers nearly."""
    if isinstance(wanted, Mapping) and isinstance(seen, Mapping):
        return all(key in seen and agrees(seen[key], item) for key, item in wanted.items())
    if isinstance(wanted, list) and isinstance(seen, list):
        return len(seen) == len(wanted) and all(map(agrees, seen, wanted))
    if isinstance(wanted, bool) or isinstance(seen, bool):
        return seen is wanted
    if isinstance(wanted, (int, float)) and isinstance(seen, (int, float)):
        return math.isclose(seen, wanted, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(seen == wanted)


def _folders(skill: Skill) -> tuple[Path, ...]:
    """Where a case's files are sought: here, the skill's folder, the folder of a notebook here."""
    here = Path.cwd()
    beside = sorted(path.with_suffix("") for path in here.glob("*.ipynb"))
    return (here, *([skill.folder] if skill.folder else []), *beside)
