"""Values that a figure of the answer may come from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from skills2_nb.audit.dates import DateFigure, Stamp, take_dates
from skills2_nb.audit.numbers import NumberFigure, literals, number_in
from skills2_nb.contract.canonical import is_digest

#: A list or mapping with more numbers than this gives none: among thousands any number is found.
LIST_LIMIT = 24
#: Longer text is prose: it names no period and no choice.
LABEL_LENGTH = 60
_GENERIC_WORDS = """
    value values result results output total count number amount score ratio rate share level flow
    kind type label name status text id n x y data mean sum min max period date month
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
_VERB = re.compile(
    r"^(?:compute|calculate|calc|get|find|pick|choose|count|estimate|measure|make|build|check|load|"
    r"run|classify|determine|derive|detect|rank|score|fit|test|summarise|summarize|report)_"
)
_PLACE = Literal["result", "input", "prompt", "constant"]


@dataclass(frozen=True)
class Source:
    """One value and where it stands.

    Attributes:
        ref: ``step#/field``, ``inputs#/name``, ``prompt``, ``body`` or ``constant``.
        place: what kind of source it is.
        value: a number, a stamp, or text.
        names: how an answer may call it.
        members: the words its schema allows.
        owed: whether the answer has to carry it.
    """

    ref: str
    place: _PLACE
    value: float | Stamp | str | bool | None
    names: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    owed: bool = False

    @property
    def shown(self) -> str:
        """The value for a sentence: floats to six digits."""
        return f"{self.value:.6g}" if isinstance(self.value, float) else str(self.value)

    @property
    def number(self) -> float | None:
        """The value where it is a number."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            return None
        return float(self.value)


@dataclass(frozen=True)
class ReportField:
    """An output field that the answer must carry.

    Attributes:
        step: the step that gives it.
        name: the field's name.
        leaves: its scalars; several where the field is a list or a mapping.
        known: whether the run has a value for it at all.
        listed: whether the leaves are elements of a list.
        unfit: why it cannot be sought in an answer (a table, a long list), else None.
    """

    step: str
    name: str
    leaves: tuple[Source, ...] = ()
    known: bool = True
    listed: bool = False
    unfit: str | None = None

    @property
    def ref(self) -> str:
        """``step#/field``."""
        return f"{self.step}#/{self.name}"


def report_field(
    step: str, name: str, output: Any, schema: Mapping[str, Any], *, known: bool = True
) -> ReportField:
    """A report field with its leaves.

    Args:
        step: the step's id.
        name: the field's name in its output.
        output: the recorded (plain) output.
        schema: JSON Schema of the output.
        known: False where the step has not succeeded.
    """
    if not known:
        return ReportField(step, name, known=False)
    properties = schema.get("properties", {})
    value = output.get(name) if isinstance(output, Mapping) else output
    names = _names(step, name, properties.get(name, {}))
    members = tuple(_members(properties.get(name, {})))
    if is_digest(value):
        return ReportField(step, name, unfit="its value was kept only as a digest")
    if isinstance(value, Mapping) and "$table" in value:
        return ReportField(step, name, unfit="it is a table")
    if _count(value) > LIST_LIMIT:
        return ReportField(step, name, unfit=f"it holds more than {LIST_LIMIT} values")
    found = _leaves(f"{step}#/{_escaped(name)}", value, names, members)
    leaves = tuple(replace(leaf, owed=True) for leaf in found)
    return ReportField(step, name, leaves, listed=isinstance(value, list))


def result_sources(step: str, output: Any, schema: Mapping[str, Any]) -> tuple[Source, ...]:
    """The scalars of a result and the elements of its lists of at most 24 numbers.

    Text is a source where it is a date or a period; digits inside prose are none, so a step that
    returns the readout does not prove its own numbers.
    """
    fields = output if isinstance(output, Mapping) and not _is_tagged(output) else {"": output}
    properties = schema.get("properties", {})
    found: list[Source] = []
    for name, value in fields.items():
        ref = f"{step}#/{_escaped(name)}" if name else f"{step}#"
        names = _names(step, name or step, properties.get(name, {}))
        found += _given(ref, value, names, tuple(_members(properties.get(name, {}))))
    return tuple(found)


def input_sources(inputs: Mapping[str, Any]) -> tuple[Source, ...]:
    """The numbers and dates of a run's inputs, those within their text too."""
    found: list[Source] = []
    for name, value in inputs.items():
        ref, names = f"inputs#/{_escaped(name)}", (_words(name),)
        found += _placed("input", _given(ref, value, names, ()))
        if isinstance(value, str):
            found += text_sources(value, ref, "input")
    return tuple(found)


