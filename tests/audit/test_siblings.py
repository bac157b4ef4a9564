"""All runs of a question are judged, not the best."""

import dataclasses
import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit.auditor import audit
from skills2_nb.audit.integrity import Integrity
from skills2_nb.audit.siblings import is_asked, same_question, siblings
from skills2_nb.contract.run import Run
from skills2_nb.contract.state import fold
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)

SOURCE = """
from typing import Literal
from pydantic import BaseModel
from skills2_nb.contract.step import step

class Sum(BaseModel):
    total: int
    share: float = 0.5

class Told(BaseModel):
    text: str

def not_negative(total):
    return total >= 0

@step(invariants=[not_negative], report=["total", "share"])
def add(daily: list[int], bias: int = 0) -> Sum:
    if 13 in daily:
        raise ValueError("thirteen")
    return Sum(total=sum(daily) + bias)

@step
def tell(total: int) -> Told:
    return Told(text=str(total))
"""


@pytest.fixture
def skill():
    return kit.skill_of(SOURCE, "adding")


@pytest.fixture
def ran(skill):
    """`ran(daily, bias=0, end=True, answer=…, **start)`: the state of a run of the question."""

    def make(daily=(1, 2), bias=0, *, steps=True, end=True, answer=ANSWER, **start):
        given = {"prompt": "Add up.", "vouched": "hook", "session": "s1", "prompt_id": "p1"}
        run = Run.start(skill, {"daily": list(daily)}, **given | start)
        if steps:
            try:
                run.call("add", {"bias": bias})
                run.call("tell")
            except Exception:
                pass
        if end:
            run.end(answer=answer)
        run.close()
        from skills2_nb.contract.journal import read

        return fold(read(run.path))

    return make


ANSWER = "The total is 3, a share of 0.5."
CLIENT = {"vouched": "client", "session": None, "prompt_id": None}
CLI = {"vouched": "cli", "session": None, "prompt_id": None}


def told(found):
    return [(item.code, item.counts) for item in found]


VETO, NOTE = ("OTHER_RUNS", True), ("OTHER_RUNS", False)


def test_no_other_run_says_nothing(skill, ran):
    assert siblings(skill, ran(), ()) == ()
    state = ran()
    assert siblings(skill, state, [state]) == ()


@pytest.mark.parametrize("start", [{}, CLIENT, CLI, CLI | {"vouched": "case"}])
def test_runs_that_agree_are_a_note(skill, ran, start):
    found = siblings(skill, ran(**start), [ran(**start) for _ in range(5)])
    assert told(found) == [NOTE]
    assert found[0].message == "other runs of the same question: 5 agreed"
    assert not found[0].vetoes


@pytest.mark.parametrize("end", [True, False], ids=["ended", "left open"])
@pytest.mark.parametrize("start", [{}, CLIENT])
def test_another_value_in_a_report_field_is_found(skill, ran, start, end):
    """Best of N: each try has other inputs, and the one that suits is answered by."""
    state, other = ran(**start), ran([1, 2, 3], end=end, **start)
    (found,) = siblings(skill, state, [other])
    assert told([found]) == [VETO]
    assert found.vetoes
    assert found.message == (
        f"run {other.run} of the same question: add#/total is 6 there and 3 here"
    )
    assert f"skills2 runs diff {state.run} {other.run}" in found.mend


@pytest.mark.parametrize(
    ("answer", "expected", "said"),
    [
        ("In March the total is 3, in April the total is 6; the share is 0.5.", NOTE, "told too"),
        ("In March the total is 3; the share is 0.5.", VETO, "add#/total is 6 there and 3 here"),
        (None, NOTE, "1 came to something else"),
    ],
)
def test_a_question_may_ask_for_two_runs(skill, ran, answer, expected, said):
    """What the answer carries is not left out; without an answer nothing is, yet."""
    state = ran(answer=answer)
    (found,) = siblings(skill, state, [ran([1, 2, 3])])
    assert told([found]) == [expected]
    assert found.message.endswith(said)
    (given,) = siblings(skill, ran(answer=None), [ran([1, 2, 3])], answer)
    assert given.counts is found.counts


def test_the_user_s_own_inputs_make_another_question(skill, ran):
    assert siblings(skill, ran(**CLI), [ran([1, 2, 3], **CLI)]) == ()
    same_inputs = ran(bias=1, **CLI)
    assert told(siblings(skill, ran(**CLI), [same_inputs])) == [VETO]


@pytest.mark.parametrize("end", [True, False])
def test_a_failed_check_of_an_owed_step_is_found(skill, ran, end):
    (found,) = siblings(skill, ran(), [ran(bias=-9, end=end)])
    assert told([found]) == [VETO]
    assert found.message.endswith("add failed its check not_negative")


def test_a_check_that_a_later_attempt_passed_is_overcome(skill, ran):
    run = Run.start(
        skill, {"daily": [1, 2]}, prompt="Add up.", vouched="hook", session="s1", prompt_id="p1"
    )
    with pytest.raises(Exception, match="not_negative"):
        run.call("add", {"bias": -9})
    walk(run)
    run.end(answer="3")
    assert told(siblings(skill, ran(), [run.state])) == [NOTE]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [({}, True, VETO), (CLIENT, True, VETO), ({}, False, NOTE), (CLIENT, False, NOTE)],
)
def test_a_run_that_ended_by_a_failed_step_is_found(skill, ran, start, end, expected):
    (found,) = siblings(skill, ran(**start), [ran([13], end=end, **start)])
    assert told([found]) == [expected]
    if expected == VETO:
        assert found.message.endswith("it ended, and add had failed (exception)")


