"""The long form as *Skills 2.0* has it: pasted, exported, run and audited."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skills2_nb.contract import chain, journal
from skills2_nb.contract.run import Run
from skills2_nb.contract.state import fold
from skills2_nb.convert.exporter import export
from skills2_nb.errors import (
    ContractError,
    InputError,
    InvariantError,
    OrderError,
    RunEndedError,
    UnknownRunError,
)
from skills2_nb.evals.proof import Proof, basis_of, judge, prove
from skills2_nb.library.discovery import find

FRONT = """---
name: long-form
description: "Checks that the books of a period close. Use it when flows of active users are given."
---"""
PROSE = """# Growth books

The **identity** of the period: previous, new, resurrected and churned users give the current
ones, by the **decomposition form** that fits."""
SETUP = "from pydantic import BaseModel\n\nfrom skills2_nb import step"
MODELS = """class Form(BaseModel):
    form: str


class IdentityCheck(BaseModel):
    implied: int
    residual: int
    identity_closes: bool"""
PICK = """def form_is_known(form):
    return form in ("rates", "counts")


@step(order=3, invariants=["runtime.validators:form_is_known"], output_schema=Form)
def pick_decomposition_form(prev_mau):
    return Form(form="rates" if prev_mau >= 30 else "counts")"""
IDENTITY = """def identity_closes(prev_mau, new, resurrected, churned, current_mau):
    return abs(prev_mau + new + resurrected - churned - current_mau) <= 1.0

@step(order=4, requires=["pick_decomposition_form"], invariants=["runtime.validators:identity_closes"], output_schema=IdentityCheck)
def compute_single_period_identity(prev_mau, new, resurrected, churned, current_mau):
    implied = prev_mau + new + resurrected - churned
    residual = current_mau - implied
    return IdentityCheck(implied=implied, residual=residual, identity_closes=abs(residual) <= 1.0)"""  # noqa: E501 - as it is pasted
FLOWS = {"prev_mau": 157, "new": 0, "resurrected": 156, "churned": 102, "current_mau": 211}
ANSWER = "The identity closes: implied 211. The decomposition form is rates."


@pytest.fixture
def package(make_notebook: Callable[..., Path], tmp_path: Path) -> Path:
    cells = [
        ("front", FRONT),
        ("prose", PROSE),
        ("manifest", '[anchors]\nterms = ["identity", "decomposition form"]'),
        ("setup", SETUP),
        ("model", MODELS, "code"),
        ("step", PICK),
        ("step", IDENTITY),
    ]
    return export(make_notebook(cells, "notebooks/long-form.ipynb"), tmp_path / "skills").folder


def test_it_exports_runs_and_is_audited(package: Path) -> None:
    proof = prove(find(str(package)), FLOWS, answer=ANSWER)
    assert proof.error is None
    assert proof.outputs["compute_single_period_identity"] == {
        "implied": 211,
        "residual": 0,
        "identity_closes": True,
    }
    assert (proof.audit.classic.score, proof.audit.classic.verdict) == (1.0, "pass")
    assert [view.order for view in proof.audit.steps] == [1, 2]


def test_the_addresses_of_the_source_hold(package: Path) -> None:
    text = (package / "skill.toml").read_text()
    for address in (
        'fn = "runtime.steps:compute_single_period_identity"',
        '"runtime.validators:identity_closes"',
        'output = "runtime.models:IdentityCheck"',
    ):
        assert address in text


Break = Callable[[Run], object]
BREAKS: list[tuple[Break, type[ContractError], str]] = [
    (lambda r: r.call("compute_single_period_identity"), OrderError, "ORDER_REJECTED"),
    (lambda r: r.call("pick_decomposition_form", {"prev": 1}), InputError, "INPUT_REJECTED"),
]


@pytest.mark.parametrize(("act", "error", "code"), BREAKS)
def test_a_refused_call_is_typed_journalled_and_named_with_a_mend(
    package: Path, act: Break, error: type[ContractError], code: str
) -> None:
    proof = attempt(package, act, error)
    found = next(f for f in proof.audit.classic.findings if f.code == code)
    assert found.step
    assert len(found.mend) > 20


def test_books_that_do_not_close_are_typed_journalled_and_named(package: Path) -> None:
    def act(run: Run) -> None:
        run.call("pick_decomposition_form")
        run.call("compute_single_period_identity", {"churned": 120})

    proof = attempt(package, act, InvariantError)
    assert proof.audit.classic.verdict == "fail"
    found = next(f for f in proof.audit.classic.findings if f.code == "INVARIANT_FAILED")
    assert found.step == "compute_single_period_identity"
    assert "identity_closes" in found.mend


def test_a_call_after_the_end_is_typed_journalled_and_named(package: Path) -> None:
    def act(run: Run) -> None:
        run.end(answer=ANSWER)
        run.call("pick_decomposition_form")

    proof = attempt(package, act, RunEndedError)
    assert "CALL_AFTER_END" in {f.code for f in proof.audit.classic.findings}


def test_an_unknown_run_is_typed(package: Path) -> None:
    with pytest.raises(UnknownRunError, match="there is no run"):
        Run.resume(basis_of(package).skill, "20200101-000000-00000000")


def attempt(package: Path, act: Break, error: type[ContractError]) -> Proof:
    """Make a call that has to be refused, and judge the run by its journal."""
    basis = basis_of(package)
    run = Run.start(basis.skill, FLOWS)
    with pytest.raises(error):
        act(run)
    if run.state.is_open:
        run.end(answer=ANSWER)
    recorded = fold(journal.read(run.path))
    refused = [call for call in recorded.calls if call.status != "ok"]
    assert refused and refused[-1].error is not None
    assert chain.verify(run.path) == []
    return judge(basis, run.id)
