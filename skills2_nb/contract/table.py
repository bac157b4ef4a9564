"""A data frame as a checked input, output or field."""

from __future__ import annotations

import hashlib
import json
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import core_schema

from skills2_nb.contract import blobs
from skills2_nb.contract.blobs import TABLE_TAG
from skills2_nb.contract.canonical import decode, encode, plain
from skills2_nb.contract.errors import DefinitionError, JournalError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

HEAD_ROWS = 5
_KEEP: ContextVar[list[JournalError] | None] = ContextVar("keep tables", default=None)
_KNOWN: ContextVar[dict[str, Any] | None] = ContextVar("tables unpacked", default=None)


class kept:
    """While it is open, every table that is dumped is stored as a blob.

    Args:
        lost: takes in why one could not be stored; left out, the first is raised at the end.
    """

    __slots__ = ("_lost", "_raises", "_token")
    _token: Token[list[JournalError] | None]

    def __init__(self, lost: list[JournalError] | None = None) -> None:
        self._raises = lost is None
        self._lost: list[JournalError] = [] if lost is None else lost

    def __enter__(self) -> None:
        self._token = _KEEP.set(self._lost)

    def __exit__(self, *_: object) -> None:
        _KEEP.reset(self._token)
        if self._raises and self._lost:
            raise self._lost[0]


class Table:
    """Annotates a pandas or polars DataFrame.

    ``log: Table`` takes any frame, ``log: Table[Row]`` one whose every row a Pydantic model
    accepts. In a record a table is ``{"$table": <sha256>, "rows": n, "columns": [{"name",
    "dtype"}], "head": [[...], ...]}``; the rows lie once in the blob of that digest. The index is
    not kept: a named or non-numeric one is refused with "call .reset_index()".
    """

    row: type[BaseModel] | None = None

    def __class_getitem__(cls, row: type[BaseModel]) -> type[Table]:
        """The same table whose rows the model ``row`` checks."""
        if not issubclass(row, BaseModel):
            raise DefinitionError(f"Table[...] takes a Pydantic model of one row, not {row!r}")
        made = type(f"Table[{row.__name__}]", (cls,), {"row": row})
        return _OF_ROWS.setdefault((cls, row), made)  # one type for a result and a parameter

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._take,
            serialization=core_schema.plain_serializer_function_ser_schema(reference),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {
            "type": "object",
            "description": "a table, passed on by reference: the `table` digest of a step's result",
            "properties": {
                "table": {"type": "string"},
                "rows": {"type": "integer"},
                "columns": {"type": "array"},
                "head": {"type": "array"},
            },
            "required": ["table"],
        }

    @classmethod
    def _take(cls, value: Any) -> Any:
        try:
            frame = load(value) if isinstance(value, Mapping) else value
        except JournalError as error:
            raise ValueError(str(error)) from error
        if not is_frame(frame):
            raise ValueError(f"a pandas or polars DataFrame is wanted, not {type(value).__name__}")
        problem = _unfit(frame)
        if problem:
            raise ValueError(problem)
        if cls.row is not None:
            _check_rows(frame, cls.row)
        return frame


def is_frame(value: Any) -> bool:
    """Whether ``value`` is a pandas or polars DataFrame; loads neither."""
    kind = type(value)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] in _LIBRARIES


def is_reference(value: Any) -> bool:
    """Whether a plain value stands for a stored table."""
    return isinstance(value, Mapping) and TABLE_TAG in value


def reference(frame: Any) -> dict[str, Any]:
    """The plain form of a frame; its rows are stored where :func:`kept` is open."""
    data = pack(frame)
    sha = _stored_as(data)
    names, columns = _columns(frame.head(HEAD_ROWS))
    return {
        TABLE_TAG: sha,
        "rows": len(frame),
        "columns": [{"name": name, "dtype": str(frame[name].dtype)} for name in names],
        "head": [[plain(item) for item in row] for row in zip(*columns, strict=True)],
    }


def pack(frame: Any) -> bytes:
    """A frame as deterministic bytes: library, column names, dtypes, values by column.

    Instants and spans are whole numbers of their unit, categories numbers into a list.
    """
    names = [str(name) for name in frame.columns]
    library = _library(frame)
    stored: dict[str, Any] = {
        "v": 1,
        "library": library,
        "columns": names,
        "dtypes": [str(frame[name].dtype) for name in names],
        "data": [_PACK[library](frame[name]) for name in names],
    }
    if library == "pandas":
        stored["categories"] = {
            name: _categories(frame[name]) for name in names if frame[name].dtype == "category"
        }
    if not names:
        stored["rows"] = len(frame)
    return encode(stored).encode("ascii")


