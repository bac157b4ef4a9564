"""Mutants: valid by the schema, different, and the same everywhere."""

import datetime as dt
import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from skills2_nb.audit.mutants import MOST, mutants, recorded
from skills2_nb.contract.canonical import decode, encode
from skills2_nb.contract.step import step
from skills2_nb.contract.table import Table, is_frame


class Inner(BaseModel):
    n: int = Field(ge=0)
    grain: Literal["week", "month", "quarter"]
    day: dt.date | None


class Rich(BaseModel):
    whole: int
    share: float
    inner: Inner
    rows: list[Inner]
    counts: dict[str, int]
    flags: list[bool]
    maybe: int | None
    tags: set[str]
    text: str


@step
def rich(first: Rich, limit: int = 3) -> Rich:
    return first


@step
def scalar(n: int) -> int:
    return n


class Doubled(BaseModel):
    total: int

    @field_validator("total")
    @classmethod
    def never_odd(cls, value: int) -> int:
        return value - value % 2


@step
def tidy(n: int) -> Doubled:
    return Doubled(total=n)


class Tabled(BaseModel):
    log: Table
    count: int


@step
def tabled(log: Table) -> Tabled:
    return Tabled(log=log, count=len(log))


INNER = st.builds(
    Inner,
    n=st.integers(0, 9),
    grain=st.sampled_from(["week", "month", "quarter"]),
    day=st.none() | st.dates(),
)
RICH = st.builds(
    Rich,
    whole=st.integers(-5, 500),
    share=st.floats(allow_nan=True, width=32),
    inner=INNER,
    rows=st.lists(INNER, max_size=4),
    counts=st.dictionaries(st.sampled_from("abc"), st.integers(0, 5)),
    flags=st.lists(st.booleans(), max_size=3),
    maybe=st.none() | st.integers(),
    tags=st.sets(st.sampled_from(["x", "y", "week"])),
    text=st.text(max_size=20) | st.sampled_from(["2026-01-31", "1998-03", "week"]),
)


def call_of(fn, **given):
    spec = fn.__step__
    inputs = spec.validate(given)
    output = spec.validate_output(spec.fn(**inputs))
    return recorded(spec, spec.plain_args(inputs), spec.plain_output(output))


def forms(call):
    return [encode([dict(m.inputs), m.output]) for m in mutants(call)]


@settings(max_examples=60, deadline=None)
@given(RICH)
def test_each_is_valid_by_the_schema_and_differs_from_all_others(value):
    call = call_of(rich, first=value)
    made = forms(call)
    assert 0 < len(made) <= MOST
    assert len(set(made)) == len(made)
    assert encode([dict(call.inputs), call.output]) not in made
    for mutant in mutants(call):
        call.spec.output_adapter.validate_python(mutant.output, strict=True)
        again = call.spec.plain_output(mutant.output)
        assert encode(call.spec.restored_output(again)) == encode(mutant.output)
        given = call.spec.plain_args(mutant.inputs)
        assert all(p.fits(decode(given[p.name])) for p in call.spec.parameters)


@settings(max_examples=30, deadline=None)
@given(RICH)
def test_the_same_call_has_the_same_mutants(value):
    assert forms(call_of(rich, first=value)) == forms(call_of(rich, first=value))


def test_every_field_has_its_turn():
    inner = Inner(n=1, grain="week", day=None)
    value = Rich(
        whole=1, share=0.5, inner=inner, rows=[inner] * 9, counts={"a": 1}, flags=[True],
        maybe=None, tags={"x"}, text="words",
    )  # fmt: skip
    changed = {name for m in mutants(call_of(rich, first=value)) for _, name in m.fields}
    assert changed == {*Rich.model_fields, "first", "limit"}


def test_the_same_in_any_process_and_hash_seed(tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_mutants import *\n"
        "inner = Inner(n=1, grain='week', day=dt.date(2026, 1, 31))\n"
        "value = Rich(whole=7, share=0.5, inner=inner, rows=[inner] * 5, counts={'a': 1, 'b': 2},\n"
        "             flags=[True], maybe=None, tags={'x', 'y', 'week'}, text='1998-03')\n"
        "print([(m.fields, m.told) for m in mutants(call_of(rich, first=value))])\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed, "SKILLS2_HOME": str(tmp_path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(told) == 1 and "whole 7 -> 8" in next(iter(told))


def test_a_result_without_fields_is_its_one_field():
    made = list(mutants(call_of(scalar, n=5)))
    assert {m.fields for m in made} == {(("output", "output"),), (("inputs", "n"),)}
    assert {m.output for m in made} == {5, 6, 4, -5, 7, 0}


def test_what_a_validator_makes_equal_is_no_mutant():
    made = [m.output.total for m in mutants(call_of(tidy, n=8)) if m.fields[0][0] == "output"]
    assert made == [6, -8, 10, 0] and 8 not in made


def test_another_sign_of_zero_is_none():
    made = list(mutants(call_of(scalar, n=0)))
    assert not any(m.told.endswith(("0 -> 0", "0 -> -0")) for m in made)


def test_a_swap_has_two_fields():
    @step
    def two(a: int, b: int) -> dict[str, int]:
        return {"x": a, "y": b}

    swapped = [m for m in mutants(call_of(two, a=1, b=2)) if len(m.fields) == 2]
    assert [(m.told, dict(m.inputs), m.output) for m in swapped] == [
        ("x and y swapped", {"a": 1, "b": 2}, {"x": 2, "y": 1}),
        ("a and b swapped", {"a": 2, "b": 1}, {"x": 1, "y": 2}),
    ]


def frames():
    pd = pytest.importorskip("pandas", reason="frames need pandas")
    pl = pytest.importorskip("polars", reason="frames need Polars")
    columns = {"user": ["a", "b", "c"], "n": [1, 2, 3]}
    return [pd.DataFrame(columns), pl.DataFrame(columns)]


@pytest.mark.parametrize("at", [0, 1], ids=["pandas", "polars"])
def test_the_rows_of_tables_are_dropped_doubled_and_reordered(home, at):
    frame = frames()[at]
    call = call_of(tabled, log=frame)
    made = [m for m in mutants(call) if m.fields == (("output", "log"),)]
    shapes = {len(m.output.log) for m in made}
    assert shapes == {0, 2, 3, 4}
    told = " | ".join(m.told for m in made)
    for word in ("dropped", "doubled", "reversed", "user ", "n "):
        assert word in told
    for one, other in itertools.combinations([call, *made], 2):
        assert is_frame(one.output.log) and not one.output.log.equals(other.output.log)


def test_a_table_of_one_row_has_no_equal_mutant(home):
    frame = frames()[0].head(1)
    made = [m for m in mutants(call_of(tabled, log=frame)) if m.fields == (("output", "log"),)]
    assert {len(m.output.log) for m in made} == {0, 1, 2}
    assert not any("revers" in m.told for m in made)
