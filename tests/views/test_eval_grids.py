"""The tables of an evaluation as plain words."""

import pytest

from skills2_nb.views import eval_grids as grids
from skills2_nb.views import evaluation as said
from skills2_nb.views.comparing import against
from tests.views.suites import BAD, GOOD, HOSTILE

SUMS, STEPS = BAD["skills"]


def every(each):
    yield grids.overview([each])
    yield grids.axes(each)
    yield grids.cases(each, said.rows(each))
    yield grids.distribution(each)
    yield from (grids.timeline(case) for case in each["cases"])
    done = against(each, GOOD)
    if done is not None:
        yield grids.compared(done)


@pytest.mark.parametrize("each", [SUMS, STEPS, GOOD["skills"][0], HOSTILE["skills"][0]])
def test_every_line_has_a_cell_a_head(each):
    for grid in every(each):
        assert grid.caption
        assert {len(line.cells) for line in grid.lines} <= {len(grid.heads)}


def test_overview():
    cells = [line.cells for line in grids.overview(BAD["skills"]).lines]
    assert cells == [
        ("sums", "✗ fail", "2 of 4 hold", "0.91", "0.93"),
        ("steps-only", "? unproven", "1 of 1 holds", "–", "–"),
    ]


def test_faults_end_with_the_journal_and_are_one_line_each():
    *_, row = said.rows(HOSTILE["skills"][0])
    told = grids.faults(HOSTILE["skills"][0], row, "runs")
    assert told[-1].startswith("Journal: runs/2026-01-02/")
    assert all(len(text.splitlines()) == 1 for text in told)


@pytest.mark.parametrize(
    ("message", "step", "mend", "told"),
    [
        ("it is gone", None, "", "CODE: it is gone."),
        ("it is gone.", "add", "Add it.", "CODE (add): it is gone. Mend: Add it."),
        ("add is gone", "add", "Add it.", "CODE: add is gone. Mend: Add it."),
    ],
)
def test_a_finding_in_one_line(message, step, mend, told):
    found = {"code": "CODE", "message": message, "step": step, "mend": mend}
    assert grids.finding(found) == told
