"""The fields that an invariant looks at."""

import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit.reads import reads, unread

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)

SOURCE = """
from pydantic import BaseModel
from skills2_nb.contract.step import step

class Out(BaseModel):
    total: int
    count: int
    note: str

def check({parameters}):
    return {body}

@step(invariants=[check])
def add(values: list[int], total: int = 0) -> Out:
    return Out(total=total, count=1, note="")
"""
FIELDS = frozenset({"total", "count", "note"})
ROWS = [
    ("total", "total > 0", {("output", "total")}, ("count", "note")),
    ("values", "len(values)", {("inputs", "values")}, ("count", "note", "total")),
    ("inputs", "inputs.total > 0", {("inputs", "total")}, ("count", "note", "total")),
    (
        "output",
        "output.total == output.count",
        {("output", "total"), ("output", "count")},
        ("note",),
    ),
    ("output", "output.model_dump()", None, ("note",)),
    ("output", "str(output)", None, ("note",)),
    ("run", "run.inputs", set(), ("count", "note", "total")),
]


@pytest.mark.parametrize(("parameters", "body", "seen", "left"), ROWS, ids=[r[1] for r in ROWS])
def test_what_is_seen_and_what_is_not(parameters, body, seen, left):
    source = SOURCE.format(parameters=parameters, body=body)
    spec = kit.skill_of(source, f"reads {body}").step("add")
    found = reads(spec, spec.invariants[0], FIELDS)
    assert found == (None if seen is None else seen)
    assert unread(spec, FIELDS, frozenset({"note"})) == left


def test_a_result_without_fields_is_seen_whole():
    spec = kit.skill_of(SOURCE.format(parameters="output", body="output > 1"), "whole").step("add")
    assert reads(spec, spec.invariants[0], frozenset()) == {("output", "output")}
