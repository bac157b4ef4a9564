"""Which figures of an answer a journal speaks against."""

import pytest

from skills2_nb.contract.call import Call
from skills2_nb.contract.state import RunState
from skills2_nb.evals.contradicted import contradicted
from skills2_nb.evals.duties import Duty, listed_duties
from tests.evals.small_skill import packaged

SCHEMA = {"type": "object", "properties": {"total": {"type": "integer"}}}


def run(total=91, prompt="What is the sum of 20, 30 and 41?"):
    made = RunState(run="r", skill="trial-skill", prompt=prompt, inputs={"values": [20, 30, 41]})
    made.last["add"] = Call(
        2, "", "add", "ok", {}, {}, {"total": total, "count": 3}, (), None, None, 0
    )
    return made


# the answer; the figures in the findings
ANSWERS = [
    ("The total is 91.", []),
    ("The total is 97.", ["97"]),
    ("The total is 97, and not 91.", ["97"]),
    ("It was fun.", []),  # omitted is no contradiction
    ("Adding up 20, 30 and 41 comes to 91.", []),
    ("", []),
]


@pytest.mark.parametrize(("answer", "figures"), ANSWERS)
def test_figures_against_the_journal(answer, figures, tmp_path):
    package = packaged(tmp_path)
    found = list(contradicted(listed_duties(package), run(), answer, package))
    assert len(found) == len(figures)
    for sentence, figure in zip(found, figures, strict=True):
        assert f"add#/total is 91, and the answer says {figure}" in sentence


@pytest.mark.parametrize(
    ("report", "done", "found"), [(("total",), True, 1), ((), True, 0), (("total",), False, 0)]
)
def test_only_a_report_field_of_a_step_that_was_done(report, done, found):
    duties = [Duty("add", 1, None, True, report, SCHEMA)]
    state = run() if done else RunState(run="r", skill="trial-skill")
    assert len(list(contradicted(duties, state, "The total is 97.", None))) == found


@pytest.mark.parametrize("file", ["SKILL.md", "runtime/skill.py"])
def test_prose_and_code_that_cannot_be_read_are_passed_over(file, tmp_path):
    package = packaged(tmp_path)
    (package / file).write_bytes(b"\xff( = \x00")
    found = list(contradicted(listed_duties(package), run(), "The total is 97.", package))
    assert len(found) == 1
