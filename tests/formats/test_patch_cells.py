"""Cells put in, moved and changed in a notebook's text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.formats.draft import Draft
from skills2_nb.formats.patch_cells import Kept, rebuild

cells = st.lists(
    st.fixed_dictionaries(
        {
            "cell_type": st.just("code"),
            "id": st.uuids().map(str),
            "metadata": st.dictionaries(st.text(max_size=3), st.integers() | st.text(), max_size=2),
            "source": st.text() | st.lists(st.text(), max_size=3),
            "outputs": st.lists(st.floats(allow_nan=False) | st.text(), max_size=2),
        }
    ),
    max_size=4,
)
styles = st.sampled_from(
    [{"indent": 1}, {"indent": 2}, {"indent": "\t"}, {}, {"separators": (",", ":")}]
)
drafts = st.builds(Draft, st.just("code"), st.text(), st.just(("step",)))


def written(made, minor=5, **style):
    return json.dumps({"nbformat": 4, "nbformat_minor": minor, "cells": made}, **style) + "\n"


@given(cells, styles)
def test_the_same_cells_are_the_same_text(made, style):
    text = written(made, **style)
    assert rebuild(text, [Kept(at) for at in range(1, len(made) + 1)]) == text


@given(cells, styles, st.lists(drafts, max_size=3), st.booleans(), st.randoms())
def test_cells_come_out_in_the_order_asked_for(made, style, fresh, ascii_only, random):
    text = written(made, ensure_ascii=ascii_only, **style)
    asked = [*(Kept(at) for at in range(1, len(made) + 1)), *fresh]
    random.shuffle(asked)
    after = json.loads(rebuild(text, asked))
    assert len(after["cells"]) == len(asked)
    for want, cell in zip(asked, after["cells"], strict=True):
        if isinstance(want, Kept):
            assert cell == made[want.number - 1]
        else:
            assert "".join(cell["source"]) == want.source
            assert (cell["metadata"], cell["outputs"]) == ({"tags": ["step"]}, [])
    ids = [cell["id"] for cell in after["cells"]]
    assert len(set(ids)) == len({cell["id"] for cell in made}) + len(fresh)


@given(cells.filter(bool), styles, st.text())
def test_a_changed_cell_changes_alone(made, style, source):
    text = written(made, **style)
    kept = [Kept(at) for at in range(2, len(made) + 1)]
    first = Kept(1, source, ("setup",), {"gap": 1}, stale=True)
    once = rebuild(text, [first, *kept])
    cell, *rest = json.loads(once)["cells"]
    assert rest == made[1:] and "".join(cell["source"]) == source
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert cell["metadata"] == made[0]["metadata"] | {"tags": ["setup"], "skills2": {"gap": 1}}
    assert rebuild(once, [first, *kept]) == once


def test_a_new_cell_is_laid_out_as_jupyter_does():
    made = {"cell_type": "raw", "id": "a", "metadata": {}, "source": ["x"]}
    text = written([made], indent=1)
    after = rebuild(text, [Kept(1), Draft("raw", "y")])
    ident = json.loads(after)["cells"][1]["id"]
    new = {"cell_type": "raw", "id": ident, "metadata": {}, "source": ["y"]}
    assert after == written([made, new], indent=1)
    assert rebuild(written([], indent=1).replace("[]", "[\n ]"), []).count("[") == 1


def test_a_notebook_without_ids_gets_none():
    text = written([{"cell_type": "raw", "metadata": {}, "source": "x"}], minor=4)
    assert "id" not in json.loads(rebuild(text, [Kept(1), Draft("raw", "y")]))["cells"][1]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_of_the_file_are_those_of_a_new_cell(newline):
    made = {"cell_type": "raw", "id": "a", "metadata": {}, "source": ["x"]}
    text = written([made], indent=1).replace("\n", newline)
    after = rebuild(text, [Draft("raw", "y"), Kept(1)])
    assert after.count("\n") == after.count(newline)
