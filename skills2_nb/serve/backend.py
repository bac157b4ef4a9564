"""A skill whose steps can be listed and called."""

from __future__ import annotations

from typing import Any, Protocol

from skills2_nb.library.activation import Contract
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
        """The backend of a skill as it is exported now."""
        ...
