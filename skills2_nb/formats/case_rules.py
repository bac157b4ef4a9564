"""What each key of an eval row may hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

VERDICTS = ("pass", "fail", "unproven")
AXES = ("coverage", "consistency", "anchoring", "score")
#: Keys of an argument that is not asked for exactly; ``rel`` and ``abs`` go with ``approx``.
MATCHERS = ("approx", "regex", "schema")

#: Yields the place within a value and what belongs there, of each thing that is wrong.
Rule = Callable[[Any], Iterator[tuple[str, str]]]
Fault = tuple[str, str]


def fault_of(key: str, value: Any, rules: Mapping[str, Rule]) -> Fault | None:
    """What is wrong with one key of a row: ``(message, mend)``, with the place within the value."""
    rule = rules.get(key)
    if rule is None:
        near = get_close_matches(key, rules, n=1)
        mend = f"write {near[0]!r}" if near else f"use one of {', '.join(rules)}"
        return f"nobody reads the key {key!r}", mend
    for place, says in rule(value):
        seen = _at(value, place)
        return f"{key + place!r} is {seen!r}"[:120], f"write {says}"
    return None


def is_matcher(value: Any) -> bool:
    """Whether a wanted argument stands for more than one value."""
    return isinstance(value, Mapping) and any(key in value for key in MATCHERS) and _fits(value)


def _fits(value: Mapping[str, Any]) -> bool:
    return set(value) in ({"regex"}, {"schema"}) or (
        "approx" in value and set(value) <= {"approx", "rel", "abs"}
    )


def _at(value: Any, place: str) -> Any:
    """The value at a place such as ``[1].args.x``; where nothing stands, the nearest around it."""
    for name, number in re.findall(r"\.([^.\[\]]+)|\[(\d+)\]", place):
        try:
            value = value[int(number)] if number else value[name]
        except (KeyError, IndexError, TypeError):
            return value
    return value


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _plain(holds: Callable[[Any], bool], says: str) -> Rule:
    def rule(value: Any) -> Iterator[tuple[str, str]]:
        if not holds(value):
            yield "", says

    return rule


def _each(item: Rule, says: str) -> Rule:
    """A list whose items keep a rule."""

    def rule(value: Any) -> Iterator[tuple[str, str]]:
        if not _is_list(value):
            yield "", says
            return
        for number, each in enumerate(value):
            for place, wanted in item(each):
                yield f"[{number}]{place}", wanted

    return rule


def _object(keys: Mapping[str, Rule], needed: Sequence[str], says: str) -> Rule:
    """An object with no keys but these, and with those that it needs."""

    def rule(value: Any) -> Iterator[tuple[str, str]]:
        if not _is_mapping(value) or not set(needed) <= set(value):
            yield "", says
            return
        for key, item in value.items():
            if key not in keys:
                yield f".{key}", f"one of {', '.join(keys)}"
                continue
            for place, wanted in keys[key](item):
                yield f".{key}{place}", wanted

    return rule


def _either(*rules: tuple[Callable[[Any], bool], Rule], says: str) -> Rule:
    """The first rule whose test the value passes."""

    def rule(value: Any) -> Iterator[tuple[str, str]]:
        chosen = next((each for test, each in rules if test(value)), None)
        if chosen is None:
            yield "", says
        else:
            yield from chosen(value)

    return rule


def _regex(value: Any) -> Iterator[tuple[str, str]]:
    try:
        re.compile(value)
    except (re.error, TypeError, RecursionError, OverflowError):
        yield "", "a regular expression that Python reads"


def _schema(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, (Mapping, bool)):
        yield "", "a JSON Schema, an object"


def _wanted(value: Any) -> Iterator[tuple[str, str]]:
    """Arguments by name; an object with a matcher's key is one, or a mistake."""
    if not _is_mapping(value):
        yield "", "an object with the arguments by name"
        return
    for name, item in value.items():
        if not isinstance(item, Mapping) or not any(key in item for key in MATCHERS):
            continue
        if not is_matcher(item):
            yield f".{name}", "{approx, rel, abs}, {regex} or {schema}, or the value itself"
            continue
        for key, each in item.items():
            for place, says in _MATCHER_RULES[key](each):
                yield f".{name}.{key}{place}", says


def _times(value: Any) -> Iterator[tuple[str, str]]:
    pair = [value, value] if not _is_list(value) else list(value)
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in pair)
    if len(pair) != 2 or not whole or not 0 <= pair[0] <= pair[1]:
        yield "", "a whole number, or [least, most]"


