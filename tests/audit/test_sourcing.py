"""Where the numbers among a step's inputs come from."""

import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit.sourcing import arguments, before
from skills2_nb.contract.run import Run

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)


WHOLE = """
from pydantic import BaseModel
from skills2_nb.contract.step import step

class Flows(BaseModel):
    new: int
    gone: int
    ratio: float | None = None

class Told(BaseModel):
    text: str

@step
def count() -> Flows:
    return Flows(new=3, gone=5, ratio=0.6)

@step
def tell(flows: Flows, ratio: float | None) -> Told:
    return Told(text=f"{flows.new} of {flows.gone}: {ratio}")
"""


def sourced(run, name, step="second"):
    found = arguments(run.skill, run.state, run.state.newest(step))
    return {argument.name: argument for argument in found}[name]


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        ({}, "part", "bound"),  # the default
        ({}, "total", "bound"),  # by name from first
        ({"total": 211}, "total", "sourced"),
        ({"total": 999}, "total", "retyped"),
        ({"total": 0}, "total", "retyped"),
        ({"total": 50}, "total", "retyped"),  # a value of an ancestor, in another's place
        ({"part": 50}, "part", "sourced"),  # the same where nothing else is on offer
        ({"part": 121}, "part", "sourced"),  # a leaf of its list
        ({"part": 0.5}, "part", "sourced"),
        ({"part": 0.50001}, "part", "unsourced"),
        ({"part": 600}, "part", "unsourced"),
        ({"part": 1}, "part", "listed"),
        ({"part": -1}, "part", "listed"),
        ({"part": 0}, "part", "listed"),
        ({"path": "/data/orders_2400.csv"}, "path", "listed"),
        ({"grain": "week"}, "grain", "listed"),
        ({"grain": "month"}, "grain", "retyped"),
        ({"flag": False}, "flag", "retyped"),
        ({"flag": True}, "flag", "listed"),
        ({"parts": [40, 50, 121]}, "parts", "sourced"),
        ({"parts": [40, 50, 122]}, "parts", "retyped"),
        ({"parts": [40, 50]}, "parts", "retyped"),
        ({"parts": []}, "parts", "retyped"),
        ({"amount": "211"}, "amount", "sourced"),
        ({"amount": "600"}, "amount", "unsourced"),
    ],
)
def test_literals(given, name, expected):
    run = kit.started()
    run.call("second", given)
    assert sourced(run, name).sourced == expected


def test_a_reference_is_bound_whatever_its_name():
    run = kit.started()
    run.call("second", {}, refs={"part": "first#/total"})
    argument = sourced(run, "part")
    assert (argument.sourced, argument.origin, argument.by) == ("bound", "first#/total", "ref")


def test_a_reference_to_another_value_than_the_one_on_offer_is_rewired():
    run = kit.started()
    run.call("second", {}, refs={"total": "first#/parts/0"})
    argument = sourced(run, "total")
    assert (argument.sourced, argument.offer) == ("rewired", "first#/total")
    run.call("second", {}, refs={"total": "first#/total"})
    assert sourced(run, "total").sourced == "bound"


@pytest.mark.parametrize(("vouched", "expected"), [("client", "rewired"), ("case", "bound")])
def test_an_input_against_what_a_step_gives_is_worth_its_voucher(vouched, expected):
    run = kit.started({"mine": 999}, vouched=vouched)
    run.call("second", {}, refs={"total": "inputs#/mine"})
    assert sourced(run, "total").sourced == expected


def test_a_default_that_the_journal_only_claims_is_found_out():
    run = kit.started()
    run.call("second", {"part": 600})

    def claim(records):
        (record,) = [r for r in records if r.get("step") == "second"]
        record["bound"]["part"] = {"from": "default"}
        return records

    kit.forge(run.path, claim)
    assert sourced(Run.resume(run.skill, run.id), "part").sourced == "unsourced"