def text_sources(text: str, ref: str, place: _PLACE) -> tuple[Source, ...]:
    """The numbers and dates that stand in a prompt or in prose."""
    found = []
    for figure in literals(text):
        if isinstance(figure, NumberFigure):
            found += [Source(ref, place, reading.value) for reading in figure.readings]
        else:
            found += [Source(ref, place, stamp) for stamp in figure.readings]
    return tuple(dict.fromkeys(found))


def constant_sources(numbers: Iterable[float]) -> tuple[Source, ...]:
    """Numbers that the package's code gives."""
    return tuple(Source("constant", "constant", float(number)) for number in numbers)


def numbers_in(value: Any) -> Iterator[float]:
    """Every number of a plain value, to any depth; booleans are none."""
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        if math.isfinite(value):
            yield float(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_in(item)


def is_hidden(value: Any) -> bool:
    """Whether any part of a plain value was kept only as a digest."""
    if is_digest(value):
        return True
    parts: Iterable[Any] = ()
    if isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, list):
        parts = value
    return any(is_hidden(part) for part in parts)


def _given(
    ref: str, value: Any, names: tuple[str, ...], members: tuple[str, ...]
) -> Iterator[Source]:
    if isinstance(value, Mapping) and "$table" in value:
        rows = value.get("rows")
        if isinstance(rows, int):
            yield Source(f"{ref}/rows", "result", rows, (*names, "rows"))
        return
    if _count(value) <= LIST_LIMIT:
        yield from _leaves(ref, value, names, members)


def _leaves(
    ref: str, value: Any, names: tuple[str, ...], members: tuple[str, ...]
) -> Iterator[Source]:
    """Scalars of a plain value with their references; nested fields carry their own names."""
    if isinstance(value, Mapping) and not _is_tagged(value):
        for key, item in value.items():
            yield from _leaves(f"{ref}/{_escaped(key)}", item, (_words(key),), ())
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _leaves(f"{ref}/{at}", item, names, members)
    elif not isinstance(value, Mapping):
        yield Source(ref, "result", _scalar(value), names, members)


def _scalar(value: Any) -> float | Stamp | str | bool | None:
    if not isinstance(value, str):
        return value if isinstance(value, (int, float, bool)) else None
    number = number_in(value)
    if number is not None:
        return number
    return _stamp(value) or value


def _stamp(text: str) -> Stamp | None:
    """The date or period that a whole text is, else None."""
    if len(text) > LABEL_LENGTH:
        return None
    dates, _ = take_dates(text)
    for date in dates:
        if date.text.strip() == text.strip():
            return date.readings[0]
    return None


def stamps_within(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Sources for the dates inside short texts such as ``1998-01..1998-03``."""
    found = []
    for source in sources:
        if isinstance(source.value, str) and len(source.value) <= LABEL_LENGTH:
            dates: tuple[DateFigure, ...] = take_dates(source.value)[0]
            found += [
                Source(source.ref, source.place, stamp, source.names)
                for date in dates
                for stamp in date.readings
            ]
    return tuple(found)


def _placed(place: _PLACE, sources: Iterable[Source]) -> list[Source]:
    return [Source(s.ref, place, s.value, s.names, s.members) for s in sources]


def _count(value: Any) -> int:
    """How many scalars a list or mapping holds; a scalar alone is one."""
    if isinstance(value, Mapping):
        return sum(_count(item) for item in value.values())
    if isinstance(value, list):
        return sum(_count(item) for item in value)
    return 1


def _names(step: str, field: str, schema: Mapping[str, Any]) -> tuple[str, ...]:
    """How an answer may call a field: its words, its title, and for "value" the step's noun."""
    own = _words(field)
    names = [own, str(schema.get("title", "")).strip().lower()]
    if own in _GENERIC or len(own) < 3:
        names = [_words(_VERB.sub("", step)), *names]
    return tuple(dict.fromkeys(name for name in names if len(name) > 1))


def _members(schema: Mapping[str, Any]) -> Iterator[str]:
    """The words that a schema allows: enum, const, or those of its alternatives."""
    for word in (*schema.get("enum", ()), schema.get("const")):
        if isinstance(word, str):
            yield word
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), schema.get("items")):
        if isinstance(part, Mapping):
            yield from _members(part)


def _words(name: str) -> str:
    """``quickRatio`` and ``quick_ratio`` as ``quick ratio``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(name))
    return " ".join(spaced.replace("_", " ").replace("-", " ").lower().split())


def _is_tagged(value: Mapping[str, Any]) -> bool:
    return any(str(key).startswith("$") for key in value)


def _escaped(name: str) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")
