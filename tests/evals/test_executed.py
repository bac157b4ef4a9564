"""When an executed notebook may be believed."""

import copy
from typing import Any

import pytest

from skills2_nb.evals.executed import GOOD, MISUSED, REFUSED, SETUP, UNPROVEN, read, worst
from skills2_nb.views.render import AUDIT_MIMETYPE

DONE = {"status": "completed", "exception": False, "start_time": "2026-03-01T09:00:00"}
CASE = {"case": "march", "kind": "run", "ok": True}
TOLD = {"skill": "trial-skill", "runner": "chain", "verdict": "pass", "why": [], "cases": [CASE]}


def cell(source: str, count: int | None = 1, *outputs: Any, **papermill: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": source,
        "execution_count": count,
        "outputs": list(outputs),
        "metadata": {"papermill": {**DONE, **papermill}, "tags": []},
    }


def shown(**changes: Any) -> dict[str, Any]:
    return {"output_type": "execute_result", "data": {AUDIT_MIMETYPE: {**TOLD, **changes}}}


def raised(name: str, value: str, trace: str = "") -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": [trace]}


def notebook(*cells: dict[str, Any], exception: Any = None) -> dict[str, Any]:
    text = {"cell_type": "markdown", "source": "# Text", "metadata": {}}
    return {"cells": [text, *cells], "metadata": {"papermill": {"exception": exception}}}


GREEN = notebook(cell("a = 1"), cell(""), cell("audit()", 2, shown()))


def test_it_is_green_only_where_all_was_run_and_the_audit_says_pass():
    done = read(GREEN, runner="chain")
    assert (done.code, done.is_green, done.why) == (GOOD, True, ())
    assert done.evaluation == TOLD


@pytest.mark.parametrize(
    ("spoilt", "code", "said"),
    [
        (notebook(cell("audit()", 1, shown()), exception=True), REFUSED, "recorded an exception"),
        (notebook(cell("audit()", 1, shown(), exception=True)), REFUSED, "recorded an exception"),
        (notebook(cell("a", None), cell("b", 1, shown())), UNPROVEN, "cell 2 was not"),
        (notebook(cell("a", 1, status="pending"), cell("b", 1, shown())), UNPROVEN, "cell 2"),
        (notebook(cell("a", 1, status="failed"), cell("b", 1, shown())), UNPROVEN, "cell 2"),
        (notebook(cell("a", 1, shown()), cell("b", 2)), UNPROVEN, "shows no audit"),
        (notebook(), UNPROVEN, "shows no audit"),
        ({"cells": GREEN["cells"], "metadata": {}}, UNPROVEN, "not executed by papermill"),
    ],
)
def test_what_was_not_run_is_not_green(spoilt, code, said):
    done = read(spoilt)
    assert done.code == code
    assert said in done.why[0]
    assert done.evaluation is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cases": []}, "over no run case"),
        ({"cases": [{**CASE, "kind": "step"}]}, "over no run case"),
        ({"cases": [CASE, {**CASE, "case": "april", "ok": False}]}, "does not hold for april"),
        ({"why": ["the score is 0.20"]}, "gives reasons against it"),
        ({"verdict": "good"}, "its verdict is 'good'"),
        ({"runner": "null"}, "'chain' was asked for"),
    ],
)
def test_an_audit_that_does_not_hold_together_proves_nothing(changes, said):
    done = read(notebook(cell("audit()", 1, shown(**changes))), runner="chain")
    assert done.code == UNPROVEN
    assert said in done.why[0]


@pytest.mark.parametrize(("verdict", "code"), [("fail", REFUSED), ("unproven", UNPROVEN)])
def test_a_verdict_other_than_pass_is_taken_as_it_is(verdict, code):
    done = read(notebook(cell("audit()", 1, shown(verdict=verdict, why=["because"]))))
    assert (done.code, done.why) == (code, ("because",))
    assert done.evaluation is not None


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (raised("SystemExit", "0"), REFUSED, "which ended the notebook; 1 cell after"),
        (raised("SystemExit", ""), REFUSED, "called sys.exit(), which"),
        (raised("ZeroDivisionError", "division by zero"), REFUSED, "raised ZeroDivisionError: div"),
        (
            raised("CalledProcessError", "Command 'b'false'' returned non-zero exit status 1."),
            REFUSED,
            "the command false failed with exit code 1",
        ),
        (raised("UsageError", "there is no runner 'x'"), MISUSED, "there is no runner 'x'"),
        (raised("PackageError", "it does not import"), MISUSED, "it does not import"),
        (raised("JournalError", "cannot write"), SETUP, "cannot write"),
        (raised("OSError", "[Errno 28] No space left on device"), SETUP, "free some space"),
        (
            raised(
                "PackageError",
                "it does not import: no pandas",
                "\x1b[31mModuleNotFoundError\x1b[39m: No module named 'pandas'",
            ),
            SETUP,
            "it does not import: no pandas",
        ),
        (
            raised(
                "ModuleNotFoundError", "No x", "ModuleNotFoundError: No module named 'pandas.x'"
            ),
            SETUP,
            "the library 'pandas' is not installed",
        ),
    ],
)
def test_what_a_cell_raised_is_told_as_what_it_is(error, code, said):
    failed = cell("work()", 2, error, status="failed", exception=True)
    done = read(notebook(cell("a"), failed, cell("audit()", None, status="pending")))
    assert done.code == code
    assert said in done.why[0]
    assert done.missing == ("pandas" if "pandas" in str(error["traceback"]) else None)


def test_an_audit_that_says_pass_is_not_believed_where_a_cell_raised():
    spoilt = copy.deepcopy(GREEN)
    spoilt["cells"][1]["outputs"] = [raised("ValueError", "no")]
    done = read(spoilt)
    assert (done.code, done.evaluation) == (REFUSED, None)


def test_cells_are_counted_as_the_source_has_them():
    put_in = cell("# Parameters", 1)
    put_in["metadata"]["tags"] = ["injected-parameters"]
    mark = {
        "cell_type": "markdown",
        "source": "!",
        "metadata": {"tags": ["papermill-error-cell-tag"]},
    }
    made = notebook(cell("a"), put_in, mark, cell("b()", 3, raised("ValueError", "no")))
    assert read(made).why == ("cell 3 (`b()`) raised ValueError: no",)


def test_an_injected_cell_that_was_not_run_is_seen():
    put_in = cell("# Parameters", None)
    put_in["metadata"]["tags"] = ["injected-parameters"]
    assert "of the parameters" in read(notebook(put_in, cell("audit()", 1, shown()))).why[0]


@pytest.mark.parametrize(
    ("codes", "whole"),
    [
        ([0, 0], 0),
        ([0, 3], 3),
        ([3, 1, 0], 1),
        ([1, 2, 3], 2),
        ([2, 4, 1], 4),
        ([], 3),
    ],
)
def test_the_worst_counts(codes, whole):
    assert worst(codes) == whole
