"""Tables: stored once by digest, back as they were."""

import datetime as dt
from decimal import Decimal

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from skills2_nb.contract import blobs
from skills2_nb.contract.errors import DefinitionError, JournalError
from skills2_nb.contract.table import Table, kept, load, pack, reference, remembered

np = pytest.importorskip("numpy", reason="arrays need NumPy")
pd = pytest.importorskip("pandas", reason="frames need pandas")
pl = pytest.importorskip("polars", reason="frames need Polars")
assert_frame_equal = pd.testing.assert_frame_equal
assert_polars_equal = pytest.importorskip("polars.testing").assert_frame_equal


class Row(BaseModel):
    user: str
    n: int


PANDAS = [
    pd.DataFrame({"user": ["001", "002"], "n": [1, 2]}),
    pd.DataFrame({"x": [0.1, np.nan, np.inf, -np.inf]}),
    pd.DataFrame({"t": pd.to_datetime(["2026-01-01", None])}),
    pd.DataFrame({"t": pd.to_datetime(["2026-01-01T01:00:00Z"])}),
    pd.DataFrame({"d": pd.to_timedelta(["1D", "2h"])}),
    pd.DataFrame({"b": [True, False], "s": pd.array([1, None], dtype="Int64")}),
    pd.DataFrame({"c": pd.Categorical(["a", "b"])}),
    pd.DataFrame({"s": pd.array(["a", None], dtype="string")}),
    pd.DataFrame({"u": np.array([1, 2], dtype="uint8"), "f": np.array([1, 2], dtype="float32")}),
    pd.DataFrame({"a": pd.Series([], dtype="int64")}),
    pd.DataFrame(),
    pd.DataFrame({"mixed": [1, "a", None]}, dtype=object),
]


@pytest.mark.parametrize("frame", PANDAS, ids=[str(dict(f.dtypes)) for f in PANDAS])
def test_a_pandas_frame_comes_back(frame: pd.DataFrame) -> None:
    with kept():
        told = reference(frame)
    back = load(told)
    assert_frame_equal(back, frame, check_index_type=False, check_column_type=False)
    assert told["rows"] == len(frame)
    assert pack(back) == pack(frame)


POLARS = [
    pl.DataFrame({"user": ["001", "002"], "n": [1, 2]}),
    pl.DataFrame({"x": [0.1, None, float("inf")]}),
    pl.DataFrame({"d": [dt.date(2026, 1, 1), None]}),
    pl.DataFrame({"t": [dt.datetime(2026, 1, 1, 2, 3, 4, 500), None]}),
    pl.DataFrame({"t": [dt.datetime(2026, 1, 1)]}, schema={"t": pl.Datetime("ms")}),
    pl.DataFrame({"b": [True, None]}),
    pl.DataFrame({"t": [dt.datetime(2026, 1, 1, tzinfo=dt.UTC)]}),
    pl.DataFrame({"d": [dt.timedelta(days=1, microseconds=5), dt.timedelta(seconds=-2), None]}),
    pl.DataFrame({"t": [dt.time(1, 2, 3)]}),
    pl.DataFrame({"c": ["a", "b"]}, schema={"c": pl.Categorical}),
    pl.DataFrame({"i": [1, 2]}, schema={"i": pl.UInt8}),
    pl.DataFrame({"a": []}, schema={"a": pl.String}),
    pl.DataFrame(),
]


@pytest.mark.parametrize("frame", POLARS, ids=[str(f.schema) for f in POLARS])
def test_a_polars_frame_comes_back(frame: pl.DataFrame) -> None:
    with kept():
        told = reference(frame)
    assert_polars_equal(load(told), frame)


def test_one_frame_is_stored_once() -> None:
    frame = PANDAS[0]
    with kept():
        first, second = reference(frame), reference(frame.copy())
    assert first == second
    assert blobs.path(first["$table"]).is_file()


def test_nothing_is_stored_unless_asked() -> None:
    assert not blobs.path(reference(PANDAS[0])["$table"]).exists()


def test_a_filtered_frame_loses_its_numbers_alone() -> None:
    frame = PANDAS[0]
    with kept():
        back = load(reference(frame[frame.n > 1]))
    assert back.to_dict("list") == {"user": ["002"], "n": [2]}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([1], "DataFrame is wanted"),
        (PANDAS[0].set_index("user"), "reset_index"),
        (PANDAS[0].set_index(pd.Index(["a", "b"])), "reset_index"),
        (pd.DataFrame({1: [1]}), "column names are text"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "differ"),
        ({"rows": 3}, "passed on as"),
        (pl.DataFrame({"a": [[1], [2]]}), "nested values"),
    ],
)
def test_what_cannot_be_kept_is_refused(value: object, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        TypeAdapter(Table).validate_python(value)


def test_a_row_model_looks_at_every_row() -> None:
    adapter = TypeAdapter(Table[Row])
    assert adapter.validate_python(PANDAS[0]) is PANDAS[0]
    with pytest.raises(ValidationError, match=r"row 1\.n"):
        adapter.validate_python(pd.DataFrame({"user": ["a", "b"], "n": [1, "x"]}))


def test_a_row_is_a_model() -> None:
    with pytest.raises(DefinitionError, match="Pydantic model of one row"):
        Table[int]  # type: ignore[type-var]


def test_the_schema_says_how_a_table_travels() -> None:
    schema = TypeAdapter(Table).json_schema()
    assert schema["required"] == ["table"]
    assert set(schema["properties"]) == {"table", "rows", "columns", "head"}


def test_a_table_whose_rows_are_gone_says_so() -> None:
    told = reference(PANDAS[0])
    with pytest.raises((JournalError, ValueError), match="is not in"):
        load(told)


def test_decimals_are_text_in_a_table() -> None:
    frame = pd.DataFrame({"d": [Decimal("1.10")]})
    assert reference(frame)["head"] == [["1.10"]]


def unpackings(monkeypatch):
    """The blobs that were read so far."""
    read, get = [], blobs.get
    monkeypatch.setattr(blobs, "get", lambda sha: (read.append(sha), get(sha))[1])
    return read


@pytest.mark.parametrize("frame", [PANDAS[0], PANDAS[-1], pl.DataFrame({"a": ["x", None]})])
def test_a_remembered_table_is_unpacked_once_and_shared_with_nobody(frame, home, monkeypatch):
    with kept():
        plain = reference(frame)
    read = unpackings(monkeypatch)
    with remembered():
        first = load(plain)
        with remembered():
            second = load(plain)
        if isinstance(first, pd.DataFrame):
            first.iloc[0, 0] = first.iloc[1, 0]
            first["more"] = 1
        else:
            first[0, "a"] = "y"
        third = load(plain)
        assert len(read) == 1
    same = assert_frame_equal if isinstance(frame, pd.DataFrame) else assert_polars_equal
    for made in (second, third):
        same(made, frame)
    same(load(plain), frame)
    assert len(read) == 2


def test_a_table_whose_cells_can_be_changed_is_never_remembered(home, monkeypatch):
    with kept():
        plain = reference(pd.DataFrame({"parts": [[1], [2]]}))
    read = unpackings(monkeypatch)
    with remembered():
        load(plain)["parts"][0].append(9)
        assert load(plain)["parts"][0] == [1]
    assert len(read) == 2
