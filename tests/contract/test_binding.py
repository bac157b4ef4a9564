"""Binding: what fills a parameter, and what is refused rather than guessed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from skills2_nb.contract.errors import InputError
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step


class Flows(BaseModel):
    current: int
    period: str = "1998-03"


class Trend(BaseModel):
    current: list[int]


class Other(BaseModel):
    current: int


@step
def flows(start: int) -> Flows:
    return Flows(current=start)


@step
def trend(start: int) -> Trend:
    return Trend(current=[start, start + 1])


@step
def other(shift: int = 0, start: int = 0) -> Other:
    return Other(current=start + shift)


@step
def wants_int(current: int) -> dict[str, int]:
    return {"seen": current}


@step
def wants_list(current: list[int]) -> dict[str, Any]:
    return {"seen": current}


@step
def wants_whole(given: Flows) -> dict[str, int]:
    return {"seen": given.current}


@step(bind={"current": "other#/current"})
def wants_bound(current: int) -> dict[str, int]:
    return {"seen": current}


@step
def wants_much(start: int, period: str, extra: float = 0.5) -> dict[str, Any]:
    return {"start": start, "period": period, "extra": extra}


@step(order=99)
def gives_later(start: int) -> Other:
    return Other(current=start)


@step(requires=["flows"])
def wants_near(current: int) -> dict[str, int]:
    return {"seen": current}


def run_of(*functions: Any, inputs: dict[str, Any] | None = None) -> Run:
    skill = Skill.collect({f.__name__: f for f in functions}, "trial")
    return Run.start(skill, {"start": 211} if inputs is None else inputs)


def origin(run: Run, step_id: str, name: str) -> dict[str, Any]:
    return dict(run.state.last[step_id].bound[name])


@pytest.mark.parametrize("last", [wants_int, wants_list])
def test_only_what_fits_by_type_is_a_candidate(last: Any) -> None:
    run = run_of(flows, trend, last)
    run.call("flows")
    run.call("trend")
    assert run.call(last.__name__)["seen"] == (211 if last is wants_int else [211, 212])


def test_a_whole_result_binds_by_its_model() -> None:
    run = run_of(flows, wants_whole)
    run.call("flows")
    assert run.call("wants_whole") == {"seen": 211}
    assert origin(run, "wants_whole", "given") == {"from": "flows#", "seq": 2, "by": "name"}


def test_candidates_that_differ_are_refused() -> None:
    run = run_of(flows, other, wants_int)
    run.call("flows")
    run.call("other", {"shift": 788})
    with pytest.raises(InputError) as caught:
        run.call("wants_int")
    assert caught.value.kind == "ambiguous"
    assert caught.value.values == {"flows#/current": 211, "other#/current": 999}
    assert 'refs={"current": "flows#/current"}' in str(caught.value)
    failed = run.state.attempts("wants_int")[-1]
    assert (failed.status, failed.reason) == ("failed", "input")
    assert failed.error is not None
    assert failed.error["kind"] == "ambiguous"


def test_candidates_that_agree_give_the_nearest() -> None:
    run = run_of(flows, other, wants_int)
    run.call("flows")
    run.call("other")
    assert run.call("wants_int") == {"seen": 211}
    assert origin(run, "wants_int", "current")["from"] == "flows#/current"


def test_bind_and_refs_settle_it() -> None:
    run = run_of(flows, other, wants_bound, wants_int)
    run.call("flows")
    run.call("other", {"shift": 1})
    assert run.call("wants_int", refs={"current": "flows#/current"}) == {"seen": 211}
    assert origin(run, "wants_int", "current")["by"] == "ref"
    assert run.call("wants_bound") == {"seen": 212}
    assert origin(run, "wants_bound", "current") == {
        "from": "other#/current",
        "seq": 3,
        "by": "bind",
    }


def test_only_what_a_step_stands_on_is_looked_at() -> None:
    run = run_of(flows, other, wants_near)
    run.call("flows")
    run.call("other", {"shift": 788})
    assert run.call("wants_near") == {"seen": 211}


def test_inputs_then_defaults() -> None:
    run = run_of(wants_much, inputs={"start": 1, "period": "1998-Q1"})
    assert run.call("wants_much") == {"start": 1, "period": "1998-Q1", "extra": 0.5}
    assert origin(run, "wants_much", "start") == {"from": "inputs#/start"}
    assert origin(run, "wants_much", "extra") == {"from": "default"}


def test_a_result_stands_before_an_input() -> None:
    run = run_of(flows, wants_much, inputs={"start": 5, "period": "1998-Q1"})
    run.call("flows")
    assert run.call("wants_much")["period"] == "1998-03"


def test_none_is_left_out_where_the_type_refuses_it() -> None:
    run = run_of(wants_much, inputs={"start": 1, "period": "p"})
    assert run.call("wants_much", {"start": None, "extra": 2})["extra"] == 2


def test_a_stale_success_offers_nothing() -> None:
    @step
    def echo(current: int) -> Other:
        return Other(current=current)

    @step
    def reads(current: int) -> dict[str, int]:
        return {"seen": current}

    run = run_of(flows, echo, reads)
    run.call("flows")
    run.call("echo")
    run.call("flows", {"start": 7})
    assert run.state.is_stale("echo")
    assert run.call("reads") == {"seen": 7}


@pytest.mark.parametrize(
    ("args", "refs", "kind", "says"),
    [
        ({"nope": 1}, {}, "unknown", "takes current, not nope"),
        ({}, {"nope": "flows#/current"}, "unknown", "not nope"),
        ({"current": 1}, {"current": "flows#/current"}, "reference", "give one"),
        ({}, {"current": "flows"}, "reference", "step#/field"),
        ({}, {"current": "nobody#/current"}, "reference", "the steps are flows"),
        ({}, {"current": "flows#/nothing"}, "reference", "no 'nothing'"),
        ({}, {"current": "flows#current"}, "reference", "no 'current'"),
        ({}, {"current": "later#/current"}, "reference", "call later first"),
        ({}, {"current": "flows#/period"}, "invalid", "valid integer"),
    ],
)
def test_a_bad_reference_or_name_is_typed(args, refs, kind, says) -> None:
    @step(order=9)
    def later(current: int) -> Other:
        return Other(current=current)

    run = run_of(flows, wants_int, later)
    run.call("flows")
    with pytest.raises(InputError, match=says) as caught:
        run.call("wants_int", args, refs)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("functions", "says"),
    [
        ((wants_int,), "no step gives it"),
        ((trend, wants_int), "one of another type"),
        ((wants_int, gives_later), "gives_later gives it, and wants_int does not stand on that"),
    ],
)
def test_what_is_missing_is_told_with_a_mend(functions, says) -> None:
    run = run_of(*functions)
    if trend in functions:
        run.call("trend")
    with pytest.raises(InputError, match=says) as caught:
        run.call("wants_int")
    assert caught.value.kind == "missing"


def test_an_input_may_be_referred_to() -> None:
    run = run_of(flows, wants_int)
    run.call("flows")
    assert run.call("wants_int", refs={"current": "inputs#/start"}) == {"seen": 211}
    with pytest.raises(InputError, match="no 'end'"):
        run.call("wants_int", refs={"current": "inputs#/end"})


@given(st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_binding_never_guesses(values: list[int]) -> None:
    """However many ancestors offer a value, it binds only if all of them agree."""
    functions = {}
    for number, value in enumerate(values):

        def give(fixed: int = value) -> Other:
            return Other(current=fixed)

        give.__name__ = f"give_{number}"
        functions[give.__name__] = step(give)
    skill = Skill.collect({**functions, "wants_int": wants_int}, "trial", sequence=functions)
    run = Run.start(skill)
    for name in functions:
        run.call(name)
    try:
        assert run.call("wants_int") == {"seen": values[0]}
        assert len(set(values)) == 1
    except InputError as error:
        assert error.kind == "ambiguous"
        assert len(set(values)) > 1
    finally:
        run.close()
