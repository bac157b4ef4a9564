"""An evaluation as Markdown."""

import re

import pytest

from skills2_nb.views import eval_markdown
from tests.views.suites import ALL, BAD, GOOD


@pytest.mark.parametrize("results", ALL.values(), ids=ALL)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(results):
    text = eval_markdown.report(results, GOOD, "runs")
    for block in text.split("\n\n"):
        lines = [re.sub(r"\\.", "", line) for line in block.splitlines()]
        if lines and lines[0].startswith("| "):
            assert len({line.count("|") for line in lines}) == 1, block


def test_the_order_is_that_of_a_report():
    text = eval_markdown.report(BAD, GOOD, "runs")
    heads = re.findall(r"^(?:#+ |\*\*)(.*?)\**$", text, re.MULTILINE)
    assert heads == [
        "Evaluation: ✗ fail",
        "Skills",
        "sums: ✗ fail 0.61",
        r"Median of each axis over the cases that expect pass (strict)",
        "Cases",
        "✗ add-1",
        "✗ quarter",
        "Beside the baseline",
        "steps-only: ? unproven –",
        r"Median of each axis over the cases that expect pass (strict)",
        "Cases",
        "Versions",
    ]


def test_what_is_wrong_stands_in_the_row_of_the_case():
    told = "the verdict is fail, not pass; the answer lacks 4.2 |"
    assert f"| quarter | ✗ does not hold | fail, expected pass | 0.41 | 1.50 s | {told}" in (
        eval_markdown.report(BAD)
    )


def test_one_skill_has_no_heading_of_a_suite():
    assert eval_markdown.report(GOOD["skills"][0]).startswith("### sums: ✓ pass 0.91\n")
