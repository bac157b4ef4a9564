"""All that a run knows, in the order a figure is looked up."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from skills2_nb.audit.sources import (
    LIST_LIMIT,
    ReportField,
    Source,
    constant_sources,
    input_sources,
    numbers_in,
    report_field,
    result_sources,
    stamps_within,
    text_sources,
)
from skills2_nb.audit.steps import StepView
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import RunState


def owed_fields(skill: Skill, views: Sequence[StepView]) -> tuple[ReportField, ...]:
    """The report fields of every step that is owed or was done."""
    return tuple(
        report_field(
            view.step,
            name,
            view.output,
            skill.step(view.step).output_json_schema(),
            known=view.newest is not None,
        )
        for view in views
        if view.owed or view.newest is not None
        for name in skill.step(view.step).report
    )


def known_sources(
    skill: Skill, state: RunState, body: str, constants: Iterable[float]
) -> tuple[Source, ...]:
    """Results of the newest successes, then inputs, prompt, prose and constants."""
    found: list[Source] = []
    for spec in skill.steps:
        call = state.newest(spec.id)
        if call is not None:
            found += result_sources(spec.id, call.output, spec.output_json_schema())
    found += input_sources(state.inputs)
    found += stamps_within(found)
    if state.prompt:
        found += text_sources(state.prompt, "prompt", "prompt")
    found += text_sources(body, "body", "constant")
    found += constant_sources(sorted({*constants, *_defaults(skill), *_code_numbers(skill)}))
    return tuple(found)


def _defaults(skill: Skill) -> Iterator[float]:
    for spec in skill.steps:
        for parameter in spec.parameters:
            yield from numbers_in(parameter.default)


def _code_numbers(skill: Skill) -> Iterator[float]:
    """Numbers written in the steps, guards and invariants, and the constants they name."""
    for spec in skill.steps:
        for fn in _functions(spec):
            yield from _numbers_of(fn)


def _functions(spec: StepSpec) -> Iterator[types.FunctionType]:
    guard = (spec.guard,) if spec.guard is not None else ()
    for fn in (spec.fn, *(item.fn for item in (*spec.invariants, *guard))):
        if isinstance(fn, types.FunctionType):
            yield fn


def _numbers_of(fn: types.FunctionType) -> Iterator[float]:
    for constant in fn.__code__.co_consts:
        yield from _few(constant)
    for name in fn.__code__.co_names:
        yield from _few(fn.__globals__.get(name))


def _few(value: object) -> list[float]:
    """The numbers of a constant; a table of them is data, and among data any number is found."""
    found = list(islice(_within(value), LIST_LIMIT + 1))
    return found if len(found) <= LIST_LIMIT else []


def _within(value: object) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _within(item)
    else:
        yield from numbers_in(value)
