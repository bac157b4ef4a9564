"""Cases in a kernel: each runs at once and shows its tick."""

from typing import Any

import pytest

from skills2_nb.contract import trial
from skills2_nb.contract.trial import agrees, run_case

from .conftest import balance, count, tell

NAMES = {"count": count, "balance": balance, "tell": tell}


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: balance.case(157, 156, 102, 211), "✓ balance(157, 156, 102, 211)"),
        (lambda: balance.case(157, 156, 102, 211, expect={"implied": 211}), "✓"),
        (lambda: balance.case(157, 156, 102, 211, expect={"implied": 210}), "✗"),
        (lambda: balance.case(157, 156, 120, 211, fails="books_close"), "✓"),
        (lambda: balance.case(157, 156, 120, 211, fails="invariant"), "✓"),
        (lambda: balance.case(157, 156, 120, 211), "✗"),
        (lambda: balance.case(157, 156, 102, 211, fails="books_close"), "should fail"),
        (lambda: balance.case("x", 1, 1, 1, fails="invalid"), "✓"),
        (lambda: balance.case(1, 1, 1, fails="missing"), "✓"),
        (lambda: balance.case(1, 1, 1, 1, 1, fails="unknown"), "✗"),
        (lambda: count.case([], fails="IndexError"), "✓"),
        (lambda: count.case([], fails="exception"), "✓"),
        (lambda: count.case(rows=[1, 2], id="c1"), "✓ count(rows=[1, 2])"),
        (lambda: count.case(rows=[1, 2], tags=["x"]), "✗"),
    ],
)
def test_a_step_case_shows_its_tick(call: Any, line: str, capsys) -> None:
    call()
    assert line in shown(capsys)


@pytest.mark.parametrize(
    ("row", "ok", "says"),
    [
        ({}, True, "3 of 3 steps ran"),
        ({"must_call": ["balance", {"step": "tell"}]}, True, "3 of 3"),
        ({"inputs": {}}, False, "rows is missing"),
        ({"must_call": ["nobody"]}, False, "nobody did not succeed"),
        ({"must_not_call": ["tell"]}, False, "tell was called"),
        ({"calls": [{"step": "count"}]}, True, "1 of 3"),
        ({"calls": [{"step": "tell"}], "expected_audit": "fail"}, True, "0 of 3"),
        ({"calls": [{"step": "tell"}]}, False, "before count"),
        (
            {"calls": [{"step": "count"}, {"step": "balance", "args": {"lost": 9}}]},
            False,
            "books_close does not hold",
        ),
    ],
)
def test_a_run_case_is_walked_and_judged(row: dict[str, Any], ok: bool, says: str) -> None:
    base = {"prompt": "Why?", "inputs": {"rows": [157, 156], "lost": 102}}
    seen = run_case({**base, **row}, NAMES)
    assert (seen.ok, says in seen.detail) == (ok, True), seen


def test_a_case_leaves_no_run_behind(home) -> None:
    run_case({"prompt": "Why?", "inputs": {"rows": [1]}}, NAMES)
    assert not (home / "runs").exists()


def test_no_steps_yet_is_said() -> None:
    assert "run the step cells first" in run_case({"prompt": "x"}, {}).detail


def test_case_reads_the_names_of_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    exec("case('Why?', inputs={'rows': [1]})", {**NAMES, "case": trial.case})
    assert "✓ 'Why?': 3 of 3 steps ran" in shown(capsys)


@pytest.mark.parametrize(
    ("seen", "wanted", "same"),
    [
        (1, 1.0, True),
        (0.1 + 0.2, 0.3, True),
        (1, 2, False),
        (True, 1, False),
        (1, True, False),
        ("a", "a", True),
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [1], False),
        ([{"a": 1}], [{"a": 1.0}], True),
        (None, None, True),
    ],
)
def test_agreement_is_by_what_is_named(seen: Any, wanted: Any, same: bool) -> None:
    assert agrees(seen, wanted) is same
