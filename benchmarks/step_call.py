"""P2: one journalled step call, three arguments, a small result."""

from __future__ import annotations

import datetime as dt
import fcntl
import hashlib
import hmac
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, validate_call
from typing_extensions import TypedDict

from benchmarks.table import Row
from benchmarks.timing import Contender, measure
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step

GOAL = "at most 2 times the floor; the length of the run does not matter"
ROUNDS, LOOPS, LONG_RUN = 15, 300, 5000
ARGUMENTS = {"new": 120, "lost": 40, "label": "1997-03"}


class Flow(BaseModel):
    """A small result."""

    label: str
    net: int


def net_flow(new: int, lost: int, label: str) -> Flow:
    """What came less what went."""
    return Flow(label=label, net=new - lost)


def adds_up(new: int, lost: int, net: int) -> bool:
    """The flow is the difference of its parts."""
    return net == new - lost


class Arguments(TypedDict):
    """The step's parameters, as the floor checks them."""

    new: int
    lost: int
    label: str


def floor(path: Path) -> Callable[[], None]:
    """Validate, check order, compute, check, encode, sign, chain, lock, write: nothing around it.

    The line has the fields of a journal's `step_ok`, so both write as many bytes.
    """
    arguments, output = TypeAdapter(Arguments), TypeAdapter(Flow)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    done: set[str] = set()
    requires: frozenset[str] = frozenset()
    encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
    bound = {name: {"from": "literal"} for name in ARGUMENTS}
    seq, head, secret = 0, "0" * 64, os.urandom(32)

    def call() -> None:
        nonlocal seq, head
        began = time.perf_counter_ns()
        given = arguments.validate_python(ARGUMENTS, strict=True)
        assert requires <= done
        result = output.dump_python(output.validate_python(net_flow(**given), strict=True))
        holds = adds_up(given["new"], given["lost"], result["net"])
        fcntl.flock(fd, fcntl.LOCK_EX)
        seq += 1
        record = {
            "v": 1, "run": "19970301-000000-00000000", "seq": seq,
            "ts": dt.datetime.now(dt.UTC).isoformat(), "kind": "step_ok", "step": "net_flow",
            "args": given, "bound": bound, "output": result,
            "invariants": [{"name": "adds_up", "ok": holds, "message": None}],
            "us": (time.perf_counter_ns() - began) // 1000,
            "writer": "cli:0123456789abcdef",
        }  # fmt: skip
        signed = encode(record).encode()[:-1]
        mac = hmac.digest(secret, signed + head.encode(), "sha256").hex()
        body = signed + f',"mac":"{mac}","prev":"{head}"}}'.encode()
        head = hashlib.sha256(body).hexdigest()
        os.write(fd, body[:-1] + b',"hash":"' + head.encode() + b'"}\n')
        fcntl.flock(fd, fcntl.LOCK_UN)
        done.add("net_flow")

    return call


def ours(folder: Path, calls_before: int) -> Callable[[], object]:
    """The kit's own call, in a run that already holds `calls_before` calls."""
    os.environ["SKILLS2_HOME"] = str(folder / f"home-{calls_before}")
    marked = step(invariants=[adds_up])(net_flow)
    run = Run.start(Skill.collect({"net_flow": marked}, name="bench"), inputs={})
    for _ in range(calls_before):
        run.call("net_flow", ARGUMENTS)
    return lambda: run.call("net_flow", ARGUMENTS)


def checked_and_noted(path: Path) -> Callable[[], None]:
    """Pydantic's own call check, with a line of JSON appended to a file."""
    checked = validate_call(validate_return=True)(net_flow)

    def call() -> None:
        result = checked(**ARGUMENTS)  # type: ignore[arg-type]  # pydantic checks them at run time
        with path.open("a", encoding="utf-8") as file:
            file.write(result.model_dump_json() + "\n")

    return call


def rows(folder: Path) -> list[Row]:
    """Measure in `folder`, which is thrown away afterwards."""
    bare = validate_call(validate_return=True)(net_flow)
    samples = measure(
        [
            Contender("skills2", ours(folder, 0), LOOPS),
            Contender(
                "floor: json, sha256, hmac, flock, one write", floor(folder / "floor"), LOOPS
            ),
            Contender(f"skills2, {LONG_RUN:,} calls into the run", ours(folder, LONG_RUN), LOOPS),
            Contender(
                "pydantic validate_call, open/append/close",
                checked_and_noted(folder / "peer"),
                LOOPS,
            ),
            Contender("pydantic validate_call, nothing kept", lambda: bare(**ARGUMENTS), LOOPS),  # type: ignore[arg-type]  # as above
        ],
        ROUNDS,
    )
    return [Row("P2", "journalled step call", GOAL, samples, {"floor": 2.0})]
