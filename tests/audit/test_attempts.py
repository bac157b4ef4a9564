"""Calls that did not succeed."""

import contextlib
import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit.attempts import attempt_notes
from skills2_nb.contract.errors import ContractError

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)

BAD = """
from pydantic import BaseModel
from skills2_nb.contract.step import step

class One(BaseModel):
    total: int

class Last(BaseModel):
    double: int

def never(run):
    return False

@step(1)
def first() -> One:
    return One(total=1)

@step(2)
def second() -> One:
    return One(total=2)

@step(3)
def third(total: int) -> Last:
    return Last(double=2 * total)

@step(4)
def wrong() -> Last:
    return {"double": "many"}

@step(5, requires=["first"])
def raises() -> Last:
    raise RuntimeError("no luck")

@step(6, when=never)
def idle() -> Last:
    return Last(double=1)
"""


def tried(*calls):
    run = kit.Run.start(kit.skill_of(BAD, "bad"))
    for step, *args in calls:
        with contextlib.suppress(ContractError, RuntimeError):
            run.call(step, *args)
    return attempt_notes(run.skill, run.state)


@pytest.mark.parametrize(
    ("calls", "code", "step", "mend"),
    [
        ([("second",)], "ORDER_REJECTED", "second", "Call first first."),
        (
            [("first",), ("second",), ("third",)],
            "AMBIGUOUS_BINDING",
            "third",
            "refs that name one of first#/total and second#/total",
        ),
        (
            [("first",), ("second",), ("third", {"total": "x"})],
            "INPUT_REJECTED",
            "third",
            "call third again",
        ),
        (
            [("first",), ("second",), ("third", {"total": 1}), ("wrong",)],
            "OUTPUT_REJECTED",
            "wrong",
            "the model of wrong",
        ),
        ([("first",), ("idle",)], "GUARD_REJECTED", "idle", "Leave idle out"),
        ([("nowhere",)], "UNKNOWN_STEP", "nowhere", "The skill's steps are first, second"),
    ],
)
def test_each_kind_has_its_code_and_mend(calls, code, step, mend):
    found = tried(*calls)[-1]
    assert (found.code, found.step, found.counts) == (code, step, False)
    assert found.message.startswith(step)
    assert not found.message.startswith(f"{step}: {step}")
    assert mend in found.mend


def test_what_a_step_raised_is_told():
    calls = [("first",), ("second",), ("third", {"total": 1}), ("wrong",), ("raises",)]
    skill = kit.skill_of(BAD.replace('"many"', "3"), "bad")
    run = kit.Run.start(skill)
    for step, *args in calls:
        with contextlib.suppress(RuntimeError):
            run.call(step, *args)
    (found,) = attempt_notes(skill, run.state)
    assert found.code == "STEP_RAISED"
    assert "no luck" in found.message


def test_the_same_refusal_is_told_once():
    assert len(tried(("second",), ("second",), ("second",))) == 1


def test_a_later_success_is_told():
    (found,) = tried(("second",), ("first",), ("second",))
    assert found.message.endswith("; a later call succeeded")


def test_a_success_needs_no_note(honest):
    assert attempt_notes(honest.skill, honest.state) == ()
