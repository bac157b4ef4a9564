"""The report as one page: the same rules as for the page of a run."""

import re
from itertools import pairwise

import pytest

from skills2_nb.views import eval_page, eval_text
from tests.views.conftest import EVIL
from tests.views.suites import ALL, BAD, GOOD, HOSTILE


@pytest.fixture(params=ALL, ids=str)
def text(request):
    return eval_page.page(ALL[request.param], GOOD, "runs")


@pytest.fixture
def tree(text, read):
    return read(text.removeprefix("<!DOCTYPE html>\n"))


def by_id(tree, id_):
    (node,) = [node for node in tree.all() if node.attributes.get("id") == id_]
    return node


def test_one_whole_page_that_fetches_nothing(text, tree):
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert not {"script", "link", "img", "iframe", "object"} & {node.name for node in tree.all()}
    for node in tree.all():
        assert "src" not in node.attributes
        assert not any(key.startswith("on") for key in node.attributes)
    assert "http" not in text
    assert "url(" not in text
    assert not set(text) & set("\x1b\u202e\x00")


def test_every_link_leads_somewhere(tree):
    there = [node.attributes["id"] for node in tree.all() if node.attributes.get("id")]
    assert len(there) == len(set(there))
    for node in tree.all("a"):
        assert node.attributes["href"].removeprefix("#") in there


def test_headings_and_tables_can_be_read_aloud(tree):
    levels = [int(node.name[1]) for node in tree.all() if re.fullmatch("h[1-6]", node.name)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for table in tree.all("table"):
        assert table.all("caption")[0].text.strip()
        assert all(head.attributes.get("scope") in ("row", "col") for head in table.all("th"))


def test_it_reads_as_a_report(read):
    tree = read(eval_page.page(BAD, GOOD, "runs").removeprefix("<!DOCTYPE html>\n"))
    heads = [node.text for node in tree.all() if re.fullmatch("h[1-6]", node.name)]
    assert heads == [
        "Evaluation ✗ fail",
        "Verdict",
        "sums ✗ fail",
        "Cases",
        "2 cases that do not hold",
        "Baseline",
        "Scores",
        "2 cases that hold",
        "steps-only ? unproven",
        "Cases",
        "Scores",
        "1 case that holds",
        "Versions",
    ]
    sums = by_id(tree, "skill-1").text
    assert "the score is 0.61, below 0.80" in sums
    assert "holds without a single step being called, and so shows nothing: month" in sums
    assert "Worse than in the baseline" in sums
    assert "No versions to compare with: it has no prose" in by_id(tree, "skill-2").text
    assert "0.40 x 0.7 = 0.53" in by_id(tree, "versions").text


def test_a_failure_has_its_finding_its_mend_and_its_journal(read):
    tree = read(eval_page.page(BAD, None, "runs").removeprefix("<!DOCTYPE html>\n"))
    case = by_id(tree, "skill-1-case-4").text
    for told in (
        "the answer lacks 4.2",
        "CONTRADICTED",
        "the run as a whole",
        "Mend: Say 4.",
        "The first 6 of 9 findings",
        "Mend: Call step 7.",
        "runs/2026-01-02/20260102-030405-0123abcd.jsonl",
        "✗ failed, 2 calls",
    ):
        assert told in case
    opened = [node for node in tree.all("details") if "open" in node.attributes]
    assert [node.all("strong")[0].text for node in opened] == ["add-1", "quarter"]


def test_hostile_text_is_text(read):
    text = eval_page.page(HOSTILE)
    assert "<script" not in text and "onerror" not in re.sub(r"&lt;img onerror", "", text)
    shown = EVIL.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")
    assert shown in read(text.removeprefix("<!DOCTYPE html>\n")).text


def test_same_values_same_bytes():
    assert eval_page.page(BAD, GOOD) == eval_page.page(BAD, GOOD)
    assert '<html lang="de">' in eval_page.page(GOOD, language="de")
    assert eval_page.page(GOOD["skills"][0]).count("<h2") == 3


def test_page_and_text_have_the_same_figures(read):
    page = read(eval_page.page(BAD, GOOD).removeprefix("<!DOCTYPE html>\n")).text
    text = eval_text.report(BAD, GOOD)
    figures = set(re.findall(r"\b\d\.\d\d\b", text))
    assert {"0.61", "0.62", "0.63", "0.97", "0.41"} <= figures
    assert figures <= set(re.findall(r"\d\.\d\d", page))
