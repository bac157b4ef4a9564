"""Plain values as dataclasses."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.evals.typed import read_as


@dataclass(frozen=True)
class Inner:
    name: str
    count: int | None = None


@dataclass(frozen=True)
class Outer:
    share: float
    on: bool = False
    inner: tuple[Inner, ...] = ()
    words: tuple[str, ...] = ()
    figures: Mapping[str, float | None] = field(default_factory=dict)
    rest: Any = None


INNER = st.builds(Inner, st.text(), st.none() | st.integers())
OUTER = st.builds(
    Outer,
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.lists(INNER).map(tuple),
    st.lists(st.text()).map(tuple),
    st.dictionaries(st.text(), st.none() | st.floats(allow_nan=False, allow_infinity=False)),
    st.none() | st.text(),
)


@given(OUTER)
def test_what_was_written_is_read_again(made):
    assert read_as(Outer, json.loads(json.dumps(dataclasses.asdict(made)))) == made


def test_unknown_keys_are_passed_over_and_defaults_fill_in():
    assert read_as(Outer, {"share": 1, "later": [1]}) == Outer(1)


WRONG = [
    (None, "it is no object"),
    ({}, "it has no 'share'"),
    ({"share": "1"}, "it.share is '1'"),
    ({"share": True}, "it.share is 'True'"),
    ({"share": float("inf")}, "it.share is 'inf'"),
    ({"share": 1, "on": 1}, "it.on is '1'"),
    ({"share": 1, "words": "ab"}, "it.words is 'ab'"),
    ({"share": 1, "words": ["a", 2]}, r"it.words\[1\] is '2'"),
    ({"share": 1, "inner": [{"name": "a", "count": 1.5}]}, r"it.inner\[0\].count is '1.5'"),
    ({"share": 1, "figures": {"x": "y"}}, "it.figures.x is 'y'"),
    ({"share": 1, "figures": []}, "it.figures is"),
]


@pytest.mark.parametrize(("value", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_is_of_another_type_is_named_by_its_place(value, said):
    with pytest.raises(ValueError, match=said):
        read_as(Outer, value)
