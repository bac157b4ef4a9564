"""When two results are the same."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.audit.alike import difference
from skills2_nb.contract import blobs
from skills2_nb.contract.canonical import plain, withheld

NAN = {"$float": "nan"}


@pytest.mark.parametrize(
    ("was", "now", "place"),
    [
        (1, 1, None),
        (1, 2, ""),
        (1, 1.0, None),
        (True, 1, ""),
        (1.0, 1.0 + 1e-10, None),
        (1.0, 1.0 + 1e-8, ""),
        (0.0, 1e-17, None),
        (0.0, 1e-9, ""),
        (10**400, 1.5, ""),
        (2**53 + 1, 2**53, ""),
        ("a", "a ", ""),
        (None, None, None),
        (None, 0, ""),
        (NAN, NAN, None),
        (NAN, 1.0, ""),
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, None),
        ({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}, "/b/1"),
        ({"a": [1]}, {"a": [1, 2]}, "/a"),
        ({"a": 1}, {"b": 1}, "/a"),
        ({}, {"b": None}, "/b"),
        ([], {}, ""),
        (withheld(5), 5, None),
        ({"a": withheld("x")}, {"a": "y"}, "/a"),
    ],
)
def test_leaf_by_leaf(was: Any, now: Any, place: str | None) -> None:
    found = difference(was, now)
    assert (found.place if found else None) == place


def test_what_was_withheld_is_known_as_such() -> None:
    found = difference({"a": withheld(1.0)}, {"a": 2.0})
    assert found is not None and not found.known


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


@given(JSON)
def test_a_value_is_like_itself_read_back(value: Any) -> None:
    made = plain(value)
    assert difference(made, json.loads(json.dumps(made))) is None


@given(JSON, JSON)
def test_likeness_has_no_direction(one: Any, other: Any) -> None:
    first, second = plain(one), plain(other)
    assert (difference(first, second) is None) == (difference(second, first) is None)


def test_tables_by_what_they_hold() -> None:
    def packed(value: float) -> str:
        return json.dumps({"columns": ["x"], "dtypes": ["float64"], "data": [[value]]})

    def table(text: str) -> dict[str, Any]:
        return {"$table": blobs.put(text.encode()), "rows": 1, "columns": [], "head": [[0]]}

    was, near, far = packed(1.0), packed(1.0 + 1e-12), packed(2.0)
    recorded = table(was)
    for now, place in ((was, None), (near, None), (far, "/t/data/0/0")):
        told = {"t": table(now)}
        rows = {told["t"]["$table"]: now}
        found = difference({"t": recorded}, told, rows)
        assert (found.place if found else None) == place
        assert difference({"t": recorded}, told, tables=False) is None
    unknown = difference({"t": recorded}, {"t": table(near)})
    assert unknown is not None and "the table" in unknown.was
    blobs.path(recorded["$table"]).unlink()
    assert difference({"t": recorded}, {"t": table(near)}, rows) is not None


def test_long_texts_are_shown_where_they_differ() -> None:
    head, tail = "the same words " * 30, " and the same end" * 30
    found = difference({"text": f"{head}nobody{tail}"}, {"text": f"{head}somebody{tail}"})
    assert found is not None
    assert found.was.startswith("'…")
    assert "nobody" in found.was
    assert "somebody" in found.now
    assert "nobody" not in found.now
