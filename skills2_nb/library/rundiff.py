"""Where two runs differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.state import Call, RunState

#: Stands on the side that has no such value; JSON shows it as null.
ABSENT = None
_DIGESTED = ("$table", "$blob", "$digest")


@dataclass(frozen=True)
class Difference:
    """One place where two runs differ.

    Attributes:
        part: ``skill``, ``inputs``, ``steps`` or ``verdict``.
        where: ``inputs#/period``, ``count_flows#/churned``, ``count_flows status``, ``answer``.
        a: what the first run has, a plain value; None where it has nothing.
        b: what the second has.
    """

    part: str
    where: str
    a: Any
    b: Any

    def to_dict(self) -> dict[str, Any]:
        """The difference as plain values."""
        return {"part": self.part, "where": self.where, "a": self.a, "b": self.b}


def differences(a: RunState, b: RunState) -> tuple[Difference, ...]:
    """Every difference that matters; ids, times and durations never do."""
    return (*_skill(a, b), *_inputs(a, b), *_steps(a, b), *_verdict(a, b))


def _skill(a: RunState, b: RunState) -> Iterator[Difference]:
    for name in ("skill", "version", "digest", "live"):
        yield from _compared("skill", name, getattr(a, name), getattr(b, name))


def _inputs(a: RunState, b: RunState) -> Iterator[Difference]:
    yield from _mappings("inputs", "inputs", a.inputs, b.inputs)
    yield from _compared("inputs", "prompt", a.prompt, b.prompt)
    yield from _compared("inputs", "vouched", a.vouched, b.vouched)


def _steps(a: RunState, b: RunState) -> Iterator[Difference]:
    """Newest results, step by step in the order of the first run."""
    for step in dict.fromkeys([*_called(a), *_called(b)]):
        yield from _outputs(step, a.newest(step), b.newest(step))


def _outputs(step: str, a: Call | None, b: Call | None) -> Iterator[Difference]:
    ours, theirs = (a.output if a else ABSENT), (b.output if b else ABSENT)
    if ours is not None and theirs is not None and _has_fields(ours) and _has_fields(theirs):
        yield from _mappings("steps", step, ours, theirs)
    else:
        yield from _compared("steps", step, ours, theirs)


def _verdict(a: RunState, b: RunState) -> Iterator[Difference]:
    """What a judge would see besides values: statuses, checks, staleness, the end, the answer."""
    for step in dict.fromkeys([*_called(a), *_called(b)]):
        yield from _compared("verdict", f"{step} status", _status(a, step), _status(b, step))
        yield from _compared("verdict", f"{step} checks failed", _broken(a, step), _broken(b, step))
    yield from _compared("verdict", "ended", not a.is_open, not b.is_open)
    yield from _compared("verdict", "answer", a.answer, b.answer)


def _called(state: RunState) -> list[str]:
    return [call.step for call in state.calls]


def _status(state: RunState, step: str) -> str:
    if state.newest(step) is not None:
        return "stale" if state.is_stale(step) else "ok"
    attempts = state.attempts(step)
    if not attempts:
        return "not called"
    return f"{attempts[-1].status} ({attempts[-1].reason})"


def _broken(state: RunState, step: str) -> list[str]:
    """Invariants that did not hold at the newest attempt."""
    newest = state.attempts(step)[-1:]
    return sorted(check.name for call in newest for check in call.invariants if not check.ok)


def _mappings(
    part: str, name: str, a: Mapping[str, Any], b: Mapping[str, Any]
) -> Iterator[Difference]:
    for key in dict.fromkeys([*a, *b]):
        yield from _compared(part, f"{name}#/{key}", a.get(key), b.get(key))


def _compared(part: str, where: str, a: Any, b: Any) -> Iterator[Difference]:
    if encode_plain(a) != encode_plain(b):
        yield Difference(part, where, a, b)


def _has_fields(value: Any) -> bool:
    return isinstance(value, Mapping) and not any(tag in value for tag in _DIGESTED)
