"""What a journal keeps of a call's values."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.contract.blobs import TABLE_TAG, deflate, put
from skills2_nb.contract.canonical import plain, withheld
from skills2_nb.contract.errors import InputError, JournalError, OutputError, told
from skills2_nb.contract.invariants import shown
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check

#: Values that never leave their line.
_SMALL = frozenset({int, float, bool, type(None)})


@dataclass(frozen=True)
class Capture:
    """How values are recorded: whole, or as digests where the skill withholds them.

    Attributes:
        mode: ``full`` or ``digest`` (``[runtime] capture``).
        redact: field names, at any depth, whose values are withheld (``[runtime] redact``).
        shelter: tables that were not stored yet, by digest; those that a record names are.
    """

    mode: str = "full"
    redact: frozenset[str] = frozenset()
    shelter: Mapping[str, bytes] = field(default_factory=dict)

    @functools.cached_property
    def withholds(self) -> bool:
        """Whether a record may differ from the values seen."""
        return self.mode == "digest" or bool(self.redact)

    def values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Plain values by name: arguments, run inputs."""
        if not self.withholds:
            return {
                name: item if type(item) in _SMALL else deflate(item)
                for name, item in values.items()
            }
        return {name: deflate(self._field(name, item)) for name, item in values.items()}

    def output(self, output: Any) -> Any:
        """A plain result."""
        if not self.withholds:
            return deflate(output)
        if output is None:
            return None
        if isinstance(output, dict):
            return deflate({name: self._field(name, item) for name, item in output.items()})
        return withheld(output) if self.mode == "digest" else deflate(self._within(output))

    def error(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """An error's facts; its sentence may quote values, so it goes where they go."""
        if not self.withholds:
            return dict(facts)
        kept = {**facts, "values": self.values(facts.get("values", {}))}
        return {**kept, "message": f"{facts.get('step')}: {facts['kind']} (values withheld)"}

    def checks(self, checks: Sequence[Check]) -> list[dict[str, Any]]:
        """Invariants' answers; what one says may quote values too."""
        mute = self.withholds
        return [
            {"name": name, "ok": ok, "message": None if mute else message}
            for name, ok, message in checks
        ]

    def _field(self, name: str, value: Any) -> Any:
        if self.mode == "digest" or name in self.redact:
            return withheld(value)
        return self._within(value)

    def _within(self, value: Any) -> Any:
        if not self.redact:
            return value
        if isinstance(value, dict):
            if value.get(TABLE_TAG) in self.shelter:
                put(self.shelter[value[TABLE_TAG]])
            return {
                name: withheld(item) if name in self.redact else self._within(item)
                for name, item in value.items()
            }
        return [self._within(item) for item in value] if isinstance(value, list) else value


def plain_args(spec: StepSpec, inputs: Mapping[str, Any], lost: list[JournalError]) -> Any:
    """Typed arguments as plain values.

    Args:
        lost: takes in why a table could not be stored.

    Raises:
        InputError: one has no canonical form.
    """
    try:
        return spec.plain_args(inputs, lost)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{spec.id} was given what cannot be recorded: {error}", step=spec.id
        ) from None


def plain_output(spec: StepSpec, output: Any, lost: list[JournalError]) -> Any:
    """A typed result as a plain value; ``lost`` as in :func:`plain_args`.

    Raises:
        OutputError: it has no canonical form.
    """
    try:
        return spec.plain_output(output, lost)
    except (TypeError, ValueError) as error:
        raise OutputError(
            f"{spec.id} returned what cannot be recorded: {error}", step=spec.id
        ) from None


def foreign(spec: StepSpec, error: BaseException) -> dict[str, Any]:
    """An exception of the step's own, as a record carries it."""
    return {
        "kind": "exception",
        "message": f"{spec.id} raised {told(error)}"[:2_000],
        "step": spec.id,
        "missing": [],
        "next": [spec.id],
        "values": {},
    }


def shown_plainly(value: Any) -> Any:
    """A value that was refused: plain where it can be, else its bounded text."""
    try:
        return plain(value)
    except (TypeError, ValueError):
        return shown.repr(value)
