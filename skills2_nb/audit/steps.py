"""Each step of a run as the audit sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from skills2_nb.audit.sourcing import Argument, arguments, before
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Call, Check, RunState

StepStatus = Literal["ok", "failed", "missing", "not_owed"]
_BAD = frozenset({"unsourced", "retyped", "rewired"})


@dataclass(frozen=True)
class StepView:
    """One step of the skill and what became of it in the run.

    Attributes:
        step: its id.
        order: its place, from 1; steps of one order share it.
        required: whether every run owes it.
        owed: whether this run does.
        guard: what its guard says: None where it has none or cannot be evaluated.
        unproven: the step whose unsourced input the guard rests on, else None.
        status: ``ok`` (succeeded), ``failed`` (called, never succeeded), ``missing`` (owed, never
            called) or ``not_owed``.
        in_order: whether its newest success came after all that it stands on.
        waited: the steps that had not succeeded then.
        stale: references it consumed whose value has changed since.
        substantive: whether its output proves something.
        calls: every call of it, in order.
        newest: its newest success.
        judged: the newest call that reached its invariants.
        invariants: what the journal says of them there.
        args: the arguments of the newest success with their origins.
        report: its report fields with their plain values.
        hollow: whether no output of it could prove anything: a stub, or a schema that requires
            no field.
    """

    step: str
    order: int
    required: bool
    owed: bool
    guard: bool | None
    unproven: str | None
    status: StepStatus
    in_order: bool
    waited: tuple[str, ...]
    stale: tuple[str, ...]
    substantive: bool
    calls: Sequence[Call]
    newest: Call | None
    judged: Call | None
    invariants: tuple[Check, ...]
    args: tuple[Argument, ...]
    report: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""
    hollow: bool = False

    @property
    def is_sourced(self) -> bool:
        """Whether every number among the inputs of the newest success is sourced."""
        return not any(argument.sourced in _BAD for argument in self.args)

    @property
    def attempts(self) -> int:
        """How often it was called, rejections too."""
        return len(self.calls)

    @property
    def output(self) -> Any:
        """The plain output of the newest success."""
        return self.newest.output if self.newest else None

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for a page or JSON."""
        return {
            "step": self.step,
            "order": self.order,
            "required": self.required,
            "owed": self.owed,
            "guard": self.guard,
            "status": self.status,
            "in_order": self.in_order,
            "stale": list(self.stale),
            "substantive": self.substantive,
            "attempts": [_attempt(call) for call in self.calls],
            "invariants": [check._asdict() for check in self.invariants],
            "args": [argument.to_dict() for argument in self.args],
            "report": dict(self.report),
            "output": self.output,
        }


def step_views(skill: Skill, state: RunState) -> tuple[StepView, ...]:
    """Every step of the skill in order, judged against the run. Pure."""
    args = {
        spec.id: arguments(skill, state, call)
        for spec in skill.steps
        if (call := state.newest(spec.id)) is not None
    }
    tainted = _tainted(skill, state, args)
    return tuple(_view(skill, state, spec, args.get(spec.id, ()), tainted) for spec in skill.steps)


def _view(
    skill: Skill,
    state: RunState,
    spec: StepSpec,
    args: tuple[Argument, ...],
    tainted: Mapping[str, str],
) -> StepView:
    newest = state.newest(spec.id)
    calls = state.attempts(spec.id)
    judged = state.calls.where(
        lambda of, kind, reason: of == spec.id and (kind == "ok" or reason == "invariant")
    )[-1:]
    guard = _guard(skill, spec, state)
    unproven = _unproven(skill, spec, tainted) if guard is False else None
    owed = spec.required if spec.guard is None else guard is not False or unproven is not None
    waited = _waited(skill, spec, state, newest) if newest else ()
    return StepView(
        step=spec.id,
        order=skill.rank(spec.id),
        required=spec.required,
        owed=owed,
        guard=None if unproven else guard,
        unproven=unproven,
        status=_status(newest, calls, owed),
        in_order=newest is not None and not waited,
        waited=waited,
        stale=tuple(state.stale_sources(spec.id)),
        substantive=newest is not None and spec.substantive and newest.output not in (None, {}, []),
        calls=calls,
        newest=newest,
        judged=judged[0] if judged else None,
        invariants=judged[0].invariants if judged else (),
        args=args,
        report=_report(spec, newest),
        summary=spec.summary,
        hollow=not spec.substantive,
    )


def _guard(skill: Skill, spec: StepSpec, state: RunState) -> bool | None:
    """What a guard says; None where there is none or a value it reads was kept as a digest."""
    try:
        return skill.guard(spec, state) if spec.guard is not None else None
    except ValueError:
        return None


def _waited(skill: Skill, spec: StepSpec, state: RunState, newest: Call) -> tuple[str, ...]:
    """The steps that had not succeeded when this one did."""
    then = before(state, newest.seq)
    try:
        return tuple(skill.missing(spec, then))
    except ValueError:  # a guard below reads what was kept as a digest
        return tuple(id_ for id_ in skill.requires(spec.id) if id_ not in then.last)


def _status(newest: Call | None, calls: Sequence[Call], owed: bool) -> StepStatus:
    if newest is not None:
        return "ok"
    if any(call.status == "failed" for call in calls):
        return "failed"
    return "missing" if owed else "not_owed"


def _report(spec: StepSpec, newest: Call | None) -> dict[str, Any]:
    if newest is None:
        return {}
    output = newest.output
    if not isinstance(output, Mapping):
        return dict.fromkeys(spec.report, output)
    return {name: output.get(name) for name in spec.report}


def _tainted(
    skill: Skill, state: RunState, args: Mapping[str, tuple[Argument, ...]]
) -> dict[str, str]:
    """The steps whose results rest on an unsourced number, each with the step it came in by."""
    tainted: dict[str, str] = {}
    for spec in skill.steps:
        for argument in args.get(spec.id, ()):
            if argument.sourced in _BAD:
                tainted[spec.id] = spec.id
            else:
                source = tainted.get(argument.origin.partition("#")[0])
                if source:
                    tainted.setdefault(spec.id, source)
    return tainted


def _unproven(skill: Skill, spec: StepSpec, tainted: Mapping[str, str]) -> str | None:
    """The step by whose unsourced input a guard may have been made false."""
    if spec.guard is None:
        return None
    reads = set(spec.guard.parameters)
    whole = reads & {"run", "output", "inputs"}
    for id_ in skill.ids if whole else skill.ancestors(spec.id):
        fields = set(skill.step(id_).output_json_schema().get("properties", {}))
        if id_ != spec.id and id_ in tainted and (whole or fields & reads):
            return tainted[id_]
    return None


def _attempt(call: Call) -> dict[str, Any]:
    return {
        "seq": call.seq,
        "ts": call.ts,
        "status": call.status,
        "reason": call.reason,
        "error": dict(call.error) if call.error else None,
        "us": call.us,
    }
