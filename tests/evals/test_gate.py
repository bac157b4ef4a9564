"""A regression put in on purpose turns the gate red, with the right sentence."""

import dataclasses
import json

import pytest

from skills2_nb.evals.gate import Rules, decide, gate, unfit, worst
from skills2_nb.evals.kept import Kept, KeptCase
from tests.conftest import ADD, CASES, MANIFEST, TELL
from tests.evals.small_skill import VERSION, known

SUM, TOLD = 'case("What is the sum of 20, 30 and 41?"', 'case("Tell before you add."'


def audit(line: str) -> dict[str, str]:
    return {"manifest": f"{MANIFEST}\n\n[audit]\n{line}"}


def cases(old: str, new: str) -> dict[str, str]:
    assert old in CASES
    return {"cases": CASES.replace(old, new)}


def add(old: str, new: str) -> dict[str, str]:
    assert old in ADD
    return {"add": ADD.replace(old, new)}


def tell(old: str, new: str) -> dict[str, str]:
    assert old in TELL
    return {"tell": TELL.replace(old, new)}


REGRESSIONS = {
    # an invariant weakened
    "weakened": (
        add(" and count == len(values)", ""),
        "invariant total_is_sum of step add was weakened: it notices",
    ),
    "idle": (
        add("total == sum(values) and count == len(values)", "isinstance(total, int)"),
        "invariant total_is_sum of step add is no longer effective: it notices",
    ),
    "invariant gone": (
        add("invariants=[total_is_sum], ", ""),
        "invariant total_is_sum of step add was removed",
    ),
    "unchecked": (
        add("total == sum(values) and count", "count"),
        "no invariant of step add notices another total any more",
    ),
    "unreported": (
        add(', report=["total"]', ""),
        "step add no longer reports total, so the answer may leave it out",
    ),
    # a step skipped
    "optional": (
        tell("[names_total])", "[names_total], required=False)"),
        "step tell is no longer required",
    ),
    "guarded": (
        {
            "tell": TELL.replace("[names_total])", "[names_total], when=is_long)").replace(
                "@step", "def is_long(total):\n    return total > 10**9\n\n\n@step"
            )
        },
        "step tell is owed only when is_long holds, always before",
    ),
    "step gone": (
        {"tell": "", "cases": CASES.partition(TOLD)[0]},
        "step tell was removed, so nothing owes it any more",
    ),
    "any order": (
        tell("[names_total])", "[names_total], requires=[])"),
        "step tell no longer requires add, so add can be skipped before it",
    ),
    # a number changed
    "number": (
        tell("a total of {total}", "a total of {total + 1}"),
        "case case-1 no longer holds: the verdict is fail, not pass",
    ),
    "number beside": (
        tell("a total of {total}.", "a total of {total}, of 77 in all."),
        "case case-1 no longer holds: the verdict is fail, not pass (F1_LOW, UNSUPPORTED",
    ),
    "result": (
        add("total=sum(values),", "total=sum(values) + 1,"),
        "case add-1 no longer holds: it fails with 'total_is_sum'",
    ),
    # a case removed or weakened
    "case gone": (cases('add.case([1, 2], expect={"total": 3})\n', ""), "case add-1 was removed"),
    "call gone": (
        cases(', must_call=["add"]', ""),
        "case case-1 was weakened: must_call no longer names add",
    ),
    "finding gone": (
        cases('"findings": ["STEP_MISSING"]', '"failed_invariants": ["names_total"]'),
        "case case-2 was weakened: expect.findings no longer names STEP_MISSING",
    ),
    "verdict": (
        cases('expected_audit="fail", expect={"findings": ["STEP_MISSING"]}',
              'expected_audit="unproven"'),
        "case case-2 was weakened: expected_audit is unproven, fail before",
    ),
    "result not asked": (
        cases(', expect={"total": 3}', ""),
        "case add-1 was weakened: expect is gone, {\"total\": 3} before",
    ),
    # thresholds
    "threshold": (
        audit("threshold = 0.6"),
        "the threshold was lowered: it is 0.60, 0.80 before",
    ),
    "floor": (audit("f1_floor = 0.1"), "the F1 floor was lowered: it is 0.10, 0.70 before"),
    "profile": (audit('profile = "classic"'), "the profile that judges is classic, strict before"),
    "weights": (
        audit("weights = [1.0, 0.0, 0.0]"),
        "the weights of coverage, consistency and anchoring are 1.00, 0.00, 0.00, "
        "0.40, 0.35, 0.25 before, so scores are not compared",
    ),
    "anchor": (
        {"manifest": MANIFEST.replace(', "adding up"', "")},
        "the anchor terms no longer hold 'adding up'",
    ),
    # a new version
    "version": (
        {"manifest": VERSION.format("0.2.0") + MANIFEST,
         **tell("a total of {total}", "a total of {total + 1}")},
        "the version is 0.2.0, 0.1.0 before: a new version needs a pass, and this is fail",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), REGRESSIONS.values(), ids=REGRESSIONS)
