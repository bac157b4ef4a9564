import dataclasses
import re
from itertools import pairwise

import pytest

from skills2_nb.audit.anchoring import ValueMatch
from skills2_nb.views.page import page


def page_of(run, cells, **options):
    return page(run.audit, run.skill, run.state, journal="runs/x.jsonl", cells=cells, **options)


def ids(tree):
    return [node.attributes["id"] for node in tree.all() if node.attributes.get("id")]


def by_id(tree, id_):
    (node,) = [node for node in tree.all() if node.attributes.get("id") == id_]
    return node


def figures(tree):
    return [node for node in tree.all("a") if "fig" in node.classes]


def test_one_whole_page_that_fetches_nothing(any_run, cells, read) -> None:
    text = page_of(any_run, cells)
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    tree = read(text.removeprefix("<!DOCTYPE html>\n"))
    assert not {"script", "link", "img", "iframe", "object"} & {node.name for node in tree.all()}
    for node in tree.all():
        assert "src" not in node.attributes
        assert not any(key.startswith("on") for key in node.attributes)
    assert "http" not in text
    assert "url(" not in text


def test_every_link_leads_somewhere(any_run, cells, read) -> None:
    tree = read(page_of(any_run, cells))
    there = ids(tree)
    assert len(there) == len(set(there))
    targets = [node.attributes["href"] for node in tree.all("a")]
    assert targets
    for target in targets:
        assert target.startswith("#")
        assert target[1:] in there
    for node in tree.all():
        for key in ("aria-labelledby", "aria-describedby"):
            assert node.attributes.get(key, there[0]) in there


def test_headings_go_down_one_at_a_time(any_run, cells, read) -> None:
    tree = read(page_of(any_run, cells))
    levels = [int(node.name[1]) for node in tree.all() if re.fullmatch("h[1-6]", node.name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tables_have_captions_and_scopes(any_run, cells, read) -> None:
    tree = read(page_of(any_run, cells))
    assert tree.all("table")
    for table in tree.all("table"):
        assert table.all("caption")[0].text.strip()
        assert all(head.attributes.get("scope") in ("row", "col") for head in table.all("th"))


def test_same_values_same_bytes(any_run, cells) -> None:
    assert page_of(any_run, cells) == page_of(any_run, cells)


def test_each_figure_is_one_link_in_its_place(any_run, cells, read) -> None:
    tree = read(page_of(any_run, cells))
    links = figures(tree)
    assert len(links) == len(any_run.audit.values) > 0
    for link, value in zip(links, any_run.audit.values, strict=True):
        assert link.text.startswith(value.text)
        assert value.status in link.classes


def test_a_figure_leads_to_the_field_it_comes_from(honest, cells, read) -> None:
    tree = read(page_of(honest, cells))
    for link, value in zip(figures(tree), honest.audit.values, strict=True):
        step, _, field = value.source.partition("#/")
        row = by_id(tree, link.attributes["href"][1:])
        assert row.children[0].text == field
        number = honest.skill.ids.index(step) + 1
        section = by_id(tree, f"step-{number}")
        assert row in section.all("tr")
        tip = by_id(tree, link.attributes["aria-describedby"])
        assert tip.text.startswith(f"{value.source} = ")


def test_from_a_figure_to_the_rows_of_the_table(honest, cells, read) -> None:
    tree = read(page_of(honest, cells))
    total = next(link for link in figures(tree) if link.text == "12")
    field = by_id(tree, total.attributes["href"][1:])
    sections = [node for node in tree.all("section") if "step" in node.classes]
    step = next(node for node in sections if field in node.all())
    took = step.all("table")[0]
    source = took.all("a")[0]
    assert source.text == "read_log#/log"
    log = by_id(tree, source.attributes["href"][1:])
    assert "3 rows × 1 column" in log.text
    assert [cell.text for cell in log.all("table")[0].all("th")] == ["amount", "3", "4", "5"]
    reader = by_id(tree, "step-1")
    given = next(link for link in reader.all("a") if link.text == "inputs#/amounts")
    assert "[3, 4, 5]" in by_id(tree, given.attributes["href"][1:]).text


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("add_up#/parts/1/amount", "step-2-field-3"),
        ("add_up#/gone", "step-2"),
        ("read_log#", "step-1"),
        ("inputs#/owner", "input-2"),
        ("prompt", "prompt"),
        ("constant", "figure-1"),
        ("body", "figure-1"),
        (None, "figure-1"),
        ("nobody#/x", "figure-1"),
    ],
)
def test_targets_of_figures(honest, cells, read, source, target: str) -> None:
    value = ValueMatch("12", 0, 2, "traced", source, 12)
    audit = dataclasses.replace(honest.audit, answer="12", values=(value,))
    tree = read(page(audit, honest.skill, honest.state, cells=cells))
    assert [link.attributes["href"] for link in figures(tree)] == [f"#{target}"]


def test_what_is_wrong_is_marked_and_in_the_legend(failing, cells, read) -> None:
    tree = read(page_of(failing, cells))
    wrong = [link for link in figures(tree) if "unsupported" in link.classes]
    assert [link.text for link in wrong] == ["13?", "99%?"]
    legend = next(node for node in tree.all("ul") if "legend" in node.classes)
    assert "unsupported? from nowhere the run knows" in legend.text


