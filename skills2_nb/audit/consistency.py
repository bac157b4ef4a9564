"""Do the invariants hold, asked again?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from skills2_nb.audit.finding import Finding, finding
from skills2_nb.audit.sources import is_hidden
from skills2_nb.audit.sourcing import before
from skills2_nb.audit.steps import StepView
from skills2_nb.audit.strength import Strength, effective_names
from skills2_nb.audit.weakness import weaknesses
from skills2_nb.contract.errors import Skills2Error
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import Check, RunState


@dataclass(frozen=True)
class Consistency:
    """How many invariants hold.

    Attributes:
        classic: passed / declared, as recorded, over the newest attempts of owed steps; none
            declared proves nothing: 0.
        strict: mean over owed steps of passed / effective, asked again by the auditor; a required
            step without an effective invariant counts 0, a conditional one without is left out.
            Where nobody measured the strength, every declared invariant counts as effective.
        findings: with their codes.
        not_checked: steps whose invariants could not be asked again, or notice nothing.
    """

    classic: float
    strict: float
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged:
    """One owed step with its invariants as recorded and as asked again.

    Attributes:
        again: None where they could not be asked; ``error`` says why.
        idle: those that no change of the recorded values makes fail.
    """

    view: StepView
    declared: tuple[str, ...]
    recorded: tuple[Check, ...]
    again: tuple[Check, ...] | None
    error: str | None = None
    idle: frozenset[str] = frozenset()

    @property
    def passed(self) -> int:
        """How many declared invariants the journal says hold."""
        return _passed(self.recorded, self.declared)

    @property
    def share(self) -> float | None:
        """Passed / effective asked again, else as recorded; None where the step is left out."""
        checks = self.recorded if self.again is None else self.again
        refused = {check.name for check in checks if not check.ok}
        counted = [name for name in self.declared if name not in self.idle or name in refused]
        if not counted:
            return 0.0 if self.view.required else None
        return _passed(checks, counted) / len(counted)

    @property
    def is_idle(self) -> bool:
        """Whether it is required and declares invariants, none of which notices anything."""
        return self.view.required and bool(self.declared) and self.idle.issuperset(self.declared)


def ask_again(skill: Skill, state: RunState, views: Sequence[StepView]) -> tuple[Judged, ...]:
    """Ask each invariant of the owed steps again, on the recorded values.

    One that reads ``run`` sees the run as it was before the call.
    """
    return tuple(_judge(skill, state, view) for view in views if view.owed)


def weigh(skill: Skill, again: Sequence[Judged], strength: Strength | None = None) -> Consistency:
    """Weigh the invariants of the owed steps.

    Args:
        again: what :func:`ask_again` gave.
        strength: what the invariants notice; None where nobody measured it.
    """
    judged = [replace(item, idle=_idle(skill, item.view, strength)) for item in again]
    owed = [item.view.step for item in again]
    weak = () if strength is None else weaknesses(skill, strength, owed)
    declared = sum(len(item.declared) for item in judged)
    shares = [share for item in judged if (share := item.share) is not None]
    return Consistency(
        classic=sum(item.passed for item in judged) / declared if declared else 0.0,
        strict=sum(shares) / len(shares) if shares else 0.0,
        findings=(*(found for item in judged for found in _findings(item)), *weak),
        not_checked=(
            *(f"invariants of {item.view.step}: {item.error}" for item in judged if item.error),
            *(f"invariants of {item.view.step}: none can fail" for item in judged if item.is_idle),
            *_unmeasured(owed, strength),
        ),
    )


def _idle(skill: Skill, view: StepView, strength: Strength | None) -> frozenset[str]:
    """The invariants of a step that were measured and notice nothing."""
    if strength is None or not strength.of(view.step):
        return frozenset()
    declared = {item.name for item in skill.step(view.step).invariants}
    return frozenset(declared - effective_names(strength, view.step))


def _unmeasured(owed: Sequence[str], strength: Strength | None) -> Iterator[str]:
    if strength is None:
        return
    for step in owed:
        if step in strength.unmeasured and not strength.of(step):
            yield f"strength of {step}: {strength.unmeasured[step]}"


def _judge(skill: Skill, state: RunState, view: StepView) -> Judged:
    declared = tuple(item.name for item in skill.step(view.step).invariants)
    if view.judged is None or not declared:
        return Judged(view, declared, view.invariants, None)
    if is_hidden(view.judged.output) or is_hidden(dict(view.judged.args)):
        return Judged(view, declared, view.invariants, None, "values were kept only as digests")
    if view.judged.status != "ok" and view.judged.output is None:
        return Judged(view, declared, view.invariants, None)
    try:
        again = skill.recheck(view.judged, before(state, view.judged.seq))
    except (Skills2Error, ValueError, TypeError) as error:
        return Judged(view, declared, view.invariants, None, _reason(error))
    return Judged(view, declared, view.invariants, again)


def _reason(error: Exception) -> str:
    """An error in a line; of a list of them, as validation gives, the first."""
    errors = getattr(error, "errors", None)
    told = (
        errors()[0].get("msg") if callable(errors) and not isinstance(error, Skills2Error) else ""
    )
    return str(told or error).removeprefix("Value error, ").partition("\n")[0]


def _passed(checks: Sequence[Check], declared: Sequence[str]) -> int:
    holding = {check.name for check in checks if check.ok}
    return sum(name in holding for name in declared)


def _findings(item: Judged) -> Iterator[Finding]:
    step = item.view.step
    if not item.declared:
        if item.view.required:
            yield finding("NO_INVARIANT", f"{step} has no invariant", step=step)
        return
    recorded = {check.name: check for check in item.recorded}
    for check in item.again if item.again is not None else item.recorded:
        told = recorded.get(check.name)
        if not check.ok:
            said = f" ({check.message})" if check.message else ""
            yield finding(
                "INVARIANT_FAILED",
                f"{step}: {check.name} does not hold{said}{_seen(item)}",
                step=step,
                invariant=check.name,
            )
        if told is not None and told.ok != check.ok:
            yield _disagreement(step, check, told)
    if item.error:
        yield finding(
            "NOT_RECOMPUTED",
            f"the invariants of {step} could not be asked again: {item.error}",
            step=step,
        )


def _disagreement(step: str, check: Check, told: Check) -> Finding:
    words = {True: "holds", False: "does not hold"}
    return finding(
        "INVARIANT_DISAGREES",
        f"{step}: the journal says that {check.name} {words[told.ok]}, and asked again it "
        f"{words[check.ok]}",
        step=step,
        invariant=check.name,
    )


def _seen(item: Judged) -> str:
    """The values that a recorded failure saw."""
    call = item.view.judged
    values = (call.error or {}).get("values") if call else None
    if not isinstance(values, dict) or not values:
        return ""
    return ", where " + ", ".join(f"{name}={value!r}"[:80] for name, value in values.items())
