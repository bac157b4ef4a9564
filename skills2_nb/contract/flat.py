"""Values that are their own plain form.

Most steps take and give a few numbers and short texts. Such a mapping need not be walked to be
recorded: a look at each value is enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from skills2_nb.contract.canonical import LONGEST

#: Types of values that are their own plain form, whole numbers if they are not too long.
ATOMS = frozenset({int, str, bool, type(None)})
#: Types of Pydantic's core schemas whose values it hands on as they are.
_SCALARS = frozenset({"str", "int", "float", "bool", "none", "literal"})
#: Those that only wrap another schema.
_WRAPPERS = frozenset({"function-before", "function-after", "function-wrap", "nullable", "default"})


def flat(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """A copy of ``values`` if each is its own plain form, else None.

    Args:
        values: by Python names, so that no key is a tag.
    """
    for value in values.values():
        kind = type(value)
        if kind is int:
            if not -LONGEST < value < LONGEST:
                return None
        elif kind is float:
            if not math.isfinite(value):
                return None
        elif kind not in ATOMS:
            return None
    return dict(values)


def flat_reader(kind: Any, schema: Any) -> Callable[[Any], dict[str, Any] | None]:
    """What gives the plain form of a type's values where a look is enough, else None.

    Args:
        kind: the type.
        schema: its core schema; only a model with fields of numbers and text has such values.
    """
    count = _flat_fields(schema)

    def read(value: Any) -> dict[str, Any] | None:
        if count is None or type(value) is not kind:
            return None
        fields = value.__dict__
        return flat(fields) if len(fields) == count else None

    return read


def is_scalar(schema: Any) -> bool:
    """Whether the values of a core schema are written as they are: numbers, text, nothing."""
    inner = _unwrapped(schema)
    return inner is not None and inner["type"] in _SCALARS


def _flat_fields(schema: Any) -> int | None:
    """How many fields a model has that are its serialized form as they are; None of any other."""
    inner = _unwrapped(schema)
    if inner is None or inner["type"] != "model" or inner.get("root_model"):
        return None
    if inner.get("config", {}).get("extra_fields_behavior") == "allow":
        return None
    fields = _unwrapped(inner["schema"])
    if fields is None or fields["type"] != "model-fields" or fields.get("computed_fields"):
        return None
    if fields.get("extra_behavior") == "allow":
        return None
    return len(fields["fields"]) if all(map(_is_bare, fields["fields"].values())) else None


def _is_bare(field: Mapping[str, Any]) -> bool:
    return is_scalar(field["schema"]) and not any(key.startswith("serialization") for key in field)


def _unwrapped(schema: Any) -> Any:
    """The schema within what only checks or completes; None where one says how it is written."""
    while "serialization" not in schema:
        if schema["type"] not in _WRAPPERS:
            return schema
        schema = schema["schema"]
    return None
