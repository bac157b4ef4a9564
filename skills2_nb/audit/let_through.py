"""Answers that were sent back and came again."""

from __future__ import annotations

from skills2_nb.audit.finding import Finding, finding
from skills2_nb.contract.state import RunState

#: How the note begins by which a hook's worker says so; what stood against the answer follows.
NOTE = "let through after two blocks: "


def let_through(state: RunState | None) -> tuple[Finding, ...]:
    """``LET_THROUGH`` for each note of a run by which an answer was let through."""
    notes = state.notes if state is not None else []
    found = dict.fromkeys(note for note in notes if note.startswith(NOTE))
    return tuple(finding("LET_THROUGH", note) for note in found)
