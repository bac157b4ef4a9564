"""An evaluation that contradicts itself is not believed."""

from collections.abc import Callable
from typing import Any

import pytest

from skills2_nb.evals.believed import fails_by_its_word, unsound
from tests.evals.small_skill import evaluated

Edit = Callable[[dict[str, Any]], None]


def case(**keys: Any) -> Edit:
    """The run case that expects ``pass``, with other keys."""
    return lambda told: told["cases"][1].update(keys)


def skill(**keys: Any) -> Edit:
    return lambda told: told.update(keys)


def without_runs(told: dict[str, Any]) -> None:
    told["cases"] = [case for case in told["cases"] if case["kind"] == "step"]


def lower_one_score(told: dict[str, Any]) -> None:
    told["cases"][1]["audit"]["strict"]["score"] = 0.1


CONTRADICTIONS = {
    "pass over a failure": (case(ok=False, wrong=["no"]), "does not hold for case-1"),
    "holds, with reasons": (case(wrong=["no"]), "its reasons say otherwise"),
    "does not hold, without": (case(ok=False), "its reasons say otherwise"),
    "no truth value": (case(ok="yes"), "whether case case-1 holds is 'yes'"),
    "never judged": (case(audit=None), "its run was never judged"),
    "no run case": (without_runs, "over no run case at all"),
    "another verdict": (skill(verdict="great"), "its verdict is 'great'"),
    "reasons against it": (skill(why=["no"]), "gives reasons against it"),
    "another score": (lower_one_score, "its score is 1.0, and that of its cases is 0.1"),
    "below the threshold": (
        skill(threshold=1.1),
        "with a score of 1.0, below its threshold of 1.1",
    ),
    "no score": (lambda told: told["axes"].update(score=None), "its score is None"),
}


def test_what_an_evaluation_writes_is_believed():
    assert unsound(evaluated()["skills"][0]) == ""


@pytest.mark.parametrize(("edit", "said"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contradiction_is_named(edit, said):
    told = evaluated()["skills"][0]
    edit(told)
    assert said in unsound(told)


def test_a_fail_that_no_case_explains_is_one_by_its_word():
    told = evaluated()["skills"][0]
    assert not fails_by_its_word(told)
    assert fails_by_its_word({**told, "verdict": "fail"})
    assert not fails_by_its_word({**told, "verdict": "fail", "threshold": 1.1})
