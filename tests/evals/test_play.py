"""A case is played by a runner, judged, and says what does not hold."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.errors import UsageError
from skills2_nb.evals.play import Stage, play
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.result import Result, pass_rate, typical
from skills2_nb.formats.cases import Case, RunCase, StepCase
from tests.conftest import FRONT, PROSE, SETUP

SUM = RunCase("sum", "What is the sum?", {"values": [20, 30, 41]}, must_call=("add",))
EARLY = RunCase(
    "early",
    "Tell before you add.",
    {"values": [1]},
    calls=({"step": "tell"},),
    expected_audit="fail",
    expect={"findings": ["STEP_MISSING", "ORDER_REJECTED"]},
)


@pytest.fixture
def stage(skill_notebook: Path, tmp_path: Path) -> Stage:
    folder = export(skill_notebook, tmp_path / "skills").folder
    return Stage(basis_of(folder), (tmp_path, folder))


@pytest.fixture
def one(stage: Stage) -> Callable[..., Result]:
    def played(case: Case, runner: str = "chain") -> Result:
        (result,) = play(replace(stage, runner=runner), case)
        return result

    return played


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (SUM, None),
        (EARLY, None),
        (replace(SUM, must_mention=("92",)), "does not mention '92'"),
        (replace(SUM, must_call=({"step": "add", "args": {"values": [1]}},)), "never called with"),
        (replace(SUM, inputs={"values": "x"}), "add did not succeed (add: "),
        (replace(EARLY, expect={"findings": ["STALE"]}), "there is no finding STALE"),
        (replace(EARLY, expected_audit="pass"), "the verdict is fail, not pass"),
        (replace(SUM, files=("nowhere.csv",)), "needs nowhere.csv, which is not in"),
        (replace(SUM, budget={"s": 1e-9}), "more than its budget of 1e-09 s"),
        (replace(SUM, budget={"s": 600}), None),
        (replace(SUM, calls=({"step": "nobody"},)), "nobody"),
        (StepCase("a", "add", {"values": [1, 2]}, {"total": 3}), None),
        (StepCase("a", "add", {"values": [1, 2]}, {"total": 4}), "it gives"),
        (StepCase("a", "add", {"values": "x"}, None, "invalid"), None),
        (StepCase("a", "add", {"values": [1]}, None, "total_is_sum"), "should fail with"),
        (StepCase("a", "nobody"), "nobody"),
    ],
)
def test_a_case_holds_or_says_why_not(one: Callable[..., Result], case: Case, says: str | None):
    result = one(case)
    assert result.case == case.id
    if says is None:
        assert result.wrong == ()
    else:
        assert says in "; ".join(result.wrong)


def test_the_prose_alone_scores_a_quarter_and_no_case_holds(one: Callable[..., Result]):
    result = one(SUM, "null")
    assert result.audit is not None
    assert (result.run, result.runner, result.ok) == (None, "null", False)
    assert result.audit.classic.score == pytest.approx(0.25)  # no steps: 0.25 x all anchors
    assert result.verdict == "fail"
    contract = one(SUM)
    assert contract.audit is not None
    assert (contract.audit.classic.score, contract.verdict) == (1.0, "pass")


def test_trials_are_results_of_their_own(stage: Stage):
    results = list(play(stage, replace(SUM, trials=3)))
    assert [result.ok for result in results] == [True] * 3
    assert len({result.run for result in results}) == 3


def test_figures_over_results(one: Callable[..., Result]):
    results = [one(SUM), one(EARLY), one(StepCase("a", "add", {"values": [1]}, {"total": 2}))]
    assert pass_rate(results) == pytest.approx(2 / 3)
    assert typical(results, "strict") == 1.0  # over the cases that expect pass alone
    assert typical([one(EARLY)], "classic") is None
    assert pass_rate([]) == 0.0


def test_a_result_is_plain(one: Callable[..., Result]):
    told = one(replace(SUM, tags=("classic",))).to_dict()
    assert told["audit"]["strict"]["verdict"] == "pass"
    assert (told["tags"], told["expected"], told["label"]) == (
        ["classic"],
        "pass",
        "What is the sum?",
    )


def test_what_a_step_raises_beside_exceptions_is_a_case_that_does_not_hold(
    make_notebook: Callable[..., Path], tmp_path: Path
):
    """`pytest.skip()` and a cancelled task raise no Exception; neither may end the suite."""
    cells = [("front", FRONT), ("prose", PROSE), ("setup", SETUP)]
    body = "@step\ndef add(values: list[int]) -> dict:\n    raise BaseException('gone')"
    folder = export(make_notebook([*cells, ("step", body)]), tmp_path / "skills").folder
    (result,) = play(Stage(basis_of(folder), (folder,)), replace(SUM, must_call=()))
    assert not result.ok
    assert "gone" in result.wrong[0]


def test_an_unknown_runner_is_refused(stage: Stage):
    with pytest.raises(UsageError, match="no runner 'magic'; it is one of chain, null"):
        replace(stage, runner="magic")
