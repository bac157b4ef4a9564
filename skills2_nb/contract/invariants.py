"""Named predicates over a step's inputs and output."""

from __future__ import annotations

import dis
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from reprlib import Repr
from typing import Any

from skills2_nb.contract.errors import DefinitionError, told
from skills2_nb.contract.state import Check

#: Parameter names that stand for more than one field.
WHOLE = ("inputs", "output", "run")
_NEVER_TRUE = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


class _Shown(Repr):
    """A value in few words, whatever its own code does when it is asked."""

    def repr(self, x: Any) -> str:
        try:
            return super().repr(x)
        except Exception:
            return f"<a {type(x).__name__} that cannot be shown>"


shown = _Shown()
shown.maxstring = shown.maxother = 120
shown.maxlist = shown.maxtuple = shown.maxset = shown.maxdict = 8


@dataclass(frozen=True)
class Invariant:
    """One predicate.

    Attributes:
        name: the function's name.
        fn: takes any input or output field by name, or ``inputs``, ``output``, ``run``; an output
            field stands before an input of the same name. It holds if ``bool()`` of its result is
            true, or if it returns None and its body asserts or raises.
        parameters: the parameter names.
        optional: those of them that have a default.
        raises: whether the body asserts or raises, so that None says that it holds.
    """

    name: str
    fn: Callable[..., Any]
    parameters: tuple[str, ...]
    optional: frozenset[str]
    raises: bool


class Fields(Mapping[str, Any]):
    """Values by key and by attribute: ``inputs.grain`` is ``inputs["grain"]``."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            known = ", ".join(sorted(self._values)) or "nothing"
            raise AttributeError(f"there is no {name!r} here; there is {known}") from None

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Fields({shown.repr(dict(self._values))})"


@dataclass(frozen=True)
class RunView:
    """What a guard or invariant sees of a run: ``run.inputs`` and ``run.outputs[<step>]``."""

    inputs: Fields
    outputs: Mapping[str, Any]


def invariant(fn: Callable[..., Any]) -> Invariant:
    """Look at a predicate.

    Raises:
        DefinitionError: it can never say no: no ``return`` of a value and nothing raised, a
            generator or a coroutine; or its parameters cannot be given by name.
    """
    name = getattr(fn, "__name__", None)
    code = getattr(fn, "__code__", None)
    if name is None or code is None:
        raise DefinitionError(f"an invariant is a plain function, not {shown.repr(fn)}")
    if code.co_flags & _NEVER_TRUE:
        raise DefinitionError(
            f"invariant {name!r} is async or a generator, so its result is always true; "
            "write a plain function that returns a truth value"
        )
    parameters = inspect.signature(fn).parameters.values()
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise DefinitionError(
                f"invariant {name!r} takes {parameter}: name each input or output field instead"
            )
    raises, returns = _body(code)
    if not raises and not returns:
        raise DefinitionError(
            f"invariant {name!r} can only return None, so it would always hold: "
            "a `return` is missing"
        )
    return Invariant(
        name,
        fn,
        tuple(p.name for p in parameters),
        frozenset(p.name for p in parameters if p.default is not p.empty),
        raises,
    )


def check(
    invariants: Sequence[Invariant],
    inputs: Mapping[str, Any],
    output: Any,
    run: RunView | None = None,
) -> tuple[Check, ...]:
    """Ask every invariant; those that need a run are left out where there is none.

    Args:
        inputs: the validated arguments by name.
        output: the validated result.

    Raises:
        DefinitionError: an invariant names what is neither an input nor an output field.
    """
    seen = {**inputs, **output_fields(output)}
    checks = []
    for item in invariants:
        if run is None and "run" in item.parameters:
            continue
        try:
            given = {name: seen[name] for name in item.parameters}
        except KeyError:
            whole = {"inputs": Fields(inputs), "output": output, "run": run}
            given = _arguments(item, seen, whole)
        checks.append(_ask(item, given))
    return tuple(checks)


def refused(
    invariants: Sequence[Invariant],
    inputs: Mapping[str, Any],
    output: Any,
    run: RunView | None = None,
) -> tuple[str, ...]:
    """The names of the invariants that return a failure, or assert one.

    Unlike :func:`check` it takes no other exception for an answer, nor a result that is neither
    true nor false: an invariant that breaks has not said no.
    """
    seen = {**inputs, **output_fields(output)}
    whole = {"inputs": Fields(inputs), "output": output, "run": run}
    return tuple(item.name for item in invariants if _refuses(item, seen, whole))


def holds(item: Invariant, fields: Mapping[str, Any], run: RunView) -> bool | None:
    """Whether a guard is true; None where it raises, or answers neither yes nor no."""
    try:
        result = item.fn(**_arguments(item, fields, {"inputs": run.inputs, "run": run}))
        return None if result is None or isinstance(result, str) else bool(result)
    except Exception:
        return None


def values_seen(item: Invariant, inputs: Mapping[str, Any], output: Any) -> dict[str, Any]:
    """The fields that an invariant reads by name, with their values."""
    seen = {**inputs, **output_fields(output)}
    if "output" in item.parameters or "inputs" in item.parameters:
        return seen
    return {name: seen[name] for name in item.parameters if name in seen}


def output_fields(output: Any) -> dict[str, Any]:
    """The top-level fields of a result: a model's, a dataclass's or a mapping's; else none."""
    names = _field_names(type(output))  # type: ignore[arg-type]  # every type has a hash
    if names is None:
        return {name: item for name, item in output.items() if isinstance(name, str)}
    return {name: getattr(output, name) for name in names}


