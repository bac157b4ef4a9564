"""The skill-author notebook: its cases hold, its checks can fail, its second look is the kit's."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from skills2_nb.audit.auditor import audit
from skills2_nb.contract.invariants import check
from skills2_nb.contract.skill import Skill
from skills2_nb.convert.exporter import export
from skills2_nb.convert.plan import plan_path
from skills2_nb.evals.play import Stage, play
from skills2_nb.evals.proof import basis_of
from skills2_nb.formats.cases import RunCase
from skills2_nb.formats.package import read_package

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NOTEBOOK = NOTEBOOKS / "skill-author.ipynb"
ASSETS = NOTEBOOKS / "skill-author" / "assets"
SCRIPT = NOTEBOOKS / "skill-author" / "scripts" / "make_notebook.py"
GOOD = ASSETS / "stock-count.ipynb"
STEPS = [
    "read_notebook", "lint_notebook", "plan_package", "export_package",
    "check_contract", "score_case", "find_next_mend", "write_readout",
]  # fmt: skip
CASES = [
    "clean-notebook", "scratch-cell", "tautology", "omitted-figure", "stubs", "one-case",
    "no-such-notebook", "no-such-case", "out-of-order", "error-talked-away", "retyped-count",
    "nowhere",
]  # fmt: skip


def cells() -> list[dict[str, Any]]:
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


@pytest.fixture(scope="module")
def author() -> ModuleType:
    """The steps as a kernel would hold them, without the cases."""
    module = ModuleType("skill_author_under_test")
    for cell in cells():
        if {"setup", "helper", "step"} & set(cell["metadata"].get("tags", [])):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), module.__dict__)
    return module


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    folder = export(NOTEBOOK, tmp_path_factory.mktemp("skills")).folder
    return Stage(basis_of(folder), (folder,))


# --- the package and its cases ----------------------------------------------------------------


def test_the_export_has_no_problem_and_all_its_parts(stage):
    folder = stage.folders[0]
    read = read_package(folder)
    assert read.problems == ()
    assert [step.id for step in read.manifest.steps] == STEPS
    assert [case.id for case in read.cases] == CASES
    assert all(step.invariants for step in read.manifest.steps)
    assert all(term in read.body for term in read.manifest.anchors)
    assert read.body.count("\n") < 500
    assert (folder / "scripts" / "make_notebook.py").read_bytes() == SCRIPT.read_bytes()


@pytest.mark.parametrize("name", CASES)
def test_a_case_holds_and_an_honest_one_scores_full_marks(name, stage):
    case = next(case for case in stage.basis.cases if case.id == name)
    (result,) = play(stage, case)
    assert result.wrong == ()
    if isinstance(case, RunCase) and case.expected_audit == "pass":
        made = result.audit
        assert made is not None
        assert (made.classic.score, made.strict.score) == (1.0, 1.0)
        assert {item.code for item in made.strict.findings} <= {"EFFECTS_DECLARED"}
        wrong = [v.text for v in made.values if v.status in ("unsupported", "contradicted")]
        assert wrong == []


def test_the_prose_alone_is_worth_its_anchor_terms_and_no_more(stage):
    prose = audit(stage.basis, None, answer=stage.basis.body)
    assert (prose.classic.score, prose.strict.verdict) == (0.25, "fail")


# --- every check can fail ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(author: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Each step of a run on the clean notebook: spec, arguments and output."""
    pool: dict[str, Any] = {"path": str(GOOD), "case_id": "", "out": ""}
    whole: dict[str, Any] = {}
    made: dict[str, Any] = {}
    names = dict(zip(["read", "lint", "package", "exported", "contract", "score", "mend"], STEPS,
                     strict=False))  # fmt: skip
    for spec in Skill.collect(vars(author), "skill-author").steps:
        wanted = spec.fn.__annotations__
        if spec.id == "write_readout":
            args = {name: whole[id_] for name, id_ in names.items()}
        else:
            args = {name: pool[name] for name in wanted if name != "return"}
        output = spec.fn(**args)
        whole[spec.id] = output
        pool |= dict(output)
        made[spec.id] = (spec, args, output)
    return made