def load(value: Mapping[str, Any]) -> Any:
    """The frame behind a reference, ``{"$table": sha}`` or ``{"table": sha}``.

    Raises:
        ValueError: it is no reference, or its rows are not stored here.
    """
    sha = value.get(TABLE_TAG, value.get("table"))
    if not isinstance(sha, str):
        raise ValueError('a table is passed on as {"table": "<digest>"}')
    known = _KNOWN.get()
    frame = unpack(blobs.get(sha)) if known is None or sha not in known else known[sha]
    if known is None or not _is_flat(frame):
        return frame
    return copied(known.setdefault(sha, frame))


@contextmanager
def remembered() -> Iterator[None]:
    """While it is open, each stored table is unpacked once; every load gives a copy of its own."""
    known = _KNOWN.get()
    token = _KNOWN.set({} if known is None else known)
    try:
        yield
    finally:
        _KNOWN.reset(token)


def unpack(data: bytes) -> Any:
    """The frame that :func:`pack` wrote, in the library that it came from.

    Raises:
        ValueError: the bytes are no table's, or its library is not installed here.
    """
    try:
        stored = decode(json.loads(data))
        library = stored["library"]
        unpacked = _UNPACK[library]
    except (KeyError, TypeError, ValueError):
        raise ValueError("the digest is that of another value, and of no table") from None
    try:
        return unpacked(stored)
    except ImportError as error:
        raise ValueError(f"the table is one of {library}, which is not installed here") from error


def picked(frame: Any, rows: Sequence[int]) -> Any:
    """The rows at these places, in this order, as a frame of their own."""
    places = list(rows)
    if _library(frame) == "polars":
        return frame[places]
    return frame.iloc[places].reset_index(drop=True)


def copied(frame: Any) -> Any:
    """A frame that may be changed without changing this one."""
    return frame.clone() if _library(frame) == "polars" else frame.copy()


def cell(frame: Any, row: int, column: str) -> Any:
    """One value as Python has it; None where it is missing."""
    item = frame[column][row] if _library(frame) == "polars" else frame[column].iloc[row]
    return _cell(item.item() if hasattr(item, "item") else item)


def with_cell(frame: Any, row: int, column: str, value: Any) -> Any:
    """The same frame but for one value, which has to be of the column's type."""
    if _library(frame) == "polars":
        return frame.with_columns(frame[column].clone().scatter(row, value))
    made = frame.copy()
    made.iloc[row, list(made.columns).index(column)] = value
    return made


def _stored_as(data: bytes) -> str:
    """The digest of a packed table, which is stored where :class:`kept` is open."""
    lost = _KEEP.get()
    if lost is not None:
        try:
            return blobs.hold(data)
        except JournalError as error:
            lost.append(error)
    return hashlib.sha256(data).hexdigest()


def _is_flat(frame: Any) -> bool:
    """Whether no cell is a list or mapping, which a copy of the frame would share with it."""
    loose = [name for name in frame.columns if str(frame[name].dtype) == "object"]
    return all(_ATOMS.issuperset(map(type, frame[name])) for name in loose)


def _library(frame: Any) -> str:
    return type(frame).__module__.partition(".")[0]


def _columns(frame: Any) -> tuple[list[str], list[list[Any]]]:
    names = [str(name) for name in frame.columns]
    return names, [[_cell(item) for item in _items(frame[name])] for name in names]


def _items(column: Any) -> Any:
    return column.to_list() if hasattr(column, "to_list") else column.tolist()


