"""The decorator: what it accepts, what it refuses, what a plain call does."""

import asyncio
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, model_validator

from skills2_nb.contract.errors import (
    DefinitionError,
    InputError,
    InvariantError,
    OutputError,
)
from skills2_nb.contract.step import observers, step


class Sum(BaseModel):
    total: int


def is_sum(a, b, total):
    return total == a + b


@step(invariants=[is_sum])
def add(a: int, b: int = 1) -> Sum:
    """Add two numbers.

    More is said here.
    """
    return Sum(total=a + b)


def test_the_function_stays_itself() -> None:
    assert add.__name__ == "add"
    assert add.__doc__ is not None
    assert add.__step__.summary == "Add two numbers."
    assert add(1, 2).total == 3
    assert add(a=1).total == 2
    assert add.__step__.fn(1, 2).total == 3


@pytest.mark.parametrize(
    ("args", "kwargs", "kind", "says"),
    [
        ((), {}, "missing", "a missing"),
        (("x",), {}, "invalid", "a: Input should be a valid integer"),
        ((1, 2, 3), {}, "unknown", "too many positional"),
        ((), {"c": 1}, "unknown", "unexpected keyword"),
        ((1.5,), {"b": "y"}, "invalid", "b: Input"),
    ],
)
def test_a_bad_argument_is_typed(args, kwargs, kind, says) -> None:
    with pytest.raises(InputError, match=says) as caught:
        add(*args, **kwargs)
    assert caught.value.kind == kind
    assert caught.value.step == "add"


def test_a_bad_result_is_typed() -> None:
    @step
    def wrong(a: int) -> Sum:
        return {"total": "many"}  # type: ignore[return-value]

    with pytest.raises(OutputError, match="total: Input should be a valid integer"):
        wrong(1)


def test_an_instance_made_past_the_model_is_looked_at_again() -> None:
    @step
    def sly(a: int) -> Sum:
        return Sum.model_construct(total="many")  # type: ignore[arg-type]

    with pytest.raises(OutputError, match="valid integer"):
        sly(1)


def test_a_broken_invariant_names_the_values() -> None:
    @step(invariants=[is_sum])
    def off(a: int, b: int) -> Sum:
        return Sum(total=a + b + 1)

    with pytest.raises(InvariantError, match=r"is_sum does not hold, where a=1, b=2, total=4"):
        off(1, 2)


def test_an_async_step_stays_async() -> None:
    @step
    async def later(a: int) -> Sum:
        await asyncio.sleep(0)
        return Sum(total=a)

    assert asyncio.run(later(3)).total == 3


def test_long_form_addresses_are_found_beside_the_step() -> None:
    @step(
        order=4,
        requires=["runtime.steps:pick"],
        invariants=["runtime.validators:is_sum"],
        output_schema="runtime.models:Sum",
    )
    def plus(a, b):
        return Sum(total=a + b)

    assert plus.__step__.requires == ("pick",)
    assert plus.__step__.output_name == "Sum"
    assert plus(1, 2).total == 3


def test_a_name_that_is_nowhere_is_told() -> None:
    @step(invariants=["runtime.validators:nowhere"])
    def plus(a: int) -> Sum:
        return Sum(total=a)

    with pytest.raises(DefinitionError, match="no 'nowhere' beside it"):
        plus(1)


def test_an_input_schema_types_bare_parameters() -> None:
    class Inputs(BaseModel):
        low: int
        high: int

        @model_validator(mode="after")
        def ordered(self) -> "Inputs":
            if self.low > self.high:
                raise ValueError("low is above high")
            return self

    @step(input_schema=Inputs)
    def span(low, high) -> Sum:
        return Sum(total=high - low)

    assert span("1", "3").total == 2
    with pytest.raises(InputError, match="low is above high"):
        span(3, 1)


def _forgets(total):
    total > 0  # noqa: B015 - the fault under test


async def _generator():
    yield 1


def _arguments(*values):
    return values


def _keywords(**values):
    return values


def _positional(a, /):
    return a


def _rows():
    yield 1


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: step(_arguments), "every input has a name"),
        (lambda: step(_keywords), "every input has a name"),
        (lambda: step(_positional), "every input has a name"),
        (lambda: step(_rows), "is a generator"),
        (lambda: step(_generator), "is a generator"),
        (lambda: step(id="start_run")(is_sum), "the kit's own tool"),
        (lambda: step(id="not a name")(is_sum), "Python name"),
        (lambda: step("first")(is_sum), "order is a number"),
        (lambda: step(True)(is_sum), "order is a number"),
        (lambda: step(invariants=[_forgets])(is_sum), "`return` is missing"),
        (lambda: step(lambda a: a), "Python name"),
        (lambda: step(int), "plain function"),
    ],
)
def test_what_can_be_no_step_is_refused_at_once(make: Any, why: str) -> None:
    if "plain function" in why:
        with pytest.raises((DefinitionError, AttributeError)):
            make()
        return
    with pytest.raises(DefinitionError, match=why):
        make()


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="invariant"):
        step(invariant=[is_sum])(is_sum)  # type: ignore[call-overload]


def test_an_undefined_annotation_is_told_at_first_call() -> None:
    namespace: dict[str, Any] = {"step": step}
    exec("@step\ndef f(a: 'Nowhere') -> int:\n    return 1\n", namespace)
    with pytest.raises(DefinitionError, match="Nowhere"):
        namespace["f"](1)


def test_running_a_cell_again_keeps_the_place() -> None:
    namespace: dict[str, Any] = {"step": step, "__name__": "kernel"}
    first = "@step\ndef one(a: int) -> int:\n    return a\n"
    exec(first, namespace)
    exec("@step\ndef two(a: int) -> int:\n    return a\n", namespace)
    before = namespace["one"].__step__.position
    exec(first, namespace)
    assert namespace["one"].__step__.position == before < namespace["two"].__step__.position


def test_observers_see_plain_calls() -> None:
    seen = []
    observers.append(lambda spec, inputs, output, checks: seen.append((spec.id, inputs, checks)))
    try:
        add(1, 2)
    finally:
        observers.pop()
    ((id_, inputs, checks),) = seen
    assert (id_, inputs, checks[0].ok) == ("add", {"a": 1, "b": 2}, True)


def test_schemas_are_inlined_and_annotations_kept() -> None:
    class Inner(BaseModel):
        x: Annotated[int, Field(ge=0)]

    @step
    def nested(inner: Inner, size: Annotated[int, Field(gt=0, description="rows")] = 3) -> Inner:
        return inner

    schema = nested.__step__.input_json_schema()
    assert "$defs" not in schema
    assert schema["properties"]["inner"]["properties"]["x"]["minimum"] == 0
    assert schema["properties"]["size"]["description"] == "rows"
    assert schema["required"] == ["inner"]
    with pytest.raises(InputError, match="inner: x: Input should be greater"):
        nested({"x": -1})


@pytest.mark.parametrize(
    ("annotation", "substantive"),
    [(Sum, True), (int, True), (dict, False), (Any, False), (list[int], True), (None, False)],
)
def test_substance_is_a_required_result(annotation: Any, substantive: bool) -> None:
    def f(a):
        return a

    f.__annotations__["return"] = annotation
    assert step(f).__step__.substantive is substantive
