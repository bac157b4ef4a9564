"""What a caller is told: values as JSON has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.contract.blobs import TABLE_TAG
from skills2_nb.contract.canonical import BYTES_TAG, ESCAPE_TAG, FLOAT_TAG

#: Keys that every result may carry; a step's own field of that name goes first.
NEXT, RUN, PRINTED, NOTICES = "next", "run_id", "printed", "notices"
#: The same facts where a field of the step's own stands in the way.
META = "skills2/"


@dataclass(frozen=True)
class Reply:
    """The result of a tool.

    Attributes:
        body: the structured content, an object.
        text: what a reader without structured content sees.
        failed: whether it is an error.
        meta: what the body has no room for.
    """

    body: dict[str, Any]
    text: str
    failed: bool = False
    meta: dict[str, Any] = field(default_factory=dict)


def said(body: Mapping[str, Any], sentence: str = "") -> Reply:
    """An answer: its values as text too, after a sentence."""
    text = json.dumps(body, ensure_ascii=False)
    return Reply(dict(body), f"{sentence}\n{text}" if sentence else text)


def refused(kind: str, message: str, **facts: Any) -> Reply:
    """A broken contract: ``{kind, step, missing, next, values}`` and the sentence."""
    body = {"kind": kind, "step": None, "missing": [], NEXT: [], "values": {}, **facts}
    return Reply({**body, "message": message}, message, failed=True)


def result(output: Any, extras: Mapping[str, Any], schema: Mapping[str, Any]) -> Reply:
    """A step's result with what goes along.

    Args:
        output: the plain value.
        extras: what every result carries; empty values are left out.
        schema: the output's; of anything but an object the value stands under ``result``.
    """
    value = wire(output)
    own = value if isinstance(value, dict) and is_object(schema, value) else {"result": value}
    kept = {key: item for key, item in extras.items() if item not in (None, "", [])}
    kept.setdefault(NEXT, [])
    fits = {key: item for key, item in kept.items() if key not in own}
    meta = {META + key: item for key, item in kept.items() if key in own}
    body = {**own, **fits}
    return Reply(body, json.dumps(body, ensure_ascii=False), meta=meta)


def sendable(reply: Reply) -> Reply:
    """The reply with ``?`` for each half of a surrogate pair: UTF-8 has none."""
    whole = json.dumps([reply.body, reply.text, reply.meta], ensure_ascii=False)
    try:
        whole.encode()
    except UnicodeEncodeError:
        body, text, meta = json.loads(whole.encode("utf-8", "replace"))
        return Reply(body, text, reply.failed, meta)
    return reply


def is_object(schema: Mapping[str, Any], value: Any = None) -> bool:
    """Whether results are objects, by their schema or, without one, by this value."""
    if schema:
        return schema.get("type") == "object"
    return isinstance(value, dict)


def wire(value: Any) -> Any:
    """A plain value as JSON Schema describes it, without the tags of a record.

    NaN and the infinities are null, bytes are base64, a table is ``{table, rows, columns, head}``.
    """
    if isinstance(value, list):
        return [wire(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, inner), *_ = value.items()
        if key == FLOAT_TAG:
            return None
        if key == BYTES_TAG:
            return inner
        if key == ESCAPE_TAG and isinstance(inner, dict):
            return {name: wire(item) for name, item in inner.items()}
    return {"table" if name == TABLE_TAG else name: wire(item) for name, item in value.items()}