@pytest.mark.parametrize(
    ("prompt", "typed", "expected"),
    [
        ("Take March 1998.", "1998-03", "listed"),
        ("Nimm den März 1998.", "1998-03", "listed"),
        ("Take 1998-03.", "1998-03", "listed"),
        ("Take March 1998.", "1998-04", "retyped"),
        (None, "1998-03", "retyped"),
    ],
)
def test_a_period_corrected_by_the_prompt_may_be_typed(prompt, typed, expected):
    run = Run.start(kit.skill_of(kit.SOURCE), {"period": "1998-02"}, prompt=prompt, vouched="hook")
    run.call("load_flows", {"period": typed})
    assert sourced(run, "period", "load_flows").sourced == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"flows": {"new": 3, "gone": 5, "ratio": 0.6}}, "sourced"),
        ({"flows": {"new": 5, "gone": 3}}, "retyped"),
        ({"flows": {"new": 0, "gone": 0}}, "retyped"),
        ({"ratio": None}, "retyped"),
        ({"ratio": 0.6}, "sourced"),
    ],
)
def test_a_whole_result_or_nothing_typed_in_place_of_a_result(args, expected):
    run = Run.start(kit.skill_of(WHOLE, "whole"), vouched="case")
    run.call("count")
    run.call("tell", args)
    assert sourced(run, next(iter(args)), "tell").sourced == expected


def test_a_retyped_value_names_what_is_on_offer():
    run = kit.started()
    run.call("second", {"total": 999})
    argument = sourced(run, "total")
    assert (argument.offer, argument.numbers) == ("first#/total", (999.0,))


@pytest.mark.parametrize(
    ("vouched", "inputs", "prompt", "expected"),
    [
        ("case", {"part": 600}, None, "bound"),
        ("cli", {"part": 600}, None, "bound"),
        ("client", {"part": 600}, None, "unvouched"),
        ("hook", {"part": 600}, "Take what you like.", "unsourced"),
        ("hook", {"part": 600}, "Take 600 parts.", "bound"),
        ("client", {"part": 1}, None, "bound"),  # 0 and ±1 never count
    ],
)
def test_a_run_input_is_worth_its_voucher(vouched, inputs, prompt, expected):
    run = kit.started(inputs, prompt, vouched)
    run.call("second")
    assert sourced(run, "part").sourced == expected


@pytest.mark.parametrize(
    ("vouched", "prompt", "expected"),
    [
        ("hook", "Take 600 parts.", "sourced"),
        ("case", "Take 600 parts.", "sourced"),
        ("client", "Take 600 parts.", "unvouched"),
        ("hook", "Take 60 parts.", "unsourced"),
        ("hook", "Nimm 0,6 Tsd. Teile", "sourced"),
        (
            "client",
            None,
            "unsourced",
        ),
    ],
)
def test_a_number_of_the_prompt_may_be_typed(vouched, prompt, expected):
    run = kit.started(prompt=prompt, vouched=vouched)
    run.call("second", {"part": 600})
    assert sourced(run, "part").sourced == expected


def test_a_value_of_a_later_step_is_no_source():
    run = kit.started()
    run.call("second", {"part": 0})
    run.call("first", {"total": 777})
    assert sourced(run, "total", "first").sourced == "unsourced"


def test_a_binding_that_the_journal_only_claims_is_found_out():
    run = kit.started()
    run.call("second", {"part": 600})

    def claim(records):
        (record,) = [r for r in records if r.get("step") == "second"]
        record["bound"]["part"] = {"from": "first#/total", "seq": 2, "by": "name"}
        return records

    kit.forge(run.path, claim)
    forged = Run.resume(run.skill, run.id)
    assert sourced(forged, "part").sourced == "unsourced"


def test_before_is_the_state_then():
    run = kit.started()
    run.call("second")
    then = before(run.state, run.state.newest("second").seq)
    assert (list(then.last), len(then.calls)) == (["first"], 1)
    assert list(run.state.last) == ["first", "second"]
