"""The choices that a type allows: Literal and Enum members."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from skills2_nb.contract.canonical import plain

_DEEPEST = 8


def choices(annotations: Iterable[Any]) -> dict[Any, tuple[Any, ...]]:
    """For each plain choice anywhere in the types, the others of its kind.

    Returns:
        ``{(type, choice): others}``, such as ``{(str, "week"): ("month", "quarter")}``; the type
        keeps 1 and True apart. A choice of two kinds has the others of both.
    """
    made: dict[Any, tuple[Any, ...]] = {}
    for members in dict.fromkeys(kind for item in annotations for kind in _kinds(item, 0, set())):
        for member in members:
            others = (other for other in members if _key(other) != _key(member))
            made[_key(member)] = tuple(dict.fromkeys([*made.get(_key(member), ()), *others]))
    return made


def _kinds(annotation: Any, depth: int, seen: set[int]) -> Iterator[tuple[Any, ...]]:
    annotation = getattr(annotation, "__value__", annotation)  # of a `type X = ...`
    if depth > _DEEPEST or id(annotation) in seen:
        return
    seen.add(id(annotation))
    if get_origin(annotation) is Literal:
        yield tuple(plain(item) for item in get_args(annotation))
    elif isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        members = [plain(member.value) for member in annotation]
        if all(isinstance(member, (str, int, float)) for member in members):
            yield tuple(members)
    for inner in (*get_args(annotation), *_fields(annotation)):
        yield from _kinds(inner, depth + 1, seen)


def _fields(annotation: Any) -> tuple[Any, ...]:
    """The types of a class's fields: a model's, a dataclass's, a TypedDict's."""
    if not isinstance(annotation, type) or not getattr(annotation, "__annotations__", None):
        return ()
    known = getattr(annotation, "__pydantic_fields__", None)
    if known is not None:
        return tuple(field.annotation for field in known.values())
    try:
        return tuple(get_type_hints(annotation, include_extras=True).values())
    except (NameError, TypeError):
        return ()


def _key(value: Any) -> Any:
    return type(value), value