WRONG = [
    ("read_notebook", "cells_recounted", {"step_cells": 4}),
    ("read_notebook", "name_is_the_files", {"notebook": "stock.ipynb"}),
    ("read_notebook", "is_the_file_that_was_read", {"notebook_digest": "0" * 64}),
    ("lint_notebook", "levels_add_up", {"errors": 1}),
    ("lint_notebook", "codes_and_places_are_real", {"fixable": 1}),
    ("plan_package", "listing_adds_up", {"planned_bytes": 1}),
    ("plan_package", "digest_covers_listing", {"content_digest": "0" * 64}),
    ("plan_package", "skill_is_named_in_the_notebook", {"skill": "stock"}),
    ("export_package", "exported_is_planned_and_the_lock", {"exported_files": 9}),
    ("export_package", "lies_where_it_was_asked", {"written_to": "skills"}),
    ("check_contract", "steps_recounted", {"functions": 2}),
    ("check_contract", "checks_recounted", {"invariant_count": 4}),
    ("check_contract", "cases_recounted", {"honest_cases": 3, "failure_cases": 0}),
    ("score_case", "scores_are_weighted_axes", {"strict_score": 0.99}),
    ("score_case", "verdicts_follow", {"strict_verdict": "fail"}),
    ("score_case", "findings_bear_the_verdict", {"case_holds": False}),
    ("score_case", "case_is_in_the_notebook", {"scored_case": "june"}),
    ("find_next_mend", "mend_is_the_first_due", {"next_mend": "warning"}),
    ("find_next_mend", "text_comes_from_its_source", {"mend_text": "All is well."}),
    ("write_readout", "readout_carries_counts", {"readout": "errors: 0, warnings: 0."}),
]


@pytest.mark.parametrize(("step", "invariant", "wrong"), WRONG)
def test_a_wrong_output_is_caught(step, invariant, wrong, recorded):
    spec, args, output = recorded[step]
    assert [each.name for each in check(spec.invariants, args, output) if not each.ok] == []
    caught = check(spec.invariants, args, output.model_copy(update=wrong))
    assert invariant in {each.name for each in caught if not each.ok}


@pytest.mark.parametrize(
    ("old", "new", "invariant"),
    [
        ("invariants: 3", "invariants: 30", "readout_carries_contract"),
        ("strict score of 1.00", "strict score of 1.01", "readout_carries_score"),
        ("next mend is the export", "next mend is a warning", "readout_ends_with_mend"),
        ("Lint finds", "In 7 days lint finds", "readout_adds_no_figure"),
        ("errors: 0", "errors: 1", "readout_carries_counts"),
    ],
)
def test_a_readout_with_another_figure_is_caught(old, new, invariant, recorded):
    spec, args, output = recorded["write_readout"]
    assert old in output.readout
    wrong = output.model_copy(update={"readout": output.readout.replace(old, new)})
    assert invariant in {e.name for e in check(spec.invariants, args, wrong) if not e.ok}


def test_errors_talked_away_are_caught(author):
    found = [author.Found(code="C408", level="error", cell=1, line=1, message="m", mend="n")]
    with pytest.raises(Exception, match="lint_books_agree"):
        author.find_next_mend("n.ipynb", found, 0, 0, 1)


# --- what the steps find ----------------------------------------------------------------------

ROW = {"step": "s", "invariants": 1, "report_fields": 1, "typed": True, "stub": False}
FINDING = {"code": "OMITTED", "step": None, "message": "m", "mend": "Say 105.", "vetoes": True}
WARNING = {"code": "S524", "level": "warning", "cell": 2, "line": 1, "message": "m", "mend": "n"}


@pytest.mark.parametrize(
    ("rows", "honest", "findings", "complaints", "found", "kind"),
    [
        ([], 0, [], [], [], "step"),
        ([{**ROW, "stub": True, "typed": False}], 0, [], [], [], "stub"),
        ([{**ROW, "typed": False, "invariants": 0}], 0, [], [], [], "type"),
        ([{**ROW, "invariants": 0, "report_fields": 0}], 0, [], [], [], "invariant"),
        ([{**ROW, "report_fields": 0}], 0, [], [], [], "report"),
        ([ROW], 0, [], [], [WARNING], "case"),
        ([ROW], 1, [FINDING], ["x"], [WARNING], "finding"),
        ([ROW], 1, [], ["x"], [WARNING], "hold"),
        ([ROW], 1, [], [], [WARNING], "warning"),
        ([ROW], 1, [], [], [], "export"),
        ([ROW], 1, [FINDING], [], [{**WARNING, "code": "C408", "level": "error"}], "error"),
    ],
)
def test_the_next_mend_is_the_first_that_is_due(
    rows, honest, findings, complaints, found, kind, author
):
    levels = [each["level"] for each in found]
    made = author.find_next_mend(
        "n.ipynb",
        [author.Found(**each) for each in found],
        levels.count("error"),
        levels.count("warning"),
        levels.count("error"),
        [author.StepContract(**each) for each in rows],
        honest,
        [author.ScoreFinding(**each) for each in findings],
        complaints,
    )
    assert made.next_mend == kind
    assert made.mend_figures == ([105.0] if kind == "finding" else made.mend_figures)


