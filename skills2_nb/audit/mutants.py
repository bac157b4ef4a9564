"""Schema-valid mutants of one recorded call."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skills2_nb.audit.changes import Change, Labels, changes, in_turn, joint, swaps
from skills2_nb.audit.choices import choices
from skills2_nb.audit.reads import WHOLE, Field, Side
from skills2_nb.contract import table
from skills2_nb.contract.canonical import decode, digest, encode
from skills2_nb.contract.invariants import output_fields
from skills2_nb.contract.spec import StepSpec

#: How many mutants a recorded call has at most.
MOST = 64
#: How many changes are tried for one field before it is left.
_TRIED = 40


@dataclass(frozen=True)
class Mutant:
    """One changed call that the step's own types take.

    Attributes:
        fields: what was changed: one field, or two that were swapped.
        told: the change in words, ``current_mau 211 -> 212``.
        inputs: the typed arguments by name.
        output: the typed result.
        boolean: whether it only changes a truth value of the output; an invariant that notices
            nothing else does not check anything.
    """

    fields: tuple[Field, ...]
    told: str
    inputs: Mapping[str, Any]
    output: Any
    boolean: bool = False


@dataclass(frozen=True)
class Recorded:
    """One call of a step, plain as recorded and typed as it was.

    Attributes:
        args: plain arguments; tables are frames.
        result: the plain result; tables are frames.
        inputs: the typed arguments.
        output: the typed result.
        key: digest of step, arguments and result; what chance is seeded with.
    """

    spec: StepSpec
    args: Mapping[str, Any]
    result: Any
    inputs: Mapping[str, Any]
    output: Any
    key: str

    @property
    def fields(self) -> dict[str, Any]:
        """The typed fields of the result; a result without fields is its one field."""
        return output_fields(self.output) or {WHOLE: self.output}

    @property
    def is_whole(self) -> bool:
        """Whether the result has no fields."""
        return not output_fields(self.output)


def recorded(spec: StepSpec, args: Mapping[str, Any], output: Any) -> Recorded:
    """A recorded call, its tables loaded.

    Args:
        args: plain arguments by name, a table as its reference.
        output: the plain result.

    Raises:
        Skills2Error, ValueError: the values do not fit the step's types any more, or a table is
            not stored here.
    """
    key = digest([spec.id, dict(args), output])
    given = {name: _with_frames(item) for name, item in args.items()}
    result = _with_frames(output)
    inputs = spec.validate({name: decode(item) for name, item in given.items()})
    return Recorded(spec, given, result, inputs, spec.restored_output(result), key)


def mutants(call: Recorded) -> Iterator[Mutant]:
    """At most ``MOST`` mutants of a call, in an order that gives every field its turn.

    Each differs from the call, and from every other mutant, in the canonical form of what was
    changed. The same call has the same mutants in any process.
    """
    groups = [*_of_output(call), *_of_inputs(call), *_swapped(call)]
    yield from itertools.islice(in_turn(groups), MOST)


def _of_output(call: Recorded) -> Iterator[Iterator[Mutant]]:
    """The mutants of each output field: report fields first, tables last, as they take longest."""
    labels = choices([call.spec.output_type])
    if call.is_whole:
        yield _of_field(call, ("output", WHOLE), call.result, labels, lambda value: value)
        return
    plain, report = call.result, call.spec.report
    for name in sorted(plain, key=lambda n: (n not in report, table.is_frame(plain[n]))):
        if name in call.fields:
            yield _of_field(call, ("output", name), plain[name], labels, _putting(plain, name))


def _of_inputs(call: Recorded) -> Iterator[Iterator[Mutant]]:
    """The mutants of each argument."""
    for parameter in call.spec.parameters:
        name = parameter.name
        if name in call.args:
            labels = choices([parameter.annotation])
            put = _putting(call.args, name)
            yield _of_field(call, ("inputs", name), call.args[name], labels, put)


def _putting(plain: Mapping[str, Any], name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {**plain, name: value}


def _of_field(
    call: Recorded, field: Field, plain: Any, labels: Labels, put: Callable[[Any], Any]
) -> Iterator[Mutant]:
    chance = random.Random(f"{call.key} {' '.join(field)}")
    made = itertools.islice(changes(plain, labels, chance), _TRIED)
    yield from _valid(call, (field,), made, put)


def _swapped(call: Recorded) -> Iterator[Iterator[Mutant]]:
    sides: tuple[tuple[Side, Any], ...] = (("output", call.result), ("inputs", call.args))
    for side, plain in sides:
        if not isinstance(plain, Mapping) or table.is_reference(plain):
            continue
        for one, other in itertools.islice(swaps(plain), 8):
            told = f"and {other} swapped"
            change = Change({**plain, one: plain[other], other: plain[one]}, told)
            yield _valid(call, ((side, one), (side, other)), iter([change]), lambda value: value)


def _valid(
    call: Recorded,
    fields: tuple[Field, ...],
    made: Iterator[Change],
    put: Callable[[Any], Any],
) -> Iterator[Mutant]:
    """Those changes that the types take and that differ from all before, as mutants."""
    side, first = fields[0]
    seen = [_form(call.fields if side == "output" else call.inputs, fields)]
    for change in made:
        typed = _typed(call, side, fields, put(change.value))
        if typed is None:
            continue
        inputs, output = typed
        values = output_fields(output) or {WHOLE: output} if side == "output" else inputs
        form = _form(values, fields)
        if any(map(_are_equal, itertools.repeat(form), seen)):
            continue
        seen.append(form)
        boolean = change.boolean and side == "output"
        yield Mutant(fields, f"{first}{joint(change.told)}", inputs, output, boolean)


def _typed(
    call: Recorded, side: Side, fields: tuple[Field, ...], plain: Any
) -> tuple[Mapping[str, Any], Any] | None:
    """The changed call as its types read it; None where they refuse it."""
    spec = call.spec
    try:
        if side == "output":
            return call.inputs, spec.restored_output(plain)
        names = [name for _, name in fields] if spec.input_ref is None else list(call.args)
        changed = spec.validate({name: decode(plain[name]) for name in names})
        return {**call.inputs, **{name: changed[name] for name in names}}, call.output
    except Exception:  # a validator of the author's own may raise anything
        return None


def _form(values: Mapping[str, Any], fields: tuple[Field, ...]) -> tuple[Any, ...]:
    """What was changed, as it can be compared: canonical text, or a table itself."""
    return tuple(_part(values.get(name)) for _, name in fields)


def _part(value: Any) -> Any:
    if table.is_frame(value):
        return value
    try:
        return encode(value)
    except (TypeError, ValueError):  # a table within: each change of it is another one
        return object()


def _are_equal(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return all(map(_is_same, one, other))


def _is_same(one: Any, other: Any) -> bool:
    if table.is_frame(one) and table.is_frame(other):
        return bool(one.equals(other))
    return isinstance(one, str) and one == other


def _with_frames(value: Any) -> Any:
    """A plain value with each reference of a table replaced by the table."""
    if table.is_reference(value):
        return table.load(value)
    if isinstance(value, dict):
        return {name: _with_frames(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_frames(item) for item in value]
    return value
