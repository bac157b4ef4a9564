"""What there is to show of each step of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from skills2_nb.contract.binding import producers
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Call, Check, RunState
from skills2_nb.views.values import is_scalar

if TYPE_CHECKING:
    from skills2_nb.audit.steps import StepView

Status = Literal["ok", "failed", "rejected", "stale", "not called", "not due"]
#: What a status looks like beside its word; never the word alone, never the mark alone.
MARKS: Mapping[str, str] = {
    "ok": "✓",
    "failed": "✗",
    "rejected": "⊘",
    "stale": "↻",
    "not called": "○",
    "not due": "–",
}
#: How much is for or against a status.
TONES: Mapping[str, str] = {
    "ok": "good",
    "failed": "bad",
    "rejected": "bad",
    "stale": "warn",
    "not called": "warn",
    "not due": "mute",
}
#: Names for where an argument came from when it is no reference.
PLAIN_SOURCES: Mapping[str, str] = {"literal": "given by the caller", "default": "the default"}
_MOST_FIGURES = 3


@dataclass(frozen=True)
class Argument:
    """One argument of a call and where it came from.

    Attributes:
        name: the parameter.
        source: ``step#/field``, ``inputs#/name``, ``literal`` or ``default``; before a call,
            the sources in question in words.
        value: the plain value as recorded; None before a call.
        by: how it was bound: ``name``, ``bind``, ``ref``, or None.
        known: whether there is a value yet.
        via: the steps and run inputs that the source itself came from, nearest first.
    """

    name: str
    source: str
    value: Any = None
    by: str | None = None
    known: bool = True
    via: tuple[str, ...] = ()

    @property
    def origin(self) -> str | None:
        """The step it came from, ``inputs``, or None."""
        place, mark, _ = self.source.partition("#")
        return place if mark else None

    @property
    def told(self) -> str:
        """The source in words."""
        if self.known and self.source.endswith("#"):
            return f"{self.origin}, the whole result"
        return PLAIN_SOURCES.get(self.source, self.source)

    @property
    def behind(self) -> str:
        """What the source itself came from, in words; empty where nothing is known."""
        steps = dict.fromkeys(ref.partition("#")[0] for ref in self.via)
        names = [field_of(ref)[1] for ref in self.via if ref.startswith("inputs#")]
        told = [step for step in steps if step != "inputs"]
        return ", ".join([*told, *([f"inputs {', '.join(names)}"] if names else [])])


@dataclass(frozen=True)
class StepRow:
    """One step of a skill and what a run made of it.

    Attributes:
        number: its place in the order, from 1.
        status: in one word or two; ``not due`` where it was not owed.
        call: the newest success, else the newest attempt, else None.
        attempts: how often it was called, refusals too.
        checks: the invariants as the call recorded them; names alone where it never came to that.
        figures: the fields worth a line: those of ``report``, else the first scalars.
        arguments: what the call took, and from where.
    """

    number: int
    id: str
    summary: str
    status: Status
    call: Call | None
    attempts: int
    declared: tuple[str, ...]
    checks: tuple[Check, ...]
    figures: tuple[tuple[str, Any], ...]
    arguments: tuple[Argument, ...]
    report: tuple[str, ...]
    stale_sources: tuple[str, ...] = ()

    @property
    def passed(self) -> int:
        """How many invariants held."""
        return sum(check.ok for check in self.checks)

    @property
    def us(self) -> int | None:
        """How long the call took in microseconds; None where its body never ran."""
        return self.call.us if self.call and self.call.us else None

    @property
    def error(self) -> str | None:
        """Why the newest attempt came to nothing; None after a success."""
        if self.call is None or self.call.status == "ok":
            return None
        return str((self.call.error or {}).get("message") or self.call.reason or "")


def rows(
    skill: Skill, state: RunState | None, judged: Sequence[StepView] = ()
) -> tuple[StepRow, ...]:
    """Every step of the skill in order, with what the run made of it; no run = none called.

    Args:
        judged: the audit's steps, which know better whether a step was owed.
    """
    state = RunState() if state is None else state
    owed = {view.step: view.owed for view in judged}
    return tuple(
        _row(number, spec, skill, state, owed=_owed(spec, skill, state, owed))
        for number, spec in enumerate(skill.steps, 1)
    )


def arguments(call: Call, state: RunState | None = None) -> tuple[Argument, ...]:
    """The arguments of a recorded call in its order, each with its source."""
    named = dict.fromkeys([*call.bound, *call.args])
    return tuple(_argument(name, call, state) for name in named)


def expected(skill: Skill, spec: StepSpec) -> tuple[Argument, ...]:
    """Where each argument of a step would come from, before it is called."""
    return tuple(
        Argument(p.name, _promise(skill, spec, p.name, required=p.required), known=False)
        for p in spec.parameters
    )


def strangers(skill: Skill, state: RunState | None) -> tuple[Call, ...]:
    """Calls of steps that the skill does not have."""
    if state is None:
        return ()
    return tuple(state.calls.where(lambda step, status, reason: step not in skill.ids))


def field_of(reference: str) -> tuple[str, str]:
    """The step (or ``inputs``) and the top-level field of ``step#/field/deeper``."""
    place, _, pointer = reference.partition("#")
    first = pointer.removeprefix("/").split("/", 1)[0]
    return place, first.replace("~1", "/").replace("~0", "~")


