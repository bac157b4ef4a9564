"""Where arguments came from, in every view."""

from dataclasses import replace

import pytest

from skills2_nb.views import markdown, terminal
from skills2_nb.views.notes import notes_of, taken
from skills2_nb.views.page import page
from skills2_nb.views.rows import rows


def seen(run):
    table = rows(run.skill, run.state, run.audit.steps)
    views = {view.step: view for view in run.audit.steps}
    return {row.id: (row, views[row.id], table) for row in table}


def test_every_argument_of_a_tidy_run_has_its_place(honest):
    told = {id_: taken(*each) for id_, each in seen(honest).items()}
    assert told == {
        "read_log": "amounts, owner ← inputs",
        "add_up": "log ← 1",
        "sample": "",
        "tell": "total, mean ← 2 · owner ← 1",
    }
    assert [notes_of(*each) for each in seen(honest).values()] == [(), (), (), ()]


def test_a_retyped_value_is_named_with_what_was_due(typed):
    row, view, table = seen(typed)["tell"]
    assert taken(row, view, table) == (
        "mean ← 2 · owner ← 1 · ✗ total = 13 typed; due ← 2 total (12)"
    )
    (note,) = notes_of(row, view, table)
    assert (note.tone, note.typed) == ("bad", True)
    assert note.title == "total = 13: typed, where add_up#/total gives 12"


def test_a_reference_to_another_value_is_named(rewired):
    row, view, table = seen(rewired)["tell"]
    (note,) = notes_of(row, view, table)
    assert note.text == "✗ total = 4 ← 2 parts; due ← 2 total (12)"
    assert (note.tone, note.typed) == ("bad", False)


def test_a_recorded_value_that_its_own_source_does_not_give(typed):
    row, view, table = seen(typed)["tell"]
    (judged,) = [item for item in view.args if item.name == "total"]
    forged = [
        replace(item, source=judged.offer) if item.name == "total" else item
        for item in row.arguments
    ]
    (note,) = notes_of(replace(row, arguments=tuple(forged)), view, table)
    assert note.text == "✗ total = 13 ← 2 total, which gives 12"
    assert (note.tone, note.typed) == ("bad", False)


def test_attempts_that_came_to_nothing_are_counted(failing):
    row, view, table = seen(failing)["add_up"]
    *_, note = notes_of(row, view, table)
    assert note.text == "✗ 2 calls came to nothing: rejected (order), failed (input)"
    assert "DataFrame is wanted" in note.title


@pytest.mark.parametrize("show", [terminal.report, markdown.audit, page])
def test_every_view_names_the_retyped_value(show, typed):
    told = show(typed.audit, typed.skill, typed.state)
    for word in ("RETYPED", "total = 13 typed; due ← 2 total"):
        assert word in told


def test_the_picture_marks_what_is_objected_to(typed, rewired, stale, failing, read):
    def marks(run):
        tree = read(page(run.audit, run.skill, run.state))
        (flow,) = [node for node in tree.all("svg") if "flow" in node.classes]
        classes = {name for node in flow.all() for name in node.classes}
        return classes & {"missed", "wrong", "old", "bad", "note"}, flow

    assert marks(typed)[0] == {"missed", "bad", "note"}
    assert marks(rewired)[0] == {"missed", "wrong", "bad", "note"}
    assert {"old", "note", "missed"} <= marks(stale)[0]
    assert {"bad", "note"} <= marks(failing)[0]
    flow = marks(typed)[1]
    assert len(flow.all("rect")) == 1
    assert flow.all("desc")[0].text == (
        "4 steps, 5 arguments handed on, 0 of the arcs stale, 1 objection."
    )
    titles = [node.text for node in flow.all("title")]
    assert "tell did not take total from add_up" in titles
