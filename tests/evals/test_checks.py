"""What a case asks, and the sentences that say what does not hold."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.run import Run
from skills2_nb.convert.exporter import export
from skills2_nb.evals.checks import amiss
from skills2_nb.evals.proof import Proof, basis_of, judge, prove
from skills2_nb.library.discovery import find


@pytest.fixture
def proof(skill_notebook: Path) -> Proof:
    return prove(find(str(skill_notebook)), {"values": [20, 30, 41]})


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ({}, None),
        ({"expected_audit": "fail"}, "the verdict is pass, not fail"),
        ({"must_mention": ["TOTAL", {"regex": r"\b91\b"}, {"value": "add#/total"}]}, None),
        ({"must_mention": ["quick ratio"]}, "does not mention 'quick ratio'"),
        ({"must_mention": [{"regex": r"\b92\b"}]}, "does not mention regex"),
        ({"must_mention": [{"value": "add#/count"}]}, "does not mention add#/count, which is 3"),
        ({"must_mention": [{"value": "nobody#/x"}]}, "no such value was computed"),
        ({"must_mention": [{"value": "add#/nothing"}]}, "no such value was computed"),
        ({"must_mention": [{"text": "total"}]}, None),
        ({"must_not": [{"value": "add#/total"}]}, "mentions add#/total, which is 91"),
        ({"must_not": [{"value": "add#/count"}, {"numbers": "unsupported"}]}, None),
        ({"must_not": [{"regex": r"\d\d"}]}, r"mentions regex '\\d\\d'"),
        ({"must_not": ["guarantee"]}, None),
        ({"must_not": ["gives a total"]}, "the answer mentions 'gives a total'"),
        ({"expect": {"score": [0.9, 1.0], "coverage": [1, 1]}}, None),
        ({"expect": {"anchoring": [0.0, 0.5]}}, "anchoring is 1.00, not within 0.0 and 0.5"),
        ({"expect": {"findings": ["STALE"]}}, "there is no finding STALE"),
        ({"expect": {"failed_invariants": ["total_is_sum"]}}, "total_is_sum did not fail"),
    ],
)
def test_each_key_is_asked(proof: Proof, case: dict[str, Any], says: str | None) -> None:
    assert proof.state is not None
    wrong = amiss(case, proof.audit, proof.state)
    if says is None:
        assert wrong == []
    else:
        assert says in wrong[0]


def test_a_failing_run_is_what_a_failing_case_asks_for(
    skill_notebook: Path, tmp_path: Path, make_notebook: Callable[..., Path]
) -> None:
    folder = export(skill_notebook, tmp_path / "skills").folder
    basis = basis_of(folder)
    run = Run.start(basis.skill, {"values": [1]})
    with pytest.raises(Exception, match="before add"):
        run.call("tell")
    run.end(answer="A total of 1, by adding up.")
    judged = judge(basis, run.id)
    case = {"expected_audit": "fail", "expect": {"findings": ["STEP_MISSING", "ORDER_REJECTED"]}}
    assert judged.state is not None
    assert amiss(case, judged.audit, judged.state) == []
    assert "verdict is fail, not pass (" in amiss({}, judged.audit, judged.state)[0]
