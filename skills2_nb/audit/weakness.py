"""Where a skill's invariants notice nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from skills2_nb.audit.finding import Finding, finding, listed
from skills2_nb.audit.reads import WHOLE, Side, unread
from skills2_nb.audit.strength import Strength, effective_names, field_counts
from skills2_nb.audit.tally import EXAMPLES
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec


@dataclass(frozen=True)
class InvariantStrength:
    """One invariant: how many mutants of its step it refused, of all that were tried."""

    name: str
    killed: int
    made: int
    effective: bool


@dataclass(frozen=True)
class FieldStrength:
    """One field: how many of its mutants an effective invariant refused, of all made.

    Attributes:
        report: whether the answer must carry it.
    """

    side: Side
    name: str
    killed: int
    made: int
    report: bool = False

    @property
    def is_unchecked(self) -> bool:
        """Whether it was changed and nobody noticed."""
        return self.made > 0 and self.killed == 0


@dataclass(frozen=True)
class StepStrength:
    """What the invariants of one step are worth.

    Attributes:
        order: its place, from 1.
        calls: how many calls were measured.
        made: how many mutants were tried, over all calls.
        fields: output fields, report fields first, then inputs.
        survivors: unnoticed changes of the output, those of fields that nobody checks first.
        unread: output fields that no invariant of the step looks at.
        reason: why nothing was measured; empty where something was.
    """

    step: str
    order: int
    required: bool
    calls: int
    made: int
    invariants: tuple[InvariantStrength, ...]
    fields: tuple[FieldStrength, ...]
    survivors: tuple[str, ...]
    unread: tuple[str, ...]
    reason: str = ""

    @property
    def effective(self) -> int:
        """How many invariants are effective."""
        return sum(item.effective for item in self.invariants)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Report fields that were changed and nobody noticed, or that nobody is there to check."""
        report = (item for item in self.fields if item.report and not item.killed)
        return tuple(item.name for item in report if item.made or not self.invariants)

    @property
    def is_weak(self) -> bool:
        """Whether it is required without an effective invariant, or reports what none checks."""
        measured = self.calls > 0 or not self.invariants
        return (self.required and measured and not self.effective) or bool(self.unchecked)

    @property
    def is_unproven(self) -> bool:
        """Whether it has invariants, and no call to judge them by."""
        return self.required and bool(self.invariants) and not self.calls

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON."""
        return asdict(self)


def by_step(skill: Skill, strength: Strength) -> tuple[StepStrength, ...]:
    """Every step of a skill in order, with what was measured of it."""
    return tuple(_of(skill, spec, strength) for spec in skill.steps)


def weaknesses(skill: Skill, strength: Strength, steps: Iterable[str]) -> Iterator[Finding]:
    """What is to be said of steps whose calls were measured.

    Args:
        steps: the ids of the steps that a run owes.
    """
    wanted = set(steps)
    for item in by_step(skill, strength):
        if item.step in wanted and (item.calls or not item.invariants):
            yield from _of_invariants(item)
            yield from _of_report(item)


def _of_invariants(item: StepStrength) -> Iterator[Finding]:
    idle = [each for each in item.invariants if not each.effective]
    for each in idle:
        told = "notices a truth value alone" if each.killed else "holds whatever is changed"
        yield finding(
            "INVARIANT_INEFFECTIVE",
            f"{item.step}: {each.name} {told}",
            step=item.step,
            invariant=each.name,
        )
    if item.required and item.invariants and not item.effective:
        names = listed(each.name for each in idle)
        yield finding(
            "NO_EFFECTIVE_INVARIANT",
            f"{item.step}: none of its invariants is effective ({names})",
            step=item.step,
        )


def _of_report(item: StepStrength) -> Iterator[Finding]:
    for name in item.unchecked:
        told = next((t for t in item.survivors if t.startswith((f"{name} ", f"{name}:"))), "")
        example = f" ({told})" if told else ""
        yield finding(
            "REPORT_UNCHECKED",
            f"{item.step}: no invariant notices another {name}{example}",
            step=item.step,
            field=name,
        )


def _of(skill: Skill, spec: StepSpec, strength: Strength) -> StepStrength:
    tallies = strength.of(spec.id)
    effective = effective_names(strength, spec.id)
    made = sum(tally.made for tally in tallies)
    fields = _fields(spec, strength)
    given = {f.name: f.is_unchecked for f in fields if f.side == "output" and f.name != WHOLE}
    idle = frozenset(name for name, unchecked in given.items() if unchecked)
    names = frozenset(given) | _declared(spec)
    return StepStrength(
        step=spec.id,
        order=skill.rank(spec.id),
        required=spec.required,
        calls=len(tallies),
        made=made,
        invariants=tuple(
            InvariantStrength(
                item.name,
                sum(tally.killed.get(item.name, 0) for tally in tallies),
                made,
                item.name in effective,
            )
            for item in spec.invariants
        ),
        fields=fields,
        survivors=_survivors(strength, spec.id, fields),
        unread=unread(spec, names, idle),
        reason="" if tallies else _reason(spec, strength),
    )


def _fields(spec: StepSpec, strength: Strength) -> tuple[FieldStrength, ...]:
    counts = {f"output/{name}": (0, 0) for name in spec.report}
    made = []
    for where, (killed, tried) in (counts | field_counts(strength, spec.id)).items():
        side, _, name = where.partition("/")
        if side == "output":
            made.append(FieldStrength("output", name, killed, tried, name in spec.report))
        else:
            made.append(FieldStrength("inputs", name, killed, tried))
    return tuple(sorted(made, key=lambda f: (f.side == "inputs", not f.report)))


def _survivors(strength: Strength, step: str, fields: tuple[FieldStrength, ...]) -> tuple[str, ...]:
    idle = {f"{f.side}/{f.name}" for f in fields if f.is_unchecked}
    first: dict[str, str] = {}
    for tally in strength.of(step):
        for where, told in tally.survivors:
            first.setdefault(where, told)
    report = {f"output/{f.name}" for f in fields if f.report}
    ranked = sorted(first.items(), key=lambda pair: (pair[0] not in idle, pair[0] not in report))
    return tuple(told for _, told in ranked[:EXAMPLES])


def _declared(spec: StepSpec) -> frozenset[str]:
    """The fields that the output's type names: a model's or a dataclass's."""
    kind = spec.output_type
    names = getattr(kind, "__pydantic_fields__", None) or getattr(kind, "__dataclass_fields__", {})
    return frozenset(names) if isinstance(kind, type) else frozenset()


def _reason(spec: StepSpec, strength: Strength) -> str:
    if not spec.invariants:
        return "it has no invariant"
    return strength.unmeasured.get(spec.id, "no call of it succeeded")