def test_both_verdicts_question_and_record(honest, cells, read) -> None:
    tree = read(page_of(honest, cells))
    verdict = by_id(tree, "verdict")
    badges = [node.text[2:] for node in verdict.all("span") if "badge" in node.classes]
    assert badges == [honest.audit.strict.verdict, honest.audit.classic.verdict]
    assert "Not checked (strict): replay; strength." in verdict.text
    assert next(iter(tree.all("title"))).text == "sums: strict unproven 1.00 · classic pass 1.00"
    (top,) = tree.all("h1")
    assert top.text == "sums ? strict unproven 1.00 ✓ classic pass 1.00"
    assert by_id(tree, "prompt").text == "What is the total?"
    record = by_id(tree, "record").text
    for told in ("runs/x.jsonl", honest.state.head, honest.audit.level, "by tool"):
        assert told in record


def test_steps_show_arguments_results_invariants_and_errors(failing, cells, read) -> None:
    tree = read(page_of(failing, cells))
    added = by_id(tree, "step-2").text
    assert "✗ failed, 2 calls, cell 5" in added
    assert "DataFrame is wanted" in added
    assert "rejected (order): add_up was called before read_log" in added
    assert "○ total_adds_up not asked" in added
    assert "✓ counted holds" in by_id(tree, "step-1").text
    assert "○ not called" in by_id(tree, "step-4").text
    assert "no step of this skill: no_such_step" in by_id(tree, "steps").text


def test_stale_and_typed_values_are_said_at_the_step(stale, cells, read) -> None:
    tree = read(page_of(stale, cells))
    told = by_id(tree, "step-4")
    assert "consumed what has changed since: add_up#/total, add_up#/mean" in told.text
    read_log = by_id(tree, "step-1")
    assert "typed, where the run offers another value: inputs#/amounts" in read_log.text
    assert [node.classes for node in by_id(tree, "flow").all("g") if "old" in node.classes] == [
        ["arc", "f2", "t4", "old"]
    ]


def test_the_picture_has_an_arc_for_each_pair(honest, cells, read) -> None:
    flow = by_id(read(page_of(honest, cells)), "flow")
    assert [node.text for node in flow.all("title")] == [
        "inputs → read_log: amounts, owner",
        "read_log → add_up: log",
        "read_log → tell: owner",
        "add_up → tell: total, mean",
    ]
    assert [link.attributes["href"] for link in flow.all("a")] == [
        "#inputs",
        "#step-1",
        "#step-2",
        "#step-3",
        "#step-4",
    ]


def test_hostile_text_is_text_everywhere(hostile, cells, read) -> None:
    text = page_of(hostile, cells)
    tree = read(text)
    assert "<script" not in text.replace("&lt;script", "")
    assert not set(text) & set("\x1b\u202e\x00")
    shown = by_id(tree, "prompt").text
    assert shown.startswith("<script>alert(1)</script>\"'><img onerror=x>&amp;\\x1b[31m\\u202e")
    assert shown in by_id(tree, "answer").text
    assert shown in by_id(tree, "record").text
    assert shown in by_id(tree, "input-2").text


def test_no_run_no_answer(honest, cells, read) -> None:
    audit = dataclasses.replace(honest.audit, answer=None, values=())
    tree = read(page(audit, honest.skill, None, cells=cells))
    assert "There is no answer yet." in by_id(tree, "answer").text
    assert "No question was recorded." in by_id(tree, "question").text
    assert "No step took an argument." in by_id(tree, "flow").text
    assert "given no inputs" in by_id(tree, "inputs").text


def test_language(honest, cells) -> None:
    assert '<html lang="de">' in page_of(honest, cells, language="de")


def test_long_values_are_cut_and_named_by_digest(honest, cells, read) -> None:
    from skills2_nb.contract.canonical import digest

    long = "x" * 5000
    state = dataclasses.replace(honest.state, inputs={"amounts": [1], "owner": long})
    tree = read(page(honest.audit, honest.skill, state, cells=cells))
    told = by_id(tree, "input-2").text
    assert len(told) < 600
    assert f"5,000 characters in all, sha256 {digest(long)[:12]}…" in told


def test_a_figure_that_is_wrong_is_so_in_the_table_too(failing, honest, cells, read) -> None:
    def tones(run):
        (table,) = by_id(read(page_of(run, cells)), "answer").all("table")
        return {node.text: node.classes for node in table.all("span")}

    assert tones(failing)["? unsupported"] == ["nowrap", "warn"]
    assert tones(honest)["reported"] == ["nowrap"]


def test_a_typed_value_stands_at_its_step_in_the_table(typed, cells, read) -> None:
    tree = read(page_of(typed, cells))
    (table,) = [node for node in tree.all("table") if "steps" in node.classes]
    told = {row.all("a")[0].text: row for row in table.all("tr") if row.all("a")}
    (note,) = [node for node in told["tell"].all("div") if "bad" in node.classes]
    assert note.text == "✗ total = 13 typed; due ← 2 total (12)"
    assert "typed" not in told["add_up"].text


def test_the_record_says_what_its_evidence_level_rests_on(honest, cells, read) -> None:
    audit = dataclasses.replace(honest.audit, level="L0", held=("L0", "L2"))
    record = by_id(read(page(audit, honest.skill, honest.state, cells=cells)), "record").text
    assert "L0: the chain of hashes is whole; L2 by itself" in record
    audit = dataclasses.replace(honest.audit, level="none", held=())
    assert "none" in by_id(read(page(audit, honest.skill, None, cells=cells)), "record").text


def test_a_status_in_the_picture_has_its_colour(failing, cells, read) -> None:
    flow = by_id(read(page_of(failing, cells)), "flow")
    assert {(node.text.strip(), *node.classes) for node in flow.all("tspan")} == {
        ("✗ failed", "bad"),
        ("○ not called", "warn"),
        ("– not due", "mute"),
    }
