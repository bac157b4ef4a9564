"""Rows and cells of a table, whichever library it is of."""

import datetime as dt

import pytest

from skills2_nb.contract.table import cell, picked, with_cell

pd = pytest.importorskip("pandas", reason="frames need pandas")
pl = pytest.importorskip("polars", reason="frames need Polars")
COLUMNS = {
    "user": ["a", "b", "c"],
    "n": [1, 2, 3],
    "day": [dt.datetime(2026, 1, day) for day in (1, 2, 3)],
}
FRAMES = [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)]
IDS = ["pandas", "polars"]


def rows(frame):
    return [tuple(cell(frame, row, name) for name in COLUMNS) for row in range(len(frame))]


@pytest.mark.parametrize("frame", FRAMES, ids=IDS)
@pytest.mark.parametrize("places", [[], [0], [2, 1, 0], [0, 1, 2, 2]], ids=str)
def test_rows_are_picked_in_the_order_asked_for(frame, places):
    every = rows(frame)
    made = picked(frame, places)
    assert rows(made) == [every[place] for place in places]
    assert type(made) is type(frame)
    assert list(getattr(made, "index", range(len(places)))) == list(range(len(places)))


@pytest.mark.parametrize("frame", FRAMES, ids=IDS)
@pytest.mark.parametrize(
    ("name", "value"), [("user", "x"), ("n", 9), ("day", dt.datetime(2026, 5, 1))]
)
def test_one_cell_is_another_and_the_frame_as_it_was(frame, name, value):
    before = rows(frame)
    made = with_cell(frame, 1, name, value)
    assert cell(made, 1, name) == value
    assert [rows(made)[0], rows(made)[2]] == [before[0], before[2]]
    assert rows(frame) == before
