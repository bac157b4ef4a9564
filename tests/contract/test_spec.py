"""A step's types: strict fits, restored values, recordable facts."""

import datetime as dt
import enum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from skills2_nb.contract.canonical import decode, plain
from skills2_nb.contract.spec import Parameter, recordable
from skills2_nb.contract.step import step
from skills2_nb.contract.table import Table


class Label(enum.Enum):
    UP = "up"


class Flows(BaseModel):
    current: int
    on: dt.date
    labels: set[Label]


@pytest.mark.parametrize(
    ("annotation", "value", "fits"),
    [
        (int, 3, True),
        (int, "3", False),
        (int, 3.0, False),
        (int, True, False),
        (float, 3, True),
        (float, float("nan"), True),
        (str, 3, False),
        (bool, 1, False),
        (list[int], [1, 2], True),
        (list[int], 1, False),
        (dt.date, dt.date(2026, 1, 2), True),
        (dt.date, "second of January", False),
        (Label, Label.UP, True),
        (Label, "down", False),
        (set[str], {"a"}, True),
        (bytes, b"a", True),
        (int | None, None, True),
        (int, None, False),
        (Annotated[int, Field(gt=5)], 3, False),
        (Any, object, True),
    ],
)
def test_a_recorded_value_fits_by_strict_validation(annotation, value, fits) -> None:
    recorded = decode(plain(value)) if value is not object else 3
    assert Parameter("x", annotation).fits(recorded) is fits


def test_a_table_fits_tables_alone() -> None:
    told = {"$table": "0" * 64, "rows": 1}
    assert Parameter("x", Table).fits(told)
    assert not Parameter("x", dict).fits(told)
    assert not Parameter("x", Any).fits(told)


@pytest.mark.parametrize(
    ("annotation", "bare", "model"),
    [
        (Flows, Flows, True),
        (Flows | None, Flows, True),
        (Annotated[Flows, "x"], Flows, True),
        (int | str, int | str, False),
        (Table, Table, True),
        (list[int], list[int], False),
    ],
)
def test_a_whole_result_is_for_models(annotation, bare, model) -> None:
    parameter = Parameter("x", annotation)
    assert parameter.bare == bare
    assert parameter.is_model is model


@step
def flows(log: Table, on: dt.date) -> Flows:
    return Flows(current=len(log), on=on, labels={Label.UP})


def test_recorded_values_come_back_typed() -> None:
    pd = pytest.importorskip("pandas", reason="Tables need pandas")
    spec = flows.__step__
    given = {"log": pd.DataFrame({"a": [1, 2]}), "on": dt.date(2026, 1, 2)}
    output = flows(**given)
    args, shown = spec.plain_args(given), spec.plain_output(output)
    assert shown == {"current": 2, "labels": ["up"], "on": "2026-01-02"}
    inputs, restored = spec.restore(args, shown)
    assert restored == output
    assert inputs["on"] == given["on"]
    assert inputs["log"].equals(given["log"])


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (3, 3),
        ({"a"}, ["a"]),
        (object, "<class 'object'>"),
        (float("inf"), {"$float": "inf"}),
    ],
)
def test_facts_of_an_error_are_plain(value: object, told: object) -> None:
    assert recordable(value) == told


def test_long_facts_are_cut() -> None:
    assert len(recordable("x" * 10_000)) < 200
