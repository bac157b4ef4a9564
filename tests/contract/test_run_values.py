"""Values, exceptions and validators that fight back."""

import datetime as dt
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict

from skills2_nb.contract import chain
from skills2_nb.contract.errors import (
    InputError,
    InvariantError,
    OutputError,
)
from skills2_nb.contract.run import Run
from skills2_nb.contract.step import step

from .conftest import collected


def test_what_looks_like_a_blob_is_a_value() -> None:
    lure = {"$blob": "0" * 64, "bytes": 3}

    @step
    def echo(given: dict[str, Any]) -> dict[str, Any]:
        return {"same": given, "rows": list(range(40_000)), "nested": {"in": lure}}

    run = Run.start(collected([echo]), {"given": lure})
    assert run.call("echo")["same"] == lure
    again = Run.resume(run.skill, run.id)
    assert again.state.last["echo"].output == run.state.last["echo"].output
    assert again.call("echo", refs={"given": "echo#/nested/in"})["same"] == lure


def test_big_values_at_any_depth_come_back() -> None:
    wide = {f"k{n:04}": "x" * 90 for n in range(1_000)} | {"long": "y" * 100_000}

    @step
    def echo(given: dict[str, Any]) -> dict[str, Any]:
        return {**given, "deep": {"deeper": given}}

    run = Run.start(collected([echo]), {"given": wide})
    run.call("echo", {"given": wide})
    again = Run.resume(run.skill, run.id)
    assert again.state.inputs["given"] == wide
    assert again.state.last["echo"].args == {"given": wide}
    assert again.state.last["echo"].output == {**wide, "deep": {"deeper": wide}}
    assert run.path.stat().st_size < 20_000


class Hostile:
    """Looks plain until it is touched."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = None  # type: ignore[assignment]

    @property
    def tolist(self) -> Any:
        raise ZeroDivisionError("touched")

    def __repr__(self) -> str:
        raise RuntimeError("shown")


class Unsayable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("told")


@step
def gives(what: Any) -> Any:
    return {"hostile": Hostile(), "endless": endless(), "long": 10**5_000}[what]


@step
def raises(what: Any) -> Any:
    raise Unsayable


def endless() -> Iterator[int]:
    while True:
        yield 1


@pytest.mark.parametrize("what", ["hostile", "endless", "long"])
def test_a_result_that_cannot_be_recorded_is_a_recorded_failure(what: str) -> None:
    run = Run.start(collected([gives]))
    with pytest.raises(OutputError, match="cannot be recorded"):
        run.call("gives", {"what": what})
    assert (run.state.calls[-1].status, run.state.calls[-1].reason) == ("failed", "output")


@pytest.mark.parametrize(
    "value", [Hostile(), endless(), 10**5_000, object()], ids=["hostile", "endless", "long", "bare"]
)
def test_an_argument_that_cannot_be_recorded_is_a_recorded_refusal(value: Any) -> None:
    run = Run.start(collected([gives]))
    with pytest.raises(InputError, match="cannot be recorded"):
        run.call("gives", {"what": value})
    assert (run.state.calls[-1].status, run.state.calls[-1].reason) == ("failed", "input")
    assert chain.verify(run.path) == []


def test_an_exception_that_cannot_be_told() -> None:
    run = Run.start(collected([raises]), {"what": 1})
    with pytest.raises(Unsayable):
        run.call("raises")
    assert run.state.calls[-1].error["message"] == "raises raised Unsayable"  # type: ignore[index]


def breaks(value: int) -> int:
    raise LookupError("no such table")


@step
def checked(n: Annotated[int, AfterValidator(breaks)]) -> int:
    return n


@step
def checks(n: int) -> Annotated[int, AfterValidator(breaks)]:
    return n


@pytest.mark.parametrize(("fn", "kind"), [(checked, InputError), (checks, OutputError)])
def test_a_validator_that_breaks_is_a_recorded_failure(fn: Any, kind: type) -> None:
    run = Run.start(collected([fn]), {"n": 1})
    with pytest.raises(kind, match="its own check raised LookupError: no such table"):
        run.call(fn.__name__)
    assert run.state.calls[-1].status == "failed"


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    day: dt.date
    tags: set[str]
    ratio: float


def near(run: Any, ratio: float) -> bool:
    return run.outputs["measure"].ratio != ratio or ratio != ratio


@step
def measure(n: int) -> Strict:
    return Strict(day=dt.date(2026, 1, n), tags={"b", "a"}, ratio=float("nan"))


@step(invariants=[near])
def judge(given: Strict, ratio: float) -> dict[str, Any]:
    return {"day": given.day, "ratio": ratio}


def test_what_json_cannot_say_comes_back_typed_to_steps_and_invariants() -> None:
    run = Run.start(collected([measure, judge]), {"n": 3})
    run.call("measure")
    again = Run.resume(run.skill, run.id)
    assert again.call("judge")["day"] == dt.date(2026, 1, 3)
    assert [check.ok for check in again.skill.recheck(again.state.last["judge"], again.state)] == [
        True
    ]


class Vague:
    def __bool__(self) -> bool:
        raise Unsayable

    @property
    def shape(self) -> Any:
        raise Unsayable


def vague(n: int) -> Any:
    return Vague()


def leaves(n: int) -> bool:
    raise SystemExit(2)


def unsayable(n: int) -> bool:
    raise Unsayable


def speechless(n: int) -> bool:
    raise AssertionError(Hostile())


@pytest.mark.parametrize("predicate", [vague, leaves, unsayable, speechless])
def test_an_invariant_that_misbehaves_does_not_hold(predicate: Any) -> None:
    @step(invariants=[predicate])
    def guarded(n: int) -> int:
        return n

    run = Run.start(collected([guarded]), {"n": 1})
    with pytest.raises(InvariantError, match=f"{predicate.__name__} does not hold"):
        run.call("guarded")
    assert [check.ok for check in run.state.calls[-1].invariants] == [False]
    assert run.state.calls[-1].reason == "invariant"
