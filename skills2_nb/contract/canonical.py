"""The one JSON form of a value.

Every value that is recorded, compared or hashed goes through :func:`plain`: keys sorted, sets
sorted by their own encoding, floats by ``repr``, and a tag for what JSON cannot say
(``{"$float": "nan"}``, ``{"$bytes": "<base64>"}``). Standard library alone; NumPy, pandas and
Pydantic values are known by their shape.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import hashlib
import itertools
import json
import math
import threading
import uuid
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from skills2_nb.contract.errors import told

FLOAT_TAG = "$float"
BYTES_TAG = "$bytes"
ESCAPE_TAG = "$map"
DIGEST_TAG = "$digest"
#: Stands for a value kept beside its line, ``{"$blob": sha256, "bytes": n}``; see ``blobs.py``.
BLOB_TAG = "$blob"
_TAGS = (FLOAT_TAG, BYTES_TAG, ESCAPE_TAG, DIGEST_TAG)
MAX_DEPTH = 200
#: Items of all lists and mappings of one value; a list that holds itself over and over has more.
MOST_ITEMS = 2_000_000
#: Python neither writes nor reads longer whole numbers as text unless told to.
LONGEST = 10**4_000

_ENCODER = json.JSONEncoder(
    ensure_ascii=True, allow_nan=False, sort_keys=True, check_circular=False, separators=(",", ":")
)
_ATOMS = frozenset({str, bool, type(None)})
_NESTED = (list, dict)


class _Room(threading.local):
    """How many items the value that this thread is reading may still have."""

    left = MOST_ITEMS


_room = _Room()


def _text_of() -> Callable[[Any], str]:
    """How a plain value becomes text: by the encoder in C, made once rather than at each value."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    quote = json.encoder.encode_basestring_ascii
    try:
        chunks = make(None, _ENCODER.default, quote, None, ":", ",", True, False, False)
        made: Callable[[Any], str] = lambda value: "".join(chunks(value, 0))  # noqa: E731
        probe = {"b": [1, 0.5, "\u00e9\n"], "a": None}
        return made if made(probe) == _ENCODER.encode(probe) else _ENCODER.encode
    except TypeError:  # another interpreter's
        return _ENCODER.encode


_encoded = _text_of()


def plain(value: Any) -> Any:
    """``value`` as dicts with text keys, lists, text, numbers, booleans and None.

    Raises:
        TypeError: no canonical form is known, or the value's own code raises; the message names
            the type and the mend.
        ValueError: the value contains itself, or a whole number is too long.
    """
    if type(value) in _ATOMS:
        return value
    _room.left = MOST_ITEMS
    try:
        return _plain(value, 0)
    except (TypeError, ValueError):
        raise
    except Exception as error:
        raise TypeError(
            f"a value of type {type(value).__qualname__} cannot be read: {told(error)}"
        ) from error


def encode(value: Any) -> str:
    """The canonical JSON text of ``value``: ASCII, no blanks, keys sorted."""
    return _encoded(plain(value))


def encode_plain(value: Any) -> str:
    """The same for a value that :func:`plain` has already been through."""
    return _encoded(value)


def digest(value: Any) -> str:
    """sha256 (64 hex digits) of the canonical text of ``value``."""
    return hashlib.sha256(encode(value).encode("ascii")).hexdigest()


def withheld(value: Any) -> dict[str, str]:
    """What stands for a value that is not kept: the digest of its canonical form."""
    return {DIGEST_TAG: digest(value)}


def is_digest(value: Any) -> bool:
    """Whether a plain value stands for one that was not kept."""
    return isinstance(value, dict) and value.keys() == {DIGEST_TAG}


def holds_digest(value: Any) -> bool:
    """Whether any part of a plain value was not kept."""
    if isinstance(value, dict):
        inner = value.get(ESCAPE_TAG, value) if len(value) == 1 else value
        if not isinstance(inner, dict):
            return False
        return is_digest(value) or any(map(holds_digest, inner.values()))
    return isinstance(value, list) and any(map(holds_digest, value))


def decode(value: Any) -> Any:
    """Undo the tags of :func:`plain`: NaN, infinities and bytes become values again."""
    if isinstance(value, list):
        return [decode(item) if isinstance(item, _NESTED) else item for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, inner), *_ = value.items()
        if key == FLOAT_TAG and isinstance(inner, str):
            return float(inner)
        if key == BYTES_TAG and isinstance(inner, str):
            return base64.b64decode(inner)
        if key == ESCAPE_TAG and isinstance(inner, dict):
            return {name: decode(item) for name, item in inner.items()}
    return {
        name: decode(item) if isinstance(item, _NESTED) else item for name, item in value.items()
    }


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is int:
        return _int(value)
    if kind is float:
        return _float(value)
    if depth > MAX_DEPTH:
        raise ValueError(
            f"a value is nested more than {MAX_DEPTH} levels deep or contains itself; "
            "return a flatter value"
        )
    if kind is dict:
        return _mapping(value, depth)
    if kind is list or kind is tuple:
        _spend(len(value))
        return [_plain(item, depth + 1) for item in value]
    return _other(value, depth)