@functools.lru_cache(maxsize=256)
def _field_names(kind: type) -> tuple[str, ...] | None:
    """The names of a model's or dataclass's fields; None of a mapping's, each has its own."""
    if issubclass(kind, Mapping):
        return None
    names = getattr(kind, "__pydantic_fields__", None)
    if names is None and hasattr(kind, "__dataclass_fields__"):
        names = [item.name for item in fields(kind)]  # type: ignore[arg-type]  # it is one
    return tuple(names or ())


@functools.lru_cache(maxsize=1024)
def _body(code: Any) -> tuple[bool, bool]:
    """Whether a body raises, and whether it can return anything but None."""
    raises = returns = False
    before = None
    for now in dis.get_instructions(code):
        if now.opname == "RAISE_VARARGS":
            raises = True
        elif now.opname == "RETURN_CONST":
            returns = returns or now.argval is not None
        elif now.opname == "RETURN_VALUE":
            none = before is not None and before.opname == "LOAD_CONST" and before.argval is None
            returns = returns or not none
        before = now
    return raises, returns


def _arguments(
    item: Invariant, seen: Mapping[str, Any], whole: Mapping[str, Any]
) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in item.parameters:
        if name in seen:
            given[name] = seen[name]
        elif name in whole:
            given[name] = whole[name]
        elif name not in item.optional:
            known = ", ".join(sorted(seen)) or "no field"
            raise DefinitionError(
                f"invariant {item.name!r} reads {name!r}, which is neither an input nor an output "
                f"field; there is {known}"
            )
    return given


def _ask(item: Invariant, given: Mapping[str, Any]) -> Check:
    try:
        result = item.fn(**given)
    except AssertionError as error:
        return Check(item.name, False, told(error).partition(": ")[2] or None)
    except (Exception, SystemExit) as error:
        return Check(item.name, False, f"it raised {told(error)}")
    try:
        return _judge(item, result)
    except Exception as error:
        return Check(item.name, False, f"its result is neither true nor false: {told(error)}")


def _refuses(item: Invariant, seen: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    try:
        result = item.fn(**_arguments(item, seen, whole))
        unclear = result is None or isinstance(result, str) or getattr(result, "shape", ()) != ()
        return not unclear and not bool(result)
    except AssertionError:
        return True
    except (Exception, SystemExit):
        return False


def _judge(item: Invariant, result: Any) -> Check:
    if result is True or result is False:
        return Check(item.name, result)
    if result is None:
        if item.raises:
            return Check(item.name, True)
        return Check(item.name, False, "it returned None: a `return` is missing on some path")
    if isinstance(result, str):
        return Check(item.name, False, f"it returned text ({shown.repr(result)}), no truth value")
    if getattr(result, "shape", ()) != ():
        kind = type(result).__name__
        return Check(item.name, False, f"it returned a whole {kind}: use .all() or .any()")
    return Check(item.name, bool(result))
