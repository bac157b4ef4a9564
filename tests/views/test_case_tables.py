"""The cases of an evaluation as tables, and each by itself."""

import pytest

from skills2_nb.views import case_tables
from skills2_nb.views import evaluation as said
from skills2_nb.views.markup import join, tag
from tests.views.suites import BAD, HOSTILE, run, skill

SUMS = BAD["skills"][0]


def link(row):
    return tag("a", row.name, href=f"#{row.name}")


def test_a_row_a_case(read):
    tree = read(case_tables.cases(SUMS, said.rows(SUMS), link, "Cases"))
    rows = [[cell.text for cell in row.children] for row in tree.all("tbody")[0].all("tr")]
    assert rows[0] == [
        "add-1add(values=[1, 2])",
        "✗ does not holdadd gave 4, not 3",
        "–",
        "–",
        "0.00 s",
    ]
    assert rows[1][1] == "✓ holds? shows nothing"
    assert rows[3][2:4] == ["fail, expected pass", "0.41"]


def test_no_case_is_said(read):
    assert read(case_tables.cases(SUMS, (), link, "Cases")).text == "Cases: none."


def test_a_case_in_full(read):
    *_, row = said.rows(SUMS)
    tree = read(join(case_tables.detail(SUMS, row, "out/runs/")))
    assert [node.text for node in tree.all("caption")] == [
        "The first 6 of 9 findings",
        "3 more findings",
        "Scores",
        "Steps in time: 2 calls, 2.0 ms in all",
    ]
    assert [node.text for node in tree.all("li")] == row.case["wrong"]
    assert tree.text.endswith("journal out/runs/2026-01-02/20260102-030405-0123abcd.jsonl")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (0, "step case, runner chain, 0.00 s, no journal"),
        (
            1,
            "run case, runner chain, 1.50 s, tags classic, journal of run 20260102-030405-0123abcd",
        ),
    ],
)
def test_facts(kind, told):
    assert case_tables.facts(SUMS, SUMS["cases"][kind]) == told


def test_what_holds_by_itself_is_said_to_show_nothing(read):
    row = said.rows(SUMS)[1]
    text = read(join(case_tables.detail(SUMS, row))).text
    assert "✓ The case holds." in text
    assert "without a single step being called" in text


def test_few_findings_are_not_folded(read):
    found = {"code": "A", "axis": "coverage", "step": "add", "message": "m", "mend": ""}
    each = skill("s", [run("x", findings=[found])])
    tree = read(join(case_tables.detail(each, said.rows(each)[0])))
    assert not tree.all("details")
    assert "Mend" not in tree.text


def test_hostile_text_is_text(read):
    each = HOSTILE["skills"][0]
    told = join(case_tables.detail(each, said.rows(each)[0], "runs"))
    assert not {"script", "img"} & {node.name for node in read(told).all()}
