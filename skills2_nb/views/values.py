"""Plain values in few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from skills2_nb.contract.blobs import BLOB_TAG, TABLE_TAG
from skills2_nb.contract.canonical import decode, encode_plain, plain
from skills2_nb.contract.canonical import digest as digest_of
from skills2_nb.contract.canonical import is_digest as is_withheld
from skills2_nb.contract.table import is_frame, reference
from skills2_nb.views.lines import clean as clean
from skills2_nb.views.lines import counted as counted

#: Deeper parts of a value are shown by their canonical text.
DEPTH = 3
_ROWS = 5


@dataclass(frozen=True)
class Head:
    """A table's size, columns and first rows.

    Attributes:
        rows: how many rows the whole table has.
        columns: the columns' names.
        head: the first rows, plain values.
        digest: sha256 of the stored table, where it is stored.
    """

    rows: int
    columns: tuple[str, ...]
    head: tuple[tuple[Any, ...], ...]
    digest: str | None = None

    def __str__(self) -> str:
        return f"{counted(self.rows, 'row')} × {counted(len(self.columns), 'column')}"


def one_line(text: str, limit: int = 0) -> str:
    """``text`` cleaned, on one line, cut to ``limit`` characters (0 = whole) with an ellipsis."""
    flat = " ".join(clean(text).split())
    return flat if not limit or len(flat) <= limit else flat[: max(limit - 1, 0)].rstrip() + "…"


def duration(us: int) -> str:
    """Microseconds as a reader says them: ``0.4 ms``, ``96 ms``, ``2.31 s``."""
    if us < 50:
        return "<0.1 ms"
    if us < 10_000:
        return f"{us / 1000:.1f} ms"
    return f"{us / 1000:.0f} ms" if us < 1_000_000 else f"{us / 1_000_000:.2f} s"


def number(value: float) -> str:
    """A number at the digits a reader needs: whole ones exact, others to four places."""
    if isinstance(value, int) or value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if abs(value) >= 1:
        return repr(round(value, 4))
    return f"{value:.4g}"


def short(value: Any, limit: int = 60) -> str:
    """A plain value on one line of at most ``limit`` characters."""
    value = _undone(value)
    if isinstance(value, str):
        return one_line(value, limit)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, (int, float)):
        return number(value)
    table = head_of(value)
    if table is not None:
        return str(table)
    if isinstance(value, dict):
        told = (f"{key}: {short(item, 24)}" for key, item in value.items())
        return one_line(", ".join(told), limit)
    if isinstance(value, list):
        return _list(value, limit)
    return one_line(repr(value), limit)


def exact(value: Any) -> str:
    """A plain value in full: text as it is, everything else in its canonical form."""
    value = _undone(value)
    if isinstance(value, str):
        return clean(value)
    return repr(value) if isinstance(value, float) else clean(encode_plain(plain(value)))


def head_of(value: Any) -> Head | None:
    """What a plain value says of a table it stands for, else None."""
    if not isinstance(value, Mapping) or TABLE_TAG not in value:
        return None
    sha = value[TABLE_TAG]
    return Head(
        int(value.get("rows", 0)),
        tuple(str(column["name"]) for column in value.get("columns", ())),
        tuple(tuple(row) for row in value.get("head", ())),
        str(sha) if sha else None,
    )


def records_of(value: Any) -> tuple[tuple[str, ...], list[tuple[Any, ...]]] | None:
    """A list of mappings with the same few keys as columns and rows, else None."""
    if not isinstance(value, list) or len(value) < 2:
        return None
    if not all(isinstance(item, dict) and item for item in value):
        return None
    names = tuple(value[0])
    if len(names) > 8 or any(tuple(item) != names for item in value):
        return None
    return names, [tuple(item.values()) for item in value]


def is_scalar(value: Any) -> bool:
    """Whether a plain value is one number, text, truth value or null."""
    return value is None or isinstance(value, (str, int, float))


def withheld(value: Any) -> str | None:
    """The digest that stands for a value the journal did not keep, else None."""
    if is_withheld(value):
        return str(next(iter(value.values())))
    if isinstance(value, Mapping) and BLOB_TAG in value:
        return str(value[BLOB_TAG])
    return None


def digest(value: Any) -> str:
    """The first 12 hex digits of a plain value's sha256."""
    return digest_of(value)[:12]


def shown(value: Any, depth: int = 0) -> Any:
    """A typed value as plain ones, for the eye alone: tables by size and head, nothing stored."""
    if is_frame(value):
        return {**reference(value.head(_ROWS)), "rows": len(value), TABLE_TAG: None}
    fields = _fields(value)
    if fields is not None:
        return {name: shown(item, depth + 1) for name, item in fields}
    if isinstance(value, (list, tuple)) and depth < DEPTH and any(map(_is_rich, value[:50])):
        return [shown(item, depth + 1) for item in value]
    try:
        return plain(value)
    except (TypeError, ValueError):
        return one_line(repr(value), 200)


def _fields(value: Any) -> Iterable[tuple[str, Any]] | None:
    if isinstance(value, type):
        return None
    if hasattr(type(value), "model_fields"):
        return [(name, getattr(value, name)) for name in type(value).model_fields]
    if hasattr(type(value), "__dataclass_fields__"):
        return [(name, getattr(value, name)) for name in type(value).__dataclass_fields__]
    if isinstance(value, Mapping):
        return [(str(name), item) for name, item in value.items()]
    return None


def _is_rich(value: Any) -> bool:
    return is_frame(value) or _fields(value) is not None


def _undone(value: Any) -> Any:
    """A tagged float or bytes as itself; digests and tables stay as they are."""
    if isinstance(value, dict) and len(value) == 1 and withheld(value) is None:
        return decode(value)
    return value


def _list(value: list[Any], limit: int) -> str:
    if not value:
        return "[]"
    told = f"[{', '.join(short(item, 24) for item in value[:24])}]"
    if len(value) <= 24 and len(told) <= limit and all(map(is_scalar, value)):
        return told
    return counted(len(value), "item")
