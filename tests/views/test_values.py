from dataclasses import dataclass
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from skills2_nb.contract.canonical import digest as whole_digest
from skills2_nb.contract.canonical import plain, withheld
from skills2_nb.views import values

TABLE = {
    "$table": "ab" * 32,
    "rows": 6919,
    "columns": [{"name": "user", "dtype": "str"}, {"name": "date", "dtype": "str"}],
    "head": [["0001", "1997-01-01"]],
}


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066"),
        ("\ud800", "\\ud800"),
        ("naïve ✓ 数", "naïve ✓ 数"),
        ("\r", "\\x0d"),
    ],
)
def test_clean(given_text: str, shown: str) -> None:
    assert values.clean(given_text) == shown


@given(st.text())
def test_clean_text_can_be_written_and_stays_as_it_is(text: str) -> None:
    once = values.clean(text)
    once.encode("utf-8")
    assert values.clean(once) == once
    assert "\x1b" not in once


@given(st.text(), st.integers(2, 80))
def test_one_line_keeps_to_its_limit(text: str, limit: int) -> None:
    line = values.one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0, "0"),
        (10**12, "1000000000000"),
        (1.529411764705882, "1.5294"),
        (0.3439490445859873, "0.3439"),
        (0.00001234567, "1.235e-05"),
        (-2.0, "-2.0"),
        (4000000.25, "4000000.25"),
        (True, "true"),
        (None, "null"),
        ({"$float": "nan"}, "nan"),
        ({"$float": "-inf"}, "-inf"),
        ("two\nlines", "two lines"),
        ([], "[]"),
        ([1, 2, 3], "[1, 2, 3]"),
        (list(range(40)), "40 items"),
        ([{"a": 1}], "1 item"),
        ({"a": 1, "b": [2]}, "a: 1, b: [2]"),
        (TABLE, "6,919 rows × 2 columns"),
    ],
)
def test_short(value: object, told: str) -> None:
    assert values.short(value) == told


@pytest.mark.parametrize(
    ("us", "told"),
    [(0, "<0.1 ms"), (400, "0.4 ms"), (12_400, "12 ms"), (2_310_000, "2.31 s")],
)
def test_duration(us: int, told: str) -> None:
    assert values.duration(us) == told


def test_counted() -> None:
    assert [values.counted(n, "row") for n in (0, 1, 6919)] == ["0 rows", "1 row", "6,919 rows"]


def test_exact_keeps_every_digit() -> None:
    assert values.exact(0.1 + 0.2) == "0.30000000000000004"
    assert values.exact({"b": 1, "a": [None]}) == '{"a":[null],"b":1}'


def test_head_of_a_table() -> None:
    head = values.head_of(TABLE)
    assert head is not None
    assert (head.rows, head.columns, head.head) == (
        6919,
        ("user", "date"),
        (("0001", "1997-01-01"),),
    )
    assert values.head_of({"rows": 3}) is None


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ([{"a": 1, "b": 2}, {"a": 3, "b": 4}], ("a", "b")),
        ([{"a": 1}, {"b": 2}], None),
        ([{"a": 1}], None),
        ([1, 2], None),
        ([{}, {}], None),
    ],
)
def test_records_of(value: object, names: tuple[str, ...] | None) -> None:
    found = values.records_of(value)
    assert (found[0] if found else None) == names


def test_withheld_and_digest() -> None:
    kept = withheld({"secret": 1})
    assert values.withheld(kept) == whole_digest({"secret": 1})
    assert values.withheld({"$blob": "cd" * 32, "bytes": 9}) == "cd" * 32
    assert values.withheld({"a": 1}) is None
    assert whole_digest([1]).startswith(values.digest([1]))


class Colour(Enum):
    RED = "red"


class Inner(BaseModel):
    frame: object
    colour: Colour


@dataclass
class Outer:
    inner: Inner
    many: list[Inner]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_shown_stores_nothing_and_keeps_tables_short(library: str, home: object) -> None:
    frame = pytest.importorskip(library, reason="frames need it").DataFrame({"v": list(range(900))})
    seen = values.shown(Outer(Inner(frame=frame, colour=Colour.RED), []))
    table = seen["inner"]["frame"]
    assert (table["rows"], len(table["head"]), table["$table"]) == (900, 5, None)
    assert seen["inner"]["colour"] == "red"
    assert not (home / "blobs").exists()


def test_shown_says_what_has_no_plain_form() -> None:
    assert values.shown({"x": object}) == {"x": repr(object)}
    assert values.shown(Outer) == values.one_line(repr(Outer), 200)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_any_plain_value_has_a_short_form(value: object) -> None:
    line = values.short(plain(value), 40)
    assert "\n" not in line
    assert len(line) <= 40
