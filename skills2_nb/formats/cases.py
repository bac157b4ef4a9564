"""Eval cases: of a whole run, and of one step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from skills2_nb.formats import json_text
from skills2_nb.formats.case_rules import RUN_RULES, STEP_RULES, fault_of
from skills2_nb.formats.problem import Problem, found


@dataclass(frozen=True, slots=True)
class RunCase:
    """A prompt and what must come of it.

    Attributes:
        must_call: step ids, or ``{step, after, args, times}``; see ``formats/case_rules.py``.
        must_not_call: step ids, or ``{step, args}``.
        must_mention: words of the answer, or ``{value}`` (a reference), or ``{regex}``.
        must_not: the same, or ``{numbers: "unsupported"}``.
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
    rules = STEP_RULES if kind is StepCase else RUN_RULES
    faults = [fault for key in value if (fault := fault_of(key, value[key], rules))]
    why = json_text.storable(dict(value))
    if why:
        faults.append((f"the case cannot be stored: {why}", "write plain JSON values"))
    needed = "step" if kind is StepCase else "prompt"
    if needed not in value and "calls" not in value:
        faults.append((f"{needed!r} is missing", f"write the {needed}"))
    if "fails" in value and "expect" in value and kind is StepCase:
        faults.append(("it has both 'expect' and 'fails'", "keep one of the two"))
    if faults:
        return None, faults
    made: dict[str, Any] = {
        key: tuple(item) if isinstance(item, list) and key != "expect" else item
        for key, item in value.items()
    }
    made.setdefault("id", _made_id(value, number))
    made.setdefault(needed, "")
    return kind(**made), []


def names_no_finding(case: Case) -> bool:
    """Whether a case expects ``fail`` and leaves open why: it would pass for any reason."""
    if isinstance(case, StepCase) or case.expected_audit != "fail":
        return False
    return not (case.expect.get("findings") or case.expect.get("failed_invariants"))


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
