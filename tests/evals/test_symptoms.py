"""Seven failures: what prose and a check of the answer let through, the contract names."""

from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.errors import UsageError
from skills2_nb.evals.play import Stage
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.symptoms import SYMPTOMS, Seen, seen
from skills2_nb.formats.cases import RunCase

pytest.importorskip("pandas", reason="growth accounting stands on pandas")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    place = tmp_path_factory.mktemp("skills")
    folder = export(ROOT / "notebooks/growth-accounting.ipynb", place).folder
    stage = Stage(basis_of(folder), (folder,))
    (case,) = (c for c in stage.basis.cases if c.id == "three-flows-month")
    assert isinstance(case, RunCase)
    return {each.symptom.name: each for each in seen(stage, case)}


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=[s.name for s in SYMPTOMS])
def test_only_the_contract_sees_it(found: dict[str, Seen], symptom):
    each = found[symptom.name]
    assert (each.prose, each.output_checks) == (1.0, ())
    assert each.named
    fails = each.proof.audit.strict.verdict == "fail"
    assert fails is (symptom.code != "UNSUPPORTED")  # which is named, and vetoes nothing


def test_there_are_seven_with_a_code_of_their_own():
    assert len({symptom.code for symptom in SYMPTOMS}) == len(SYMPTOMS) == 7


def test_a_check_of_the_answer_can_object(found: dict[str, Seen]):
    """The same checks see a figure that is wrong in the answer; they are no straw man."""
    from dataclasses import replace

    from skills2_nb.evals.mentioned import mentioned_amiss
    from skills2_nb.evals.symptoms import CHECKS

    proof = found["wrong label"].proof
    told = (proof.audit.answer or "").replace("719", "917")
    wrong = list(
        mentioned_amiss({"must_mention": CHECKS}, replace(proof.audit, answer=told), proof.state)
    )
    (wrong,) = wrong
    assert wrong.startswith("the answer does not mention count_flows#/new, which is 719; it says")


def test_another_skill_has_other_steps(skill_notebook: Path, tmp_path: Path):
    folder = export(skill_notebook, tmp_path / "skills").folder
    with pytest.raises(UsageError, match="the symptoms name steps of growth-accounting"):
        list(seen(Stage(basis_of(folder), (folder,)), RunCase("a", "Why?")))
