"""Calls whose process was lost, recorded by the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skills2_nb.contract.canonical import plain
from skills2_nb.contract.capture import Capture
from skills2_nb.contract.home import home
from skills2_nb.contract.journal import Journal
from skills2_nb.contract.run import find
from skills2_nb.formats.manifest import RuntimeSettings


def record(
    runtime: RuntimeSettings,
    request: Mapping[str, Any],
    error: Mapping[str, Any],
    seconds: float,
) -> None:
    """Append ``step_failed`` to a run's journal.

    Args:
        runtime: what the journal may keep.
        request: the call, ``{"run", "step", "args"}``.
        error: the facts of the loss; of kind ``timeout`` it is filed as that, else as exception.
        seconds: how long the call took.

    Raises:
        UnknownRunError: no journal has that id.
        JournalError: it cannot be written.
    """
    capture = Capture(runtime.capture, frozenset(runtime.redact))
    facts = {key: error[key] for key in ("kind", "message", "step", "missing", "next", "values")}
    run = request["run"]
    journal = Journal(find(run), run, "serve", home=home())
    try:
        journal.append(
            "step_failed",
            {
                "step": request["step"],
                "args": capture.values(plain(dict(request["args"]))),
                "bound": {},
                "invariants": [],
                "us": int(seconds * 1_000_000),
                "reason": "timeout" if error["kind"] == "timeout" else "exception",
                "error": capture.error(facts),
                "output": None,
            },
        )
    finally:
        journal.close()