def _cell(item: Any) -> Any:
    """One value; every way of saying "missing" is null, as the dtype says which was meant."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return None
    return None if item != item else item


def _unfit(frame: Any) -> str | None:
    names = list(frame.columns)
    if any(not isinstance(name, str) for name in names):
        return "a table's column names are text: rename the columns"
    if len(set(names)) != len(names):
        return "a table's column names differ from one another: rename the columns"
    unfit = [name for name in names if str(frame[name].dtype).startswith(_UNFIT)]
    if unfit:
        return (
            f"column {unfit[0]!r} holds {frame[unfit[0]].dtype}, nested values or such as no JSON "
            "says: a table keeps numbers, text, times and categories"
        )
    index = getattr(frame, "index", None)
    if index is not None and (index.name is not None or getattr(index, "nlevels", 1) > 1):
        return f"a table keeps no index and this one is {index.name or 'nested'}: .reset_index()"
    if index is not None and index.dtype.kind not in "iu":
        return "a table keeps no index and this one is not numeric: call .reset_index()"
    return None


def _check_rows(frame: Any, row: type[BaseModel]) -> None:
    names, columns = _columns(frame)
    rows: Any = types.GenericAlias(list, (row,))
    adapter: TypeAdapter[Any] = TypeAdapter(rows)
    try:
        adapter.validate_python(
            [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"row {place}: {first['msg']} ({error.error_count()} in all)") from None


def _pandas(stored: Mapping[str, Any]) -> Any:
    import pandas as pd

    categories = stored.get("categories", {})
    columns = {
        name: _pandas_column(values, dtype, categories.get(name))
        for name, dtype, values in _stored(stored)
    }
    rows = range(stored["rows"]) if "rows" in stored else None
    return pd.DataFrame(columns, columns=stored["columns"], index=rows)


def _pandas_column(values: list[Any], dtype: str, categories: Mapping[str, Any] | None) -> Any:
    import pandas as pd

    if categories is not None:
        known = pd.Index(_pandas_column(categories["values"], categories["dtype"], None))
        kind = pd.CategoricalDtype(known, ordered=categories["ordered"])
        return pd.Series(pd.Categorical.from_codes(values, dtype=kind))
    span = re.match(r"(datetime|timedelta)64\[(\w+)(?:, (.+))?\]", dtype)
    if span is not None:
        name, unit, zone = span.groups()
        numbers = pd.array([_NAT if item is None else item for item in values], dtype="int64")
        made = pd.Series(numbers.to_numpy().view(f"{name}64[{unit}]"))
        return made if zone is None else made.dt.tz_localize("UTC").dt.tz_convert(zone)
    return pd.Series(_floats(values) if dtype.startswith("float") else values, dtype=dtype)


def _pandas_values(column: Any) -> list[Any]:
    """A column's values as JSON has them; only an object column tells NaN from None."""
    if column.dtype == "category":
        return list(column.cat.codes.tolist())
    if column.dtype.kind in "mM":
        numbers = column.to_numpy(dtype=f"{column.dtype.kind}8[{column.dt.unit}]").view("int64")
        return [None if item == _NAT else item for item in numbers.tolist()]
    if str(column.dtype) == "object":
        return [None if type(item).__name__ in _MISSING else item for item in column.tolist()]
    return [_cell(item) for item in column.tolist()]


def _categories(column: Any) -> dict[str, Any]:
    known = column.cat.categories
    return {
        "dtype": str(known.dtype),
        "ordered": bool(column.cat.ordered),
        "values": _pandas_values(known.to_series()),
    }


def _floats(values: list[Any]) -> list[float]:
    """NumPy's floats say "missing" by NaN."""
    return [float("nan") if item is None else item for item in values]


def _polars(stored: Mapping[str, Any]) -> Any:
    import polars as pl

    columns = []
    for name, dtype, values in _stored(stored):
        wanted = _polars_dtype(dtype)
        raw = {"Categorical": "String", "Date": "Int32"}.get(str(wanted.base_type()))
        if raw is None and wanted.is_temporal():
            raw = "Int64"
        columns.append(pl.Series(name, values, dtype=getattr(pl, raw) if raw else wanted))
        columns[-1] = columns[-1].cast(wanted)
    return pl.DataFrame(columns)


def _polars_values(column: Any) -> list[Any]:
    return list((column.to_physical() if column.dtype.is_temporal() else column).to_list())


def _polars_dtype(text: str) -> Any:
    import polars as pl

    name, _, rest = text.partition("(")
    kind = getattr(pl, name)
    words = dict(re.findall(r"(\w+)='([^']*)'", rest))
    return kind(**words) if words else kind()


def _stored(stored: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Any]]]:
    return zip(stored["columns"], stored["dtypes"], stored["data"], strict=True)


_LIBRARIES = ("pandas", "polars")
#: Columns that hold other values, or what no JSON says; names as polars, then pandas has them.
_UNFIT = (
    *("List", "Array", "Struct", "Object", "Decimal", "Enum"),
    *("complex", "period", "interval", "Sparse", "void"),
)
_OF_ROWS: dict[tuple[type[Table], type[BaseModel]], type[Table]] = {}
_MISSING = ("NoneType", "NAType", "NaTType")
_ATOMS = frozenset({str, int, float, bool, type(None)})
#: How NumPy counts an instant that is none.
_NAT = -(2**63)
_PACK = {"pandas": _pandas_values, "polars": _polars_values}
_UNPACK = {"pandas": _pandas, "polars": _polars}
