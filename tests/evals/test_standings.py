"""The table of versions: whose cases, which median, and which rows a skill has."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from skills2_nb.evals.result import Result
from skills2_nb.evals.standings import Arm, case_rows, table


def result(case: str, score: float, *, ok: bool = True, **more: Any) -> Result:
    """A run's result with this score in both profiles."""
    profile = SimpleNamespace(score=score)
    audit = SimpleNamespace(profile=lambda _: profile)
    wrong = () if ok else ("it does not hold",)
    return Result(case, "run", wrong, more.pop("expected", "pass"), cast("Any", audit), **more)


STEP = Result("step", "step", ("it does not hold",))
V1 = Arm("v1", (result("a", 0.25, ok=False), result("b", 0.25, ok=False), STEP))
CONTRACT = Arm(
    "contract",
    (result("a", 1.0), result("b", 0.9), result("c", 0.1, expected="fail"), STEP),
)


def test_a_row_is_the_median_over_the_cases_that_expect_pass():
    rows = table("s", [V1, CONTRACT])
    assert [(r["version"], r["cases"], r["pass_rate"], r["classic"]) for r in rows] == [
        ("v1", 2, 0.0, 0.25),
        ("contract", 3, 1.0, 0.95),
    ]
    assert set(rows[0]) == {"skill", "version", "cases", "pass_rate", "classic", "strict"}


def test_the_generated_cases_stand_in_no_row_of_a_version():
    generated = Arm("stubs", (result("g", 0.53, ok=False),), generated=True)
    assert [r["version"] for r in table("s", [V1, CONTRACT, generated])] == ["v1", "contract"]


@pytest.mark.parametrize("own", [True, False], ids=["own", "generated"])
def test_single_cases_are_the_tagged_ones(own: bool):
    def tagged(arm: Arm, name: str) -> Arm:
        results = (replace(arm.results[0], case=name, tags=("classic",)), *arm.results[1:])
        return replace(arm, results=results)

    generated = [
        replace(tagged(V1, "g"), generated=True),
        Arm("stubs", (result("g", 0.53, tags=("classic",)),), generated=True),
    ]
    arms = [tagged(V1, "a") if own else V1, tagged(CONTRACT, "a"), *generated]
    rows = case_rows("s", arms)
    assert [(r["case"], r["version"], r["cases"], r["classic"]) for r in rows] == (
        [("a", "v1", 1, 0.25), ("a", "contract", 1, 1.0)]
        if own
        else [("g", "v1", 1, 0.25), ("g", "stubs", 1, 0.53)]
    )


def test_a_skill_without_tagged_cases_has_no_such_row():
    assert case_rows("s", [V1, CONTRACT]) == []
