"""What cases ask for, and asked for before."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from skills2_nb.evals.change import Change, listed
from skills2_nb.evals.kept import GOLDEN, Kept, KeptCase
from skills2_nb.formats.case_rules import AXES

#: Keys that hold a list of demands.
_DEMANDS = ("must_call", "must_not_call", "must_mention", "must_not")
#: Keys that make a case another question.
_QUESTION = ("step", "prompt", "inputs", "files", "args", "calls")


def weaker_cases(before: Kept, now: Kept) -> Iterator[Change]:
    """Cases that are gone, and cases that ask for less than they did."""
    here = {case.id: case for case in now.cases}
    for old in before.cases:
        new = here.get(old.id)
        if new is None:
            told = f"case {old.id} was removed"
            yield Change("fail", f"case {old.id}", told, _stood(old), "gone")
        elif new.written:
            yield from _weaker(old, new)
    known = {case.id for case in before.cases}
    for new in now.cases:
        if new.id not in known:
            yield Change("note", f"case {new.id}", f"case {new.id} is new", "", _stood(new))


def _weaker(old: KeptCase, new: KeptCase) -> Iterator[Change]:
    """What one case no longer asks for, and whether it asks the same question at all."""
    about, was, now = f"case {old.id}", old.written, new.written
    for key, before, after, told in _losses(was, now):
        yield Change("fail", about, f"{about} was weakened: {told}", f"{key} {before}", after)
    others = tuple(key for key in _QUESTION if was.get(key) != now.get(key))
    if others:
        first = others[0]
        yield Change(
            "inconclusive",
            about,
            f"{about} asks something else than before: {listed(others)} changed",
            f"{first} {_short(was.get(first))}",
            _short(now.get(first)),
        )


Loss = tuple[str, str, str, str]


def _losses(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Loss]:
    """The key, its value before and after in short, and the sentence."""
    for key in _DEMANDS:
        kept = [_text(item) for item in now.get(key, ())]
        for item in was.get(key, ()):
            if _text(item) not in kept:
                said = _short(item)
                yield key, said, "gone", f"{key} no longer names {said}"
    for key, default in (("expected_audit", "pass"), ("fails", None)):
        old, new = was.get(key, default), now.get(key, default)
        if old != new:
            yield key, _short(old), _short(new), f"{key} is {_short(new)}, {_short(old)} before"
    old, new = was.get("trigger"), now.get("trigger")
    if old is not None and old != new:
        after = "gone" if new is None else _short(new)
        yield "trigger", _short(old), after, f"trigger is {after}, {_short(old)} before"
    yield from _expected(was, now)
    yield from _bounds(was, now)
    if GOLDEN in was.get("tags", ()) and GOLDEN not in now.get("tags", ()):
        yield "tag", GOLDEN, "gone", f"it is no longer tagged {GOLDEN}"


def _expected(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Loss]:
    if "step" in was:
        old, new = was.get("expect"), now.get("expect")
        yield from _value("expect", old, new)
        return
    old, new = was.get("expect") or {}, now.get("expect") or {}
    for key in ("findings", "failed_invariants"):
        for name in old.get(key, ()):
            if name not in new.get(key, ()):
                yield f"expect.{key}", name, "gone", f"expect.{key} no longer names {name}"
    for axis in AXES:
        if axis in old:
            low, high = old[axis]
            least, most = new.get(axis, (float("-inf"), float("inf")))
            if least < low or most > high:
                after = _span(new.get(axis))
                told = f"expect.{axis} is {after}, {_span(old[axis])} before"
                yield f"expect.{axis}", _span(old[axis]), after, told


def _value(place: str, old: Any, new: Any) -> Iterator[Loss]:
    """Fields of a step's result that are asked for no more, or with another value."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key, value in old.items():
            yield from _value(f"{place}.{key}", value, new.get(key))
    elif old is not None and old != new:
        after = "gone" if new is None else _short(new)
        yield place, _short(old), after, f"{place} is {after}, {_short(old)} before"


def _bounds(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Loss]:
    old_trials, trials = was.get("trials", 1), now.get("trials", 1)
    if trials < old_trials:
        told = f"it is tried {trials} times, {old_trials} before"
        yield "trials", str(old_trials), str(trials), told
    budget = now.get("budget") or {}
    for key, limit in (was.get("budget") or {}).items():
        if key not in budget or budget[key] > limit:
            after = _short(budget[key]) if key in budget else "gone"
            told = f"budget.{key} is {after}, {_short(limit)} before"
            yield f"budget.{key}", _short(limit), after, told


def _stood(case: KeptCase) -> str:
    if not case.trials:
        return "not played"
    if case.trials > 1:
        return f"{case.passes} of {case.trials} trials hold"
    return "holds" if case.holds else "does not hold"


def _span(pair: Any) -> str:
    return f"{pair[0]:g} to {pair[1]:g}" if pair else "gone"


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else _text(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
