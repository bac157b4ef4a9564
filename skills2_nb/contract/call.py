"""One call of a step, as its record tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from skills2_nb.contract.blobs import inflate
from skills2_nb.contract.errors import JournalError

Record = dict[str, Any]
_T = TypeVar("_T")
Status = Literal["ok", "failed", "rejected"]
#: The kinds of records that are calls, with the status each gives.
STATUS: Mapping[str, Status] = {"step_ok": "ok", "step_failed": "failed", "rejected": "rejected"}
NO_FILES: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


class Check(NamedTuple):
    """One invariant's answer: its name, whether it held, and what it said if not."""

    name: str
    ok: bool
    message: str | None = None


class Call(NamedTuple):
    """One call of a step as recorded; ``args`` and ``output`` are plain values.

    ``files`` are those its body read: ``{path: {"sha256", "bytes"}}``.
    """

    seq: int
    ts: str
    step: str
    status: Status
    args: Mapping[str, Any]
    bound: Mapping[str, Mapping[str, Any]]
    output: Any
    invariants: tuple[Check, ...]
    reason: str | None
    error: Mapping[str, Any] | None
    us: int
    files: Mapping[str, Mapping[str, Any]] = NO_FILES


def call_of(record: Record) -> Call:
    """The call that a record is of.

    Raises:
        KeyError, TypeError: it lacks what its kind carries.
        JournalError: a value kept beside it is gone or was changed.
    """
    get = record.get
    checks = get("invariants")
    fields = (
        record["seq"],
        record["ts"],
        record["step"],
        STATUS[record["kind"]],
        inflate(get("args", {})),
        get("bound", {}),
        inflate(get("output")),
        tuple([Check(i["name"], i["ok"], i.get("message")) for i in checks]) if checks else (),
        get("reason"),
        get("error"),
        get("us", 0),
        inflate(get("files", NO_FILES)),
    )
    return Call._make(fields)


def checked(make: Callable[[Record], _T], record: Record) -> _T:
    """What ``make`` gives for a record.

    Raises:
        JournalError: the record lacks what its kind carries.
    """
    try:
        return make(record)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise JournalError(
            f"record {record.get('seq')} of run {record.get('run')} lacks what its kind carries "
            f"({error}); see `skills2 runs verify {record.get('run')}`"
        ) from error
