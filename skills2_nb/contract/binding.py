"""Where each argument of a call comes from.

In this order: the caller's value or reference; ``bind`` of the step; the steps it stands on;
the run's inputs; the default. Nothing is guessed: candidates that differ are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from skills2_nb.contract.canonical import decode, encode, holds_digest, is_digest
from skills2_nb.contract.errors import InputError
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import Parameter, StepSpec, recordable
from skills2_nb.contract.state import RunState, resolve
from skills2_nb.contract.table import is_reference

Origin = dict[str, Any]
LITERAL: Origin = {"from": "literal"}
DEFAULT: Origin = {"from": "default"}


class Bound(NamedTuple):
    """Arguments by name as given or found, and the origin of each.

    An origin is ``{"from": "step#/field", "seq": n, "by": "ref" | "bind" | "name"}``,
    ``{"from": "inputs#/name"}``, ``{"from": "literal"}`` or ``{"from": "default"}``.
    """

    values: dict[str, Any]
    origins: dict[str, Origin]


@dataclass(frozen=True)
class _Candidate:
    reference: str
    seq: int
    value: Any


def bind(
    skill: Skill,
    spec: StepSpec,
    state: RunState,
    args: Mapping[str, Any],
    refs: Mapping[str, str] | None = None,
) -> Bound:
    """Find a value for every parameter of ``spec``.

    Args:
        args: the caller's values by name; None counts as left out where the type refuses None.
        refs: the caller's references, ``{"churned": "count_flows#/churned"}``.

    Raises:
        InputError: ``unknown`` (no such parameter), ``reference`` (nothing stands there),
            ``ambiguous`` (candidates differ) or ``missing``.
    """
    refs = refs or {}
    _refuse_unknown(spec, args, refs)
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for parameter in spec.parameters:
        name = parameter.name
        given = args.get(name)
        if given is not None and name not in refs:
            values[name], origins[name] = given, LITERAL.copy()
            continue
        found = _find(skill, spec, parameter, state, args, refs)
        if found is not None:
            values[name], origins[name] = found
    return Bound(values, origins)


def candidates(
    skill: Skill, spec: StepSpec, parameter: Parameter, state: RunState
) -> list[_Candidate]:
    """What the steps that ``spec`` stands on offer a parameter, nearest first."""
    found = []
    for id_ in skill.ancestors(spec.id):
        call = state.newest(id_)
        source = skill.step(id_)
        if call is None or state.is_stale(id_) or skill.guard(source, state) is False:
            continue
        offer = _offer(spec, source, call.output, parameter)
        if offer is not None:
            pointer, value = offer
            found.append(_Candidate(f"{id_}#{pointer}", call.seq, value))
    return found


def producers(skill: Skill, spec: StepSpec, name: str) -> list[str]:
    """The steps below ``spec`` whose result has a field called ``name``."""
    return [
        id_
        for id_ in skill.ancestors(spec.id)
        if name in skill.step(id_).output_json_schema().get("properties", {})
    ]


def _find(
    skill: Skill,
    spec: StepSpec,
    parameter: Parameter,
    state: RunState,
    args: Mapping[str, Any],
    refs: Mapping[str, str],
) -> tuple[Any, Origin] | None:
    name = parameter.name
    if name in refs:
        return _refer(skill, spec, state, name, refs[name], "ref")
    if name in args and not (args[name] is None and not parameter.fits(None)):
        return args[name], dict(LITERAL)
    if name in spec.bind:
        return _refer(skill, spec, state, name, spec.bind[name], "bind")
    found = candidates(skill, spec, parameter, state)
    if found:
        return _agreed(spec, name, found)
    if name in state.inputs:
        value = _kept(spec, name, "the run's inputs", state.inputs[name])
        return decode(value), {"from": f"inputs#/{_escaped(name)}"}
    if not parameter.required:
        return parameter.default, dict(DEFAULT)
    raise _missing(skill, spec, state, name)


def _refuse_unknown(spec: StepSpec, args: Mapping[str, Any], refs: Mapping[str, str]) -> None:
    if not refs and spec.parameter_names.issuperset(args):
        return
    known = [parameter.name for parameter in spec.parameters]
    unknown = sorted(map(str, {*args, *refs} - set(known)))
    if unknown:
        raise InputError(
            f"{spec.id} takes {', '.join(known) or 'no arguments'}, not {', '.join(unknown)}",
            kind="unknown",
            step=spec.id,
            values={"unknown": unknown},
        )
    both = sorted(set(args) & set(refs))
    if both:
        raise InputError(
            f"{spec.id}: {', '.join(both)} is given as a value and as a reference; give one",
            kind="reference",
            step=spec.id,
        )


def _refer(
    skill: Skill, spec: StepSpec, state: RunState, name: str, reference: str, by: str
) -> tuple[Any, Origin]:
    source, mark, pointer = str(reference).partition("#")
    if not mark:
        raise _bad_reference(spec, name, reference, "it is written step#/field")
    if source == "inputs":
        return _at(spec, name, reference, state.inputs, pointer), {"from": reference, "by": by}
    if source not in skill.ids:
        raise _bad_reference(spec, name, reference, f"the steps are {', '.join(skill.ids)}")
    call = state.newest(source)
    if call is None:
        raise InputError(
            f"{spec.id}: {name} refers to {reference}, and {source} has not succeeded yet: "
            f"call {source} first",
            kind="reference",
            step=spec.id,
            missing=[source],
            next=skill.ready(state),
        )
    value = _at(spec, name, reference, call.output, pointer)
    return value, {"from": reference, "seq": call.seq, "by": by}


def _at(spec: StepSpec, name: str, reference: str, whole: Any, pointer: str) -> Any:
    try:
        value = resolve(whole, pointer)
    except KeyError as error:
        raise _bad_reference(spec, name, reference, f"there is no {error.args[0]!r}") from None
    return decode(_kept(spec, name, reference, value))


def _kept(spec: StepSpec, name: str, source: str, value: Any) -> Any:
    """A recorded value, all of which was kept."""
    if holds_digest(value):
        raise InputError(
            f"{spec.id}: {name} would come from {source}, whose value was kept only as a digest "
            "(`capture` or `redact` in skill.toml): call both in one process, or pass it",
            kind="missing",
            step=spec.id,
            missing=[source.partition("#")[0]],
        )
    return value


def _bad_reference(spec: StepSpec, name: str, reference: Any, why: str) -> InputError:
    return InputError(
        f"{spec.id}: {name} refers to {reference!r}, where nothing stands: {why}",
        kind="reference",
        step=spec.id,
        values={name: str(reference)},
    )


def _offer(
    spec: StepSpec, source: StepSpec, output: Any, parameter: Parameter
) -> tuple[str, Any] | None:
    """What one step's result offers: itself where its type is the parameter's, or a field."""
    if is_digest(output) or _is_whole(source, parameter):
        return "", decode(_kept(spec, parameter.name, source.id, output))
    if not isinstance(output, Mapping) or parameter.name not in output or is_reference(output):
        return None
    value = decode(_kept(spec, parameter.name, source.id, output[parameter.name]))
    return (f"/{_escaped(parameter.name)}", value) if parameter.fits(value) else None


def _is_whole(source: StepSpec, parameter: Parameter) -> bool:
    kind = parameter.bare
    return isinstance(kind, type) and kind is source.output_type and parameter.is_model


def _agreed(spec: StepSpec, name: str, found: list[_Candidate]) -> tuple[Any, Origin]:
    texts = {encode(item.value) for item in found}
    if len(texts) > 1:
        told = ", ".join(f"{item.reference} = {item.value!r}"[:120] for item in found)
        raise InputError(
            f"{spec.id}: {name} is ambiguous: {told}. Say which by "
            f'refs={{"{name}": "{found[0].reference}"}}, or in the step by bind=',
            kind="ambiguous",
            step=spec.id,
            values={item.reference: recordable(item.value) for item in found},
        )
    nearest = found[0]
    return nearest.value, {"from": nearest.reference, "seq": nearest.seq, "by": "name"}


def _missing(skill: Skill, spec: StepSpec, state: RunState, name: str) -> InputError:
    makers = producers(skill, spec, name)
    waiting = [id_ for id_ in makers if state.newest(id_) is None or state.is_stale(id_)]
    if waiting:
        mend = f"call {waiting[0]} (again), which gives it"
    elif makers:
        mend = f"{makers[0]} gives one of another type; pass {name} yourself"
    else:
        mend = _from_elsewhere(skill, spec, name)
    return InputError(
        f"{spec.id}: {name} is missing; {mend}",
        kind="missing",
        step=spec.id,
        missing=waiting,
        next=skill.ready(state),
        values={"parameter": name},
    )


def _from_elsewhere(skill: Skill, spec: StepSpec, name: str) -> str:
    """What to do about a value that nothing below a step gives."""
    later = [
        other.id
        for other in skill.steps
        if other is not spec and name in other.output_json_schema().get("properties", {})
    ]
    if later:
        return f"{later[0]} gives it, and {spec.id} does not stand on that: see order and requires"
    return f"no step gives it: pass {name}, or give it among the run's inputs"


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
