"""How much a skill's invariants notice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.audit.mutants import Mutant, mutants, recorded
from skills2_nb.audit.sourcing import before
from skills2_nb.audit.tally import Count, Tally, Wanted, slot
from skills2_nb.contract.canonical import holds_digest
from skills2_nb.contract.errors import Skills2Error, told
from skills2_nb.contract.invariants import RunView
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import RunState
from skills2_nb.contract.table import remembered

#: How many calls of one step a run gives, the newest first.
_CALLS = 8


@dataclass(frozen=True)
class Sample:
    """One recorded call to judge invariants by.

    Attributes:
        args: plain arguments by name, a table as its reference.
        output: the plain result.
        run: the run as it was before the call, for invariants that read ``run``.
    """

    step: str
    args: Mapping[str, Any]
    output: Any
    run: RunView | None = None


@dataclass(frozen=True)
class Strength:
    """What was noticed, call by call.

    Attributes:
        tallies: by the digest of the call.
        unmeasured: why a step's calls could not be measured, by step.
    """

    tallies: Mapping[str, Tally] = field(default_factory=dict)
    unmeasured: Mapping[str, str] = field(default_factory=dict)

    def of(self, step: str) -> list[Tally]:
        """The tallies of one step, in the order of their digests."""
        return [self.tallies[key] for key in sorted(self.tallies) if self.tallies[key].step == step]

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON."""
        return {
            "tallies": {key: self.tallies[key].to_dict() for key in sorted(self.tallies)},
            "unmeasured": dict(sorted(self.unmeasured.items())),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Strength:
        """What :meth:`to_dict` gave.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: it is something else.
        """
        tallies = {str(key): Tally.from_dict(item) for key, item in value["tallies"].items()}
        return cls(tallies, {str(k): str(v) for k, v in value["unmeasured"].items()})


def measure(
    skill: Skill,
    samples: Iterable[Sample],
    *,
    thorough: bool = False,
    known: Strength | None = None,
) -> Strength:
    """Ask the invariants about mutants of recorded calls. Pure but for blobs of tables.

    An invariant may hang or run wild on a changed call; who calls this with code of others does
    so in a process of its own, with a limit of time.

    Args:
        thorough: ask every invariant about every mutant; left out, only until each has refused
            one and a mutant of each report field was refused.
        known: what was measured before; it is merged in, and what it has settled is not asked
            again unless ``thorough``.
    """
    made = known or Strength()
    with remembered():
        for sample in samples:
            spec = skill.step(sample.step)
            if spec.invariants and (thorough or is_open(made, spec)):
                made = merge(made, _measured(spec, sample, made, thorough=thorough))
    return made


def samples_of(skill: Skill, state: RunState) -> Iterator[Sample]:
    """The successful calls of a run, the newest first, as the journal keeps them."""
    taken = dict.fromkeys(skill.ids, 0)
    for call in reversed(state.calls):
        if call.status != "ok" or taken.get(call.step, _CALLS) >= _CALLS:
            continue
        taken[call.step] += 1
        reads_run = skill.step(call.step).reads_run
        view = skill.view(before(state, call.seq)) if reads_run else None
        yield Sample(call.step, call.args, call.output, view)


def merge(one: Strength, other: Strength) -> Strength:
    """Both together: of a call that both have, the tally that tried more."""
    tallies = dict(one.tallies)
    for key, tally in other.tallies.items():
        mine = tallies.get(key)
        tallies[key] = tally if mine is None else max(mine, tally, key=_weight)
    unmeasured = dict(one.unmeasured)
    for step, reason in other.unmeasured.items():
        unmeasured[step] = min(reason, unmeasured.get(step, reason))
    return Strength(tallies, unmeasured)


def effective_names(strength: Strength, step: str) -> frozenset[str]:
    """The invariants of a step that were effective on any of its calls."""
    return frozenset(name for tally in strength.of(step) for name in tally.effective)


def field_counts(strength: Strength, step: str) -> dict[str, tuple[int, int]]:
    """For each field (``output/new``): mutants refused by an effective invariant, and all."""
    effective = effective_names(strength, step)
    counts: dict[str, tuple[int, int]] = {}
    for tally in strength.of(step):
        for name, killers in tally.fields.items():
            killed, made = counts.get(name, (0, 0))
            for names, count in killers.items():
                noticed = not effective.isdisjoint(names.split(","))
                killed, made = killed + count * noticed, made + count
            counts[name] = (killed, made)
    return counts


def is_open(strength: Strength, spec: StepSpec) -> bool:
    """Whether an invariant is not yet effective, or no mutant of a report field was noticed."""
    return bool(_open_names(strength, spec) or _open_fields(strength, spec))


def open_steps(strength: Strength, skill: Skill) -> tuple[str, ...]:
    """The steps with invariants of which something is still open."""
    return tuple(s.id for s in skill.steps if s.invariants and is_open(strength, s))


def _open_names(strength: Strength, spec: StepSpec) -> set[str]:
    return {item.name for item in spec.invariants} - effective_names(strength, spec.id)


def _open_fields(strength: Strength, spec: StepSpec) -> set[str]:
    counts = field_counts(strength, spec.id)
    wanted = {slot(("output", name)) for name in spec.report}
    return {name for name in wanted if not counts.get(name, (0, 0))[0]}


def _measured(spec: StepSpec, sample: Sample, known: Strength, *, thorough: bool) -> Strength:
    if holds_digest(dict(sample.args)) or holds_digest(sample.output):
        return Strength(unmeasured={spec.id: "its values were kept only as digests"})
    try:
        call = recorded(spec, sample.args, sample.output)
    except (Skills2Error, ValueError, TypeError, RecursionError) as error:
        return Strength(unmeasured={spec.id: told(error).partition("\n")[0]})
    count = Count(call, sample.run)
    for mutant in mutants(call):
        names = _open_names(known, spec) - count.effective
        fields = _open_fields(known, spec) - count.noticed()
        if not thorough and not names and not fields:
            break
        count.ask(mutant, _every if thorough else _needed(names, mutant, fields))
    return Strength({call.key: count.tally()})


def _every(*_: object) -> bool:
    return True


def _needed(names: set[str], mutant: Mutant, fields: set[str]) -> Wanted:
    """Ask those not yet effective; others only of an open field, until one has noticed."""
    is_open_field = len(mutant.fields) == 1 and slot(mutant.fields[0]) in fields
    return lambda item, killers: item.name in names or (is_open_field and not killers)


def _weight(tally: Tally) -> tuple[Any, ...]:
    """More mutants first; what is left only makes the choice the same either way round."""
    return tally.made, sum(tally.killed.values()), repr(tally.to_dict())
