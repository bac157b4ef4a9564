"""Were the owed steps done?"""

import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit.coverage import cover
from skills2_nb.audit.steps import step_views
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)


def covered(run):
    return cover(step_views(run.skill, run.state))


def codes(coverage):
    return [item.code for item in coverage.findings]


def test_an_honest_run_covers_all(honest):
    result = covered(honest)
    assert (result.classic, result.strict, result.missing) == (1.0, 1.0, ())
    assert result.findings == result.not_checked == ()


def test_an_unsourced_number_costs_the_strict_credit_alone():
    run = kit.started()
    run.call("second", {"part": 600})
    result = covered(run)
    assert (result.classic, result.strict) == (1.0, pytest.approx(0.65))
    assert codes(result) == ["UNSOURCED_NUMBER"]
    assert "second(part=…): 600 comes from no earlier step" in result.findings[0].message


def test_unvouched_inputs_cost_nothing_and_stay_unchecked():
    run = kit.started({"part": 600}, vouched="client")
    run.call("second")
    result = covered(run)
    assert (result.strict, codes(result)) == (1.0, ["INPUT_UNVOUCHED"])
    assert len(result.not_checked) == 1
    assert not result.findings[0].vetoes


def test_no_step_covers_nothing(skill):
    run = kit.begin(skill)
    result = covered(run)
    assert (result.classic, result.strict) == (0.0, 0.0)
    assert codes(result) == ["STEP_MISSING"] * 4


def test_order_is_judged_again_from_the_records(skill):
    run = kit.begin(skill)
    walk(run)
    run.end()

    def swap(records):
        records[2], records[3] = records[3], records[2]
        return records

    kit.forge(run.path, swap)
    result = covered(Run.resume(skill, run.id))
    assert codes(result)[0] == "OUT_OF_ORDER"
    assert result.classic == pytest.approx(1 - 0.7 / 4)