def fields(output: Any) -> tuple[tuple[str, Any], ...]:
    """A plain result as named fields; one that is no mapping is the field ``result``."""
    if isinstance(output, Mapping) and not any(str(key).startswith("$") for key in output):
        return tuple((str(name), item) for name, item in output.items())
    return (("result", output),)


def figures(output: Any, report: Sequence[str]) -> tuple[tuple[str, Any], ...]:
    """The fields of a result worth a line: those of ``report``, else the first short scalars."""
    named = fields(output)
    wanted = [pair for pair in named if pair[0] in report]
    if wanted:
        return tuple(sorted(wanted, key=lambda pair: report.index(pair[0])))
    scalars = tuple(pair for pair in named if _is_figure(pair[1]))
    return scalars[:_MOST_FIGURES] or named[:1]


def _row(number: int, spec: StepSpec, skill: Skill, state: RunState, *, owed: bool) -> StepRow:
    attempts = state.attempts(spec.id)
    call = state.newest(spec.id) or (attempts[-1] if attempts else None)
    done = call is not None and call.status == "ok"
    return StepRow(
        number=number,
        id=spec.id,
        summary=spec.summary,
        status=_status(call, stale=state.is_stale(spec.id), owed=owed),
        call=call,
        attempts=len(attempts),
        declared=_invariant_names(spec),
        checks=call.invariants if call else (),
        figures=figures(call.output, spec.report) if call and done else (),
        arguments=arguments(call, state) if call else (),
        report=spec.report,
        stale_sources=tuple(state.stale_sources(spec.id)),
    )


def _owed(spec: StepSpec, skill: Skill, state: RunState, judged: Mapping[str, bool]) -> bool:
    return judged[spec.id] if spec.id in judged else skill.owes(spec, state)


def _status(call: Call | None, *, stale: bool, owed: bool) -> Status:
    if call is None:
        return "not called" if owed else "not due"
    if call.status == "ok":
        return "stale" if stale else "ok"
    return "rejected" if call.status == "rejected" else "failed"


def _invariant_names(spec: StepSpec) -> tuple[str, ...]:
    return tuple(
        item.rpartition(":")[2].rpartition(".")[2] if isinstance(item, str) else item.__name__
        for item in spec.invariant_refs
    )


def _argument(name: str, call: Call, state: RunState | None) -> Argument:
    origin = call.bound.get(name, {})
    source = str(origin.get("from", "literal"))
    by = origin.get("by")
    via = _lineage(source, origin.get("seq"), state) if state is not None else ()
    return Argument(name, source, call.args.get(name), by, name in call.args, via)


def _lineage(source: str, seq: int | None, state: RunState) -> tuple[str, ...]:
    """The references behind a reference, nearest first, each once, the run's inputs last."""
    found: dict[str, None] = {}
    inputs: dict[str, None] = {}
    edge = [seq]
    while edge:
        call = state.by_seq.get(edge.pop(0) or -1)
        for origin in call.bound.values() if call else ():
            name = str(origin.get("from", ""))
            if name.startswith("inputs#"):
                inputs[name] = None
            elif "seq" in origin and name not in found and name != source:
                found[name] = None
                edge.append(origin["seq"])
    return (*found, *inputs)


def _promise(skill: Skill, spec: StepSpec, name: str, *, required: bool) -> str:
    if name in spec.bind:
        return spec.bind[name]
    makers = producers(skill, spec, name)
    if makers:
        return " or ".join(f"{id_}#/{name}" for id_ in makers)
    told = f"the run's input {name!r}"
    return told if required else f"{told}, else the default"


def _is_figure(value: Any) -> bool:
    return is_scalar(value) and not (isinstance(value, str) and len(value) > 24)