def test_where_the_user_chose_the_inputs_a_step_that_raised_is_a_note(skill, ran):
    """The file was not there yet, say; nothing is gained by trying the same again."""
    bad = ran([13], **CLI)
    good = dataclasses.replace(ran(**CLI), inputs=bad.inputs)
    (found,) = siblings(skill, good, [bad])
    assert told([found]) == [NOTE]
    assert found.message.endswith("1 came to no report")


def test_a_run_left_before_any_report_is_a_note(skill, ran):
    found = siblings(skill, ran(), [ran(steps=False), ran(steps=False, end=False), ran()])
    assert told(found) == [NOTE]
    assert found[0].message.endswith("1 agreed and 2 came to no report")


def test_three_are_named_and_the_rest_counted(skill, ran):
    others = [ran([1, 2, number]) for number in range(3, 8)]
    found = siblings(skill, ran(), [*others, ran()])
    assert told(found) == [VETO] * 4 + [NOTE]
    assert found[3].message == "2 more runs of the same question came to something else"


@pytest.mark.parametrize(
    ("mine", "its", "same"),
    [
        ({}, {}, True),
        ({}, {"session": "s2"}, False),
        ({}, {"prompt_id": "p2"}, False),
        ({}, {"prompt": "worded otherwise"}, True),
        ({}, {"vouched": "client"}, True),
        ({"session": None}, {"session": None}, False),
        ({"prompt_id": None}, {"prompt_id": None}, False),
        (CLIENT, CLIENT, True),
        (CLIENT, CLIENT | {"prompt": " ADD  up."}, True),
        (CLIENT, CLIENT | {"prompt": "Add down."}, False),
        (CLIENT, CLIENT | {"prompt": None}, False),
        (CLIENT | {"prompt": None}, CLIENT | {"prompt": None}, False),
        (CLIENT | {"session": "a"}, CLIENT | {"session": "b"}, False),
        (CLIENT | {"session": "a"}, CLIENT | {"session": "a"}, True),
        (CLIENT | {"session": "a"}, CLIENT, True),
        (CLI, CLI, True),
        (CLI | {"prompt": None}, CLI | {"prompt": None}, False),
        (CLI, CLI | {"vouched": "case"}, True),
    ],
)
def test_what_makes_one_question(ran, mine, its, same):
    assert same_question(ran(**mine), ran(**its)) is same


@pytest.mark.parametrize(
    ("facts", "same"),
    [
        ({"skill": "other"}, False),
        ({"digest": "b" * 64}, False),
        ({"live": "b" * 64}, False),
        ({"started": "2026-03-01T12:00:00.000000Z"}, True),
        ({"started": "2026-02-28T12:00:00.000000Z"}, True),
        ({"started": "2026-02-28T11:59:59.999999Z"}, False),
        ({"started": "2026-03-02T12:00:00.000001Z"}, False),
        ({"started": "forged"}, False),
        ({"started": "2026-03-01"}, False),
        ({"started": ""}, False),
    ],
)
def test_other_code_and_other_days_are_other_questions(ran, facts, same):
    at = "2026-03-01T12:00:00.000000Z"
    state, other = (dataclasses.replace(ran(), started=at) for _ in range(2))
    assert same_question(state, dataclasses.replace(other, **facts)) is same


@pytest.mark.parametrize(
    ("start", "same"), [({}, True), (CLIENT, False), (CLI, False)], ids=["hook", "client", "cli"]
)
def test_a_file_that_changed_in_between_is_another_question_but_for_a_hook(ran, start, same):
    def reading(sha):
        state = ran(**start)
        files = {"/data.csv": {"sha256": sha * 64, "bytes": 1}}
        last = {step: call._replace(files=files) for step, call in state.last.items()}
        return dataclasses.replace(state, last=last)

    assert same_question(reading("a"), reading("a"))
    assert same_question(reading("a"), ran(**start))
    assert same_question(reading("a"), reading("b")) is same


def test_floats_may_differ_by_how_they_were_added(skill, ran):
    def sharing(share):
        state = ran()
        call = state.last["add"]
        return dataclasses.replace(
            state, last=state.last | {"add": call._replace(output=call.output | {"share": share})}
        )

    assert told(siblings(skill, sharing(0.1 + 0.2), [sharing(0.3)])) == [NOTE]
    assert told(siblings(skill, sharing(0.3), [sharing(0.31)])) == [VETO]


def test_a_run_says_which_question_it_is_of(ran):
    assert is_asked(ran())
    assert is_asked(ran(prompt=None))
    assert not is_asked(ran(session=None))
    assert not is_asked(ran(**CLI | {"prompt": None}))


def test_strict_fails_by_another_run_and_not_by_one_that_agrees(basis, skill, ran):
    basis = dataclasses.replace(basis, skill=skill, anchors=("total",))
    whole, state = Integrity(True, "L1", ("L0", "L1")), ran(**CLI)
    agreed = audit(basis, state, integrity=whole, siblings=[ran(**CLI)])
    assert not [item for item in agreed.strict.findings if item.vetoes]
    worse = audit(basis, state, integrity=whole, siblings=[ran(**CLI), ran(bias=1, **CLI)])
    assert [item.code for item in worse.strict.findings if item.vetoes] == ["OTHER_RUNS"]
    assert worse.strict.verdict == "fail"
    assert worse.classic == agreed.classic
