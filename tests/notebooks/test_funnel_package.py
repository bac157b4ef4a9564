"""The package of funnel-diagnosis: cases, answers, and its notebook in a kernel."""

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

pytest.importorskip("pandas", reason="funnel diagnosis stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "funnel-diagnosis.ipynb"
FILES = ["assets/README.md", "assets/signup_log.csv", "scripts/make_log.py"]
KNOWN = {"reported", "traced", "prompt", "constant"}
HONEST = [
    (
        "campaign-months",
        "**It is the traffic, not the page.** 600 users entered in March 2025 and 600 in April "
        "2025; within the 14-day window, conversion fell from 13.2% to 10.5%.\n\n"
        "| stage counts | visit | signup | activate | purchase |\n|---|---|---|---|---|\n"
        "| 2025-03 | 600 | 306 | 184 | 79 |\n| 2025-04 | 600 | 241 | 154 | 63 |\n\n"
        "The worst stage is signup, whose rate fell from 51.0% to 40.2% (-10.83 points). The drop "
        "verdict is clear. By channel the drop kind is a reversal: mix effect -14.17 points, rate "
        "effect +3.34 points, and no segment got worse.",
    ),
    (
        "broken-device",
        "Android. 600 users entered in April 2025 and 600 in May; in the 14-day window the "
        "conversion fell from 10.5% to 7.2%. Stage counts: 600, 241, 154, 63 in April and 600, "
        "234, 98, 43 in May. The worst stage is activate, its rate fell from 63.9% to 41.9%, and "
        "the drop verdict is clear. By device the drop kind is rate drop, with a rate effect of "
        "-22.10 points and a mix effect of 0.08 points. The worst segment is android: from 71.4% "
        "to 25.9%. The segment verdict is clear.",
    ),
    (
        "nothing-but-chance",
        "Nobody: it is within chance. 600 users entered in February and 600 in March 2025, and "
        "conversion rose from 11.2% to 13.2% in the 14-day window. Stage counts: visit 600, "
        "signup 300, activate 194, purchase 67 before; visit 600, signup 306, activate 184, "
        "purchase 79 after. The worst stage is activate, whose rate fell from 64.7% to 60.1% "
        "(4.54 points less). The drop verdict is within chance, so no segment is to blame.",
    ),
]
WRONG = [
    ("10.5%", "11.5%"),
    ("| 306 |", "| 360 |"),
    ("51.0%", "61.0%"),
    ("rate fell from", "rate rose from"),
    ("verdict is clear", "verdict is within chance"),
    ("a reversal", "a rate drop"),
    ("-14.17", "-12.17"),
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
    assert (len(cases_of(package)), sum(isinstance(c, StepCase) for c in read.cases)) == (11, 2)
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
    case = cases_of(package)["campaign-months"]
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
    assert (ticks.count("✓"), "✗" in ticks) == (sum((11, 2)), False), ticks
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
