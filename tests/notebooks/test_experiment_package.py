"""The package of experiment-readout: cases, answers, and its notebook in a kernel."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.audit.auditor import Audit, audit_journal
from skills2_nb.contract.errors import ContractError
from skills2_nb.contract.run import Run
from skills2_nb.convert.exporter import export
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.runners import chain
from skills2_nb.formats.cases import RunCase, StepCase
from skills2_nb.formats.package import read_package

pytest.importorskip("pandas", reason="experiment readout stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "experiment-readout.ipynb"


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


def test_the_export_has_no_problem_and_enough_cases(package):
    read = read_package(package)
    assert read.problems == ()
    assert len(cases_of(package)) == 11
    assert sum(isinstance(case, StepCase) for case in read.cases) == 6
    assert len(read.manifest.steps) == 10
    assert all(step.invariants for step in read.manifest.steps)
    assert all(term in read.body for term in read.manifest.anchors)


def test_its_cases_are_honest_runs_and_failure_modes(package):
    """tests/test_tables.py plays each and holds it to what it expects."""
    cases = cases_of(package).values()
    assert sum(case.expected_audit == "pass" for case in cases) == 5
    failing = [case for case in cases if case.expected_audit == "fail"]
    assert len(failing) == 6 and all(case.expect["findings"] for case in failing)


WIN = (
    "Ship it. Our hypothesis was a gain over control of at least 1 percentage point for treatment, "
    "the practical threshold. The planned split was 50/50 and the split check passed: 4,473 people "
    "in control, 4,527 in treatment, crossover users 0, chi-square 0.32, p-value 0.57, so no "
    "sample ratio mismatch. Control rate 7.9%, treatment rate 11.2%. The difference is 3.3 pp, "
    "with a 95% interval from 2.07 to 4.50 pp. Finding: superior. Decision: ship. Power check: "
    "short; the minimum detectable effect was 1.6 percentage points, users needed: 22,881."
)
BROKEN = (
    "Nobody can tell. The hypothesis was a gain over control by the practical threshold of 0.5 "
    "percentage points, but the split check failed: with a planned split of 50% treatment has "
    "3,998 users and control 4,460 (chi-square 25.24, p-value 0.000000507, crossover users: 0), a "
    "sample ratio mismatch with 462 missing users. So no difference, no interval, no decision."
)


@pytest.mark.parametrize(("case", "answer"), [("clear-win", WIN), ("broken-split", BROKEN)])
def test_an_honest_answer_in_other_words_holds(case, answer, package, judge):
    made, _ = judge(cases_of(package)[case], answer)
    assert (made.strict.score, made.strict.findings) == (1.0, ())


@pytest.mark.parametrize(
    ("case", "answer", "old", "new"),
    [
        ("clear-win", WIN, "3.3 pp", "3.8 pp"),
        ("clear-win", WIN, "2.07 to", "2.70 to"),
        ("clear-win", WIN, "11.2%", "12.1%"),
        ("clear-win", WIN, "Decision: ship", "Decision: extend"),
        ("clear-win", WIN, "4,527 in treatment", "4,257 in treatment"),
        ("broken-split", BROKEN, "462 missing", "62 missing"),
        ("broken-split", BROKEN, "check failed", "check passed"),
        ("broken-split", BROKEN, "25.24", "2.52"),
    ],
)
def test_an_answer_with_a_wrong_figure_fails(case, answer, old, new, package, judge):
    assert old in answer
    made, _ = judge(cases_of(package)[case], answer.replace(old, new))
    assert made.strict.verdict == "fail"
    assert {"CONTRADICTED", "OMITTED"} & {item.code for item in made.strict.findings}


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


@pytest.mark.timeout(300)  # each of its eleven runs is audited, in processes of their own
def test_it_runs_top_to_bottom_in_a_fresh_kernel():
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=folder).execute()
    shown = {cell.id: told(cell) for cell in notebook.cells if cell.cell_type == "code"}
    ticks = "".join(text for name, text in shown.items() if name.startswith("cases-"))
    assert (ticks.count("✓"), ticks.count("✗")) == (17, 0), ticks
    assert "strict PASS 1.00" in shown["scratch-run"]


def told(cell: Any) -> str:
    """Everything a cell shows as text."""
    return "\n".join(
        output["text"] if output.output_type == "stream" else output["data"].get("text/plain", "")
        for output in cell.outputs
    )