def _expect(value: Any) -> Iterator[tuple[str, str]]:
    says = (
        "`findings`, `failed_invariants` (lists of texts) or [min, max] from 0 to 1 of "
        + ", ".join(AXES)
    )
    if not _is_mapping(value):
        yield "", says
        return
    for key, item in value.items():
        if key in ("findings", "failed_invariants"):
            yield from ((f".{key}{place}", wanted) for place, wanted in _TEXTS(item))
        elif key not in AXES:
            yield f".{key}", says
        elif not _is_range(item):
            yield f".{key}", "[min, max], both from 0 to 1"


def _is_range(value: Any) -> bool:
    return (
        _is_list(value)
        and len(value) == 2
        and all(map(_is_number, value))
        and 0 <= value[0] <= value[1] <= 1
    )


_NUMBER = _plain(_is_number, "a number")
_MATCHER_RULES: dict[str, Rule] = {
    "approx": _NUMBER,
    "rel": _plain(lambda v: _is_number(v) and v >= 0, "a share such as 0.01"),
    "abs": _plain(lambda v: _is_number(v) and v >= 0, "a distance such as 0.5"),
    "regex": _regex,
    "schema": _schema,
}
_TEXT = _plain(_is_text, "text")
_TEXTS = _each(_plain(lambda v: isinstance(v, str), "text"), "a list of texts")
_ANY_OBJECT = _plain(_is_mapping, "an object with text keys")
_AFTER = _either((_is_list, _each(_TEXT, "")), (_is_text, _TEXT), says="a step id, or a list")
_CALL = "a list of step ids, or of objects with `step`"
_SAID: dict[str, Rule] = {
    "text": _TEXT,
    "regex": _regex,
    "value": _plain(
        lambda v: _is_text(v) and re.fullmatch(r"[^#]+#(/.*)?", v) is not None,
        "a reference such as `count#/total`",
    ),
}
_UNSAID: dict[str, Rule] = {
    **_SAID,
    "numbers": _plain(lambda v: v == "unsupported", "`unsupported`"),
}


def _said(forms: Mapping[str, Rule]) -> Rule:
    """Texts, or objects of one of these keys."""
    says = f"a text, or an object with one of {', '.join(f'`{key}`' for key in forms)}"

    def one(value: Any) -> Iterator[tuple[str, str]]:
        if not _is_mapping(value) or len(value) != 1 or next(iter(value)) not in forms:
            yield "", says
            return
        key, item = next(iter(value.items()))
        yield from ((f".{key}{place}", wanted) for place, wanted in forms[key](item))

    item = _either((_is_text, _TEXT), (_is_mapping, one), says=says)
    return _each(item, f"a list; each is {says}")


RUN_RULES: Mapping[str, Rule] = {
    "id": _TEXT,
    "prompt": _TEXT,
    "inputs": _ANY_OBJECT,
    "files": _TEXTS,
    "must_call": _each(
        _either(
            (_is_text, _TEXT),
            (
                _is_mapping,
                _object(
                    {"step": _TEXT, "after": _AFTER, "args": _wanted, "times": _times},
                    ["step"],
                    "an object with `step`",
                ),
            ),
            says="a step id, or an object with `step`",
        ),
        _CALL,
    ),
    "must_not_call": _each(
        _either(
            (_is_text, _TEXT),
            (
                _is_mapping,
                _object({"step": _TEXT, "args": _wanted}, ["step"], "an object with `step`"),
            ),
            says="a step id, or an object with `step`",
        ),
        _CALL,
    ),
    "must_mention": _said(_SAID),
    "must_not": _said(_UNSAID),
    "expected_audit": _plain(lambda v: v in VERDICTS, f"one of {', '.join(VERDICTS)}"),
    "expect": _expect,
    "calls": _each(
        _object(
            {"step": _TEXT, "args": _ANY_OBJECT, "refs": _ANY_OBJECT},
            ["step"],
            "an object with `step` and, if wanted, `args` and `refs`",
        ),
        "a list of objects with `step` and, if wanted, `args` and `refs`",
    ),
    "trigger": _plain(lambda v: isinstance(v, bool), "true or false"),
    "split": _plain(lambda v: v in ("tune", "holdout"), "tune or holdout"),
    "tags": _TEXTS,
    "trials": _plain(
        lambda v: isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= 1000,
        "a whole number from 1 to 1000",
    ),
    "budget": _object(
        {"s": _plain(lambda v: _is_number(v) and v > 0, "seconds, more than 0")},
        [],
        'an object such as {"s": 120}',
    ),
}
STEP_RULES: Mapping[str, Rule] = {
    "id": _TEXT,
    "step": _TEXT,
    "args": _ANY_OBJECT,
    "expect": _plain(lambda _: True, "any JSON value"),
    "fails": _TEXT,
}
