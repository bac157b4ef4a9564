"""The decorator that makes a function a step."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

from skills2_nb.contract import invariants as inv
from skills2_nb.contract.errors import DefinitionError, InputError, InvariantError
from skills2_nb.contract.spec import StepSpec, recordable
from skills2_nb.contract.state import Check

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
RESERVED_IDS = frozenset({"start_run", "end_run", "audit_run"})
_POSITION = itertools.count(1)
_PLACES: dict[tuple[str, str, str], int] = {}


class StepFunction(Protocol[P, R]):
    """What ``@step`` hands back: the function, callable as before."""

    __step__: StepSpec
    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the step."""
        ...

    def case(self, *args: Any, **options: Any) -> Any:
        """Try the step on literal arguments, at once; see ``contract/trial.py``."""
        ...


class Caller(Protocol):
    """A run that takes over the plain calls made while it is current."""

    def owns(self, spec: StepSpec) -> bool:
        """Whether the step belongs to the run's skill."""
        ...

    def call_plainly(self, spec: StepSpec, given: dict[str, Any]) -> Any:
        """Call a step with the arguments given by name."""
        ...


#: The run that plain calls of steps are journalled in.
current: ContextVar[Caller | None] = ContextVar("current run", default=None)
#: Told of every plain call outside a run: ``(spec, inputs, output, checks)``.
observers: list[Callable[[StepSpec, Mapping[str, Any], Any, tuple[Check, ...]], None]] = []


@overload
def step(order: Callable[P, R], /) -> StepFunction[P, R]: ...
@overload
def step(
    order: float | None = None,
    *,
    requires: Any = None,
    invariants: Any = (),
    input_schema: Any = None,
    output_schema: Any = None,
    required: bool = True,
    when: Any = None,
    effects: Sequence[str] = (),
    bind: Mapping[str, str] | None = None,
    report: Sequence[str] = (),
    id: str | None = None,
) -> Callable[[Callable[P, R]], StepFunction[P, R]]: ...
def step(
    order: Any = None,
    *,
    requires: Any = None,
    invariants: Any = (),
    input_schema: Any = None,
    output_schema: Any = None,
    required: bool = True,
    when: Any = None,
    effects: Any = (),
    bind: Mapping[str, str] | None = None,
    report: Any = (),
    id: str | None = None,
) -> Any:
    """Make a function a step; plain ``@step`` works.

    Args:
        order: the step's number; left out, its place among the step cells.
        requires: the steps it stands on, functions or names; left out, all of lower order.
        invariants: predicates that must hold, functions or names.
        input_schema: a model whose fields type the parameters; left out, the annotations.
        output_schema: the result's model; left out, the return annotation.
        required: whether every run owes it.
        when: a guard; the step is owed where it is true.
        effects: what it does beside returning (``"network"``, ``"files"``); empty = pure.
        bind: where a parameter comes from, ``{"current": "compute_flows#/current"}``.
        report: output fields that the final answer must carry.
        id: the step's id; left out, the function's name.

    Raises:
        DefinitionError: the function or an option cannot make a step.
    """
    options = {
        "requires": None if requires is None else _ids(requires),
        "invariant_refs": _checked(_sequence(invariants)),
        "input_ref": input_schema,
        "output_ref": output_schema,
        "required": required and when is None,
        "when": when,
        "effects": _sequence(effects),
        "bind": dict(bind or {}),
        "report": _sequence(report),
    }
    if callable(order):
        return _mark(order, None, id, options)
    return lambda fn: _mark(fn, order, id, options)


def run_alone(spec: StepSpec, given: Mapping[str, Any]) -> Any:
    """Call a step outside any run: input, output and invariants are checked, nothing is kept.

    Raises:
        InputError: an argument is missing or wrong.
        OutputError: the schema refuses the result.
        InvariantError: an invariant does not hold.
    """
    inputs = _complete(spec, given)
    return _judge_alone(spec, inputs, spec.fn(**inputs))


async def run_alone_async(spec: StepSpec, given: Mapping[str, Any]) -> Any:
    """:func:`run_alone` for a coroutine step."""
    inputs = _complete(spec, given)
    return _judge_alone(spec, inputs, await spec.fn(**inputs))


