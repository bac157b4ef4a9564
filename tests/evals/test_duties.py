"""What a run owes, step by step, by manifest and journal."""

import json
import shutil

import pytest

from skills2_nb.contract.call import Call
from skills2_nb.contract.loader import describe, load, package_digest
from skills2_nb.contract.state import RunState
from skills2_nb.errors import UnreadableError
from skills2_nb.evals.duties import (
    Duty,
    are_settled,
    asked_duties,
    by_skill,
    failed,
    listed_duties,
    missing,
    out_of_order,
    ready,
)
from tests.evals.small_skill import GUARDED, packaged

#: a, then b and c side by side, then d where its guard holds.
FOUR = (
    Duty("a", 1, None, True),
    Duty("b", 2, ("a",), True),
    Duty("c", 2, None, False),
    Duty("d", 3, ("c",), None),
)


def state(calls=""):
    """A run with these calls: ``a`` done, ``a!`` a check failed, ``a?`` refused for arguments."""
    made = RunState(run="r", skill="s")
    for number, word in enumerate(calls.split(), start=2):
        step, sign = word[0], word[1:]
        reason = {"": None, "!": "invariant", "?": "input"}[sign]
        error = {"message": f"{step} is off"} if sign else None
        status = "failed" if sign else "ok"
        call = Call(number, "", step, status, {}, {}, {"x": 1}, (), reason, error, 0)
        made.calls.append(call, number)
        if status == "ok":
            made.last[step] = call
    return made


# the calls; what is missing, what failed, what came early, what is next
RUNS = [
    ("", ["a", "b"], [], [], "a"),
    ("a", ["b"], [], [], "b"),
    ("a b", [], [], [], None),
    ("a c d", ["b"], [], [("d", ["b"])], "b"),
    ("a! b", [], ["a"], [("b", ["a"])], "a"),
    ("a! a b", [], [], [], None),
    ("a a? b", [], [], [], None),  # a slip after a success takes nothing back
    ("a b b!", [], ["b"], [], None),
    ("a b b! b", [], [], [], None),
    ("b a", [], [], [("b", ["a"])], None),
    ("b a b", [], [], [], None),  # in order the second time
    ("c! a b", [], [], [], None),  # nobody owes it
    ("d a b", [], [], [("d", ["a", "b"])], None),
]


@pytest.mark.parametrize(("calls", "left_out", "bad", "early", "owed"), RUNS)
def test_what_a_run_owes(calls, left_out, bad, early, owed):
    run = state(calls)
    assert missing(FOUR, run) == left_out
    assert failed(FOUR, run) == [(step, f"{step} is off") for step in bad]
    assert out_of_order(FOUR, run) == early
    assert ready(FOUR, run) == owed


@pytest.mark.parametrize(("calls", "settled"), [("a b", False), ("a b d", True), ("a d!", False)])
def test_a_guard_has_to_be_asked_unless_its_step_was_done(calls, settled):
    assert are_settled(FOUR, state(calls)) == settled
    assert are_settled(FOUR[:3], state(calls))


def test_duties_by_manifest_and_by_code_are_the_same_but_for_guards(tmp_path):
    package = packaged(tmp_path, tell=GUARDED)
    (package / "schemas.json").write_text(json.dumps(describe(package)))
    listed = listed_duties(package)
    by_code = by_skill(load(package), state())
    assert [duty.is_owed for duty in listed] == [True, None]
    for one, other in zip(listed, by_code, strict=True):
        assert (one.step, one.order, one.requires) == (other.step, other.order, other.requires)
        assert (one.report, one.schema) == (other.report, other.schema)


@pytest.mark.parametrize(
    "text", [None, "", "[", "5", '{"steps": 5}', '{"add": []}', '{"add": {"output": 5}}']
)
def test_without_schemas_the_manifest_alone_speaks(text, tmp_path):
    package = packaged(tmp_path)
    if text is not None:
        (package / "schemas.json").write_text(text)
    assert [(duty.step, duty.report, duty.schema) for duty in listed_duties(package)] == [
        ("add", ("total",), {}),
        ("tell", (), {}),
    ]


def test_a_manifest_that_cannot_be_read(tmp_path):
    with pytest.raises(UnreadableError):
        listed_duties(tmp_path)


def test_the_code_that_is_asked_is_that_of_the_package_that_ran(tmp_path):
    package = packaged(tmp_path, tell=GUARDED)
    other = tmp_path / "other"
    shutil.copytree(package, other)
    code = other / "runtime" / "skill.py"
    code.write_text(f"raise SystemExit(7)\n{code.read_text()}")
    run = state()
    run.digest = package_digest(package)
    asked = asked_duties([other, package], run)
    assert asked is not None and [duty.is_owed for duty in asked] == [True, True]
    assert asked_duties([other], run) is None
