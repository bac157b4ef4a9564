"""All that a run knows."""

import importlib.util
from pathlib import Path

from skills2_nb.audit.known import known_sources, owed_fields
from skills2_nb.audit.steps import step_views

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)

CODE = """
from pydantic import BaseModel
from skills2_nb.contract.step import step

CUTS = {"low": (0.25, 1.75), "high": 4.5}
DATA = list(range(7000, 7100))

class One(BaseModel):
    total: int

def small(total):
    return total < 8123

@step(invariants=[small])
def one(limit: int = 6123) -> One:
    return One(total=5123 if CUTS else DATA[0])
"""


def test_constants_are_those_of_the_code_but_not_its_data():
    skill = kit.skill_of(CODE, "constants")
    run = kit.Run.start(skill)
    sources = known_sources(skill, run.state, "", [9123])
    numbers = {s.value for s in sources if s.place == "constant"}
    assert {0.25, 1.75, 4.5, 5123, 6123, 8123, 9123} <= numbers
    assert 7000 not in numbers


def test_sources_come_best_first(honest):
    sources = known_sources(honest.skill, honest.state, kit.BODY, ())
    places = list(dict.fromkeys(source.place for source in sources))
    assert places == ["result", "input", "prompt", "constant"]


def test_a_superseded_result_is_no_source(skill):
    run = kit.begin(skill)
    run.call("load_flows")
    run.call("load_flows", {"period": "1998-04"})
    values = [s.value for s in known_sources(skill, run.state, "", ()) if s.place == "result"]
    assert 204 in values
    assert 102 not in values


def test_report_fields_of_missing_steps_are_owed_too(skill):
    run = kit.begin(skill)
    run.call("load_flows")
    run.call("close_identity")
    fields = owed_fields(skill, step_views(skill, run.state))
    assert [(f.ref, f.known) for f in fields] == [
        ("close_identity#/implied", True),
        ("quick#/quick_ratio", False),
        ("dominant#/dominant_flow", False),
    ]
