"""The package of metric-anomaly: cases, answers, and its notebook in a kernel."""

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

pytest.importorskip("pandas", reason="metric anomaly stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "metric-anomaly.ipynb"


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
    assert sum(isinstance(case, StepCase) for case in read.cases) == 3
    assert len(read.manifest.steps) == 8
    assert all(step.invariants for step in read.manifest.steps)
    assert all(term in read.body for term in read.manifest.anchors)


def test_its_cases_are_honest_runs_and_failure_modes(package):
    """tests/test_tables.py plays each and holds it to what it expects."""
    cases = cases_of(package).values()
    assert sum(case.expected_audit == "pass" for case in cases) == 5
    failing = [case for case in cases if case.expected_audit == "fail"]
    assert len(failing) == 6 and all(case.expect["findings"] for case in failing)


OUTAGE = (
    "Yes, it is real: the verdict is anomaly. On 22 April 2025 the actual was 944 orders where "
    "1,176.5 were expected (the median of the same weekday over eight weeks), a deviation of "
    "-232.5. With a spread of 14.35 that is a robust z of -16.2, far beyond the sensitivity of "
    "3.5. Earlier anomalies: 1 in 54 tested days. Shape: one-off. The top segment was app; its "
    "contribution is -255.5."
)
USUAL = (
    "No, the verdict is normal. The actual of 1,229 is 33 above the expected 1,196, the median of "
    "the same weekday, so the deviation is 33. With a spread of about 15 the robust z is 2.2, "
    "under the sensitivity of 3.5. Earlier anomalies: 2 among 54 tested days."
)


@pytest.mark.parametrize(
    ("case", "answer"), [("outage-in-one-segment", OUTAGE), ("normal-day", USUAL)]
)
def test_an_honest_answer_in_other_words_holds(case, answer, package, judge):
    made, _ = judge(cases_of(package)[case], answer)
    assert (made.strict.score, made.strict.findings) == (1.0, ())


@pytest.mark.parametrize(
    ("case", "answer", "old", "new"),
    [
        ("outage-in-one-segment", OUTAGE, "944 orders", "994 orders"),
        ("outage-in-one-segment", OUTAGE, "-232.5", "-223.5"),
        ("outage-in-one-segment", OUTAGE, "z of -16.2", "z of -6.2"),
        ("outage-in-one-segment", OUTAGE, "one-off", "level shift"),
        ("outage-in-one-segment", OUTAGE, "segment was app", "segment was web"),
        ("outage-in-one-segment", OUTAGE, "-255.5", "-25.55"),
        ("normal-day", USUAL, "is normal", "is anomaly"),
        ("normal-day", USUAL, "expected 1,196", "expected 1,169"),
        ("normal-day", USUAL, "anomalies: 2", "anomalies: 9"),
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
    assert (ticks.count("✓"), ticks.count("✗")) == (14, 0), ticks
    assert "strict PASS 1.00" in shown["scratch-run"]


def told(cell: Any) -> str:
    """Everything a cell shows as text."""
    return "\n".join(
        output["text"] if output.output_type == "stream" else output["data"].get("text/plain", "")
        for output in cell.outputs
    )
