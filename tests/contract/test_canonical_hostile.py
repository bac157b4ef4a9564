"""The canonical form in six processes, and of values that fight back."""

import collections
import dataclasses
import datetime as dt
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, ClassVar
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.contract.canonical import decode, encode, holds_digest, plain, withheld

np = pytest.importorskip("numpy", reason="arrays need NumPy")
pd = pytest.importorskip("pandas", reason="frames need pandas")

SIX = """
import datetime as dt, enum, sys, zoneinfo
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePosixPath
import numpy as np, pandas as pd
from pydantic import BaseModel
from skills2_nb.contract.canonical import digest, encode

class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"

class Bit(enum.Flag):
    A = 1
    B = 2

@dataclass(frozen=True)
class Pair:
    left: frozenset
    right: tuple

class Bag(BaseModel):
    tags: set[str]
    pairs: frozenset[tuple[str, int]]
    inner: dict[Colour, set[int]]

words = {"a", "b", "cc", "ddd", "e" * 9, "é", ""}
print(encode({
    "nested": {frozenset({w, w + "x"}) for w in words},
    "mixed": {1: words, "b": {2.5, None, True, "x", ("t", 1)}, None: {b"1", b"2"}, (3, 4): 0,
              Colour.RED: 1, dt.date(2026, 1, 1): 2, frozenset({"p", "q"}): 3, 1.5: 4},
    "model": Bag(tags=words, pairs={(w, len(w)) for w in words},
                 inner={Colour.RED: {3, 1}, Colour.BLUE: set()}),
    "frozen": {Pair(frozenset(words), (w,)) for w in words},
    "enums": {Colour.RED, Colour.BLUE, Bit.A | Bit.B},
    "decimals": [Decimal("1.0"), Decimal("1.00"), Decimal("NaN"), Decimal("1E+3")],
    "times": [dt.datetime(2026, 3, 29, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
              dt.time(1, tzinfo=dt.UTC)],
    "numpy": [np.int64(2**62), np.uint64(2**64 - 1), np.float32(0.1), np.bool_(1),
              np.str_("s"), np.datetime64("2026-01-01", "ns"), np.array([[1.5, np.nan]])],
    "pandas": [pd.Timestamp("2026-01-01", tz="Asia/Kathmandu"), pd.Timedelta(1, "ns"),
               pd.NA, pd.NaT, pd.Series([1.5], name="x")],
    "ints": [2**64, -(2**200), 0, -1],
    "zeros": [0.0, -0.0],
    "paths": {PurePosixPath("b"), PurePosixPath("a")},
}))
"""


def test_six_processes_with_six_hash_seeds_write_the_same_bytes() -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SIX],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(6)
    ]
    texts = {process.communicate(timeout=60)[0] for process in processes}
    assert len(texts) == 1
    told = json.loads(texts.pop())
    assert told["decimals"] == ["1.0", "1.00", "NaN", "1E+3"]
    assert told["times"] == ["2026-03-29T01:00:00+01:00", "01:00:00+00:00"]
    assert told["numpy"][5] == "2026-01-01T00:00:00"
    assert told["pandas"] == ["2026-01-01T00:00:00+05:45", "PT0.000000001S", None, None, [1.5]]
    assert told["ints"] == [2**64, -(2**200), 0, -1]
    assert str(told["zeros"]) == "[0.0, -0.0]"
    assert sorted(told["mixed"]) == sorted(
        ["1", "b", "null", "[3,4]", "red", "2026-01-01", '["p","q"]', "1.5"]
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.datetime64("NaT", "ns"), "null"),
        (np.array(["2026-01-01", "NaT"], dtype="M8[ns]"), '["2026-01-01T00:00:00",null]'),
        (np.timedelta64(1500, "ms"), '"PT1.5S"'),
        (np.timedelta64("NaT", "ns"), "null"),
        (pd.Timestamp("2026-01-01T00:00:00.000000001"), '"2026-01-01T00:00:00.000000001"'),
        (pd.Timedelta(-1, "ns"), '"-PT0.000000001S"'),
        ({"$blob": "0" * 64, "bytes": 1}, '{"$map":{"$blob":"' + "0" * 64 + '","bytes":1}}'),
        ({"$map": {"a": 1}}, '{"$map":{"$map":{"a":1}}}'),
        (collections.OrderedDict(b=1, a=2), '{"a":2,"b":1}'),
        (collections.Counter("aab"), '{"a":2,"b":1}'),
        (collections.namedtuple("P", "x y")(1, 2), "[1,2]"),
    ],
)
def test_each_odd_value_has_one_form(value: object, text: str) -> None:
    assert encode(value) == text
    assert encode(decode(json.loads(text))) == text


@dataclasses.dataclass
class WithClassValues:
    shared: ClassVar[list[int]] = [1]
    given: dataclasses.InitVar[int] = 0
    own: int = 2


