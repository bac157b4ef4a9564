"""Where the numbers among a step's inputs come from."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from skills2_nb.audit.dates import Stamp, take_dates
from skills2_nb.audit.numbers import NumberFigure, literals, number_in
from skills2_nb.audit.sources import is_hidden, numbers_in
from skills2_nb.contract.canonical import decode, encode
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import Parameter
from skills2_nb.contract.state import Call, RunState, resolve

Sourced = Literal[
    "bound", "sourced", "listed", "unvouched", "unsourced", "retyped", "rewired", "hidden"
]
#: Values that any model may type: they are listed and count only against another offer.
_FREE = frozenset({0.0, 1.0, -1.0})
_VOUCHED = frozenset({"cli", "case"})


@dataclass(frozen=True)
class Argument:
    """One argument of a recorded call and where it comes from.

    Attributes:
        name: the parameter.
        value: the plain value.
        origin: ``step#/field``, ``inputs#/name``, ``default`` or ``literal``.
        by: how it was bound: ``ref``, ``bind``, ``name``, or None.
        sourced: ``bound`` (by reference, binding or default), ``sourced`` (typed, and equal to a
            value that the run knows), ``listed`` (nothing that counts: text, choices, 0 and ±1),
            ``unvouched`` (known from inputs or prompt that only the client vouches for),
            ``unsourced``, ``retyped`` (another value is offered), ``rewired`` (a reference to
            another value than the one offered by that name), ``hidden`` (kept as a digest).
        offer: for ``retyped`` and ``rewired`` the reference of the value on offer.
        numbers: the numbers that are not sourced.
    """

    name: str
    value: Any
    origin: str
    by: str | None
    sourced: Sourced
    offer: str | None = None
    numbers: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values."""
        return {**vars(self), "numbers": list(self.numbers)}


def before(state: RunState, seq: int) -> RunState:
    """The state of a run just before its record ``seq``, as far as calls go."""
    return state.before(seq)


def arguments(skill: Skill, state: RunState, call: Call) -> tuple[Argument, ...]:
    """Every argument of a recorded success with its origin, checked rather than believed."""
    known = _Known(skill, state, call)
    kinds = {parameter.name: parameter for parameter in skill.step(call.step).parameters}
    return tuple(
        known.argument(name, value, call.bound.get(name, {}), kinds.get(name))
        for name, value in call.args.items()
    )


class _Known:
    """What a run knew just before one call."""

    def __init__(self, skill: Skill, state: RunState, call: Call) -> None:
        self.skill = skill
        self.state = before(state, call.seq)
        self.ancestors = skill.ancestors(call.step)
        self.binds = skill.step(call.step).bind
        self.prompt = _Numbers(_prompt_numbers(state.prompt or ""))
        self.inputs = _Numbers(_input_numbers(state.inputs))
        told = " ".join([*_texts(state.inputs), state.prompt or ""])
        self.told, self.dates = told.lower(), _stamps(told)

    def argument(
        self, name: str, value: Any, origin: Mapping[str, Any], kind: Parameter | None
    ) -> Argument:
        made = Argument(name, value, str(origin.get("from", "literal")), origin.get("by"), "bound")
        if is_hidden(value):
            return dataclasses.replace(made, sourced="hidden")
        if made.origin == "default" and kind is not None and _is_default(kind, value):
            return made
        offers = {ref: item for ref, item in self._offers(name, kind) if _fits(kind, item)}
        passed_by = bool(offers) and not any(_is_same(item, value) for item in offers.values())
        if self._is_from_step(value, origin):
            if not passed_by:
                return made
            return dataclasses.replace(made, sourced="rewired", offer=next(iter(offers)))
        numbers = tuple(_counted(value, kind))
        if made.origin.startswith("inputs#") and self._is_at(self.state.inputs, value, origin):
            if passed_by and self.state.vouched not in _VOUCHED:
                return dataclasses.replace(made, sourced="rewired", offer=next(iter(offers)))
            return self._judged(made, numbers, self._input_level(name))
        return self._literal(made, numbers, next(iter(offers)) if passed_by else None)

    @functools.cached_property
    def results(self) -> _Numbers:
        """The numbers that the steps below gave, superseded results too."""
        above = frozenset(self.ancestors)
        calls = self.state.calls.where(lambda step, status, _: status == "ok" and step in above)
        return _Numbers(n for call in calls for n in numbers_in(decode(call.output)))

    def _is_from_step(self, value: Any, origin: Mapping[str, Any]) -> bool:
        """Whether the record the origin names holds this value: the journal's word is tested."""
        source, _, _ = str(origin.get("from", "")).partition("#")
        used = self.state.by_seq.get(origin.get("seq", -1))
        if used is None or used.status != "ok" or used.step != source:
            return False
        return self._is_at(used.output, value, origin)

    def _is_at(self, whole: Any, value: Any, origin: Mapping[str, Any]) -> bool:
        pointer = str(origin["from"]).partition("#")[2]
        try:
            there = resolve(whole, pointer)
        except KeyError:
            return False
        return _is_same(there, value)

    def _input_level(self, name: str) -> Sourced:
        """What a run input is worth: cli and case vouch for it, a hook for its prompt alone."""
        if self.state.vouched in _VOUCHED:
            return "bound"
        return "unsourced" if self.state.vouched == "hook" else "unvouched"

    def _judged(self, made: Argument, numbers: tuple[float, ...], level: Sourced) -> Argument:
        open_ = tuple(number for number in numbers if number not in _FREE)
        if level == "bound" or not open_:
            return made
        if level == "unsourced":
            open_ = tuple(n for n in open_ if n not in self.prompt and n not in self.results)
        if not open_:
            return made
        return dataclasses.replace(made, sourced=level, numbers=open_)

    def _literal(self, made: Argument, numbers: tuple[float, ...], offer: str | None) -> Argument:
        """A typed value; where the run offers another, only prompt or inputs can speak for it."""
        counted = tuple(number for number in numbers if number not in _FREE)
        if offer and not counted and self._is_own(made.value, numbers):
            return dataclasses.replace(made, sourced="retyped", offer=offer, numbers=numbers)
        open_ = tuple(n for n in counted if offer or n not in self.results)
        if open_:
            return self._from_outside(made, open_, offer)
        return dataclasses.replace(made, sourced="sourced" if counted else "listed")

    def _from_outside(
        self, made: Argument, numbers: tuple[float, ...], offer: str | None
    ) -> Argument:
        """Numbers that no step gave: the prompt's, a vouched input's, or nobody's.

        Inputs that only the client vouches for do not speak against what a step gives.
        """
        vouched = self.state.vouched
        inputs = self.inputs
        if vouched == "hook" or (offer and vouched == "client"):
            inputs = _Numbers(())
        left = tuple(n for n in numbers if n not in self.prompt and n not in inputs)
        if left:
            kind: Sourced = "retyped" if offer else "unsourced"
            return dataclasses.replace(made, sourced=kind, offer=offer, numbers=left)
        if vouched == "client":
            return dataclasses.replace(made, sourced="unvouched", numbers=numbers)
        return dataclasses.replace(made, sourced="sourced")

    def _is_own(self, value: Any, numbers: tuple[float, ...]) -> bool:
        """Whether a free value (0, ±1, a choice, text, nothing) is told by nobody but the caller.

        A period is told in any form: 1998-03 by "March 1998".
        """
        texts = list(_texts(value))
        if not texts and not numbers:
            return True
        return any(number not in self.prompt for number in numbers) or any(
            text.lower() not in self.told and not _stamps(text) & self.dates for text in texts
        )

    def _offers(self, name: str, kind: Parameter | None) -> Iterator[tuple[str, Any]]:
        """The values that earlier steps give a parameter of this name, else the run's inputs.

        A step gives its whole result to a parameter of its result's model.
        """
        given = dict(self._results_for(name, kind))
        yield from given.items()
        if name in self.state.inputs and not given:
            yield f"inputs#/{name}", self.state.inputs[name]

    def _results_for(self, name: str, kind: Parameter | None) -> Iterator[tuple[str, Any]]:
        for id_ in self.ancestors:
            call = self.state.newest(id_)
            if call is None:
                continue
            if kind is not None and kind.is_model and kind.bare is self.skill.step(id_).output_type:
                yield f"{id_}#", call.output
            elif isinstance(call.output, Mapping) and name in call.output:
                yield f"{id_}#/{name}", call.output[name]
        reference = self.binds.get(name, "")
        source, _, pointer = reference.partition("#")
        call = self.state.newest(source)
        if call:
            with contextlib.suppress(KeyError):
                yield reference, resolve(call.output, pointer)


