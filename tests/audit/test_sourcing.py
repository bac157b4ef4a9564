"""Where the numbers among a step's inputs come from."""

import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit.sourcing import arguments, before
from skills2_nb.contract.run import Run

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)


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
        ({"total": 50}, "total", "sourced"),  # a value of an ancestor
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
