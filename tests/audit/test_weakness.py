"""What is to be said of invariants that notice nothing."""

import importlib.util
import json
from pathlib import Path

import pytest

from skills2_nb.audit.strength import Strength, measure, samples_of
from skills2_nb.audit.weakness import by_step, weaknesses
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)

SOURCE = """
from pydantic import BaseModel
from skills2_nb.contract.step import step

class Sum(BaseModel):
    total: int
    count: int
    note: str

class Note(BaseModel):
    readout: str

def is_int(total):
    return isinstance(total, int)

def is_sum(total, values):
    return total == sum(values)

def never(run):
    return True

@step(invariants=[INVARIANTS], report=["total", "count"])
def add(values: list[int]) -> Sum:
    return Sum(total=sum(values), count=len(values), note="x")

@step(report=["readout"])
def tell(total: int) -> Note:
    return Note(readout=f"{total}")

@step(invariants=[is_sum], required=False, when=never)
def more(values: list[int]) -> Sum:
    return Sum(total=sum(values), count=len(values), note="x")
"""


def measured(invariants, owed=("add", "tell")):
    skill = kit.skill_of(SOURCE.replace("INVARIANTS", invariants), f"weak {invariants}")
    run = Run.start(skill, {"values": [20, 30, 41]})
    assert walk(run).error is None
    found = measure(skill, samples_of(skill, run.state), thorough=True)
    return skill, found, [(f.code, f.step) for f in weaknesses(skill, found, owed)]


IDLE, NONE, OPEN = "INVARIANT_INEFFECTIVE", "NO_EFFECTIVE_INVARIANT", "REPORT_UNCHECKED"


@pytest.mark.parametrize(
    ("invariants", "wanted"),
    [
        ("is_int", [(IDLE, "add"), (NONE, "add"), (OPEN, "add"), (OPEN, "add"), (OPEN, "tell")]),
        ("is_int, is_sum", [(IDLE, "add"), (OPEN, "add"), (OPEN, "tell")]),
        ("is_sum", [(OPEN, "add"), (OPEN, "tell")]),
    ],
)
def test_what_is_found(home, invariants, wanted):
    assert measured(invariants)[2] == wanted


def test_steps_that_are_not_owed_are_left_alone(home):
    assert measured("is_int", owed=())[2] == []
    assert measured("is_int", owed=("tell",))[2] == [(OPEN, "tell")]


def test_findings_name_invariant_field_and_example(home):
    skill, found, _ = measured("is_int, is_sum")
    first, second, _ = weaknesses(skill, found, ["add", "tell"])
    assert "is_int" in first.message and "is_int" in first.mend
    assert "(count 3 -> 4)" in second.message and "count" in second.mend
    assert not first.vetoes and not second.vetoes


def test_each_step_with_its_figures(home):
    skill, found, _ = measured("is_int, is_sum")
    add, tell, more = by_step(skill, found)
    assert [(i.name, i.effective) for i in add.invariants] == [("is_int", False), ("is_sum", True)]
    assert add.unchecked == ("count",) and add.unread == ("count", "note")
    assert add.survivors[0] == "count 3 -> 4" and add.is_weak
    assert {f.name for f in add.fields if f.report} == {"total", "count"}
    assert [f.side for f in add.fields] == sorted((f.side for f in add.fields), reverse=True)
    assert (tell.calls, tell.reason, tell.is_weak) == (0, "it has no invariant", True)
    assert tell.unread == ("readout",) and tell.unchecked == ("readout",)
    assert (more.calls, more.required, more.is_weak) == (1, False, False)
    json.dumps([each.to_dict() for each in (add, tell, more)])


def test_a_step_that_was_never_called_is_unproven():
    skill = kit.skill_of(SOURCE.replace("INVARIANTS", "is_sum"), "uncalled")
    add, _, more = by_step(skill, Strength())
    assert add.is_unproven and not add.is_weak
    assert add.reason == "no call of it succeeded"
    assert not more.is_unproven
    assert list(weaknesses(skill, Strength(), ["add"])) == []
