"""Eval cases: of a whole run, and of one step."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from typing import Any

from skills2_nb.formats import json_text
from skills2_nb.formats.problem import Problem, found

VERDICTS = ("pass", "fail", "unproven")
AXES = ("coverage", "consistency", "anchoring", "score")


@dataclass(frozen=True, slots=True)
class RunCase:
    """A prompt and what must come of it.

    Attributes:
        must_call: step ids, or ``{step, after, args, times}``.
        must_mention: words of the answer, or ``{value}`` (a reference), or ``{regex}``.
        expected_audit: ``pass``, ``fail`` or ``unproven``, judged by the suite's profile.
        expect: ``findings``, ``failed_invariants``, and ``[min, max]`` of an axis or the score.
        calls: explicit calls ``{step, args, refs}``, for failure modes.
        trigger: whether the prompt should call the skill at all.
        budget: limits such as ``{"s": 120}``.
    """

    id: str
    prompt: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    must_call: tuple[Any, ...] = ()
    must_not_call: tuple[Any, ...] = ()
    must_mention: tuple[Any, ...] = ()
    must_not: tuple[Any, ...] = ()
    expected_audit: str = "pass"
    expect: Mapping[str, Any] = field(default_factory=dict)
    calls: tuple[Mapping[str, Any], ...] = ()
    trigger: bool | None = None
    split: str | None = None
    tags: tuple[str, ...] = ()
    trials: int = 1
    budget: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepCase:
    """Arguments of one step and what must come of them.

    Attributes:
        args: by parameter name.
        expect: the output, or the fields of it that matter; None where only holding counts.
        fails: the invariant (or kind of error) that must stop it.
    """

    id: str
    step: str
    args: Mapping[str, Any] = field(default_factory=dict)
    expect: Any = None
    fails: str | None = None


Case = RunCase | StepCase


def parse_cases(text: str, where: str = "cases.jsonl") -> tuple[list[Case], tuple[Problem, ...]]:
    """The cases of JSON Lines, and what is wrong, each with its line and key.

    Args:
        text: one JSON object a line; empty lines are skipped.
        where: the file's name, for messages.
    """
    cases: list[Case] = []
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            continue
        value, fault = _load(line)
        if fault:
            problems.append(
                found("K607", fault, "write one JSON object a line", file=where, line=number)
            )
            continue
        case, faults = build(value, len(cases) + 1)
        problems += [
            found("K603", message, mend, file=where, line=number) for message, mend in faults
        ]
        if case is None:
            continue
        if case.id in seen:
            message = f"the id {case.id!r} is that of line {seen[case.id]} too"
            problems.append(
                found("K604", message, "give each case its own id", file=where, line=number)
            )
        seen.setdefault(case.id, number)
        cases.append(case)
    return cases, tuple(problems)


def build(value: Mapping[str, Any], number: int) -> tuple[Case | None, list[tuple[str, str]]]:
    """A case of its keys; a case with ``step`` is a step case.

    Args:
        value: the keys as written.
        number: its place, from which an id is made where none is given.

    Returns:
        The case, or None where a fault leaves none; and ``(message, mend)`` of each fault.
    """
    kind = StepCase if "step" in value else RunCase
    rules = _STEP_RULES if kind is StepCase else _RUN_RULES
    faults = [_fault(key, item, rules) for key, item in value.items()]
    why = json_text.storable(dict(value))
    if why:
        faults.append((f"the case cannot be stored: {why}", "write plain JSON values"))
    faults = [fault for fault in faults if fault]
    needed = "step" if kind is StepCase else "prompt"
    if needed not in value and "calls" not in value:
        faults.append((f"{needed!r} is missing", f"write the {needed}"))
    if "fails" in value and "expect" in value and kind is StepCase:
        faults.append(("it has both 'expect' and 'fails'", "keep one of the two"))
    if faults:
        return None, [fault for fault in faults if fault]
    made: dict[str, Any] = {
        key: tuple(item) if isinstance(item, list) and key != "expect" else item
        for key, item in value.items()
    }
    made.setdefault("id", _made_id(value, number))
    made.setdefault(needed, "")
    return kind(**made), []


def dump(cases: Iterable[Case]) -> str:
    """The cases as JSON Lines, keys in their fixed order, defaults left out."""
    return "".join(
        json.dumps(to_dict(case), ensure_ascii=False, allow_nan=False) + "\n" for case in cases
    )


def to_dict(case: Case) -> dict[str, Any]:
    """The keys of a case that differ from their defaults."""
    made = {}
    for item in fields(case):
        value = getattr(case, item.name)
        default = item.default if item.default_factory is MISSING else item.default_factory()
        if value != default or item.name in ("id", "step", "prompt"):
            made[item.name] = list(value) if isinstance(value, tuple) else value
    return made


def _made_id(value: Mapping[str, Any], number: int) -> str:
    return f"{value.get('step', 'case')}-{number}"


def _load(line: str) -> tuple[dict[str, Any], str]:
    try:
        value = json_text.read(line)
    except ValueError as error:
        return {}, f"not JSON: {error}"
    except RecursionError:
        return {}, "not JSON: nested too deeply"
    if not isinstance(value, dict):
        return {}, "a case is an object, {...}"
    return value, ""


_Rule = tuple[Callable[[Any], bool], str]


def _texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _words(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        (isinstance(item, str) and bool(item)) or (_mapping(item) and bool(item)) for item in value
    )


def _calls(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        _mapping(item)
        and isinstance(item.get("step"), str)
        and set(item) <= {"step", "args", "refs"}
        and _mapping(item.get("args", {}))
        and _mapping(item.get("refs", {}))
        for item in value
    )


def _expect(value: Any) -> bool:
    if not _mapping(value):
        return False
    return all(
        _texts(item) if key in ("findings", "failed_invariants") else key in AXES and _range(item)
        for key, item in value.items()
    )


def _range(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in value)
        and 0 <= value[0] <= value[1] <= 1
    )


_TEXT: _Rule = (lambda v: isinstance(v, str) and bool(v), "text")
_OBJECT: _Rule = (_mapping, "an object with text keys")
_LIST: _Rule = (_texts, "a list of texts")
_RUN_RULES: dict[str, _Rule] = {
    "id": _TEXT,
    "prompt": _TEXT,
    "inputs": _OBJECT,
    "files": _LIST,
    "must_call": (_words, "a list of step ids, or of objects with `step`"),
    "must_not_call": (_words, "a list of step ids"),
    "must_mention": (_words, "a list of texts, or of objects with `value` or `regex`"),
    "must_not": (_words, "a list of texts, or of objects"),
    "expected_audit": (lambda v: v in VERDICTS, f"one of {', '.join(VERDICTS)}"),
    "expect": (
        _expect,
        "`findings`, `failed_invariants` (lists of texts) or [min, max] from 0 to 1 of "
        + ", ".join(AXES),
    ),
    "calls": (_calls, "a list of objects with `step` and, if wanted, `args` and `refs`"),
    "trigger": (lambda v: isinstance(v, bool), "true or false"),
    "split": (lambda v: v in ("tune", "holdout"), "tune or holdout"),
    "tags": _LIST,
    "trials": (
        lambda v: isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= 1000,
        "a whole number from 1 to 1000",
    ),
    "budget": _OBJECT,
}
_STEP_RULES: dict[str, _Rule] = {
    "id": _TEXT,
    "step": _TEXT,
    "args": _OBJECT,
    "expect": (lambda _: True, "any JSON value"),
    "fails": _TEXT,
}


def _fault(key: str, value: Any, rules: Mapping[str, _Rule]) -> tuple[str, str] | None:
    rule = rules.get(key)
    if rule is None:
        near = get_close_matches(key, rules, n=1)
        return (
            f"nobody reads the key {key!r}",
            f"write {near[0]!r}" if near else f"use one of {', '.join(rules)}",
        )
    holds, says = rule
    if holds(value):
        return None
    return f"{key!r} is {value!r}"[:120], f"write {says}"
