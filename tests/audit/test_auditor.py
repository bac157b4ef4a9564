"""Scores, verdicts and the attacks that aim at them."""

import dataclasses
import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit.asked import Asked
from skills2_nb.audit.auditor import audit, audit_journal
from skills2_nb.audit.integrity import UNVERIFIED, Integrity
from skills2_nb.audit.profile import Basis, DefaultSettings
from skills2_nb.audit.replay import Replay, Replayed
from skills2_nb.contract.errors import ContractError
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)
WHOLE = Integrity(True, "L0", ("L0",))


def codes(profile, notes=False):
    return [item.code for item in profile.findings if notes or item.counts]


def scores(result):
    return (
        (result.classic.score, result.classic.verdict),
        (result.strict.score, result.strict.verdict),
    )


# --- the figures that must come out ------------------------------------------------------------


def test_an_honest_run_is_whole_in_both_profiles(basis, honest):
    result = audit_journal(basis, honest.path)
    assert scores(result) == ((1.0, "pass"), (1.0, "unproven"))
    assert codes(result.classic, notes=True) == codes(result.strict, notes=True) == []
    assert result.strict.not_checked == ("replay", "strength")
    assert (result.run, result.level, result.provenance) == (honest.id, "L1", "package")


def test_prose_alone(basis):
    result = audit(basis, None, answer=kit.BODY)
    assert scores(result) == ((0.25, "fail"), (0.05, "fail"))
    assert codes(result.classic) == ["NO_RUN"]
    assert set(codes(result.strict)) == {"NO_RUN", "F1_LOW"}
    assert result.run is None
    assert result.level == "none"


def test_generated_stubs(basis):
    stubs = kit.skill_of(kit.STUBS, "stubs")
    run = Run.start(stubs, vouched="case")
    walk(run)
    run.end(answer=kit.BODY)
    result = audit_journal(dataclasses.replace(basis, skill=stubs), run.path)
    assert scores(result) == ((0.53, "fail"), (0.33, "fail"))
    assert {"NOT_SUBSTANTIVE", "NO_INVARIANT", "NO_REPORT"} <= set(codes(result.strict))


def test_a_marked_stub_is_not_substantive_whatever_its_schema(skill, basis):
    marked = kit.skill_of(kit.SOURCE, "marked", stubs=["load_flows"])
    run = kit.begin(marked)
    walk(run)
    run.end(answer=kit.GOOD)
    result = audit_journal(dataclasses.replace(basis, skill=marked), run.path)
    assert result.classic.coverage == pytest.approx(1 - 0.3 / 4)


def test_the_shapes_are_fixed(basis, honest):
    shape = audit_journal(basis, honest.path, answer="The quick ratio is 4.2.").to_dict()
    assert list(shape) == ["classic", "strict"]
    for profile in shape.values():
        assert list(profile) == [
            "score", "coverage", "consistency", "anchoring", "verdict", "findings", "not_checked",
        ]  # fmt: skip
        for item in profile["findings"]:
            assert list(item) == ["code", "axis", "step", "message", "mend"]


# --- attacks ------------------------------------------------------------------------------------


def test_zeros_fed_to_the_steps(skill, basis):
    run = kit.begin(skill)
    run.call("load_flows")
    zeros = {"previous": 0, "new": 0, "resurrected": 0, "churned": 1, "current": -1}
    run.call("close_identity", zeros)
    flows = {"new": 0, "resurrected": 0, "churned": 1}
    run.call("quick", flows)
    run.call("dominant", flows)
    run.end(
        answer="The identity closes, implied 231; quick ratio 1.73, dominant flow resurrected, "
        "churn 102."
    )
    result = audit_journal(basis, run.path)
    assert scores(result)[0] == (1.0, "pass")  # classic is fooled
    assert result.strict.verdict == "fail"
    assert {"RETYPED", "CONTRADICTED", "F1_LOW"} <= set(codes(result.strict))
    assert result.strict.coverage == pytest.approx((1 + 3 * 0.3) / 4)


def test_one_recorded_result_edited(basis, honest):
    text = honest.path.read_text()
    honest.path.write_text(text.replace('"implied":231', '"implied":1200'))
    result = audit_journal(basis, honest.path)
    assert (result.classic.verdict, result.strict.verdict) == ("tampered", "tampered")
    assert codes(result.strict)[0] == "CHAIN_BROKEN"
    assert result.level == "none"


