"""Which calls a case wants: order, arguments, how often; and what a run without calls shows."""

from typing import Any

import pytest

from skills2_nb.contract.state import RunState
from skills2_nb.errors import UsageError
from skills2_nb.evals.called import called_amiss


def state_of(*calls: tuple[str, str, dict[str, Any]]) -> RunState:
    """A run with these calls: step, kind of record, arguments."""
    state = RunState()
    for number, (step, kind, args) in enumerate(calls, 2):
        state.apply(
            {
                "seq": number,
                "ts": "2026-01-01T00:00:00.000Z",
                "kind": kind,
                "step": step,
                "args": args,
                "bound": {},
                "output": {},
                "hash": "0" * 64,
            }
        )
    return state


RUN = state_of(
    ("load", "step_ok", {"path": "a.csv", "rows": 10}),
    ("count", "step_failed", {"period": "1998-3"}),
    ("count", "step_ok", {"period": "1998-03", "share": 0.3335, "flag": True}),
    ("count", "step_ok", {"period": "1998-04", "share": 0.5, "flag": True}),
    ("tell", "rejected", {}),
)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ("load", None),
        ("tell", "tell did not succeed"),
        ("nobody", "nobody did not succeed"),
        ({"step": "count", "times": 2}, None),
        ({"step": "count", "times": [1, 3]}, None),
        ({"step": "count", "times": 1}, "count succeeded twice, not once"),
        ({"step": "load", "times": [2, 4]}, "load succeeded once, not 2 to 4 times"),
        ({"step": "tell", "times": 0}, None),
        ({"step": "load", "times": 0}, "load succeeded once, not never"),
        ({"step": "count", "after": "load"}, None),
        ({"step": "count", "after": ["load", "count"]}, None),
        ({"step": "load", "after": "count"}, "load was called before count"),
        ({"step": "count", "after": "tell"}, "has to come after tell, which did not succeed"),
        ({"step": "count", "args": {"period": "1998-03"}}, None),
        ({"step": "count", "args": {"period": "1998-3"}}, "never called with"),  # that one failed
        ({"step": "count", "args": {"period": "1998-03", "share": 0.5}}, "never called with"),
        ({"step": "count", "args": {"share": {"approx": 0.333}}}, None),
        ({"step": "count", "args": {"share": {"approx": 0.33, "abs": 0.001}}}, "share was 0.5"),
        ({"step": "count", "args": {"share": {"approx": 0.3, "rel": 0.2}}}, None),
        ({"step": "count", "args": {"flag": {"approx": 1}}}, "flag was true"),
        ({"step": "count", "args": {"flag": 1}}, "flag was true"),
        ({"step": "count", "args": {"period": {"regex": r"^1998-\d\d$"}}}, None),
        ({"step": "load", "args": {"rows": {"regex": "10"}}}, "rows was 10"),
        ({"step": "load", "args": {"rows": {"schema": {"minimum": 5}}}}, None),
        ({"step": "load", "args": {"rows": {"schema": {"type": "string"}}}}, "rows was 10"),
        ({"step": "load", "args": {"rows": 10.0}}, None),
        ({"step": "load", "args": {"columns": 3}}, "no columns"),
    ],
)
def test_must_call(wanted: Any, says: str | None):
    found = list(called_amiss({"must_call": [wanted]}, RUN))
    assert (found == []) if says is None else (says in found[0])


@pytest.mark.parametrize(
    ("unwanted", "says"),
    [
        ("tell", None),
        ("load", "load was called"),
        ({"step": "count", "args": {"share": {"approx": 0.9}}}, None),
        ({"step": "count", "args": {"share": 0.5}}, "count was called with share=0.5"),
    ],
)
def test_must_not_call(unwanted: Any, says: str | None):
    found = list(called_amiss({"must_not_call": [unwanted]}, RUN))
    assert (found == []) if says is None else (says in found[0])


@pytest.mark.parametrize("state", [None, RunState()], ids=["no run", "no call"])
def test_an_absence_proves_nothing_where_nothing_was_called(state: RunState | None):
    assert list(called_amiss({"must_not_call": ["tell"]}, state)) == [
        "nothing was called at all, so must_not_call shows nothing"
    ]
    assert list(called_amiss({"must_call": ["tell"]}, state)) == ["tell did not succeed"]
    assert list(called_amiss({}, state)) == []


def test_a_schema_that_is_none_is_one_sentence():
    case = {"must_call": [{"step": "load", "args": {"rows": {"schema": {"type": "nonsense"}}}}]}
    with pytest.raises(UsageError, match="no JSON Schema"):
        list(called_amiss(case, RUN))
