"""What a run has come to: a fold of its records.

Pure and standard library alone: the same records give the same state in any process, and the
state of a prefix is the state the run had then.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.contract.blobs import inflate
from skills2_nb.contract.call import NO_FILES as NO_FILES
from skills2_nb.contract.call import STATUS, call_of
from skills2_nb.contract.call import Call as Call
from skills2_nb.contract.call import Check as Check
from skills2_nb.contract.call import Status as Status
from skills2_nb.contract.calls import BySeq, Calls, Selection
from skills2_nb.contract.canonical import BYTES_TAG, ESCAPE_TAG, FLOAT_TAG, encode_plain
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.journal import Record

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")


@dataclass
class RunState:
    """A run so far. Changed by :meth:`apply` alone.

    Attributes:
        session: the client's session that the run belongs to, where it is known.
        prompt_id: the client's id of the prompt, where it is known.
        head: hash of the newest record.
        count: number of records.
        calls: every call in order.
        last: the newest success of each step.
    """

    run: str = ""
    skill: str = ""
    version: str = ""
    digest: str | None = None
    live: str | None = None
    inputs: dict[str, Any] = field(default_factory=dict)
    prompt: str | None = None
    vouched: str = "client"
    session: str | None = None
    prompt_id: str | None = None
    started: str = ""
    ended: Record | None = None
    calls: Calls = field(default_factory=Calls)
    answers: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    healed: list[Record] = field(default_factory=list)
    last: dict[str, Call] = field(default_factory=dict)
    count: int = 0
    head: str = ""

    def apply(self, record: Record) -> None:
        """Take in the next record.

        Raises:
            JournalError: it lacks what its kind carries.
        """
        try:
            self._take(record)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise JournalError(
                f"record {self.count + 1} of run {self.run or '?'} lacks what its kind carries "
                f"({error}); see `skills2 runs verify {self.run}`"
            ) from error

    def _take(self, record: Record) -> None:
        kind, head = record["kind"], record["hash"]
        if kind in STATUS:
            self._take_call(record)
        elif kind == "run_started":
            self._take_start(record)
        elif kind == "run_ended":
            self.ended = record
        elif kind == "answer":
            self.answers.append({key: record.get(key) for key in ("text", "prompt_id", "seq")})
        elif kind == "note":
            self.notes.append(record["text"])
        elif kind == "healed":
            self.healed.append(record)
        self.count += 1
        self.head = head

    def _take_start(self, record: Record) -> None:
        self.run, self.skill = record["run"], record["skill"]
        self.version, self.started = record["version"], record["ts"]
        self.digest, self.live = record["digest"], record["live"]
        self.inputs = dict(inflate(record["inputs"]))
        self.prompt, self.vouched = record["prompt"], record["vouched"]
        self.session, self.prompt_id = record.get("session"), record.get("prompt_id")

    def _take_call(self, record: Record) -> None:
        call = call_of(record)
        self.calls.append(call, self.count + 1)
        if call.status == "ok":
            self.last[call.step] = call
        if self.calls.is_crowded:
            origins = (origin for call in self.last.values() for origin in call.bound.values())
            self.calls.let_go(origin["seq"] for origin in origins if "seq" in origin)

    def reveal(self, seq: int, args: Mapping[str, Any], output: Any) -> None:
        """Put back the values of a call whose record keeps digests, for this process alone."""
        call = self.by_seq[seq]._replace(args=args, output=output)
        self.calls.replace(seq, call)
        if self.last.get(call.step) is not None and self.last[call.step].seq == seq:
            self.last[call.step] = call

    @property
    def by_seq(self) -> BySeq:
        """Every call by its record's number."""
        return BySeq(self.calls)

    @property
    def is_open(self) -> bool:
        """Whether steps may still be called."""
        return self.ended is None

    @property
    def answer(self) -> str | None:
        """The newest answer given after the newest success of a step, else None."""
        done = max((call.seq for call in self.last.values()), default=0)
        if self.answers and self.answers[-1]["seq"] > done:
            text: str = self.answers[-1]["text"]
            return text
        return None

    def newest(self, step: str) -> Call | None:
        """The newest success of ``step``."""
        return self.last.get(step)

    def attempts(self, step: str) -> Selection:
        """Every call of ``step``, in order, failures and rejections too."""
        return self.calls.where(lambda of, status, reason: of == step)

    def before(self, seq: int) -> RunState:
        """The state just before record ``seq``, as far as calls go."""
        calls = self.calls.before(seq)
        return dataclasses.replace(self, calls=calls, last=calls.newest(), ended=None)

    def stale_sources(self, step: str) -> list[str]:
        """References that the newest success of ``step`` consumed and that hold another value now.

        A reference is ``"step#/field"``; the value consumed is the argument as recorded.
        """
        call = self.last.get(step)
        if call is None:
            return []
        return [
            origin["from"]
            for origin in call.bound.values()
            if "seq" in origin and self._moved(origin)
        ]

    def is_stale(self, step: str) -> bool:
        """Whether the newest success of ``step`` consumed a value that has changed since."""
        return bool(self.stale_sources(step))

    def _moved(self, origin: Mapping[str, Any]) -> bool:
        source, _, pointer = origin["from"].partition("#")
        newest = self.last.get(source)
        if newest is None or newest.seq == origin["seq"]:
            return False
        used = self.by_seq.get(origin["seq"])
        if used is None or used.step != source:
            return True
        return _text_at(used.output, pointer) != _text_at(newest.output, pointer)


def fold(records: Iterable[Record], state: RunState | None = None) -> RunState:
    """The state after ``records``, from ``state`` on (changed) or from nothing."""
    state = RunState() if state is None else state
    for record in records:
        state.apply(record)
    return state


def resolve(value: Any, pointer: str) -> Any:
    """The part of a plain ``value`` at an RFC 6901 ``pointer`` (``""`` is the whole).

    Raises:
        KeyError: nothing stands there; the argument is the part that was not found.
    """
    if pointer and not pointer.startswith("/"):
        raise KeyError(pointer)
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if _has_only(value, ESCAPE_TAG):
            value = value[ESCAPE_TAG]
        elif _has_only(value, FLOAT_TAG, BYTES_TAG):
            raise KeyError(name)  # it stands for one value, and nothing lies within
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list) and _INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            raise KeyError(name)
    return value


def _has_only(value: Any, *tags: str) -> bool:
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in tags


def _text_at(output: Any, pointer: str) -> str | None:
    try:
        return encode_plain(resolve(output, pointer))
    except KeyError:
        return None
