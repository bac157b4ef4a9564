"""A skill whose steps can be listed and called."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Protocol

from skills2_nb.library.activation import Card, Contract
from skills2_nb.library.catalog import Fault
from skills2_nb.serve.frames import Message


class Backend(Protocol):
    """A skill whose steps can be listed and called.

    Attributes:
        contract: what its callers have to know.
    """

    contract: Contract

    async def ask(self, request: Message) -> Message:
        """Open a run, call a step in it, or end it.

        Args:
            request: ``{"op": "start", "inputs", "prompt", "vouched", "session", "prompt_id"}``,
                ``{"op": "call", "run", "step", "args", "refs"}`` or
                ``{"op": "end", "run", "answer", "prompt_id"}``.

        Returns:
            ``{"ok": {...}, "printed"}``: of a start ``run``, ``steps`` and ``next``; of a call
            ``output``, ``next`` and ``notices``; of an end ``missing``. Else ``{"error": {"kind",
            "message", ...}}``; a step that failed is journalled by then.
        """
        ...


class Backends(Protocol):
    """The skills of a server, each by its backend."""

    @property
    def faults(self) -> dict[str, str]:
        """Why skills cannot be used, by name, as far as calls have shown it."""
        ...

    def worker(self, contract: Contract, mark: Any) -> Backend:
        """The backend of a skill as it is now.

        Args:
            mark: what tells two states of a skill apart.
        """
        ...

    def keep(self, names: Container[str]) -> None:
        """Let the backends go whose skills are not among ``names``."""
        ...

    async def close(self) -> None:
        """End every backend."""
        ...


class Skills(Protocol):
    """The skills of a server, as they are now: a catalog of packages, or what a kernel holds."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """What is there, by name."""
        ...

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What cannot be used, by name."""
        ...

    @property
    def is_read(self) -> bool:
        """Whether every contract was read, or found to be none."""
        ...

    def mark(self, name: str) -> Any:
        """What changes when the skill does; None where it is not there."""
        ...

    def contract(self, name: str) -> Contract:
        """The contract of a skill.

        Raises:
            KeyError: there is no such skill.
            Skills2Error: it cannot be read.
        """
        ...

    def contracts(self) -> tuple[Contract, ...]:
        """Every contract that can be read, by name."""
        ...

    def holds_steps(self, most: int, beside: int, without: Container[str] = ()) -> bool:
        """Whether there are at most ``most`` of steps and ``beside`` others a skill."""
        ...

    def refresh(self) -> bool:
        """Look again; whether something has changed. Called in a thread."""
        ...
