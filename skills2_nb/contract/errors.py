"""Errors of a contract, each with its kind.

::

    Skills2Error                 every error of the kit
    ├── ContractError            a promise of a skill was broken in a call
    │   ├── OrderError           a step came before a step it stands on
    │   ├── GuardError           a step was called whose guard is false
    │   ├── InputError           an argument is missing, ambiguous or wrong
    │   ├── OutputError          a step returned what its schema refuses
    │   ├── InvariantError       an invariant does not hold
    │   ├── StepTimeoutError     a step took longer than its budget
    │   ├── UnknownStepError     no step has that name
    │   ├── RunEndedError        a call after the run's end
    │   └── UnknownRunError      no run has that id
    ├── DefinitionError          a step, invariant or table is refused as written
    ├── JournalError             a journal cannot be written or read on
    └── PackageError             a package cannot be loaded
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class Skills2Error(Exception):
    """Every error of the kit: one plain sentence, a kind and an exit code."""

    kind: str = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def to_dict(self) -> dict[str, Any]:
        """The error as plain values, as journals and tool results carry it."""
        return {"kind": self.kind, "message": self.message}


def told(error: BaseException) -> str:
    """``Type: message`` of anybody's exception, whatever its own ``__str__`` does."""
    try:
        text = str(error)
    except BaseException:  # SystemExit too: what failed has to be recorded all the same
        text = ""
    name = type(error).__name__
    return f"{name}: {text}" if text else name


class ContractError(Skills2Error):
    """A promise of a skill was broken in a call.

    Attributes:
        step: the step called.
        missing: steps that have to succeed first.
        next: steps that may be called now.
        values: the values that matter, by name.
        reason: how a journal files the record (``order``, ``input``, ...).
    """

    reason: ClassVar[str] = "input"

    def __init__(
        self,
        message: str,
        *,
        step: str | None = None,
        missing: Sequence[str] = (),
        next: Sequence[str] = (),
        values: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.step = step
        self.missing = tuple(missing)
        self.next = tuple(next)
        self.values = dict(values or {})

    def to_dict(self) -> dict[str, Any]:
        """``{kind, message, step, missing, next, values}``."""
        return {
            **super().to_dict(),
            "step": self.step,
            "missing": list(self.missing),
            "next": list(self.next),
            "values": self.values,
        }


class OrderError(ContractError):
    """A step came before a step it stands on."""

    kind = "order"
    reason = "order"


class GuardError(ContractError):
    """A step was called whose guard is false: this run does not owe it."""

    kind = "guard"
    reason = "guard"


class InputError(ContractError):
    """An argument is missing, ambiguous, invalid, unknown or a bad reference; ``kind`` says."""

    kind = "invalid"
    reason = "input"

    def __init__(self, message: str, *, kind: str = "invalid", **facts: Any) -> None:
        super().__init__(message, **facts)
        self.kind = kind


class OutputError(ContractError):
    """A step returned a value that its output schema refuses."""

    kind = "output"
    reason = "output"


class InvariantError(ContractError):
    """An invariant does not hold for the values seen."""

    kind = "invariant"
    reason = "invariant"

    def __init__(self, message: str, *, invariant: str, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.invariant = invariant

    def to_dict(self) -> dict[str, Any]:
        """The facts of the base and the invariant's name."""
        return {**super().to_dict(), "invariant": self.invariant}


class StepTimeoutError(ContractError):
    """A step took longer than ``[runtime] timeout``."""

    kind = "timeout"
    reason = "timeout"


class UnknownStepError(ContractError):
    """No step of the skill has that name."""

    kind = "unknown_step"
    reason = "unknown_step"


class RunEndedError(ContractError):
    """A step was called after the run had ended."""

    kind = "run_ended"
    reason = "run_ended"


class UnknownRunError(ContractError):
    """No journal has that run id."""

    kind = "unknown_run"
    reason = "unknown_run"
    exit_code = 2


class DefinitionError(Skills2Error):
    """A step, invariant or table cannot mean what its text says."""

    kind = "definition"


class JournalError(Skills2Error):
    """A journal cannot be written, or cannot be read on."""

    kind = "journal"
    exit_code = 4


class PackageError(Skills2Error):
    """A package cannot be loaded."""

    kind = "package"
    exit_code = 2