def test_a_regression_is_named(changes, sentence):
    done = decide(known(changes), known())
    assert done.word == "fail"
    assert any(reason.startswith(sentence) for reason in done.reasons), done.reasons
    told = [change for change in done.changes if change.message.startswith(sentence)]
    assert all(change.level == "fail" and change.about for change in told)


def test_nothing_changed_is_a_pass():
    done = decide(known(), known())
    assert (done.word, done.changes, done.exact, done.trials) == ("pass", (), 3, None)
    assert json.loads(json.dumps(done.to_dict()))["decision"] == "pass"


GAINS = {
    "a threshold raised": (audit("threshold = 0.9"), "the threshold was raised: it is 0.90"),
    "a case more": (
        cases(SUM, 'add.case([4], expect={"total": 4}, id="four")\n' + SUM), "case four is new"
    ),
    "written otherwise": (
        add("return total == sum(values)", "both = sum(values)  # why\n    return total == both"),
        "invariant total_is_sum of step add is written otherwise and notices no less",
    ),
    "a new version": (
        {"manifest": VERSION.format("0.2.0") + MANIFEST}, "the version is 0.2.0, 0.1.0 before"
    ),
    "the package alone": (add('"""Add up."""', '"""Add it up."""'), "the package changed, and its"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "note"), GAINS.values(), ids=GAINS)
def test_what_asks_for_no_less_is_told_and_passes(changes, note):
    done = decide(known(changes), known())
    assert done.word == "pass", done.reasons
    assert any(change.message.startswith(note) for change in done.changes), done.changes


def test_comments_and_layout_of_an_invariant_are_not_its_text():
    after = known(add("    return total ==", "    # both of them\n\n    return  total =="))
    assert not [c for c in decide(after, known()).changes if "invariant" in c.message]


def test_an_invariant_weakened_by_what_it_uses_is_named():
    """Its own text is the same: a constant beside it is another."""
    near = "abs(count - len(values)) <= SLACK"
    first = ADD.replace("count == len(values)", near)
    slack = "SLACK = {}\n\n\ndef total_is_sum"
    strict, loose = (
        known({"add": first.replace("def total_is_sum", slack.format(n))}) for n in (0, 10**9)
    )
    (old,), (new,) = strict.steps[0].invariants, loose.steps[0].invariants
    assert old.text == new.text and new.effective
    done = decide(loose, strict)
    assert done.word == "fail"
    assert "invariant total_is_sum of step add was weakened: it notices" in done.reasons[0]
    assert decide(strict, loose).word == "pass"


def test_another_trigger_is_a_weaker_case():
    asked, other = (
        known(cases('must_call=["add"]', f'must_call=["add"], trigger={word}'))
        for word in ("True", "False")
    )
    assert decide(other, asked).reasons == (
        "case case-1 was weakened: trigger is false, true before",
    )
    assert decide(known(), asked).reasons == (
        "case case-1 was weakened: trigger is gone, true before",
    )
    assert decide(asked, known()).word == "pass"


def test_a_guard_written_otherwise_is_inconclusive():
    made = known()

    def guarded(text: str) -> Kept:
        steps = (made.steps[0], dataclasses.replace(made.steps[1], when="asked", guard=text))
        return dataclasses.replace(made, steps=steps)

    before = guarded("def asked(values):\n    return True")
    done = decide(guarded("def asked(values):\n    return False"), before)
    assert (done.word, done.reasons) == (
        "inconclusive",
        ("asked, which says whether step tell is owed, is written otherwise",),
    )
    assert decide(before, before).word == "pass"
    assert decide(before, guarded("")).word == "pass", "an older baseline has no such text"


OPEN = {
    "another question": (
        cases("20, 30 and 41", "20, 30 and 42"),
        "case case-1 asks something else than before: prompt changed",
    ),
    "other arguments": (
        cases("add.case([1, 2], expect={\"total\": 3})", 'add.case([3], expect={"total": 3})'),
        "case add-1 asks something else than before: args changed",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), OPEN.values(), ids=OPEN)
