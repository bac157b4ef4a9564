"""Small changes of a plain value."""

import random

import pytest

from skills2_nb.audit.changes import changes, in_turn, swaps

LABELS = {(str, "week"): ("month", "quarter")}


def made(value, labels=None):
    return list(changes(value, labels or {}, random.Random(1)))


def values(value, labels=None):
    return [change.value for change in made(value, labels)]


@pytest.mark.parametrize(
    ("value", "some"),
    [
        (211, [212, 210, -211, 232, 0, None]),
        (0, [1, -1, 2]),
        (1.5, [2.5, 0.5, -1.5, 1.5 * 1.1, 0.0]),
        (True, [False, None]),
        ("week", ["month", "quarter", "", None]),
        ("2026-01-31", ["2026-02-01"]),
        ("2026-01-31T12:00:00", ["2026-02-01T12:00:00"]),
        ("1998-W09", ["1998-W10", "1999-W09"]),
        ("12.50", ["12.51", "13.50", "-12.50"]),
        (None, [1, "changed", True]),
        ({"$float": "nan"}, [1.0]),
        ({"$bytes": "AAAA"}, [{"$bytes": "AQ=="}]),
        ([], [None]),
    ],
    ids=str,
)
def test_scalars(value, some):
    found = values(value, LABELS)
    assert [item for item in some if item not in found] == []


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([1, 2, 3], ": rows reversed"),
        ([1, 2, 3], "[0] 1 -> 2"),
        ([{"n": 5}], "[0].n 5 -> 6"),
        ({"a": 1, "b": 2}, ": a and b swapped"),
        ({"a": {"b": [7]}}, ".a.b[0] 7 -> 8"),
    ],
    ids=str,
)
def test_parts(value, told):
    assert told in [change.told for change in made(value)]


def test_no_change_lies_deeper_than_four_levels():
    deep = {"a": {"b": {"c": {"d": 1}}}}
    assert {"a": {"b": {"c": {"d": 2}}}} in values(deep)
    assert not any(
        ".a.b.c.d.e" in change.told for change in made({"a": {"b": {"c": {"d": {"e": 1}}}}})
    )


@pytest.mark.parametrize(
    ("value", "boolean"),
    [(True, True), ([True, False], True), ({"a": True}, True), (1, False), ([1], False)],
    ids=str,
)
def test_truth_values_are_marked(value, boolean):
    assert all(change.boolean == boolean for change in made(value) if change.value is not None)


def test_nothing_is_changed_in_place():
    value = {"rows": [{"n": 1, "ok": True}, {"n": 2, "ok": False}], "x": 1, "y": 2}
    before = repr(value)
    made(value)
    assert repr(value) == before


def test_swaps_are_of_unequal_numbers_of_one_type():
    found = list(swaps({"a": 1, "b": 2, "c": 2.5, "d": True, "e": 2, "f": "2"}))
    assert found == [("a", "b"), ("a", "e")]


def test_every_group_has_its_turn():
    assert list(in_turn(["ab", "", "cde"])) == list("acbde")
