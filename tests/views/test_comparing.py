"""An evaluation beside its baseline."""

from copy import deepcopy

import pytest

from skills2_nb.views.comparing import against
from tests.views.suites import BAD, GOOD, run

NOW = BAD["skills"][0]
BEFORE = GOOD["skills"][0]


def changes(done):
    return {each.what: (each.before, each.now, each.word, each.tone) for each in done}


def test_what_is_worse_is_named():
    done = against(NOW, GOOD)
    figures = changes(done.figures)
    assert figures["cases that hold"] == ("100%", "50%", "worse", "bad")
    assert figures["score"] == ("0.91", "0.61", "worse", "bad")
    assert figures["consistency"] == ("0.97", "0.97", "same", "mute")
    assert changes(done.cases) == {
        "add-1": ("holds", "does not hold", "broken", "bad"),
        "quarter": ("not there", "does not hold", "new", "bad"),
        "week": ("holds", "not there", "removed", "bad"),
    }
    assert done.said.startswith("Worse than in the baseline (version 1.2.3): cases that hold, ")


def test_the_way_back_is_better():
    done = against(BEFORE, NOW)
    assert changes(done.figures)["score"] == ("0.61", "0.91", "better", "good")
    assert changes(done.cases)["add-1"] == ("does not hold", "holds", "mended", "good")
    assert changes(done.cases)["week"] == ("not there", "holds", "new", "good")
    assert done.worse == (done.cases[-1],)  # a case that is gone is worse, whatever it said


def test_nothing_changed():
    done = against(BEFORE, BEFORE)
    assert done.worse == () and done.cases == ()
    assert {each.word for each in done.figures} == {"same"}
    assert done.said == (
        "No case and no figure is worse than in the baseline (version 1.2.3); "
        "`skills2 gate` also compares what the invariants notice."
    )


@pytest.mark.parametrize("baseline", [None, {"skills": []}, BAD["skills"][1]], ids=str)
def test_a_baseline_that_knows_nothing_of_the_skill(baseline):
    assert against(NOW, baseline) is None


@pytest.mark.parametrize(
    ("before", "now", "tone"), [(0.8, 0.7, "bad"), (0.8, None, "bad"), (0.7, 0.8, "good")]
)
def test_a_lowered_threshold_is_worse(before, now, tone):
    done = against(BEFORE | {"threshold": now}, BEFORE | {"threshold": before})
    (change,) = [each for each in done.figures if each.what == "threshold"]
    assert change.tone == tone


def test_one_trial_that_fails_is_a_case_that_fails():
    now = deepcopy(BEFORE)
    now["cases"].append(run("month", wrong=["once"]))
    assert changes(against(now, BEFORE).cases) == {
        "month": ("holds", "does not hold", "broken", "bad")
    }


def test_a_case_that_was_not_played_is_no_worse():
    now = deepcopy(BEFORE) | {"left_out": ["week"]}
    now["cases"] = [case for case in now["cases"] if case["case"] != "week"]
    (change,) = against(now, BEFORE).cases
    assert (change.what, change.word, change.tone) == ("week", "not played", "mute")