def test_one_recorded_result_edited_and_the_chain_made_anew(basis, honest):
    def edit(records):
        (record,) = [r for r in records if r.get("step") == "close_identity"]
        record["output"]["implied"] = 1200
        return records

    kit.forge(honest.path, edit)
    answer = kit.GOOD.replace("231", "1200")
    result = audit_journal(basis, honest.path, answer=answer)
    assert scores(result)[0] == (1.0, "pass")  # the chain alone proves little: L0
    assert result.strict.verdict == "fail"
    assert "INVARIANT_DISAGREES" in codes(result.strict)
    assert result.strict.consistency == 0.75


def test_a_journal_written_by_hand_with_true_values_is_never_a_pass(basis, honest):
    """What replay and a key have to catch: until then the level says L0 and the verdict waits."""
    kit.forge(honest.path, lambda records: [r | {"writer": "bash:1"} for r in records])
    result = audit_journal(basis, honest.path)
    assert result.strict.verdict == "unproven"
    assert "replay" in result.strict.not_checked
    assert result.level == "L0"


def test_a_tail_cut_off_leaves_the_run_open(basis, honest):
    kit.forge(honest.path, lambda records: records[:-2])
    result = audit_journal(basis, honest.path, answer=kit.GOOD)
    assert scores(result) == ((1.0, "unproven"), (1.0, "unproven"))
    assert codes(result.classic) == ["RUN_OPEN"]


def test_a_tail_cut_off_after_an_audit_is_tampered(basis, honest):
    line = {"count": honest.state.count, "head": honest.state.head}
    kit.forge(honest.path, lambda records: records[:-1])
    result = audit_journal(basis, honest.path, answer=kit.GOOD, earlier=[line])
    assert scores(result)[1][1] == "tampered"
    assert codes(result.strict)[0] == "LEDGER_MISMATCH"


def test_half_the_steps_skipped(skill, basis):
    run = kit.begin(skill)
    run.call("load_flows")
    run.call("close_identity")
    run.end(answer=kit.GOOD)
    result = audit_journal(basis, run.path)
    assert (result.classic.verdict, result.strict.verdict) == ("fail", "fail")
    assert codes(result.classic).count("STEP_MISSING") == 2
    assert result.classic.score == pytest.approx(0.4 * 0.5 + 0.35 * 0.5 + 0.25)


def test_a_missing_step_fails_whatever_the_score(skill, basis):
    easy = dataclasses.replace(basis, settings=DefaultSettings(threshold=0.1))
    run = kit.begin(skill)
    run.call("load_flows")
    run.call("close_identity")
    run.call("quick")
    run.end(answer=kit.GOOD)
    assert [v for _, v in scores(audit_journal(easy, run.path))] == ["fail", "fail"]


def test_right_steps_and_other_numbers(basis, honest):
    answer = (
        "The MAU identity closes (implied 1185). Quick ratio is 4.20; the dominant flow is new, "
        "against churn of 90."
    )
    result = audit_journal(basis, honest.path, answer=answer)
    assert scores(result)[0] == (1.0, "pass")  # classic is fooled
    assert result.strict.verdict == "fail"
    assert codes(result.strict).count("CONTRADICTED") == 3
    assert {"F1_LOW", "UNSUPPORTED"} <= set(codes(result.strict))


def test_right_steps_and_words_alone(basis, honest):
    answer = "The identity closes; the quick ratio and dominant flow were computed, churn too."
    result = audit_journal(basis, honest.path, answer=answer)
    assert scores(result)[0] == (1.0, "pass")  # classic is fooled
    assert result.strict.score == 0.8  # the sum alone would pass
    assert result.strict.verdict == "fail"
    assert codes(result.strict).count("OMITTED") == 3


def test_an_invariant_fails(skill, basis):
    run = kit.begin(skill)
    run.call("load_flows")
    with pytest.raises(ContractError):
        run.call("close_identity", {"current": 999})
    with pytest.raises(ContractError):
        run.call("quick")
    run.end(answer=kit.GOOD)
    result = audit_journal(basis, run.path)
    assert {"INVARIANT_FAILED", "STEP_FAILED"} <= set(codes(result.strict))
    assert (result.classic.verdict, result.strict.verdict) == ("fail", "fail")
    (failed,) = [f for f in result.strict.findings if f.code == "INVARIANT_FAILED"]
    assert failed.step == "close_identity"
    assert "identity_closes does not hold" in failed.message
    assert "current=999" in failed.message