def test_only_a_dataclass_own_fields_are_its_value() -> None:
    assert plain(WithClassValues(given=7)) == {"own": 2}


class EndlessList(list):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[int]:
        while True:
            yield 1


class EndlessMapping(Mapping):  # type: ignore[type-arg]
    def __getitem__(self, key: Any) -> int:
        return 1

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Iterator[int]:
        return iter(range(10**12))


def test_a_container_that_never_ends_is_what_it_holds() -> None:
    assert plain(EndlessList([1, 2])) == [1, 2]
    assert plain(EndlessMapping()) == {"0": 1, "1": 1, "2": 1}


class Touchy:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    def __hash__(self) -> int:
        return 1

    def tolist(self) -> Any:
        raise RuntimeError("touched")


class Mute(Touchy):
    @property
    def model_dump(self) -> Any:
        raise ZeroDivisionError("dumped")


class Ever:
    def tolist(self) -> Any:
        return Ever()


@dataclasses.dataclass
class Broken:
    field: int

    def __getattribute__(self, name: str) -> Any:
        if name == "field":
            raise LookupError("gone")
        return object.__getattribute__(self, name)


def deep(levels: int) -> Any:
    made: Any = 1
    for _ in range(levels):
        made = [made]
    return made


def chain(levels: int) -> Any:
    made: Any = {}
    for _ in range(levels):
        made = {"next": (made,)}
    return made


HOSTILE: list[tuple[Any, str]] = [
    (Touchy(), "touched"),
    ([{"deep": Touchy()}], "touched"),
    ({Touchy(): 1}, "touched"),
    (Mute(), "dumped"),
    (Broken(1), "gone"),
    (Ever(), "nested more than"),
    (MagicMock(), "nested more than|no canonical form|cannot be read"),
    (deep(100_000), "nested more than"),
    (chain(300), "nested more than"),
    ((n for n in range(3)), "no canonical form"),
    (iter([1]), "no canonical form"),
    (zip([1], [2], strict=True), "no canonical form"),
    (range, "no canonical form"),
    (1j, "no canonical form"),
    (np.complex128(1j), "no canonical form"),
    (10**4_000, "4,000 digits"),
    ([-(10**5_000)], "4,000 digits"),
    (np.datetime64(1, "ns"), "finer than a microsecond"),
    (np.timedelta64(1, "Y"), "without a fixed length"),
]


@pytest.mark.parametrize(("value", "says"), HOSTILE, ids=map(str, range(len(HOSTILE))))
def test_a_hostile_value_is_refused_in_words(value: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        encode(value)


def test_the_longest_whole_number_can_be_written_and_read() -> None:
    for value in (10**4_000 - 1, -(10**4_000) + 1):
        assert json.loads(encode(value)) == value


ATOMS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats()
    | st.text()
    | st.binary()
    | st.sampled_from(["$float", "$bytes", "$map", "$digest", "$blob"])
)
TAGS = st.sampled_from(["$float", "$bytes", "$map", "$digest", "$blob", "bytes"]) | st.text()
VALUES = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TAGS, inner), max_leaves=12
)


def same(one: Any, two: Any) -> bool:
    if isinstance(one, float) and isinstance(two, float):
        return (one == two and math.copysign(1, one) == math.copysign(1, two)) or one != one != two
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    return type(one) is type(two) and bool(one == two)


@given(VALUES)
def test_a_value_comes_back_as_it_was_tags_and_all(value: Any) -> None:
    assert same(decode(json.loads(encode(value))), value)


@given(VALUES)
def test_only_what_was_withheld_looks_withheld(value: Any) -> None:
    assert not holds_digest(plain(value))
    assert holds_digest([{"a": withheld(value)}])


@given(st.lists(st.binary() | st.text() | st.integers(), max_size=6))
def test_a_set_is_written_in_one_order(items: list[Any]) -> None:
    assert encode(set(items)) == encode(set(reversed(items)))  # noqa: C414 - the other way


def test_equal_decimals_of_other_digits_are_other_texts() -> None:
    assert Decimal("1.0") == Decimal("1.00")
    assert encode(Decimal("1.0")) != encode(Decimal("1.00"))


def test_one_instant_in_two_zones_is_two_texts() -> None:
    at = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
    assert encode(at) != encode(at.astimezone(dt.timezone(dt.timedelta(hours=1))))


def doubled(levels: int) -> list[Any]:
    """A list of two, each the list below: a few objects that stand for ``2 ** levels`` items."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value, value]
    return value


def widened(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {str(number): value for number in range(100)}
    return value


@pytest.mark.parametrize("value", [doubled(40), widened(8), (doubled(30),)])
def test_a_value_that_shares_its_parts_over_and_over_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="more than 2,000,000 items"):
        plain(value)
    assert plain([1, 2]) == [1, 2]


def test_shared_parts_are_fine_where_they_are_few() -> None:
    assert encode(doubled(10)).count("[]") == 2**10
