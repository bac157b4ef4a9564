"""The keys of skill.toml: one rule each."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from skills2_nb.formats.problem import Problem, found


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value must be: a test and the words for it."""

    holds: Callable[[Any], bool]
    says: str


def _number(value: Any, low: float, high: float) -> bool:
    real = isinstance(value, (int, float)) and not isinstance(value, bool)
    return real and math.isfinite(value) and low <= value <= high


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)


def _weights(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and all(_number(item, 0, 1) for item in value)
        and math.isclose(sum(value), 1, abs_tol=1e-9)
    )


def _references(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(item, str) and "#" in item for item in value.values()
    )


def _one_of(*words: str) -> Rule:
    return Rule(lambda v: isinstance(v, str) and v in words, f"one of {', '.join(words)}")


def _matching(pattern: str, says: str) -> Rule:
    compiled = re.compile(pattern)
    return Rule(lambda v: isinstance(v, str) and compiled.fullmatch(v) is not None, says)


_TEXT = Rule(lambda v: isinstance(v, str), "text")
_TEXTS = Rule(_texts, "a list of texts that are not empty")
_FLAG = Rule(lambda v: isinstance(v, bool), "true or false")
_SHARE = Rule(lambda v: _number(v, 0, 1), "a number from 0 to 1")
_VERSION = _matching(
    r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?", "a version such as 0.1.0"
)
_ADDRESS = _matching(r"runtime\.\w+:\w+", "an address such as runtime.validators:name")
_ADDRESSES = Rule(
    lambda v: _texts(v) and all(_ADDRESS.holds(item) for item in v),
    "a list of addresses such as runtime.validators:name",
)
_SPECIFIER = _matching(
    r"\s*(?:[<>=!~]=?=?)\s*\d+(?:\.\d+)*(?:\.\*)?(?:\s*,\s*[<>=!~]=?=?\s*\d+(?:\.\d+)*(?:\.\*)?)*\s*",
    "a version specifier such as >=3.11",
)

#: Table, key, rule; keys stand in the order in which they are written.
TABLES: dict[str, dict[str, Rule]] = {
    "skill": {
        "name": _matching(r"[^/\\\x00-\x1f]+", "a name, not a path"),
        "version": _VERSION,
    },
    "triggers": {"phrases": _TEXTS, "keywords": _TEXTS, "not": _TEXTS, "threshold": _SHARE},
    "anchors": {"terms": _TEXTS},
    "audit": {
        "profile": _one_of("strict", "classic"),
        "threshold": _SHARE,
        "weights": Rule(_weights, "three numbers from 0 to 1 whose sum is 1"),
        "f1_floor": _SHARE,
    },
    "runtime": {
        "python": _SPECIFIER,
        "dependencies": _TEXTS,
        "timeout": Rule(lambda v: _number(v, 0.001, 86_400), "seconds, above 0 and up to a day"),
        "memory_mb": Rule(
            lambda v: isinstance(v, int) and _number(v, 16, 2**30), "MiB, at least 16"
        ),
        "capture": _one_of("full", "digest"),
        "redact": _TEXTS,
        "restrict_tools": _FLAG,
    },
    "steps": {
        "id": _matching(r"[^\W\d]\w*", "a Python name"),
        "order": Rule(lambda v: _number(v, -1e9, 1e9), "a number"),
        "required": _FLAG,
        "fn": _ADDRESS,
        "requires": _TEXTS,
        "invariants": _ADDRESSES,
        "output": _ADDRESS,
        "when": _ADDRESS,
        "effects": _TEXTS,
        "bind": Rule(_references, 'references such as {current = "compute_flows#/current"}'),
        "report": _TEXTS,
        "summary": _TEXT,
        "stub": _FLAG,
    },
}


def check(tables: Mapping[str, Any], where: str) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """The tables with every value that keeps its rule, and a problem for each that does not.

    Args:
        tables: parsed TOML.
        where: the file's name, for messages.
    """
    problems: list[Problem] = []
    made: dict[str, Any] = {}
    for name, value in tables.items():
        if name == "schema":
            if value != 1 or isinstance(value, bool):
                problems.append(_wrong("$.schema", value, "1, the only layout there is", where))
        elif name not in TABLES:
            problems.append(_unknown(f"$.{name}", name, [*TABLES, "schema"], where))
        elif name == "steps":
            made[name] = _steps(value, problems, where)
        else:
            made[name] = _table(value, name, f"$.{name}", problems, where)
    return made, tuple(problems)


def _steps(value: Any, problems: list[Problem], where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        problems.append(_wrong("$.steps", value, "a list of tables, each [[steps]]", where))
        return []
    steps = []
    for index, item in enumerate(value):
        path = f"$.steps[{index}]"
        table = _table(item, "steps", path, problems, where)
        missing = [
            key for key in ("id", "order", "fn") if isinstance(item, dict) and key not in item
        ]
        problems += [
            _wrong(f"{path}.{key}", None, TABLES["steps"][key].says, where) for key in missing
        ]
        steps.append(table)
    return steps


def _table(value: Any, name: str, path: str, problems: list[Problem], where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        problems.append(_wrong(path, value, f"a table, [{name}]", where))
        return {}
    made = {}
    for key, item in value.items():
        rule = TABLES[name].get(key)
        if rule is None:
            problems.append(_unknown(f"{path}.{key}", key, list(TABLES[name]), where))
        elif rule.holds(item):
            made[key] = item
        else:
            problems.append(_wrong(f"{path}.{key}", item, rule.says, where))
    return made


def _wrong(path: str, value: Any, says: str, where: str) -> Problem:
    shown = "missing" if value is None else repr(value)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return found("M703", f"{path} is {shown}", f"write {says}", file=where)


def _unknown(path: str, key: str, known: list[str], where: str) -> Problem:
    near = get_close_matches(key, known, n=1)
    mend = f"write {near[0]!r}" if near else f"use one of {', '.join(known)}"
    return found("M702", f"nobody reads {path}", mend, file=where)
