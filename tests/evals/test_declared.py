"""What a skill declares, as results.json holds it."""

import pytest

from skills2_nb.evals.declared import declared, text_of
from skills2_nb.evals.proof import basis_of
from tests.conftest import ADD
from tests.evals.small_skill import evaluated, packaged


def test_results_hold_cases_settings_and_steps():
    told = evaluated()["skills"][0]["declared"]
    assert list(told) == ["weights", "f1_floor", "anchors", "cases", "steps"]
    assert (told["weights"], told["f1_floor"]) == ([0.4, 0.35, 0.25], 0.7)
    assert [case["id"] for case in told["cases"]] == ["add-1", "case-1", "case-2"]
    add, tell = told["steps"]
    assert (add["id"], add["order"], add["requires"], add["required"]) == ("add", 1, [], True)
    assert (tell["id"], tell["order"], tell["requires"], tell["when"]) == ("tell", 2, ["add"], "")
    (item,) = add["invariants"]
    assert (item["name"], item["effective"]) == ("total_is_sum", True)
    assert 0 < item["killed"] <= item["made"]


def test_what_an_invariant_notices_is_counted_the_same_each_time(tmp_path):
    basis = basis_of(packaged(tmp_path))
    assert declared(basis, [], (tmp_path,)) == declared(basis, [], (tmp_path,))


def test_a_skill_with_effects_is_not_run_for_this_alone(tmp_path):
    sends = ADD.replace("@step(", '@step(effects=["network"], ')
    told = declared(basis_of(packaged(tmp_path, add=sends)), [], (tmp_path,))
    add, _ = told["steps"]
    assert add["measured"] is False
    assert [(i["effective"], i["killed"]) for i in add["invariants"]] == [(None, None)]


def one(x):
    """Say."""
    # why
    return x > 1


def two(x):
    return  x > (1)  # fmt: skip


two.__name__ = "one"


def test_the_text_of_a_function_is_its_code_alone():
    assert text_of(one) == "def one(x):\n    return x > 1"
    assert text_of(two) == "def two(x):\n    return x > 1"


def test_a_function_without_source_has_no_text():
    made: dict[str, object] = {}
    exec("def f(x): return x", made)
    assert text_of(made["f"]) == ""
    assert text_of(len) == ""


@pytest.mark.parametrize("wrapped", [lambda x: x > 1], ids=["lambda"])
def test_a_lambda_has_the_text_of_its_line(wrapped):
    assert "lambda x: x > 1" in text_of(wrapped)