CELLS = [
    ("code", ["step"], "x = 1"),
    ("code", [" step "], "x = 1"),
    ("code", ["Step", "parameters"], "x = 1"),
    ("code", ["step", "setup"], "x = 1"),
    ("code", [], "\n# skills2: step\nx = 1"),
    ("code", [], "#  SKILLS2 : helper  \nx = 1"),
    ("code", [], "# skills2: nothing\nx = 1"),
    ("code", [], "# skills2: stub\nx = 1"),
    ("code", ["manifest"], "x = 1"),
    ("code", ["reference:"], "x = 1"),
    ("code", ["step:x"], "x = 1"),
    ("raw", ["cases"], '{"prompt": "p"}'),
    ("raw", [], "text"),
    ("markdown", [], "# Title"),
    ("markdown", ["step"], "# Title"),
    ("markdown", ["skip"], "# Title"),
    ("markdown", [], "<!-- skills2: reference:a.md -->\n# A"),
    ("markdown", [], "# skills2: how it works\ntext"),
    ("markdown", ["prose"], "<!-- skills2: skip -->\ntext"),
]


@pytest.fixture
def notebook_of(tmp_path: Path) -> Callable[[list[tuple[str, list[str], str]]], Path]:
    def made(listed: list[tuple[str, list[str], str]]) -> Path:
        raw = [
            {"cell_type": kind, "id": f"c{n}", "metadata": {"tags": tags}, "source": text}
            | ({"outputs": [], "execution_count": None} if kind == "code" else {})
            for n, (kind, tags, text) in enumerate(listed)
        ]
        path = tmp_path / "odd.ipynb"
        path.write_text(
            json.dumps({"cells": raw, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        )
        return path

    return made


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("first", [True, False])
def test_the_second_look_gives_a_cell_the_role_that_the_kit_gives_it(
    cell, first, notebook_of, author
):
    path = notebook_of([cell] if first else [("raw", [], "---\nname: a\n---"), cell])
    kit = plan_path(path).assignments[-1].role.word
    (_, mine, _) = author.look(str(path))[-1]
    assert ("setup" if mine in ("model", "invariant", "helper") else mine) == kit


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.stem)
def test_the_skills_of_this_repository_pass_its_eyes(path, author):
    read = author.read_notebook(str(path))
    lint = author.lint_notebook(str(path), read.notebook_digest)
    contract = author.check_contract(str(path), read.notebook_digest)
    assert (lint.errors, contract.stubs) == (0, 0)
    assert contract.functions == read.step_cells > 0
    assert min(contract.honest_cases, contract.failure_cases) >= 3


def test_a_notebook_saved_meanwhile_is_refused(author, tmp_path):
    path = tmp_path / GOOD.name
    shutil.copy(GOOD, path)
    digest = author.read_notebook(str(path)).notebook_digest
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="call read_notebook again"):
        author.lint_notebook(str(path), digest)


def test_export_writes_where_it_is_asked(author, tmp_path):
    digest = author.read_notebook(str(GOOD)).notebook_digest
    files = author.plan_package(str(GOOD), digest).files
    made = author.export_package(str(GOOD), digest, files, out=str(tmp_path))
    assert made.exported_files == len(files) + 2
    assert (tmp_path / "stock-count" / "SKILL.md").is_file()
    assert export(GOOD, tmp_path, check=True).is_current


def test_scoring_twice_gives_the_same_and_leaves_no_run_behind(author, home):
    digest = author.read_notebook(str(GOOD)).notebook_digest
    assert author.score_case(str(GOOD), digest) == author.score_case(str(GOOD), digest, "march")
    assert not (home / "runs").exists()


# --- the notebook as a reader opens it --------------------------------------------------------


def test_it_has_no_outputs_and_runs_top_to_bottom_in_a_fresh_kernel(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    code = [cell for cell in cells() if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    shutil.copy(NOTEBOOK, tmp_path)
    shutil.copytree(NOTEBOOK.with_suffix(""), tmp_path / NOTEBOOK.stem)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=100, resources=place).execute()
    told = "\n".join(
        output.get("text") or output["data"].get("text/plain", "")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )
    assert (told.count("✓ '") + told.count("✓ read_notebook("), "✗" in told) == (12, False), told