def broken(spec: StepSpec, checks: Sequence[Check], inputs: Any, output: Any) -> None:
    """Raise the first failed check with the values it saw; none failed = nothing happens."""
    failed = next((check for check in checks if not check.ok), None)
    if failed is None:
        return
    item = next(i for i in spec.invariants if i.name == failed.name)
    seen = inv.values_seen(item, inputs, output)
    told = ", ".join(f"{name}={inv.shown.repr(value)}" for name, value in seen.items())
    reason = f" ({failed.message})" if failed.message else ""
    raise InvariantError(
        f"{spec.id}: {failed.name} does not hold{reason}, where {told}",
        step=spec.id,
        invariant=failed.name,
        values={name: recordable(value) for name, value in seen.items()},
    )


def _mark(fn: Callable[..., Any], order: Any, id: str | None, options: Mapping[str, Any]) -> Any:
    spec = _spec(fn, order, id, options)
    if spec.is_async:

        @functools.wraps(fn)
        async def call(*args: Any, **kwargs: Any) -> Any:
            given = _given(spec, args, kwargs)
            caller = current.get()
            if caller is not None and caller.owns(spec):
                return await caller.call_plainly(spec, given)
            return await run_alone_async(spec, given)

    else:

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = _given(spec, args, kwargs)
            caller = current.get()
            if caller is not None and caller.owns(spec):
                return caller.call_plainly(spec, given)
            return run_alone(spec, given)

    marked = cast("Any", call)
    marked.__step__ = spec
    marked.case = functools.partial(_case, marked)
    return marked


def _case(fn: Any, *args: Any, **options: Any) -> Any:
    from skills2_nb.contract.trial import step_case

    return step_case(fn, *args, **options)


def _spec(
    fn: Callable[..., Any], order: Any, id: str | None, options: Mapping[str, Any]
) -> StepSpec:
    name = id or getattr(fn, "__name__", None)
    _check_definition(fn, name, order)
    doc = (inspect.getdoc(fn) or "").strip()
    place = _PLACES.setdefault((fn.__module__, fn.__qualname__, str(name)), next(_POSITION))
    summary = doc.split("\n", 1)[0]
    return StepSpec(id=str(name), fn=fn, order=order, position=place, summary=summary, **options)


def _check_definition(fn: Callable[..., Any], name: Any, order: Any) -> None:
    if not inspect.isfunction(fn):
        raise DefinitionError(f"@step marks a plain function, not {type(fn).__name__}")
    if not isinstance(name, str) or not name.isidentifier():
        raise DefinitionError(f"a step's id is a Python name, not {name!r}")
    if name in RESERVED_IDS:
        raise DefinitionError(f"{name!r} is the kit's own tool; give the step another name")
    if order is not None and (isinstance(order, bool) or not isinstance(order, (int, float))):
        raise DefinitionError(f"step {name!r}: order is a number, not {order!r}")
    if inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        raise DefinitionError(f"step {name!r} is a generator; return the values as a list")
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise DefinitionError(
                f"step {name!r} takes {parameter}: every input has a name of its own, so that it "
                "can be bound and checked"
            )


def _checked(refs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse at definition an invariant that can never say no."""
    for item in refs:
        if not isinstance(item, str):
            inv.invariant(item)
    return refs


def _sequence(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple, set, frozenset)) else (value,)


def _ids(value: Any) -> tuple[str, ...]:
    return tuple(
        item.rpartition(":")[2] if isinstance(item, str) else item.__step__.id
        for item in _sequence(value)
    )


def _given(spec: StepSpec, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    try:
        bound = inspect.signature(spec.fn).bind_partial(*args, **kwargs)
    except TypeError as error:
        raise InputError(f"{spec.id}: {error}", kind="unknown", step=spec.id) from None
    return dict(bound.arguments)


def _complete(spec: StepSpec, given: Mapping[str, Any]) -> dict[str, Any]:
    missing = [p.name for p in spec.parameters if p.required and p.name not in given]
    if missing:
        raise InputError(
            f"{spec.id}: {', '.join(missing)} missing; outside a run every argument is given by "
            "the caller",
            kind="missing",
            step=spec.id,
            missing=missing,
        )
    return spec.validate(given)


def _judge_alone(spec: StepSpec, inputs: dict[str, Any], result: Any) -> Any:
    output = spec.validate_output(result)
    checks = inv.check(spec.invariants, inputs, output)
    for observe in observers:
        observe(spec, inputs, output, checks)
    broken(spec, checks, inputs, output)
    return output
