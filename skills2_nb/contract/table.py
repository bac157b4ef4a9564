"""A data frame as a checked input, output or field."""

from __future__ import annotations

import hashlib
import json
import re
import types
from collections.abc import Iterator, Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import core_schema

from skills2_nb.contract import blobs
from skills2_nb.contract.blobs import TABLE_TAG
from skills2_nb.contract.canonical import decode, encode, plain
from skills2_nb.contract.errors import DefinitionError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

HEAD_ROWS = 5
_KEEP: ContextVar[bool] = ContextVar("keep tables", default=False)


class kept:
    """While it is open, every table that is dumped is stored as a blob."""

    __slots__ = ("_token",)
    _token: Token[bool]

    def __enter__(self) -> None:
        self._token = _KEEP.set(True)

    def __exit__(self, *_: object) -> None:
        _KEEP.reset(self._token)


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
        return type(f"Table[{row.__name__}]", (cls,), {"row": row})

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
        frame = load(value) if isinstance(value, Mapping) else value
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
    sha = blobs.put(data) if _KEEP.get() else _digest(data)
    names, columns = _columns(frame)
    rows = len(frame)
    return {
        TABLE_TAG: sha,
        "rows": rows,
        "columns": [{"name": name, "dtype": str(frame[name].dtype)} for name in names],
        "head": [[plain(column[at]) for column in columns] for at in range(min(rows, HEAD_ROWS))],
    }


def pack(frame: Any) -> bytes:
    """A frame as deterministic bytes: library, column names, dtypes, values by column."""
    names, columns = _columns(frame)
    text = encode(
        {
            "v": 1,
            "library": _library(frame),
            "columns": names,
            "dtypes": [str(frame[name].dtype) for name in names],
            "data": columns,
        }
    )
    return text.encode("ascii")


def load(value: Mapping[str, Any]) -> Any:
    """The frame behind a reference, ``{"$table": sha}`` or ``{"table": sha}``.

    Raises:
        ValueError: it is no reference, or its rows are not stored here.
    """
    sha = value.get(TABLE_TAG, value.get("table"))
    if not isinstance(sha, str):
        raise ValueError('a table is passed on as {"table": "<digest>"}')
    return unpack(blobs.get(sha))


def unpack(data: bytes) -> Any:
    """The frame that :func:`pack` wrote, in the library that it came from."""
    stored = json.loads(data)
    return _UNPACK[stored["library"]](stored)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


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
    nested = [name for name in names if str(frame[name].dtype).startswith(_NESTED)]
    if nested:
        return f"column {nested[0]!r} holds nested values: a table keeps numbers, text and times"
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

    columns = {
        name: pd.Series(_floats(values) if dtype.startswith("float") else values, dtype=dtype)
        for name, dtype, values in _stored(stored)
    }
    return pd.DataFrame(columns, columns=stored["columns"])


def _floats(values: list[Any]) -> list[float]:
    """NumPy's floats say "missing" by NaN."""
    return [float("nan") if item is None else item for item in values]


def _polars(stored: Mapping[str, Any]) -> Any:
    import polars as pl

    columns = []
    for name, dtype, values in _stored(stored):
        wanted = _polars_dtype(dtype)
        raw = pl.Series(name, values, strict=False)
        if wanted.is_temporal() and raw.dtype == pl.String:
            raw = _polars_time(raw, wanted)
        columns.append(raw.cast(wanted))
    return pl.DataFrame(columns)


def _polars_time(raw: Any, wanted: Any) -> Any:
    """Dates, times and durations are ISO text in a blob."""
    import polars as pl

    if wanted == pl.Date:
        return raw.str.to_date()
    if wanted == pl.Time:
        return raw.str.to_time()
    if wanted.base_type() == pl.Duration:
        seconds = raw.str.extract(r"PT([\d.]+)S").cast(pl.Float64)
        sign = raw.str.starts_with("-").replace_strict({True: -1, False: 1})
        return (seconds * 1e6).round().cast(pl.Int64) * sign
    zone = getattr(wanted, "time_zone", None)
    read = raw.str.to_datetime(time_unit="us", time_zone="UTC" if zone else None)
    return read.dt.convert_time_zone(zone) if zone else read


def _polars_dtype(text: str) -> Any:
    import polars as pl

    name, _, rest = text.partition("(")
    kind = getattr(pl, name)
    if not rest:
        return kind
    words = dict(re.findall(r"(\w+)='([^']*)'", rest))
    return kind(**words)


def _stored(stored: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Any]]]:
    return zip(stored["columns"], stored["dtypes"], decode(stored["data"]), strict=True)


_LIBRARIES = ("pandas", "polars")
#: Polars types that hold other values, or objects that no JSON says.
_NESTED = ("List", "Array", "Struct", "Object", "Decimal", "Enum")
_UNPACK = {"pandas": _pandas, "polars": _polars}
