"""What a step takes and gives, as JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skills2_nb.library.activation import Contract
from skills2_nb.serve.replies import NEXT, NOTICES, PRINTED, RUN, is_object

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
_NEXT: Schema = {**TEXTS, "description": "the tools to call next"}
RUN_ID: Schema = {
    "type": "string",
    "description": "the run, where it is not this session's open one",
}


def own_name(word: str, parameters: Mapping[str, Any]) -> str:
    """What the kit's own argument is called beside a step's parameters."""
    while word in parameters:
        word = f"skills2_{word}"
    return word


def step_input(made: Contract, step: str) -> Schema:
    """What a step takes: nothing is required, since the run's inputs can give anything."""
    schemas = made.schema(step)
    properties = {name: dict(schema) for name, schema in schemas.parameters.items()}
    steps = ", ".join(entry.id for entry in made.steps[:3])
    properties[own_name("refs", schemas.parameters)] = {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": f"arguments taken from results, by name: step#/field (steps: {steps}, …)",
    }
    properties[own_name(RUN, schemas.parameters)] = RUN_ID
    made_input: Schema = {"type": "object", "properties": properties}
    if not schemas.input:
        return made_input | {"additionalProperties": True}
    if "$defs" in schemas.input:
        made_input["$defs"] = schemas.input["$defs"]
    return made_input | {"additionalProperties": False}


#: What a broken contract gives instead. Clients hold an error to the tool's schema too.
REFUSAL: Schema = {
    "type": "object",
    "properties": {"kind": TEXT, "message": TEXT, NEXT: TEXTS},
    "required": ["kind", "message", NEXT],
}


def step_output(made: Contract, step: str) -> Schema | None:
    """What a step's result is, or its refusal; None where nothing is known of it."""
    whole = _result(made, step)
    if whole is None:
        return None
    defs = whole.pop("$defs", None)
    found: Schema = {"type": "object", "anyOf": [whole, REFUSAL]}
    return found | ({"$defs": defs} if defs else {})


def _result(made: Contract, step: str) -> Schema | None:
    schema = made.schema(step).output
    if not schema:
        return None
    extras = {NEXT: _NEXT, RUN: TEXT, PRINTED: TEXT, NOTICES: TEXTS}
    whole = _with_null(dict(schema))
    if not is_object(schema):
        defs = whole.pop("$defs", None)
        properties = {"result": whole, **extras}
        found: Schema = {"type": "object", "properties": properties, "required": ["result"]}
        return found | ({"$defs": defs} if defs else {})
    properties = {**extras, **whole.get("properties", {})}
    rest = {k: v for k, v in whole.items() if k != "additionalProperties" or isinstance(v, dict)}
    if isinstance(rest.get("additionalProperties"), dict):
        rest["additionalProperties"] = True
    return {**rest, "properties": properties}


def _with_null(schema: Any) -> Any:
    """A schema whose numbers may be null: JSON has no NaN."""
    if isinstance(schema, list):
        return [_with_null(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: item if key == "enum" else _with_null(item) for key, item in schema.items()}
    if made.get("type") == "number":
        made["type"] = ["number", "null"]
    return made