class _Numbers:
    """A set of numbers in which a value is found up to the last bit of a float."""

    def __init__(self, numbers: Iterable[float]) -> None:
        self._numbers = sorted(set(numbers))

    def __contains__(self, number: float) -> bool:
        at = bisect_left(self._numbers, number)
        return any(
            math.isclose(near, number, rel_tol=1e-9, abs_tol=1e-12)
            for near in self._numbers[max(at - 1, 0) : at + 1]
        )


def _counted(value: Any, kind: Parameter | None) -> Iterator[float]:
    """The numbers of an argument; text counts where the parameter is a decimal number."""
    if isinstance(value, str) and kind is not None and "Decimal" in repr(kind.annotation):
        number = number_in(value)
        if number is not None:
            yield number
    elif isinstance(value, Mapping) and "$table" in value:
        yield math.inf
    else:
        yield from numbers_in(value)


def _prompt_numbers(prompt: str) -> Iterator[float]:
    for figure in literals(prompt):
        if isinstance(figure, NumberFigure):
            yield from (reading.value for reading in figure.readings)


def _input_numbers(inputs: Mapping[str, Any]) -> Iterator[float]:
    yield from numbers_in(dict(inputs))
    for text in _texts(inputs):
        number = number_in(text)
        if number is not None:
            yield number


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _stamps(text: str) -> set[Stamp]:
    """Every date or period that a text names."""
    return {stamp for date in take_dates(text)[0] for stamp in date.readings}


def _fits(kind: Parameter | None, value: Any) -> bool:
    """Whether an offer is of the parameter's type; what is kept as a digest offers nothing."""
    if is_hidden(value):
        return False
    return kind is None or kind.is_model or kind.fits(decode(value))


def _is_default(kind: Parameter, value: Any) -> bool:
    """Whether a value is the one its parameter has when nobody gives it: this is tested too."""
    with contextlib.suppress(TypeError, ValueError):
        return not kind.required and _is_same(json.loads(encode(kind.default)), value)
    return not kind.required  # a default without a canonical form


def _is_same(there: Any, value: Any) -> bool:
    return bool(there == value) or _fits_loosely(there, value)


def _fits_loosely(there: Any, value: Any) -> bool:
    """The value after the parameter's type took it: a number of text, a set as a list."""
    return list(_leaves(there)) == list(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield from _leaves(value[key])
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif (isinstance(value, (int, float)) and not isinstance(value, bool)) or (
        isinstance(value, str) and number_in(value) is not None
    ):
        yield repr(float(value))
    else:
        yield repr(value)
