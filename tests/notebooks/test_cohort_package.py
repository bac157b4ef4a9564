"""The package of cohort-retention: cases, answers, and its notebook in a kernel."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.audit.auditor import Audit, audit_journal
from skills2_nb.audit.weakness import by_step
from skills2_nb.contract.errors import ContractError
from skills2_nb.contract.run import Run
from skills2_nb.convert.exporter import export
from skills2_nb.evals.proof import basis_of, prove
from skills2_nb.evals.runners import chain
from skills2_nb.evals.strength import of_cases
from skills2_nb.formats.cases import RunCase, StepCase
from skills2_nb.formats.package import read_package
from skills2_nb.library.discovery import find

pytest.importorskip("pandas", reason="cohort retention stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "cohort-retention.ipynb"
FILES = ["assets/README.md", "assets/cdnow_sample.csv"]
KNOWN = {"reported", "traced", "prompt", "constant"}
HONEST = [
    (
        "twelve-months",
        "Twelve months after their first purchase, 182 of 2,357 customers bought: a retention rate "
        "of 7.7 % at age 12 (95 % interval 6.7 % to 8.9 %, base class broad). All 3 cohorts are "
        "old enough; the log has 2,357 users, and all of them are base users.\n\n"
        "| | cohort | rate |\n|---|---|---|\n"
        "| best cohort | 1997-03 | best rate 10.8 % |\n"
        "| worst cohort | 1997-01 | worst rate 5.8 % |\n\n"
        "The gap verdict is clear. The curve shape is flat: first rate 14.6 %, half age 7, "
        "flat age 6.",
    ),
    (
        "one-cohort-too-young",
        "16 months after the first purchase 97 of the 1,638 base users bought, a retention rate "
        "of 5.9 % (interval 4.9 % to 7.2 %). 2 of the 3 cohorts are old enough for that age; "
        "1997-03 with its 719 of the 2,357 users is too young. The best cohort is 1997-02 (best "
        "rate 7.0 %), the worst cohort 1997-01 (worst rate 4.7 %), and the gap verdict is within "
        "chance. The base class is broad. Curve shape: flat; first rate 15.8 %, half age 6, "
        "flat age 9.",
    ),
    (
        "nothing-to-compare",
        "Retention in the fourth quarter after the first is 16.3% (age 4): 384 of 2,357 base "
        "users came back. There is a single cohort, old enough is 1 of 1, so the cohorts are not "
        "compared. The base class is broad. Curve shape: flat; first rate 22.2%, flat age 2. "
        "2,357 users in all.",
    ),
]
WRONG = [
    ("7.7 %", "8.7 %"),
    ("182 of", "281 of"),
    ("10.8 %", "12.8 %"),
    ("| best cohort | 1997-03", "| best cohort | 1997-02"),
    ("verdict is clear", "verdict is within chance"),
    ("shape is flat", "shape is falling"),
    ("flat age 6", "flat age 9"),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(NOTEBOOK, tmp_path_factory.mktemp("skills")).folder


@pytest.fixture
def judge(package: Path) -> Callable[..., tuple[Audit, Run]]:
    """Run a case by its own calls or by the chain, and audit it, perhaps with another answer."""
    basis = basis_of(package)

    def judged(case: RunCase, answer: str | None = None) -> tuple[Audit, Run]:
        if not case.calls:
            run = chain(
                basis.skill, case.inputs, prompt=case.prompt, folders=(package,),
                body=basis.body, answer=answer,
            ).run  # fmt: skip
            return audit_journal(basis, run.path), run
        run = Run.start(
            basis.skill, case.inputs, prompt=case.prompt, vouched="case", folders=(package,)
        )
        for call in case.calls:
            with contextlib.suppress(ContractError):
                run.call(call["step"], call.get("args"))
        last = run.state.last.get("write_readout")
        run.end(by="cli", answer=last.output["readout"] if last else basis.body)
        run.close()
        return audit_journal(basis, run.path), run

    return judged


def cases_of(package: Path) -> dict[str, RunCase]:
    return {case.id: case for case in read_package(package).cases if isinstance(case, RunCase)}


def test_the_export_has_no_problem_and_all_its_cases(package):
    read = read_package(package)
    assert read.problems == ()
    assert (len(cases_of(package)), sum(isinstance(c, StepCase) for c in read.cases)) == (10, 4)
    assert all(step.invariants for step in read.manifest.steps)
    assert all(term in read.body for term in read.manifest.anchors)
    assert 8 <= len(read.manifest.anchors) <= 12


def test_the_package_in_the_repository_is_this_export(package):
    kept = NOTEBOOK.parents[1] / "skills" / NOTEBOOK.stem
    assert (kept / "export.lock").read_bytes() == (package / "export.lock").read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_files_travel_unchanged(name, package):
    assert (package / name).read_bytes() == (NOTEBOOK.with_suffix("") / name).read_bytes()


def test_its_cases_are_honest_runs_and_failure_modes(package):
    """tests/test_tables.py plays each and holds it to what it expects."""
    cases = cases_of(package).values()
    assert sum(case.expected_audit == "pass" for case in cases) == 5
    failing = [case for case in cases if case.expected_audit == "fail"]
    assert len(failing) >= 5 and all(case.expect["findings"] for case in failing)


def test_every_invariant_can_fail_and_every_report_field_is_checked(package):
    skill = basis_of(package).skill
    found = of_cases(skill, read_package(package).cases, (package,))
    for step in by_step(skill, found):
        assert all(each.effective for each in step.invariants), step
        assert step.unchecked == (), step.step


def test_an_honest_run_is_proven_with_replay_and_strength(package):
    case = cases_of(package)["twelve-months"]
    made = prove(find(str(package)), case.inputs, prompt=case.prompt).audit
    assert (made.strict.score, made.strict.verdict) == (1.0, "pass")


@pytest.mark.parametrize(("case", "answer"), HONEST, ids=[case for case, _ in HONEST])
def test_an_honest_answer_in_other_words_is_told_nothing(case, answer, package, judge):
    made, _ = judge(cases_of(package)[case], answer)
    assert [f for f in made.strict.findings if f.code != "ANCHOR_MISSING"] == []
    assert made.strict.score >= 0.98
    assert {value.status for value in made.values} <= {*KNOWN, "derived"}


@pytest.mark.parametrize(("old", "new"), WRONG)
def test_a_wrong_figure_or_label_in_it_fails(old, new, package, judge):
    case, answer = HONEST[0]
    assert old in answer
    made, _ = judge(cases_of(package)[case], answer.replace(old, new))
    assert made.strict.verdict == "fail"
    assert {"CONTRADICTED", "OMITTED", "DIRECTION"} & {f.code for f in made.strict.findings}


# --- the notebook as a reader opens it --------------------------------------------------------


def test_its_metadata_is_clean():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.mark.timeout(300)
def test_it_runs_top_to_bottom_in_a_fresh_kernel():
    pytest.importorskip("nbclient", reason="a fresh kernel is run by nbclient")
    ran = run_in_kernel(NOTEBOOK)
    ticks = "".join(printed(cell) for cell in ran if cell["id"].startswith("cases-"))
    assert (ticks.count("✓"), "✗" in ticks) == (sum((10, 4)), False), ticks
    assert "1.00" in printed(ran[-1])


def run_in_kernel(path: Path) -> list[Any]:
    """The cells after a run with the notebook's folder as the working folder."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=240, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    return notebook.cells


def printed(cell: Any) -> str:
    """Everything a cell shows as text."""
    return "\n".join(
        output["text"] if output.output_type == "stream" else output["data"].get("text/plain", "")
        for output in cell.get("outputs", [])
        if output.output_type != "error"
    )
