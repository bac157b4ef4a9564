"""Invariants as recorded, and asked again."""

import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit.consistency import ask_again, weigh
from skills2_nb.audit.steps import step_views
from skills2_nb.contract.errors import ContractError
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)


def weighed(run, skill=None):
    skill = skill or run.skill
    return weigh(skill, ask_again(skill, run.state, step_views(skill, run.state)))


def codes(result):
    return [item.code for item in result.findings]


def test_all_hold(honest):
    result = weighed(honest)
    assert (result.classic, result.strict, result.findings) == (1.0, 1.0, ())


def test_none_declared_proves_nothing():
    run = Run.start(kit.skill_of(kit.STUBS, "stubs"))
    walk(run)
    result = weighed(run)
    assert (result.classic, result.strict) == (0.0, 0.0)
    assert codes(result) == ["NO_INVARIANT", "NO_INVARIANT"]


def test_a_required_step_without_one_counts_in_strict_alone():
    source = kit.SOURCE.replace("@step(invariants=[ratio_fits], report", "@step(report")
    run = kit.begin(kit.skill_of(source, "bare"))
    walk(run)
    result = weighed(run)
    assert (result.classic, result.strict) == (1.0, 0.75)


def test_a_conditional_step_without_one_is_left_out():
    source = kit.SOURCE.replace("@step(invariants=[flow_is_largest], report", "@step(report")
    run = kit.begin(kit.skill_of(source, "bare"))
    walk(run)
    result = weighed(run)
    assert (result.classic, result.strict, result.findings) == (1.0, 1.0, ())


def test_missing_steps_count_as_not_passed(skill):
    run = kit.begin(skill)
    run.call("load_flows")
    result = weighed(run)
    assert (result.classic, result.strict) == (0.25, 0.25)


def test_a_failed_invariant_is_asked_again_too(skill):
    run = kit.begin(skill)
    run.call("load_flows")
    with pytest.raises(ContractError):
        run.call("close_identity", {"current": 999})
    result = weighed(run)
    assert codes(result) == ["INVARIANT_FAILED"]
    assert (result.classic, result.strict) == (0.25, 0.25)


def test_a_record_that_claims_more_than_holds_is_found_out(skill):
    run = kit.begin(skill)
    walk(run)

    def claim(records):
        (record,) = [r for r in records if r.get("step") == "quick"]
        record["output"]["quick_ratio"] = 2.9
        return records

    kit.forge(run.path, claim)
    result = weighed(Run.resume(skill, run.id))
    assert codes(result) == ["INVARIANT_FAILED", "INVARIANT_DISAGREES"]
    assert (result.classic, result.strict) == (1.0, 0.75)
    assert result.findings[1].message == (
        "quick: the journal says that ratio_fits holds, and asked again it does not hold"
    )


def test_values_that_no_longer_fit_are_named_as_not_checked(skill):
    run = kit.begin(skill)
    walk(run)
    source = kit.SOURCE.replace("quick_ratio: float | None", "quick_ratio: int")
    result = weighed(run, kit.skill_of(source, "newer"))
    assert "NOT_RECOMPUTED" in codes(result)
    assert any(item.startswith("invariants of quick: ") for item in result.not_checked)


def test_an_invariant_over_the_run_sees_it_as_it_was():
    source = kit.SOURCE.replace(
        "def ratio_fits(new,",
        "def not_yet(run):\n    return 'quick' not in run.outputs\n\ndef ratio_fits(new,",
    ).replace("invariants=[ratio_fits]", "invariants=[not_yet, ratio_fits]")
    run = kit.begin(kit.skill_of(source, "looks"))
    assert walk(run).error is None
    assert weighed(run).findings == ()