def test_an_invariant_that_fails_after_a_success_is_a_veto(skill, basis, honest):
    run = kit.begin(skill)
    walk(run)
    with pytest.raises(ContractError):
        run.call("close_identity", {"current": 999})
    run.end(answer=kit.GOOD)
    result = audit_journal(basis, run.path)
    assert result.strict.score > 0.8
    assert result.strict.verdict == "fail"
    assert result.strict.consistency == 0.75
    assert codes(result.strict) == ["INVARIANT_FAILED"]


def test_a_failure_overcome_is_a_note(skill, basis):
    run = kit.begin(skill)
    with pytest.raises(ContractError):
        run.call("close_identity")
    run.call("load_flows")
    with pytest.raises(ContractError):
        run.call("close_identity", {"current": 999})
    with pytest.raises(ContractError):
        run.call("close_identity", {"current": "many"})
    walk(run)
    run.end(answer=kit.GOOD)
    with pytest.raises(ContractError):
        run.call("quick")
    result = audit_journal(basis, run.path)
    assert scores(result) == ((1.0, "pass"), (1.0, "unproven"))
    assert codes(result.strict) == []
    assert codes(result.strict, notes=True) == [
        "ORDER_REJECTED", "INVARIANT_FAILED", "INPUT_REJECTED", "CALL_AFTER_END",
    ]  # fmt: skip


def test_a_guard_dodged_by_a_retyped_input(skill, basis):
    run = kit.begin(skill)
    run.call("load_flows")
    run.call("close_identity")
    run.call("quick", {"new": 600})
    run.end(
        answer="The identity closes, implied 231. Quick ratio 7.41; no dominant flow is owed, "
        "churn 102."
    )
    result = audit_journal(basis, run.path)
    assert {"RETYPED", "GUARD_UNPROVEN", "STEP_MISSING"} <= set(codes(result.strict))
    assert (result.classic.verdict, result.strict.verdict) == ("fail", "fail")


def test_an_honest_guard_that_is_false_owes_nothing(basis):
    quick = kit.skill_of(
        kit.SOURCE.replace("(157, 20, 156, 102, 231)", "(157, 720, 156, 102, 931)")
    )
    run = kit.begin(quick)
    walk(run)
    run.end(
        answer="The identity closes at an implied 931; the quick ratio is 8.59, so no dominant "
        "flow is owed; churn was 102."
    )
    result = audit_journal(dataclasses.replace(basis, skill=quick), run.path)
    assert scores(result) == ((1.0, "pass"), (1.0, "unproven"))
    assert [view.status for view in result.steps] == ["ok", "ok", "ok", "not_owed"]


def test_a_stale_step_is_a_veto(skill, basis):
    run = kit.begin(skill)
    walk(run)
    run.call("load_flows", {"period": "1998-04"})
    run.end(answer=kit.GOOD)
    result = audit_journal(basis, run.path)
    assert codes(result.strict).count("STALE") == 3
    assert result.strict.verdict == "fail"
    assert result.classic.verdict == "pass"


def test_steps_after_the_answer_leave_it_unjudged(skill, basis):
    run = kit.begin(skill)
    run.call("load_flows")
    run.answer(kit.GOOD)
    walk(run)
    run.end()
    result = audit_journal(basis, run.path)
    assert (result.classic.verdict, result.strict.verdict) == ("unproven", "unproven")
    assert "ANSWER_EARLY" in codes(result.classic)
    run.answer(kit.GOOD)
    assert audit_journal(basis, run.path).classic.verdict == "pass"


# --- verdicts -----------------------------------------------------------------------------------


def test_no_run_and_no_answer_is_unproven(basis):
    result = audit(basis, None)
    assert (result.classic.verdict, result.strict.verdict) == ("unproven", "unproven")
    assert codes(result.classic) == ["NO_ANSWER"]


def test_a_run_under_way_is_unproven(skill, basis):
    run = kit.begin(skill)
    run.call("load_flows")
    result = audit(basis, run.state, integrity=WHOLE)
    assert (result.classic.verdict, result.strict.verdict) == ("unproven", "unproven")
    assert {"RUN_OPEN", "NO_ANSWER"} <= set(codes(result.classic))


def test_an_ended_run_without_its_steps_fails_before_any_answer(skill, basis):
    run = kit.begin(skill)
    run.call("load_flows")
    run.end()
    assert audit(basis, run.state, integrity=WHOLE).classic.verdict == "fail"


