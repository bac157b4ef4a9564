"""From a skill to a verdict: packages, notebooks, answers alone."""

import json
from pathlib import Path

import pytest

from skills2_nb.audit import ledger
from skills2_nb.audit.asked import Asked
from skills2_nb.contract import chain, journal
from skills2_nb.contract.loader import load
from skills2_nb.contract.run import Run
from skills2_nb.convert.exporter import export
from skills2_nb.errors import UnknownRunError, UsageError
from skills2_nb.evals.proof import audit_answer, audit_run, prove
from skills2_nb.library.discovery import Target, find

INPUTS = {"values": [20, 30, 41]}


@pytest.fixture
def package(skill_notebook: Path, tmp_path: Path) -> Target:
    return find(str(export(skill_notebook, tmp_path / "skills").folder))


def test_an_honest_run_passes_both_profiles(package: Target) -> None:
    proof = prove(package, INPUTS, prompt="What is the sum?")
    assert proof.error is None
    assert proof.answer == "Adding up gives a total of 91."
    assert (proof.audit.classic.score, proof.audit.classic.verdict) == (1.0, "pass")
    assert (proof.audit.strict.score, proof.audit.strict.verdict) == (1.0, "pass")
    assert (proof.audit.strict.findings, proof.audit.strict.not_checked) == ((), ())
    told = json.loads(json.dumps(proof.to_dict()))
    assert list(told) == ["run", "skill", "steps", "answer", "audit"]
    assert told["steps"]["add"] == {"total": 91, "count": 3}
    assert list(told["audit"]) == ["classic", "strict"]
    assert list(told["audit"]["strict"]) == [
        "score", "coverage", "consistency", "anchoring", "verdict", "findings", "not_checked",
    ]  # fmt: skip


def test_a_notebook_is_proven_as_its_package_is(skill_notebook: Path, package: Target) -> None:
    from_notebook = prove(find(str(skill_notebook)), INPUTS)
    from_package = prove(package, INPUTS)
    assert from_notebook.audit.to_dict() == from_package.audit.to_dict()
    assert not (skill_notebook.parent / "skills").exists()


def test_each_audit_is_in_the_ledger_with_the_journals_head(package: Target) -> None:
    proof = prove(package, INPUTS)
    assert proof.run is not None
    again = audit_run(proof.run, package)
    lines = ledger.lines(proof.run)
    assert [line["head"] for line in lines] == [proof.state.head] * 2  # type: ignore[union-attr]
    assert again.audit.classic == proof.audit.classic


def test_a_journal_rewritten_after_its_audit_is_tampered(package: Target) -> None:
    proof = prove(package, INPUTS)
    assert proof.run is not None
    records = list(journal.read(find_path(proof.run)))
    find_path(proof.run).unlink()
    forged = journal.Journal(find_path(proof.run), proof.run, "cli:1")
    for record in records:
        kept = {k: v for k, v in record.items() if k not in journal._RESERVED}
        if record["kind"] == "run_ended":
            kept |= {"head": forged._head}
        if record["kind"] == "answer":
            kept["text"] = "Adding up gives a total of 92."
        forged.append(record["kind"], kept)
    assert chain.verify(find_path(proof.run)) == []
    judged = audit_run(proof.run, package).audit
    assert (judged.classic.verdict, judged.strict.verdict) == ("tampered", "tampered")


def find_path(run: str) -> Path:
    from skills2_nb.contract.run import find as find_run

    try:
        return find_run(run)
    except UnknownRunError:
        from skills2_nb.contract.home import home

        day = f"{run[:4]}-{run[4:6]}-{run[6:8]}"
        return home() / "runs" / day / f"{run}.jsonl"


def test_prose_alone_scores_a_quarter(package: Target) -> None:
    proof = audit_answer(package, (package.path / "SKILL.md").read_text())
    assert (proof.audit.classic.score, proof.audit.classic.verdict) == (0.25, "fail")
    assert (proof.audit.strict.score, proof.audit.strict.verdict) == (0.05, "fail")


def test_an_answer_alone_imports_nothing(package: Target, tmp_path: Path) -> None:
    code = package.path / "runtime" / "skill.py"
    code.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n{code.read_text()}")
    proof = audit_answer(package, "Adding up gives a total of 91.")
    assert not (tmp_path / "ran").exists()
    codes = {finding.code for finding in proof.audit.strict.findings}
    assert "NO_RUN" in codes and proof.audit.verdict == "fail"


