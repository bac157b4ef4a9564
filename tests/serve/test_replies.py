"""Values as callers see them."""

import math
from typing import Any

import pytest

from skills2_nb.contract.canonical import plain
from skills2_nb.serve.replies import Reply, refused, result, sendable, wire

OBJECT = {"type": "object"}


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (math.nan, None),
        ([1.5, -math.inf], [1.5, None]),
        (b"abc", "YWJj"),
        ({"$float": "a text"}, {"$float": "a text"}),
        ({"a": {"b": [math.nan]}}, {"a": {"b": [None]}}),
    ],
)
def test_tags_of_a_record_are_undone(value: Any, seen: Any) -> None:
    assert wire(plain(value)) == seen


def test_a_table_is_named_without_its_tag() -> None:
    table = {"$table": "ab", "rows": 1, "columns": [], "head": [[1]]}
    assert wire(table) == {"table": "ab", "rows": 1, "columns": [], "head": [[1]]}


def test_a_steps_own_field_goes_before_ours() -> None:
    extras = {"next": ["b"], "run_id": "r", "printed": ""}
    made = result({"next": 3, "total": 1}, extras, OBJECT)
    assert made.body == {"next": 3, "total": 1, "run_id": "r"}
    assert made.meta == {"skills2/next": ["b"]}


@pytest.mark.parametrize(("value", "schema"), [([1], {"type": "array"}), (1, {}), (None, {})])
def test_what_is_no_object_stands_under_result(value: Any, schema: Any) -> None:
    assert result(value, {"next": []}, schema).body == {"result": value, "next": []}


def test_a_refusal_has_every_key() -> None:
    made = refused("order", "no", step="a", next=["b"])
    assert made.failed and made.text == "no"
    assert made.body == {
        "kind": "order",
        "step": "a",
        "missing": [],
        "next": ["b"],
        "values": {},
        "message": "no",
    }


def test_what_utf_8_cannot_hold_is_replaced() -> None:
    odd = Reply({"a\ud800": ["\udfff", "ü"]}, "x\ud800", failed=True, meta={"m": "\ud800"})
    assert sendable(odd) == Reply({"a?": ["?", "ü"]}, "x?", failed=True, meta={"m": "?"})
    fine = refused("invalid", "größe 说 😀")
    assert sendable(fine) is fine
