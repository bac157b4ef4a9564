"""The parts of a variable that code asks for."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

#: What lets code look at its variables without naming them.
_BLIND = frozenset({"locals", "vars", "eval", "exec", "globals"})


def parts_of(fn: Callable[..., Any], name: str) -> set[str] | None:
    """The attributes and literal keys of a parameter that a function asks for.

    Returns:
        The names; None where the parameter is used in any other way as well, or where another
        function stands between its name and its code.
    """
    code: CodeType = fn.__code__
    named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if name not in named or hasattr(fn, "__wrapped__"):
        return None
    return _parts(code, name)


def _parts(code: CodeType, name: str) -> set[str] | None:
    """The same of a variable in code, and in the functions within it."""
    if _BLIND.intersection(code.co_names):
        return None
    found: set[str] = set()
    steps = [step for step in dis.get_instructions(code) if step.opname != "CACHE"]
    for at, step in enumerate(steps):
        if not _loads(step, name):
            continue
        part = _part(steps[at + 1 : at + 3]) if _is_on_top(step, name) else None
        if part is None:
            return None
        found.add(part)
    for inner in _within(code):
        if name in inner.co_freevars:
            parts = _parts(inner, name)
            if parts is None:
                return None
            found |= parts
    return found


def _loads(step: dis.Instruction, name: str) -> bool:
    """Whether an instruction puts the variable on the stack; some put two variables there."""
    if not step.opname.startswith(("LOAD_FAST", "LOAD_DEREF")):
        return False
    named: Any = step.argval
    return name in named if isinstance(named, tuple) else bool(named == name)


def _is_on_top(step: dis.Instruction, name: str) -> bool:
    named: Any = step.argval
    return not isinstance(named, tuple) or (named[-1] == name and named.count(name) == 1)


def _part(after: list[dis.Instruction]) -> str | None:
    if not after:
        return None
    if after[0].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        return str(after[0].argval)
    keyed = after[0].opname == "LOAD_CONST" and isinstance(after[0].argval, str)
    if keyed and len(after) > 1 and after[1].opname in ("BINARY_SUBSCR", "BINARY_OP"):
        is_key = after[1].opname == "BINARY_SUBSCR" or after[1].argrepr == "[]"
        return str(after[0].argval) if is_key else None
    return None


def _within(code: CodeType) -> Iterator[CodeType]:
    return (item for item in code.co_consts if isinstance(item, CodeType))
