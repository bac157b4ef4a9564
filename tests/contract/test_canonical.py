"""The canonical form: one text for one value, in any process."""

import datetime as dt
import decimal
import enum
import json
import math
import os
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from skills2_nb.contract.canonical import decode, digest, encode, is_digest, plain, withheld


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Point(BaseModel):
    x: float
    tags: set[str]


@dataclass
class Pair:
    left: int
    right: bytes


FORMS = [
    (None, "null"),
    (True, "true"),
    (0, "0"),
    (10**30, "1" + "0" * 30),
    (0.1, "0.1"),
    (1.0, "1.0"),
    (-0.0, "-0.0"),
    (math.nan, '{"$float":"nan"}'),
    (math.inf, '{"$float":"inf"}'),
    (-math.inf, '{"$float":"-inf"}'),
    ("é\u2028", '"\\u00e9\\u2028"'),
    ("\ud800", '"\\ud800"'),
    (b"ab", '{"$bytes":"YWI="}'),
    ((1, 2), "[1,2]"),
    ({"b": 1, "a": 2}, '{"a":2,"b":1}'),
    ({2: "x", 10: "y"}, '{"10":"y","2":"x"}'),
    ({Colour.RED: 1}, '{"red":1}'),
    ({dt.date(2026, 1, 2): 1}, '{"2026-01-02":1}'),
    ({"b", "a"}, '["a","b"]'),
    (frozenset({3, 1}), "[1,3]"),
    (Colour.RED, '"red"'),
    (Level.LOW, "1"),
    (decimal.Decimal("1.50"), '"1.50"'),
    (dt.date(2026, 1, 2), '"2026-01-02"'),
    (dt.datetime(2026, 1, 2, 3, tzinfo=dt.UTC), '"2026-01-02T03:00:00+00:00"'),
    (dt.timedelta(days=1, microseconds=1500), '"PT86400.0015S"'),
    (dt.timedelta(seconds=-2), '"-PT2S"'),
    (PurePosixPath("a/b"), '"a/b"'),
    (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    (Point(x=1, tags={"b", "a"}), '{"tags":["a","b"],"x":1.0}'),
    (Pair(1, b""), '{"left":1,"right":{"$bytes":""}}'),
    ({"$float": "nan"}, '{"$map":{"$float":"nan"}}'),
]


@pytest.mark.parametrize(("value", "text"), FORMS, ids=[repr(v)[:40] for v, _ in FORMS])
def test_each_value_has_one_form(value: object, text: str) -> None:
    assert encode(value) == text


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (object(), "no canonical form"),
        (lambda: 1, "no canonical form"),
        ({1: "a", "1": "b"}, "two keys"),
    ],
)
def test_what_has_no_form_is_named(value: object, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        plain(value)


def test_a_value_within_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="contains itself"):
        plain(loop)


ATOMS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(VALUES)
def test_the_round_trip_keeps_the_value(value: object) -> None:
    text = encode(value)
    back = decode(json.loads(text))
    assert encode(back) == text


@given(VALUES)
def test_plain_is_plain_already(value: object) -> None:
    once = plain(value)
    assert json.loads(json.dumps(once)) == once


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_keys_tells_nothing(value: dict[str, int]) -> None:
    assert digest(value) == digest(dict(reversed(value.items())))


def test_six_hash_seeds_give_one_text() -> None:
    code = (
        "from skills2_nb.contract.canonical import encode;"
        "print(encode({'s': {'a','b','c','d'}, 'f': frozenset({1.5, 2}),"
        " 'n': {('x', 1), ('y', 2)}}))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(6)
    }
    assert len(texts) == 1
    assert texts.pop().startswith('{"f":[1.5,2],"n":[["x",1],["y",2]]')


def test_a_withheld_value_shows_only_its_digest() -> None:
    hidden = withheld("secret")
    assert is_digest(hidden)
    assert "secret" not in encode(hidden)
    assert hidden == withheld("secret") != withheld("Secret")
