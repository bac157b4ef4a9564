"""What each kind of record carries, held against one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from skills2_nb.contract.canonical import BLOB_TAG

_Is = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _may_be_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _may_be_object(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_any(value: Any) -> bool:
    return True


def _are_origins(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_origin, value.values()))


def _is_origin(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("from"), str)
        and ("seq" not in value or type(value["seq"]) is int)
    )


def _are_checks(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_check, value))


def _is_check(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("ok"), bool)
        and _may_be_text(value.get("message"))
    )


def _are_files(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_file, value.values()))


def _is_file(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("sha256"), str)
        and _is_count(value.get("bytes"))
    )


def _vouches(value: Any) -> bool:
    return value in ("hook", "cli", "case", "client")


def _is_refusal(value: Any) -> bool:
    return value in ("order", "guard", "run_ended", "unknown_step")


def _is_failure(value: Any) -> bool:
    return value in ("input", "output", "invariant", "exception", "timeout")


_CARRIES: Mapping[str, Mapping[str, _Is]] = {
    "run_started": {
        "run": _is_text, "skill": _is_text, "version": _is_text, "digest": _may_be_text,
        "live": _may_be_text, "inputs": _is_object, "prompt": _may_be_text, "vouched": _vouches,
    },
    "step_ok": {
        "step": _is_text, "args": _is_object, "bound": _are_origins, "output": _is_any,
        "invariants": _are_checks, "us": _is_count,
    },
    "step_failed": {
        "step": _is_text, "args": _is_object, "bound": _are_origins, "reason": _is_failure,
        "error": _is_object,
    },
    "rejected": {"step": _is_text, "reason": _is_refusal, "error": _may_be_object},
    "run_ended": {"by": _is_text, "count": _is_count, "head": _is_text},
    "answer": {"text": _is_text, "prompt_id": _may_be_text},
    "note": {"text": _is_text},
    "healed": {"bytes": _is_count, "sha256": _is_text},
}  # fmt: skip
_MAY_CARRY: Mapping[str, Mapping[str, _Is]] = {
    "run_started": {"session": _may_be_text, "prompt_id": _may_be_text},
    "step_ok": {"files": _are_files},
    "step_failed": {"invariants": _are_checks, "us": _is_count, "files": _are_files},
}
_SUCCESS = itemgetter("kind", "seq", "step", "args", "bound", "output", "invariants", "us")
_NOTHING: Mapping[str, _Is] = {}


def is_plain_success(record: Mapping[str, Any]) -> bool:
    """Whether a record is a success of the shape that nearly all are, its values in the line.

    :func:`misshapen` finds nothing in such a record; of another it tells whether it may be.
    """
    try:
        kind, seq, step, args, bound, output, checks, us = _SUCCESS(record)
        if not (
            kind == "step_ok"
            and type(args) is type(bound) is dict
            and type(us) is type(seq) is int
            and us >= 0
            and type(step) is str
            and "files" not in record
        ):
            return False
        for origin in bound.values():
            if type(origin["from"]) is not str or type(origin.get("seq", 0)) is not int:
                return False
        for check in checks:
            if type(check["name"]) is not str or type(check["ok"]) is not bool:
                return False
            if check.get("message") is not None:
                return False
    except (KeyError, TypeError, AttributeError):
        return False
    return type(checks) is list and seq > 1 and not _may_lie_aside(args, output)


def _may_lie_aside(*values: Any) -> bool:
    """Whether some of the values may be kept beside the line."""
    for value in values:
        if type(value) is dict:
            if BLOB_TAG in value:
                return True
            for item in value.values():
                if type(item) is dict and _may_lie_aside(item):
                    return True
    return False


def misshapen(record: Mapping[str, Any], number: int) -> str | None:
    """What a record lacks or holds that its kind does not carry, a sentence; None if nothing.

    The hash of a forged record may be right; what nobody writes gives it away.

    Args:
        record: a line of a journal.
        number: its place, from 1; the first record starts the run, and no other does.
    """
    kind = record.get("kind")
    place = f"record {number} ({kind})"
    if type(record.get("seq")) is not int:
        return f"{place} has a 'seq' that is no whole number"
    if (kind == "run_started") != (number == 1):
        said = "starts the run a second time" if number > 1 else "does not start the run"
        return f"{place} {said}"
    for name, holds in _CARRIES.get(str(kind), _NOTHING).items():
        if name not in record:
            return f"{place} has no {name!r}, which nothing that writes journals leaves out"
        if not holds(record[name]):
            return f"{place} holds a {name!r} that nothing that writes journals gives"
    for name, holds in _MAY_CARRY.get(str(kind), _NOTHING).items():
        if name in record and not holds(record[name]):
            return f"{place} holds a {name!r} that nothing that writes journals gives"
    return None