def test_a_run_that_a_step_stops_is_judged(package: Target) -> None:
    proof = prove(package, {})
    assert (proof.step, proof.answer) == ("add", None)
    assert "values is missing" in str(proof.error)
    assert proof.audit.classic.verdict == "fail"
    codes = {finding.code for finding in proof.audit.classic.findings}
    assert "STEP_MISSING" in codes, codes


def test_another_answer_is_judged_against_the_run(package: Target) -> None:
    proof = prove(package, INPUTS, answer="Adding up gives a total of 92.")
    codes = {finding.code for finding in proof.audit.strict.findings}
    assert "CONTRADICTED" in codes
    assert proof.audit.strict.verdict == "fail"
    assert proof.audit.classic.verdict == "pass"


def test_a_run_of_another_skill_is_refused(package: Target, tmp_path: Path) -> None:
    proof = prove(package, INPUTS)
    other = tmp_path / "skills/other-skill"
    package.path.rename(other)
    text = (other / "skill.toml").read_text()
    (other / "skill.toml").write_text(text.replace("trial-skill", "other-skill"))
    assert proof.run is not None
    with pytest.raises(UsageError, match="is of trial-skill, not of other-skill"):
        audit_run(proof.run, Target("other-skill", "package", other))


def test_an_open_run_is_unproven(package: Target) -> None:
    from skills2_nb.evals.proof import basis_of, judge

    basis = basis_of(package.path)
    run = Run.start(basis.skill, INPUTS)
    run.call("add")
    judged = judge(basis, run.id).audit
    assert judged.classic.verdict == "unproven"
    assert "RUN_OPEN" in {finding.code for finding in judged.classic.findings}


def test_a_run_of_another_question_fails_in_strict(package: Target) -> None:
    proof = prove(package, INPUTS, prompt="What is the sum?")
    assert proof.run is not None
    same = audit_run(proof.run, package, asked=Asked("what is the  sum?")).audit
    other = audit_run(proof.run, package, asked=Asked("And the mean?")).audit
    assert same.strict.findings == ()
    assert (other.classic.verdict, other.strict.verdict) == ("pass", "fail")
    assert other.strict.findings[0].code == "OTHER_PROMPT"


def test_the_same_case_many_times_is_only_told(package: Target) -> None:
    first, *_, last = (prove(package, INPUTS, prompt="Sum?", vouched="case") for _ in range(4))
    assert first.audit.strict.findings == ()
    (note,) = last.audit.strict.findings
    assert (note.code, note.counts) == ("OTHER_RUNS", False)
    assert note.message == "other runs of the same question: 3 agreed"
    assert last.audit.strict.verdict == first.audit.strict.verdict


def test_a_bad_run_of_the_prompt_is_not_left_out(package: Target) -> None:
    """The client's model tries other inputs until the answer suits, and leaves the rest open."""
    skill = load(package.path)
    tried = Run.start(skill, {"values": [1]}, prompt="Sum?")
    tried.call("add")
    tried.close()
    shown = prove(package, INPUTS, prompt="Sum?", vouched="client")
    assert shown.audit.classic.verdict == "pass"
    assert shown.audit.strict.verdict == "fail"
    first = shown.audit.strict.findings[0]
    assert first.code == "OTHER_RUNS"
    assert (
        f"run {tried.id} of the same question: add#/total is 1 there and 91 here" in first.message
    )


def test_a_run_after_the_author_mended_the_code_stands_alone(
    package: Target, skill_notebook: Path, tmp_path: Path
) -> None:
    prove(package, INPUTS, prompt="Sum?", vouched="client")
    text = skill_notebook.read_text(encoding="utf-8").replace("sum(values), count", "1 + 90, count")
    skill_notebook.write_text(text, encoding="utf-8")
    mended = find(str(export(skill_notebook, tmp_path / "skills").folder))
    again = prove(mended, INPUTS, prompt="Sum?", vouched="client")
    assert again.error is None
    assert not [item for item in again.audit.strict.findings if item.code == "OTHER_RUNS"]
