"""Plain values read as dataclasses, field by field."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def read_as(kind: type[T], value: Any, where: str = "it") -> T:
    """A dataclass of a plain value, such as a file of JSON holds.

    Fields may be texts, numbers, truth values, other dataclasses, tuples and mappings of these,
    or ``Any``; each may be ``| None``. Keys that the class does not know are passed over, and a
    field that is absent has its default.

    Args:
        kind: the class.
        value: a mapping.
        where: what the value is called in messages.

    Raises:
        ValueError: something in it is of another type, or a field without default is absent.
    """
    made: T = _made(kind, value, where)
    return made


def _made(kind: Any, value: Any, where: str) -> Any:
    if kind is Any:
        return value
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _object(kind, value, where)
    if isinstance(kind, UnionType):
        return None if value is None else _made(_other(kind), value, where)
    origin = get_origin(kind)
    if origin is tuple and isinstance(value, (list, tuple)):
        inner = get_args(kind)[0]
        return tuple(_made(inner, item, f"{where}[{at}]") for at, item in enumerate(value))
    if origin is Mapping and isinstance(value, Mapping):
        inner = get_args(kind)[1]
        return {str(key): _made(inner, item, f"{where}.{key}") for key, item in value.items()}
    if origin is None and _is_plain(kind, value):
        return value
    raise ValueError(f"{where} is {str(value)[:40]!r}")


def _object(kind: type, value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} is no object")
    given = {}
    for name, hint in _hints(kind).items():
        if name in value:
            given[name] = _made(hint, value[name], f"{where}.{name}")
        elif _is_needed(kind, name):
            raise ValueError(f"{where} has no {name!r}")
    return kind(**given)


def _is_plain(kind: Any, value: Any) -> bool:
    if kind is float:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number and math.isfinite(value)
    return type(value) is kind


def _other(kind: UnionType) -> Any:
    (other,) = (each for each in get_args(kind) if each is not NoneType)
    return other


def _is_needed(kind: Any, name: str) -> bool:
    made = kind.__dataclass_fields__[name]
    missing = dataclasses.MISSING
    return made.default is missing and made.default_factory is missing


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