def _spend(items: int) -> None:
    """Count items; a list of lists that share their parts may stand for more than fit anywhere."""
    left = _room.left - items
    if left < 0:
        raise ValueError(
            f"a value has more than {MOST_ITEMS:,} items, those that it shares counted each time; "
            "return less, or a table"
        )
    _room.left = left


def _int(value: int) -> int:
    if -LONGEST < value < LONGEST:
        return value
    raise ValueError("a whole number has more than 4,000 digits; return it as text")


def _float(value: float) -> Any:
    if math.isfinite(value):
        return value
    name = "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return {FLOAT_TAG: name}


def _mapping(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    _spend(len(value))
    for key, item in value.items():
        name = key if type(key) is str else _key(key)
        if name in made:
            raise TypeError(f"two keys of a mapping are both {name!r} as text; make them differ")
        made[name] = item if type(item) in _ATOMS else _plain(item, depth + 1)
    if (len(made) == 1 and next(iter(made)) in _TAGS) or BLOB_TAG in made:
        return {ESCAPE_TAG: made}
    return made


def _key(key: Any) -> str:
    form = _plain(key, 1)
    if isinstance(form, str):
        return form
    return _ENCODER.encode(form)


def _other(value: Any, depth: int) -> Any:
    for kinds, form in _FORMS:
        if isinstance(value, kinds):
            return form(value, depth)
    if hasattr(type(value), "model_dump"):
        return _plain(value.model_dump(mode="python", warnings=False), depth + 1)
    if hasattr(type(value), "__dataclass_fields__"):
        names = [field.name for field in dataclasses.fields(value)]
        return _mapping({name: getattr(value, name) for name in names}, depth)
    return _foreign(value, depth)


def _foreign(value: Any, depth: int) -> Any:
    """NumPy and pandas values, known by the package that made them."""
    maker = type(value).__module__.partition(".")[0]
    name = type(value).__name__
    if maker in {"pandas", "polars"} and name in {"DataFrame", "LazyFrame"}:
        raise TypeError(f"a {maker} {name} is recorded as a table: annotate it with Table")
    if maker == "pandas" and name in {"NAType", "NaTType"}:
        return None
    if maker == "numpy" and getattr(value.dtype, "kind", "") in "mM":
        return _plain(_numpy_times(value), depth + 1)
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), depth + 1)
    if hasattr(value, "to_list"):
        return _plain(value.to_list(), depth + 1)
    if hasattr(value, "item"):
        return _plain(value.item(), depth + 1)
    raise TypeError(
        f"a value of type {type(value).__qualname__} has no canonical form: "
        "return numbers, text, dates, lists, dicts or Pydantic models"
    )


def _numpy_times(value: Any) -> Any:
    """Instants and spans as Python has them; NumPy makes bare numbers of the finer ones."""
    unit = value.dtype.name.partition("[")[2].rstrip("]")
    if unit in ("ns", "ps", "fs", "as"):
        coarse = value.astype(f"{value.dtype.kind}8[us]")
        if not ((coarse == value) | (value != value)).all():
            raise TypeError("a NumPy time is finer than a microsecond; round it")
        return coarse.tolist()
    if value.dtype.kind == "m" and unit in ("", "M", "Y"):
        raise TypeError("a NumPy span without a fixed length has no canonical form; give it days")
    return value.tolist()


def _own_items(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    """A mapping class of somebody's own may never stop giving items: it gives ``len`` of them."""
    return _mapping(dict(itertools.islice(value.items(), len(value))), depth)


def _sequence(value: Any, depth: int) -> list[Any]:
    """A list or tuple of somebody's own class, by the items it holds."""
    items = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
    _spend(len(value))
    return [_plain(item, depth + 1) for item in items]


def _set(value: Any, depth: int) -> list[Any]:
    _spend(len(value))
    return sorted((_plain(item, depth + 1) for item in value), key=_ENCODER.encode)


def _instant(value: Any, _: int) -> Any:
    return value.isoformat() if value == value else None


def _seconds(value: dt.timedelta, _: int) -> str:
    whole = value // dt.timedelta(microseconds=1) * 1_000
    whole += int(getattr(value, "nanoseconds", 0))  # of pandas
    sign, whole = ("-", -whole) if whole < 0 else ("", whole)
    seconds, nano = divmod(whole, 1_000_000_000)
    return f"{sign}PT{seconds}{f'.{nano:09d}'.rstrip('0') if nano else ''}S"


_FORMS: tuple[tuple[type | tuple[type, ...], Callable[[Any, int], Any]], ...] = (
    (enum.Enum, lambda value, depth: _plain(value.value, depth + 1)),
    (bool, lambda value, _: bool(value)),
    (int, lambda value, _: _int(int.__index__(value))),
    (float, lambda value, _: _float(float.__float__(value))),
    (str, lambda value, _: str.__str__(value)),
    (Mapping, _own_items),
    ((list, tuple), _sequence),
    ((set, frozenset), _set),
    ((bytes, bytearray, memoryview), lambda v, _: {BYTES_TAG: base64.b64encode(v).decode("ascii")}),
    ((dt.datetime, dt.date, dt.time), _instant),
    (dt.timedelta, _seconds),
    (decimal.Decimal, lambda value, _: str(value)),
    (PurePath, lambda value, _: value.as_posix()),
    (uuid.UUID, lambda value, _: str(value)),
)
