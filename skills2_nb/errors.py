"""Every error the kit raises, drawn as one tree.

::

    Skills2Error                 exit code
    ├── ContractError ...        1   see contract/errors.py, which draws this branch
    ├── DefinitionError          1   a step, invariant or table is refused as written
    ├── JournalError             4   a journal cannot be written or read on
    ├── PackageError             2   a package cannot be loaded
    ├── RefusedError             1   a check said no
    ├── UsageError               2   wrong use of a command or function
    ├── UnreadableError          2   a file is not what it should be
    └── SetupError               4   the environment: missing library, full disk, no permission
"""

from __future__ import annotations

from typing import Any

from skills2_nb.contract.errors import (
    ContractError,
    DefinitionError,
    GuardError,
    InputError,
    InvariantError,
    JournalError,
    OrderError,
    OutputError,
    PackageError,
    RunEndedError,
    Skills2Error,
    StepTimeoutError,
    UnknownRunError,
    UnknownStepError,
)

__all__ = [
    "ContractError",
    "DefinitionError",
    "GuardError",
    "InputError",
    "InvariantError",
    "JournalError",
    "OrderError",
    "OutputError",
    "PackageError",
    "RefusedError",
    "RunEndedError",
    "SetupError",
    "Skills2Error",
    "StepTimeoutError",
    "UnknownRunError",
    "UnknownStepError",
    "UnreadableError",
    "UsageError",
]


class RefusedError(Skills2Error):
    """A check said no: the work was not done and nothing was changed.

    Attributes:
        problems: what was found, in order; each has ``sentence()`` and ``to_dict()``.
    """

    kind = "refused"

    def __init__(self, message: str, problems: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class UsageError(Skills2Error):
    """Wrong use of a command or function."""

    kind = "usage"
    exit_code = 2


class UnreadableError(Skills2Error):
    """A file cannot be read as what it should be."""

    kind = "unreadable"
    exit_code = 2


class SetupError(Skills2Error):
    """The environment stands in the way: a missing library, a full disk, no permission."""

    kind = "setup"
    exit_code = 4