def test_what_cannot_be_compared_is_inconclusive(changes, sentence):
    done = decide(known(changes), known())
    assert sentence in done.reasons
    assert done.word in ("inconclusive", "fail")


def test_no_baseline_is_inconclusive_and_no_pass():
    done = decide(known(), None)
    assert (done.word, done.before) == ("inconclusive", None)
    assert done.reasons == ("there is no baseline of trial-skill to hold it against",)
    assert unfit(known()) == ()


def test_a_failing_evaluation_is_not_fit_to_be_accepted():
    why, *_ = unfit(known(tell("a total of {total}", "a total of {total + 1}")))
    assert why.startswith("case case-1 does not hold: the verdict is fail")
    assert unfit(dataclasses.replace(known(), left_out=("case-1",))) == (
        "cases were left out: case-1",
    )
    (unshown,) = unfit(known(cases(CASES, 'add.case([1, 2], expect={"total": 3})')))
    assert unshown == "there is no run case, so nothing is shown"


def test_what_was_accepted_although_it_fails_stands_until_the_version_changes():
    broken = known(tell("a total of {total}.", "a total of {total}, of 77 in all."))
    assert decide(broken, broken).word == "pass"
    assert "case case-1 still does not hold" in decide(broken, broken).changes[0].message
    bumped = dataclasses.replace(broken, version="0.2.0")
    assert decide(bumped, broken).word == "fail"


def test_another_runner_is_not_compared():
    done = decide(known(None, runner="null"), known())
    assert "the cases were played by null, those of the baseline by chain" in done.reasons


# --- empty captures -----------------------------------------------------------------------------


def played(kept: Kept, case: str, **changes: object) -> Kept:
    """The same, one of its cases gone otherwise."""
    return dataclasses.replace(
        kept,
        cases=tuple(
            dataclasses.replace(each, **changes) if each.id == case else each for each in kept.cases
        ),
    )


@pytest.mark.parametrize(
    ("case", "changes", "sentence"),
    [
        (
            "case-1",
            {"calls": 0},
            "case case-1 holds over an empty capture: no call was",
        ),
        ("case-1", {"trials": 0, "passes": 0}, "case case-1 has no result, an empty capture"),
        ("add-1", {"trials": 0, "passes": 0}, "case add-1 has no result, an empty capture"),
    ],
)
def test_an_empty_capture_fails(case, changes, sentence):
    done = decide(played(known(), case, **changes), known())
    assert done.word == "fail"
    assert done.reasons[0].startswith(sentence)
    assert decide(played(known(), case, **changes), None).word == "fail"


def test_a_case_that_holds_because_nothing_was_called_is_no_case():
    """A failure mode that once called a step; now no step is owed, and the finding is there too."""
    alone = """case("Add alone.", id="alone", inputs={{"values": [2]}}, {}expected_audit="fail",
         expect={{"findings": ["F1_LOW"]}})"""
    before = known({"cases": alone.format('calls=[{"step": "add"}], ')})
    none_owed = add("report=", "required=False, report=") | tell("l])", "l], required=False)")
    now = known({"cases": alone.format(""), **none_owed})
    assert [(case.holds, case.calls) for case in (*before.cases, *now.cases)] == [
        (True, 1),
        (True, 0),
    ]
    sentence = "case alone holds over an empty capture: no call was recorded, 1 before"
    assert sentence in decide(now, before).reasons


def test_nothing_evaluated_fails():
    assert gate([], {}) == [] and worst([]) == "fail"


def test_a_case_left_out_is_inconclusive():
    partial = played(known(), "add-1", trials=0, passes=0)
    done = decide(dataclasses.replace(partial, left_out=("add-1",)), known())
    assert done.word == "inconclusive"
    assert done.reasons == ("case add-1 was not played: it was left out of this evaluation",)


# --- the null arm -------------------------------------------------------------------------------


def test_ablate_names_the_cases_that_null_passes_too():
    idle = """case("Say nothing.", id="idle", expected_audit="fail",
         expect={"findings": ["NO_RUN"]}, calls=[])"""
    now = known({"cases": f"{CASES}\n{idle}"}, versions=True)
    sentence = "case idle shows nothing: the null arm, which calls no step, passes it too"
    assert sentence in [c.message for c in decide(now, now).changes if c.level == "note"]
    done = decide(now, now, Rules(ablate=True))
    assert done.word == "fail" and sentence in done.reasons


