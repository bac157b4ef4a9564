"""Tables: whatever a frame holds, it comes back, and nothing else does."""

import datetime as dt
import zoneinfo
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from skills2_nb.contract import blobs
from skills2_nb.contract.errors import InputError
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step
from skills2_nb.contract.table import Table, kept, load, pack, reference

np = pytest.importorskip("numpy", reason="arrays need NumPy")
pd = pytest.importorskip("pandas", reason="frames need pandas")
pl = pytest.importorskip("polars", reason="frames need Polars")
assert_frame_equal = pd.testing.assert_frame_equal
assert_polars_equal = pytest.importorskip("polars.testing").assert_frame_equal

INSTANTS = st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1))
SPANS = st.timedeltas(dt.timedelta(days=-40_000), dt.timedelta(days=40_000))
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"])


def ints(bits: int, signed: bool = True) -> st.SearchStrategy[int]:
    return (
        st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        if signed
        else st.integers(0, 2**bits - 1)
    )


#: For each dtype of pandas, what its cells may be.
PANDAS: dict[str, st.SearchStrategy[Any]] = {
    "int64": ints(64),
    "uint64": ints(64, signed=False),
    "int8": ints(8),
    "float64": st.floats(),
    "float32": st.floats(width=32),
    "bool": st.booleans(),
    "Int64": st.none() | ints(64),
    "Float64": st.none() | st.floats(allow_nan=False),
    "boolean": st.none() | st.booleans(),
    "string": st.none() | st.text(),
    "object": st.none() | st.text() | st.floats() | st.integers() | st.binary(),
    "datetime64[ns]": st.none() | INSTANTS,
    "datetime64[us]": st.none() | INSTANTS,
    "datetime64[s]": st.none() | INSTANTS.map(lambda t: t.replace(microsecond=0)),
    "timedelta64[ns]": st.none() | SPANS,
    "timedelta64[us]": st.none() | SPANS,
}


@st.composite
def pandas_frames(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(0, 5))
    columns: dict[str, pd.Series[Any]] = {}
    for name in draw(st.lists(st.text(max_size=4), unique=True, max_size=4)):
        kind = draw(st.sampled_from([*PANDAS, "category", "zoned"]))
        if kind == "category":
            known = draw(st.lists(st.text(max_size=3), unique=True, min_size=1, max_size=4))
            cells = draw(st.lists(st.none() | st.sampled_from(known), min_size=rows, max_size=rows))
            ordered = draw(st.booleans())
            columns[name] = pd.Series(pd.Categorical(cells, categories=known, ordered=ordered))
        elif kind == "zoned":
            cells = draw(st.lists(st.none() | INSTANTS, min_size=rows, max_size=rows))
            made = pd.Series(pd.array(cells, dtype="datetime64[ns]")).dt.tz_localize("UTC")
            columns[name] = made.dt.tz_convert(draw(ZONES))
        else:
            cells = draw(st.lists(PANDAS[kind], min_size=rows, max_size=rows))
            columns[name] = (
                pd.Series(pd.array(cells, dtype=kind))
                if kind != "object"
                else pd.Series(cells, dtype=object)
            )
    return pd.DataFrame(columns, index=range(rows))


@given(pandas_frames())
@settings(max_examples=150)
def test_any_pandas_frame_comes_back(frame: pd.DataFrame) -> None:
    with kept():
        told = reference(frame)
    back = load(told)
    assert_frame_equal(
        back, frame, check_index_type=False, check_column_type=False, check_exact=True
    )
    assert pack(back) == pack(frame)
    assert told["rows"] == len(back) == len(frame)


POLARS: dict[Any, st.SearchStrategy[Any]] = {
    pl.Int64: ints(64),
    pl.UInt64: ints(64, signed=False),
    pl.Int8: ints(8),
    pl.Float64: st.floats(),
    pl.Float32: st.floats(width=32),
    pl.Boolean: st.booleans(),
    pl.String: st.text(),
    pl.Binary: st.binary(),
    pl.Categorical: st.text(max_size=3),
    pl.Date: st.dates(),
    pl.Time: st.times(),
    pl.Datetime("us"): INSTANTS,
    pl.Datetime("ns"): INSTANTS,
    pl.Datetime("ms"): INSTANTS.map(lambda t: t.replace(microsecond=0)),
    pl.Datetime("us", "Europe/Berlin"): INSTANTS.map(
        lambda t: t.replace(tzinfo=zoneinfo.ZoneInfo("UTC"))
    ),
    pl.Duration("us"): SPANS,
    pl.Duration("ns"): SPANS,
    pl.Duration("ms"): SPANS.map(lambda t: dt.timedelta(days=t.days)),
}


