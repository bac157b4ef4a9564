"""Were the owed steps done, in order, on sourced values?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skills2_nb.audit.attempts import error_of
from skills2_nb.audit.finding import Finding, finding, listed
from skills2_nb.audit.sourcing import Argument
from skills2_nb.audit.steps import StepView

#: Shares of a step's credit.
IN_ORDER, SUBSTANCE = 0.7, 0.3


@dataclass(frozen=True)
class Coverage:
    """How much of what a run owes was done.

    Attributes:
        classic: mean over owed steps of 0.7 (succeeded in order) + 0.3 (output substantive).
        strict: the same, where the 0.7 also asks for fresh and sourced inputs.
        missing: owed steps without a success.
        findings: with their codes.
        not_checked: what could not be judged.
    """

    classic: float
    strict: float
    missing: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[str, ...] = ()


def cover(views: Sequence[StepView]) -> Coverage:
    """Judge the owed steps of a run. Pure; no owed step proves nothing: 0."""
    owed = [view for view in views if view.owed]
    done = [view for view in views if view.newest is not None]
    return Coverage(
        classic=_mean([_credit(view, view.in_order) for view in owed]),
        strict=_mean([_credit(view, _is_sound(view)) for view in owed]),
        missing=tuple(view.step for view in owed if view.newest is None),
        findings=(
            *(item for view in owed for item in _undone(view)),
            *(item for view in done for item in _done(view)),
            *(item for view in views if view.unproven for item in _guards(view)),
        ),
        not_checked=tuple(_not_checked(views)),
    )


def _credit(view: StepView, holds: bool) -> float:
    return IN_ORDER * holds + SUBSTANCE * view.substantive


def _is_sound(view: StepView) -> bool:
    return view.in_order and not view.stale and view.is_sourced


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares) if shares else 0.0


def _undone(view: StepView) -> Iterator[Finding]:
    if view.status == "missing":
        rejected = next((c for c in reversed(view.calls) if c.status == "rejected"), None)
        why = f" ({error_of(rejected)})" if rejected else ""
        yield finding(
            "STEP_MISSING",
            f"{view.step} is owed and was never {'let through' if rejected else 'called'}{why}",
            step=view.step,
            after=f"it is number {view.order} in the order",
        )
    elif view.status == "failed":
        failed = next(call for call in reversed(view.calls) if call.status == "failed")
        yield finding(
            "STEP_FAILED",
            f"{view.step} {_called(view)} and never succeeded; last: {error_of(failed)}",
            step=view.step,
        )


def _done(view: StepView) -> Iterator[Finding]:
    if not view.in_order:
        yield finding(
            "OUT_OF_ORDER",
            f"{view.step} succeeded before {listed(view.waited)}",
            step=view.step,
            missing=listed(view.waited),
        )
    if view.stale:
        yield finding(
            "STALE",
            f"{view.step} used {_named(view.stale)}, which {_has(view.stale)} another value now",
            step=view.step,
            sources=_named(view.stale),
        )
    if view.owed and view.hollow:
        yield finding(
            "NOT_SUBSTANTIVE",
            f"the output of {view.step} proves nothing: a stub, or a schema without a required "
            "field",
            step=view.step,
        )
    elif view.owed and not view.substantive:
        yield finding("EMPTY_RESULT", f"the result of {view.step} is empty", step=view.step)
    for argument in view.args:
        yield from _argument(view, argument)


def _argument(view: StepView, argument: Argument) -> Iterator[Finding]:
    shown = listed(f"{number:g}" for number in argument.numbers) or repr(argument.value)
    place = f"{view.step}({argument.name}=…)"
    if argument.sourced == "unsourced":
        yield finding(
            "UNSOURCED_NUMBER",
            f"{place}: {shown} comes from no earlier step, vouched input or prompt",
            step=view.step,
            parameter=argument.name,
        )
    elif argument.sourced == "retyped":
        yield finding(
            "RETYPED",
            f"{place}: {shown} was typed, where {argument.offer} gives another value",
            step=view.step,
            parameter=argument.name,
            reference=argument.offer,
        )
    elif argument.sourced == "rewired":
        yield finding(
            "REWIRED",
            f"{place}: it was taken from {argument.origin}, where {argument.offer} gives another "
            "value",
            step=view.step,
            parameter=argument.name,
            reference=argument.offer,
        )
    elif argument.sourced == "unvouched":
        yield finding(
            "INPUT_UNVOUCHED",
            f"{place}: {shown} is known from the client's own inputs or prompt alone",
            step=view.step,
            parameter=argument.name,
        )


def _guards(view: StepView) -> Iterator[Finding]:
    yield finding(
        "GUARD_UNPROVEN",
        f"the guard of {view.step} is false by a value that rests on an unsourced input of "
        f"{view.unproven}, so the step stays owed",
        step=view.step,
        source=view.unproven,
    )


def _not_checked(views: Sequence[StepView]) -> Iterator[str]:
    for view in views:
        for argument in view.args:
            if argument.sourced == "unvouched":
                yield f"inputs: {view.step}({argument.name}) is vouched for by the client alone"
            elif argument.sourced == "hidden":
                yield f"inputs: {view.step}({argument.name}) was kept only as a digest"


def _named(references: Sequence[str]) -> str:
    """References in words; one without a pointer is a step's whole result."""
    return listed(f"all of {r[:-1]}" if r.endswith("#") else r for r in references)


def _has(items: Sequence[str]) -> str:
    return "has" if len(items) == 1 else "have"


def _called(view: StepView) -> str:
    count = len(view.calls)
    return "was called once" if count == 1 else f"was called {count} times"
