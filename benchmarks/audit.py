"""P9: the audit of a long journal, and the memory it takes."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from benchmarks.step_call import ARGUMENTS, adds_up, net_flow
from benchmarks.table import Row
from benchmarks.timing import Contender, measure
from skills2_nb.audit.auditor import Audit, Basis, audit_journal
from skills2_nb.contract import keys
from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.home import home
from skills2_nb.contract.journal import GENESIS, Record, read, sealed
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step

GOAL = "at most 1.3 times the floor"
ROUNDS, RECORDS = 7, 100_000
#: Bytes of `,"hash":"<64 hex>"}` and the line end.
TAIL = 76
#: Bytes of `,"mac":"<64 hex>"` up to the line end.
SIGNED = 73 + 74 + TAIL


class Line(BaseModel):
    """What every record carries, as the peer checks it."""

    v: int
    run: str
    seq: int
    ts: str
    kind: str
    prev: str
    hash: str
    step: str | None = None
    args: dict[str, Any] | None = None
    output: dict[str, Any] | None = None


def long_journal(skill: Skill, count: int) -> Path:
    """A run of `count` records: a start, one call over and over, and the end."""
    run = Run.start(skill, ARGUMENTS, vouched="cli")
    run.call("net_flow")
    first, call = read(run.path)
    end = {key: first[key] for key in ("v", "run", "writer")} | {"ts": call["ts"]}
    records = [first, *[call] * (count - 2), end]
    run.path.write_bytes(b"".join(_chained(records, secret_of(first))))
    return run.path


def secret_of(record: Record) -> bytes:
    """The key that signed a record."""
    return keys.place(home(), keys.named(record["writer"]) or "").read_bytes()


def _chained(records: list[Record], secret: bytes) -> Iterator[bytes]:
    key, prev = keys.Key(secret), GENESIS
    for seq, record in enumerate(records, 1):
        if seq == len(records):
            record |= {"kind": "run_ended", "by": "cli", "count": seq - 1, "head": prev}
        own = {k: v for k, v in record.items() if k not in ("writer", "mac", "prev", "hash")}
        writer = encode_plain(record["writer"])
        head = f'{encode_plain(own | {"seq": seq})[:-1]},"writer":{writer}'.encode("ascii")
        mac = key.mac(head, prev.encode("ascii"))
        line, prev = sealed(head + f',"mac":"{mac}","prev":"{prev}"'.encode("ascii"))
        yield line


def floor(path: Path) -> None:
    """Read each line, check its hash, MAC, place and the order of its step: nothing kept."""
    prev, secret = GENESIS, secret_of(next(read(path)))
    done: set[str | None] = set()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            record = json.loads(line)
            value = hashlib.sha256(line[:-TAIL] + b"}").hexdigest()
            assert (record["seq"], record["prev"], record["hash"]) == (number, prev, value)
            mac = hmac.digest(secret, line[:-SIGNED] + prev.encode(), "sha256").hex()
            assert record["mac"] == mac
            assert frozenset() <= done
            done.add(record.get("step"))
            prev = value


def checked(path: Path) -> None:
    """Pydantic's own reading of each line, the order checked, the chain not."""
    adapter = TypeAdapter(Line)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            assert adapter.validate_json(line).seq == number


def peak(work: Callable[[], object]) -> float:
    """The most that one call of `work` holds at a time, in MiB."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 2**20


def rows(folder: Path) -> list[Row]:
    """Measure in `folder`, which is thrown away afterwards."""
    os.environ["SKILLS2_HOME"] = str(folder / "home-audit")
    marked = step(invariants=[adds_up], report=["net"])(net_flow)
    skill = Skill.collect({"net_flow": marked}, name="bench")
    basis, path = Basis(skill, anchors=("net",)), long_journal(skill, RECORDS)

    def ours(path: Path = path) -> Audit:
        return audit_journal(basis, path, answer="The net is 80.")

    assert ours().classic.verdict == "pass"
    samples = measure(
        [
            Contender("skills2: audit_journal", ours),
            Contender("floor: json.loads, sha256, hmac, order", lambda: floor(path)),
            Contender("pydantic validate_json, order", lambda: checked(path)),
        ],
        ROUNDS,
    )
    tenth = long_journal(skill, RECORDS // 10)
    small, large = (round(peak(lambda at=at: ours(at))) for at in (tenth, path))  # type: ignore[misc]  # a default binds the loop's value
    held = f"it holds {small} MiB at {RECORDS // 10:,} records and {large} MiB at {RECORDS:,}"
    return [Row("P9", f"audit of {RECORDS:,} records", f"{GOAL}; {held}", samples, {"floor": 1.3})]