@st.composite
def polars_frames(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.integers(0, 5))
    columns = []
    for name in draw(st.lists(st.text(max_size=4), unique=True, max_size=4)):
        kind = draw(st.sampled_from(list(POLARS)))
        cells = draw(st.lists(st.none() | POLARS[kind], min_size=rows, max_size=rows))
        columns.append(pl.Series(name, cells, dtype=kind))
    return pl.DataFrame(columns)


@given(polars_frames())
@settings(max_examples=150)
def test_any_polars_frame_comes_back(frame: pl.DataFrame) -> None:
    with kept():
        told = reference(frame)
    back = load(told)
    assert_polars_equal(back, frame, check_exact=True)
    assert pack(back) == pack(frame)
    assert told["rows"] == back.height


def test_nothing_missing_is_mixed_up_with_not_a_number() -> None:
    frame = pl.DataFrame({"x": [float("nan"), None]})
    assert pack(frame) != pack(pl.DataFrame({"x": [None, None]}, schema={"x": pl.Float64}))
    with kept():
        assert load(reference(frame))["x"].to_list()[1] is None


def test_categories_nobody_used_and_their_order_are_kept() -> None:
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"c": pd.Series(["high", None], dtype=kind)})
    with kept():
        back = load(reference(frame))
    assert back["c"].dtype == kind
    assert (back["c"] > "low").tolist() == [True, False]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1 + 2j]),
        pd.Series(pd.period_range("2026-01", periods=1, freq="M")),
        pd.Series(pd.arrays.SparseArray([0, 1])),
        pd.Series(pd.interval_range(0, 1)),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_dtype_that_no_json_says_is_refused_with_its_name(column: Any) -> None:
    with pytest.raises(ValidationError, match="column 'x' holds"):
        TypeAdapter(Table).validate_python(pd.DataFrame({"x": column}))


def test_changing_a_loaded_table_changes_no_later_reading() -> None:
    with kept():
        told = reference(pd.DataFrame({"n": [1, 2]}))
    first = load(told)
    first.loc[0, "n"] = 99
    first["more"] = 1
    assert load(told).to_dict("list") == {"n": [1, 2]}


class Row(BaseModel):
    n: int


@step
def give(size: int) -> Table:
    return pd.DataFrame({"n": np.arange(size)})


@step
def use(log: Table) -> dict[str, int]:
    return {"rows": len(log)}


@step
def count(rows: int) -> dict[str, int]:
    return {"seen": rows}


def run_of(*functions: Any) -> Run:
    return Run.start(Skill.collect({f.__name__: f for f in functions}, "trial"), {"size": 3})


def test_a_table_that_was_changed_on_disk_is_named_and_the_call_recorded() -> None:
    run = run_of(give, use)
    run.call("give")
    sha = run.state.last["give"].output["$table"]
    blobs.path(sha).write_bytes(blobs.path(sha).read_bytes().replace(b"[0,1,2]", b"[0,1,9]"))
    with pytest.raises(InputError, match=f"{sha[:12]} was changed on disk"):
        run.call("use")
    assert run.state.calls[-1].reason == "input"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"table": "zz"}, "no blob's digest"),
        ({"table": "0" * 64}, "is not in"),
        ({"table": 5}, "is passed on as"),
        ({"rows": 3}, "is passed on as"),
        ([[1]], "DataFrame is wanted"),
    ],
)
def test_what_is_no_table_is_a_recorded_refusal(given: Any, says: str) -> None:
    run = run_of(give, use)
    run.call("give")
    with pytest.raises(InputError, match=says):
        run.call("use", {"log": given})
    assert run.state.calls[-1].status == "failed"


@pytest.mark.parametrize("data", [b"[1,2]", b'"x"', b"{}", b'{"library":"sqlite"}', b"no json"])
def test_the_digest_of_another_value_is_no_table(data: bytes) -> None:
    with pytest.raises(ValueError, match="no table"):
        load({"table": blobs.put(data)})


def test_what_describes_a_table_is_no_field_of_a_result() -> None:
    run = run_of(give, count)
    run.call("give")
    with pytest.raises(InputError) as caught:
        run.call("count")
    assert caught.value.kind == "missing"


def test_one_row_model_is_one_type_for_result_and_parameter() -> None:
    @step
    def make(size: int) -> Table[Row]:  # type: ignore[type-var]
        return pd.DataFrame({"n": range(size)})

    @step
    def take(log: Table[Row]) -> int:  # type: ignore[type-var]
        return len(log)

    run = run_of(make, take)
    run.call("make")
    assert run.call("take") == 3
