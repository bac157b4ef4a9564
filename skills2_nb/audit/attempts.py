"""Calls that did not succeed, told with what mends them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skills2_nb.audit.finding import Finding, finding, listed
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import Call, RunState

_CODES = {
    ("rejected", "order"): "ORDER_REJECTED",
    ("rejected", "guard"): "GUARD_REJECTED",
    ("rejected", "run_ended"): "CALL_AFTER_END",
    ("rejected", "unknown_step"): "UNKNOWN_STEP",
    ("failed", "input"): "INPUT_REJECTED",
    ("failed", "output"): "OUTPUT_REJECTED",
    ("failed", "exception"): "STEP_RAISED",
    ("failed", "timeout"): "STEP_TIMEOUT",
    ("failed", "invariant"): "INVARIANT_FAILED",
}


def attempt_notes(skill: Skill, state: RunState) -> tuple[Finding, ...]:
    """One note for each rejected or failed call, with the mend its error names.

    They have no effect on the verdict: what a failure leaves undone is found as such
    (``STEP_FAILED``, or ``INVARIANT_FAILED`` where it is the newest attempt of an owed step).
    """
    return tuple(dict.fromkeys(_notes(skill, state)))


def error_of(call: Call) -> str:
    """The recorded error's sentence."""
    message = str((call.error or {}).get("message") or f"it {call.status} ({call.reason})")
    return message.removeprefix(f"{call.step}: ").rstrip(".")


def _notes(skill: Skill, state: RunState) -> Iterator[Finding]:
    last = {step: call.seq for step, call in state.last.items()}
    broken = state.calls.where(lambda _, status, reason: _is_broken(status, reason))
    newest_broken = {call.step: call.seq for call in broken}
    for call in state.calls.where(lambda _, status, __: status != "ok"):
        overcome = last.get(call.step, -1) > call.seq
        newest = call.seq == newest_broken.get(call.step) and not overcome
        if newest and _is_broken(call.status, call.reason):
            continue
        yield _note(skill, call, overcome)


def _is_broken(status: str, reason: str | None) -> bool:
    return status == "failed" and reason == "invariant"


def _note(skill: Skill, call: Call, overcome: bool) -> Finding:
    code = _CODES.get((call.status, call.reason or ""), "STEP_RAISED")
    error: Mapping[str, Any] = call.error or {}
    if code == "INPUT_REJECTED" and error.get("kind") == "ambiguous":
        code = "AMBIGUOUS_BINDING"
    later = "; a later call succeeded" if overcome else ""
    told = error_of(call)
    place = "" if told.startswith(call.step) else f"{call.step}: "
    return finding(
        code,
        f"{place}{told}{later}",
        step=call.step,
        note=True,
        missing=listed(error.get("missing") or error.get("next") or ["what it stands on"]),
        steps=listed(skill.ids),
        references=listed(error.get("values") or ["the references on offer"]),
        invariant=error.get("invariant") or "the invariant",
    )
