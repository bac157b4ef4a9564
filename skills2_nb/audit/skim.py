"""A run folded for its audit, in little room."""

from __future__ import annotations

from array import array
from pathlib import Path

from skills2_nb.audit.shape import is_plain_success
from skills2_nb.contract.call import STATUS, call_of, checked
from skills2_nb.contract.calls import Calls
from skills2_nb.contract.journal import Record
from skills2_nb.contract.lines import Lines, mark
from skills2_nb.contract.state import RunState

#: So many records are kept whole; of the calls behind them only the newest successes are.
KEPT = 1_000


class Skim:
    """Folds a journal of any length; calls that it does not keep are read from it again.

    Args:
        path: the journal.
    """

    def __init__(self, path: Path) -> None:
        self._marks = array("q")
        self._state = RunState(calls=Calls(Lines(path, self._marks)))
        self._newest: dict[str, Record] = {}

    def pass_by(self, record: Record) -> bool:
        """Take in the next record if it is a plain success that need not be kept."""
        state = self._state
        if state.count < KEPT or not is_plain_success(record):
            return False
        step, seq, hash_ = record["step"], record["seq"], record["hash"]
        self._marks.append(mark(hash_))
        state.calls.note(seq, step, "ok", None)
        state.count, state.head = seq, hash_
        self._newest[step] = record
        return True

    def take(self, record: Record, *, sound: bool) -> None:
        """Take in the next record, whose shape is right.

        Args:
            sound: whether its line is whole and in its place, and so can be found again.

        Raises:
            JournalError: it lacks what its kind carries.
        """
        state, kind = self._state, str(record.get("kind"))
        if not sound or kind not in STATUS or state.count < KEPT:
            state.apply(record)
        else:
            checked(call_of, record)
            reason = None if kind == "step_ok" else record["reason"]
            state.calls.note(record["seq"], record["step"], STATUS[kind], reason)
            state.count, state.head = record["seq"], record["hash"]
        self._marks.append(mark(state.head) if sound else 0)
        if kind == "step_ok":
            self._newest.pop(record["step"], None)
            if sound:
                self._newest[record["step"]] = record

    def state(self) -> RunState:
        """What the run has come to."""
        state = self._state
        for step, record in self._newest.items():
            call = call_of(record)
            state.calls.replace(call.seq, call)
            state.last[step] = call
        self._newest.clear()
        return state