def test_ablate_without_a_null_arm_is_inconclusive():
    done = decide(known(), known(), Rules(ablate=True))
    assert done.reasons == (
        "the null arm was not played, so nobody knows which cases show nothing",
    )


# --- chance -------------------------------------------------------------------------------------


def many(*passes: int, trials: int = 5, **written: object) -> Kept:
    """A skill with a case for each count of passes."""
    made = tuple(
        KeptCase(f"c{at}", "run", k, trials, calls=2, wrong=("it said 5",) if k < trials else (),
                 written={"id": f"c{at}", "prompt": "?", **written})
        for at, k in enumerate(passes)
    )  # fmt: skip
    return dataclasses.replace(known(), cases=made, runner="claude", steps=())


CHANCE = [
    # all hold, and there are enough of them
    ((5, 5, 5, 5), (5, 5, 5, 5), "pass", None),
    # all hold, and three trials cannot show 0.80
    (
        (3,),
        (3,),
        "inconclusive",
        "the trials leave open whether the pass rate reaches 0.80",
    ),
    # a fall that no chance explains
    ((5, 4, 4, 4, 4, 4, 4), (5,) * 7, "fail", "the pass rate fell: 29 of 35 trials hold, 35"),
    # one case fell: chance may do that
    ((4, 5, 5, 5, 5, 5), (5,) * 6, "pass", None),
    # below the rate beyond doubt
    ((1, 1, 1, 1), (1, 1, 1, 1), "fail", "the pass rate is below 0.80: 4 of 20 trials hold"),
]


@pytest.mark.parametrize(("now", "before", "word", "sentence"), CHANCE)
def test_trials_decide_by_interval_and_paired_test(now, before, word, sentence):
    trials = 3 if now == (3,) else 5
    done = decide(many(*now, trials=trials), many(*before, trials=trials))
    assert done.word == word, done.reasons
    assert (sentence is None and not done.reasons) or done.reasons[0].startswith(sentence)
    assert done.exact == 0 and done.trials.now.trials == trials * len(now)


def test_a_fall_that_chance_explains_is_told_with_its_p():
    done = decide(many(4, 5, 5, 5, 5, 5), many(5, 5, 5, 5, 5, 5))
    told = [change.message for change in done.changes]
    assert "29 of 30 trials hold, 30 of 30 before, which chance explains (p = 0.500)" in told
    assert "case c0: 4 of 5 trials hold (it said 5)" in told


def test_a_script_that_never_holds_is_no_chance():
    """Twenty trials of the same failure would drown among those that hold."""
    before = dataclasses.replace(many(*(20,) * 12, trials=20), runner="chain")
    now = dataclasses.replace(many(0, *(20,) * 11, trials=20), runner="chain")
    done = decide(now, before)
    assert done.word == "fail"
    assert done.reasons[0].startswith("case c0 no longer holds")


def test_golden_cases_hold_whatever_the_statistics():
    now, before = many(4, 5, 5, 5, 5, 5, tags=["golden"]), many(5, 5, 5, 5, 5, 5, tags=["golden"])
    done = decide(now, before)
    assert done.word == "fail"
    assert done.reasons == (
        "golden case c0 must hold in each trial: 4 of 5 trials hold (it said 5)",
    )


def test_another_rate_may_be_asked_for():
    assert decide(many(3), many(3), Rules(rate=0.1)).word == "pass"
    now = many(3, 3, 3, trials=3)
    assert decide(now, now, Rules(rate=0.6)).word == "pass"
    assert decide(now, now, Rules(rate=0.9)).word == "inconclusive"


def test_one_trial_by_a_model_is_left_to_chance_and_one_of_the_chain_is_not():
    by_model, by_chain = many(1, trials=1), dataclasses.replace(many(1, trials=1), runner="chain")
    assert decide(by_model, by_model).word == "inconclusive"
    assert decide(by_chain, by_chain).word == "pass"
    assert decide(by_chain, by_chain).trials is None


def test_the_worst_decides():
    good, bad = known(), known(tell("a total of {total}", "a total of {total + 1}"))
    other = dataclasses.replace(bad, skill="other")
    done = gate([good, other], {"trial-skill": good, "other": dataclasses.replace(good, skill="x")})
    assert [each.word for each in done] == ["pass", "fail"]
    assert worst(done) == "fail" and worst(done[:1]) == "pass"