def test_an_open_run_with_an_answer_is_unproven_at_best(skill, basis):
    run = kit.begin(skill)
    walk(run)
    result = audit(basis, run.state, answer=kit.GOOD, integrity=WHOLE)
    assert scores(result) == ((1.0, "unproven"), (1.0, "unproven"))


def test_a_journal_nobody_looked_at_is_unproven(basis, honest):
    result = audit(basis, honest.state)
    assert result.classic.verdict == "unproven"
    assert "integrity" in result.classic.not_checked
    assert codes(result.classic) == ["NOT_VERIFIED"]
    assert UNVERIFIED.holds is None


def test_the_f1_floor_is_a_veto_of_its_own(basis, honest):
    noise = " ".join(f"{number}." for number in range(3001, 3006))
    result = audit_journal(basis, honest.path, answer=kit.GOOD + " " + noise)
    assert result.f1 == pytest.approx(2 * 0.5 / 1.5, abs=0.01)
    assert result.strict.score >= 0.8
    assert "F1_LOW" in codes(result.strict)
    assert result.strict.verdict == "fail"


def test_missing_anchor_terms_are_named(basis, honest):
    result = audit_journal(basis, honest.path, answer=kit.GOOD.replace("churn", "loss"))
    assert result.classic.score == pytest.approx(1 - 0.25 / 4)
    (found,) = [f for f in result.classic.findings if f.code == "ANCHOR_MISSING"]
    assert "“churn”" in found.message


def test_no_anchors_prove_nothing(skill, honest):
    result = audit_journal(Basis(skill, kit.BODY), honest.path)
    assert result.classic.score == 0.75
    assert "NO_ANCHORS" in codes(result.classic)


def test_weights_are_the_skill_s(basis, honest):
    own = dataclasses.replace(basis, settings=DefaultSettings(weights=(0.0, 0.0, 1.0)))
    assert audit_journal(own, honest.path, answer="identity").classic.score == 0.25


def test_digest_only_values_are_unproven(basis):
    from skills2_nb.contract.skill import Runtime

    hidden = kit.skill_of(kit.SOURCE, "hidden", runtime=Runtime(redact=("implied",)))
    run = kit.begin(hidden)
    run.call("load_flows")
    run.call("close_identity")
    run.end(answer=kit.GOOD)
    result = audit_journal(dataclasses.replace(basis, skill=hidden), run.path)
    assert "NOT_CAPTURED" in codes(result.strict)
    assert any("close_identity" in item for item in result.strict.not_checked)


def test_the_package_changed_since_the_run(basis, honest):
    other = dataclasses.replace(basis.skill, digest="b" * 64)
    kit.forge(
        honest.path, lambda rs: [r | ({"digest": "a" * 64} if "digest" in r else {}) for r in rs]
    )
    result = audit_journal(dataclasses.replace(basis, skill=other), honest.path)
    assert "PACKAGE_CHANGED" in codes(result.strict)
    assert result.classic.verdict == "pass"


def test_findings_come_by_weight(skill, basis):
    run = kit.begin(skill)
    with pytest.raises(ContractError):
        run.call("quick")
    run.call("load_flows")
    run.end(answer=kit.GOOD + " And 4711.")
    found = audit_journal(basis, run.path).strict.findings
    ranks = [(not f.counts, not f.vetoes) for f in found]
    assert ranks == sorted(ranks)
    assert found[0].code == "STEP_MISSING"


@pytest.mark.parametrize(("level", "is_backed"), [("L0", False), ("L1", True)])
def test_a_result_neither_run_again_nor_signed_is_not_proved(basis, honest, level, is_backed):
    calls = tuple(
        Replay(call.seq, call.step, "declared", "declares network") for call in honest.state.calls
    )
    result = audit(
        basis,
        honest.state,
        integrity=Integrity(True, level, ("L0", level)),
        replayed=Replayed(calls, "hooks"),
    )
    told = [line for line in result.strict.not_checked if "no MAC vouches" in line]
    assert bool(told) is not is_backed
    assert result.classic.verdict == "pass"


def test_a_run_without_a_question_cannot_answer_for_one(skill, basis):
    run = kit.begin(skill, prompt=None)
    walk(run)
    run.end(answer=kit.GOOD)
    asked = audit_journal(basis, run.path, asked=Asked(prompt="Why did actives move?")).strict
    assert "question: the run does not say which one it is of" in asked.not_checked
    silent = audit_journal(basis, run.path).strict
    assert not any(line.startswith("question") for line in silent.not_checked)
