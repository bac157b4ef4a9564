"""The package of growth-accounting: exported, run, audited; its notebook in a kernel."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.audit.auditor import Audit, audit, audit_journal
from skills2_nb.contract.errors import ContractError
from skills2_nb.contract.run import Run
from skills2_nb.convert.exporter import export
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.runners import chain
from skills2_nb.formats.cases import RunCase, StepCase
from skills2_nb.formats.package import read_package

pytest.importorskip("pandas", reason="growth accounting stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "growth-accounting.ipynb"
LOG = NOTEBOOK.parent / NOTEBOOK.stem / "assets" / "cdnow_sample.csv"
STEPS = [
    "define_active_user", "count_flows", "pick_decomposition_form",
    "compute_single_period_identity", "compute_quick_ratio", "classify_growth",
    "find_dominant_flow", "compute_rates", "compare_with_trend", "write_readout",
]  # fmt: skip
SMALL = "u,d\n01,2024-01-05\n02,2024-01-06\n01,2024-02-03\n02,2024-02-04\n03,2024-02-05\n"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(NOTEBOOK, tmp_path_factory.mktemp("skills")).folder


@pytest.fixture
def judge(package: Path) -> Callable[[RunCase], tuple[Audit, Run]]:
    """Run a case on the exported package, by its own calls or by the chain, and audit it."""
    basis = basis_of(package)

    def judged(case: RunCase) -> tuple[Audit, Run]:
        if not case.calls:
            outcome = chain(
                basis.skill, case.inputs, prompt=case.prompt, folders=(package,), body=basis.body
            )
            return audit_journal(basis, outcome.run.path), outcome.run
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


def run_cases(package: Path, *, expect_pass: bool) -> list[RunCase]:
    return [
        case
        for case in read_package(package).cases
        if isinstance(case, RunCase) and (case.expected_audit == "pass") is expect_pass
    ]


def test_the_export_has_no_error_and_all_twenty_cases(package):
    read = read_package(package)
    assert read.problems == ()
    assert len(read.cases) == 20
    assert sum("classic" in getattr(case, "tags", ()) for case in read.cases) == 12
    assert sum(isinstance(case, StepCase) for case in read.cases) == 4
    assert [step.id for step in read.manifest.steps] == STEPS
    assert all(step.invariants for step in read.manifest.steps)
    assert all(term in read.body for term in read.manifest.anchors)


def test_the_log_travels_unchanged(package):
    assert (package / "assets" / "cdnow_sample.csv").read_bytes() == LOG.read_bytes()


def test_the_log_is_the_shared_one(shared):
    assert (shared / "data" / "cdnow_sample.csv").read_bytes() == LOG.read_bytes()


def test_its_cases_are_honest_runs_and_failure_modes(package):
    """tests/test_tables.py plays each and holds it to what it expects."""
    assert len(run_cases(package, expect_pass=True)) == 12
    failing = run_cases(package, expect_pass=False)
    assert len(failing) == 4 and all(case.expect["findings"] for case in failing)


@pytest.mark.parametrize(
    ("grain", "period"),
    [("month", "1997-02"), ("quarter", "1997-Q2"), ("week", "1998-W27"), ("month", "2024-02")],
    ids=["nobody-dormant", "ratio-nought", "unfinished", "nobody-churned"],
)
def test_the_readout_of_an_odd_period_carries_all_and_nothing_else(grain, period, judge, write_log):
    columns = {"user_column": "customer_id", "date_column": "date"}
    path = LOG
    if period.startswith("2024"):
        columns, path = {"user_column": "u", "date_column": "d"}, write_log(SMALL)
    inputs = {"path": str(path), **columns, "grain": grain, "period": period}
    made, _ = judge(RunCase("odd", f"Why did actives move in {period}?", inputs))
    assert (made.classic.score, made.strict.score) == (1.0, 1.0)
    assert {value.status for value in made.values} <= {"reported", "traced", "prompt"}


def test_the_prose_alone_is_worth_its_anchor_terms_and_no_more(package):
    basis = basis_of(package)
    prose = audit(basis, None, answer=basis.body)
    assert (prose.classic.score, prose.classic.verdict) == (0.25, "fail")
    assert prose.strict.verdict == "fail"


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


def test_it_runs_top_to_bottom_in_a_fresh_kernel():
    ran = run_in_kernel(NOTEBOOK)
    ticks = {cell["id"]: printed(cell) for cell in ran if cell["id"].startswith("cases-")}
    assert sum(text.count("✓") for text in ticks.values()) == 20, ticks
    assert "✗" not in "".join(ticks.values())
    assert "1.00" in printed(ran[-1])


def run_in_kernel(path: Path) -> list[Any]:
    """The cells after a run with the notebook's folder as the working folder."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=60, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    return notebook.cells


def printed(cell: Any) -> str:
    """Everything a cell shows as text."""
    return "\n".join(
        output["text"] if output.output_type == "stream" else output["data"].get("text/plain", "")
        for output in cell.get("outputs", [])
        if output.output_type != "error"
    )
