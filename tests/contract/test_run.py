"""A run: what is called, refused, recorded and gone on with."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from skills2_nb.contract import chain, journal
from skills2_nb.contract.errors import (
    GuardError,
    InputError,
    InvariantError,
    OrderError,
    OutputError,
    RunEndedError,
    UnknownRunError,
    UnknownStepError,
)
from skills2_nb.contract.run import Run, find
from skills2_nb.contract.skill import Runtime, Skill
from skills2_nb.contract.state import fold
from skills2_nb.contract.step import step
from skills2_nb.contract.table import Table
from skills2_nb.contract.walk import walk


def records(run: Run) -> list[dict[str, Any]]:
    return list(journal.read(run.path))


def test_an_honest_run_is_recorded_whole(skill: Skill) -> None:
    run = Run.start(skill, {"rows": [157, 156], "lost": 102}, prompt="Why?", vouched="cli")
    done = walk(run)
    assert done.error is None
    run.end(answer=done.outputs["tell"]["readout"])
    kinds = [record["kind"] for record in records(run)]
    assert kinds == ["run_started", "step_ok", "step_ok", "step_ok", "run_ended", "answer"]
    start, first, second, *_, ended, answer = records(run)
    assert start["inputs"] == {"rows": [157, 156], "lost": 102}
    assert (start["prompt"], start["vouched"], start["skill"]) == ("Why?", "cli", "trial")
    assert first["bound"] == {"rows": {"from": "inputs#/rows"}, "lost": {"from": "inputs#/lost"}}
    assert second["args"] == {"previous": 157, "gained": 156, "lost": 102, "current": 211}
    assert second["bound"]["current"] == {"by": "name", "from": "count#/current", "seq": 2}
    assert second["invariants"] == [{"name": "books_close", "ok": True, "message": None}]
    assert (ended["count"], ended["head"]) == (4, records(run)[3]["hash"])
    assert answer["text"] == "The period ends with 211."
    assert chain.verify(run.path) == []


CALLS = [
    (lambda r: r.call("balance"), OrderError, "rejected", "order", ["count"]),
    (lambda r: r.call("nobody"), UnknownStepError, "rejected", "unknown_step", []),
    (lambda r: r.call("count", {"rows": "x"}), InputError, "step_failed", "input", []),
    (lambda r: r.call("count", {"rows": []}), IndexError, "step_failed", "exception", []),
]


@pytest.mark.parametrize(("make", "kind", "record", "reason", "missing"), CALLS)
def test_a_refusal_is_recorded_and_raised(skill, make, kind, record, reason, missing) -> None:
    run = Run.start(skill, {})
    with pytest.raises(kind):
        make(run)
    last = records(run)[-1]
    assert (last["kind"], last["reason"]) == (record, reason)
    assert last["error"]["missing"] == missing
    assert last["error"]["message"]


def test_numbers_that_break_the_books_are_refused(skill: Skill) -> None:
    run = Run.start(skill, {"rows": [157, 156], "lost": 102})
    run.call("count")
    with pytest.raises(InvariantError, match="books_close") as caught:
        run.call("balance", {"lost": 120})
    assert caught.value.values["lost"] == 120
    last = records(run)[-1]
    assert (last["kind"], last["reason"]) == ("step_failed", "invariant")
    assert last["invariants"][0]["ok"] is False
    assert last["output"] == {"gap": 18, "implied": 193}
    assert run.state.newest("balance") is None


def test_a_call_after_the_end_is_rejected_and_recorded(skill: Skill) -> None:
    run = Run.start(skill, {"rows": [1]})
    run.end()
    with pytest.raises(RunEndedError, match="had ended"):
        run.call("count")
    assert (records(run)[-1]["kind"], records(run)[-1]["reason"]) == ("rejected", "run_ended")
    with pytest.raises(RunEndedError):
        run.end()
    assert chain.verify(run.path) == []


@pytest.mark.parametrize("id_", ["", "nope", "../../etc/passwd", "20260101-000000-00000000"])
def test_an_unknown_run_is_typed(skill: Skill, id_: str) -> None:
    with pytest.raises(UnknownRunError, match="there is no run"):
        Run.resume(skill, id_)


def test_another_process_goes_on(skill: Skill) -> None:
    run = Run.start(skill, {"rows": [157, 156], "lost": 102})
    run.call("count")
    again = Run.resume(skill, run.id)
    assert again.call("balance").implied == 211
    assert run.call("tell") == {"readout": "The period ends with 211."}
    assert chain.verify(find(run.id)) == []


def test_two_open_views_of_a_run_agree_under_the_lock(skill: Skill) -> None:
    one = Run.start(skill, {"rows": [1]})
    two = Run.resume(skill, one.id)
    two.end()
    with pytest.raises(RunEndedError):
        one.call("count")


def test_plain_calls_are_journalled_while_a_run_is_current(skill: Skill) -> None:
    count = skill.step("count").fn
    from .conftest import balance as plain_balance
    from .conftest import count as plain_count

    assert plain_count.__step__.fn is count
    with Run.start(skill) as run:
        plain_count([157, 156], lost=102)
        with pytest.raises(OrderError):
            Run.start(skill).call("balance")
        plain_balance(157, 156, 102, 211)
    plain_count([1])
    assert [call.step for call in run.state.calls] == ["count", "balance"]


def test_a_step_within_a_step_leaves_no_record() -> None:
    @step
    def inner(a: int) -> int:
        return a + 1

    @step
    def outer(a: int) -> int:
        return inner(a) + 1

    run = Run.start(Skill.collect({"inner": inner, "outer": outer}, "trial"), {"a": 1})
    with run:
        inner(1)
        assert outer(1) == 3
    assert [call.step for call in run.state.calls] == ["inner", "outer"]


def test_async_steps_run_in_either_world() -> None:
    @step
    async def later(a: int) -> int:
        await asyncio.sleep(0)
        return a + 1

    skill = Skill.collect({"later": later}, "trial")
    assert Run.start(skill, {"a": 1}).call("later") == 2

    async def within_a_loop() -> tuple[int, int, int]:
        run = Run.start(skill, {"a": 1})
        with run:
            return run.call("later"), await run.acall("later"), await later(5)

    assert asyncio.run(within_a_loop()) == (2, 2, 6)


def test_an_exit_within_a_step_is_recorded(skill: Skill) -> None:
    @step
    def leave(a: int = 0) -> int:
        raise SystemExit(3)

    run = Run.start(Skill.collect({"leave": leave}, "trial"))
    with pytest.raises(SystemExit):
        run.call("leave")
    assert records(run)[-1]["error"]["message"] == "leave raised SystemExit: 3"


def test_a_result_that_cannot_be_recorded_is_refused() -> None:
    @step
    def odd(a: int = 0) -> Any:
        return object()

    run = Run.start(Skill.collect({"odd": odd}, "trial"))
    with pytest.raises(OutputError, match="no canonical form"):
        run.call("odd")


@step
def guarded_by(size: int) -> dict[str, int]:
    return {"size": size}


@step(when=lambda run: run.outputs["guarded_by"]["size"] > 10)
def only_big(size: int) -> dict[str, int]:
    return {"big": size}


@step(requires=["only_big"])
def after(size: int) -> dict[str, int]:
    return {"after": size}


@pytest.mark.parametrize(("size", "due"), [(11, True), (10, False)])
def test_a_guard_says_whether_a_step_is_due(size: int, due: bool) -> None:
    skill = Skill.collect({"guarded_by": guarded_by, "only_big": only_big, "after": after}, "trial")
    run = Run.start(skill, {"size": size})
    assert skill.owes(skill.step("only_big"), run.state) is True
    assert skill.guard(skill.step("only_big"), run.state) is None
    run.call("guarded_by")
    assert skill.owes(skill.step("only_big"), run.state) is due
    if due:
        with pytest.raises(OrderError):
            run.call("after")
        run.call("only_big")
    else:
        with pytest.raises(GuardError, match="not due"):
            run.call("only_big")
    assert run.call("after") == {"after": size}


def test_values_too_big_for_a_line_become_blobs_and_come_back() -> None:
    @step
    def many(a: int) -> dict[str, Any]:
        return {"rows": list(range(40_000)), "n": 40_000}

    @step
    def use(rows: list[int], n: int) -> int:
        return len(rows) - n

    skill = Skill.collect({"many": many, "use": use}, "trial")
    run = Run.start(skill, {"a": 1})
    run.call("many")
    assert Run.resume(skill, run.id).call("use") == 0
    output = records(run)[1]["output"]
    assert set(output["rows"]) == {"$blob", "bytes"}
    assert output["n"] == 40_000
    assert run.path.stat().st_size < 20_000


@pytest.mark.parametrize("runtime", [Runtime(capture="digest"), Runtime(redact=("secret",))])
def test_withheld_values_are_in_no_record(runtime: Runtime) -> None:
    @step
    def make(seed: int) -> dict[str, str]:
        return {"secret": "hush-hush"}

    @step
    def use(secret: str) -> int:
        return len(secret)

    skill = Skill.collect({"make": make, "use": use}, "trial", runtime=runtime)
    run = Run.start(skill, {"seed": 1})
    run.call("make")
    again = Run.resume(skill, run.id)
    assert run.call("use") == 9
    assert b"hush-hush" not in run.path.read_bytes()
    with pytest.raises(InputError, match="kept only as a digest"):
        again.call("use")


def test_a_result_reaches_its_caller_when_the_disk_is_full(
    skill: Skill, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.start(skill, {"rows": [1]})

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        assert run.call("count").current == 1
    monkeypatch.undo()
    assert "count is not in the journal" in run.notices[0]
    assert run.call("count").current == 1
    assert chain.verify(run.path) == []


def test_runs_side_by_side_do_not_mix(skill: Skill) -> None:
    runs = [Run.start(skill, {"rows": [n, 1]}) for n in range(16)]

    def work(run: Run) -> None:
        with run:
            walk(run)

    threads = [threading.Thread(target=work, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, run in enumerate(runs):
        assert run.state.last["count"].output["previous"] == number
        assert {r["run"] for r in records(run)} == {run.id}


def test_a_relative_file_is_recorded_absolute(
    skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data.csv").write_text("x")
    monkeypatch.chdir(tmp_path)
    run = Run.start(skill, {"path": "data.csv", "grain": "month", "other": "none.csv"})
    assert run.state.inputs == {
        "path": (tmp_path / "data.csv").resolve().as_posix(),
        "grain": "month",
        "other": "none.csv",
    }


class Step:
    """The order of three steps in the fewest words: a step needs all before it."""

    names = ("count", "balance", "tell")

    def __init__(self) -> None:
        self.done: set[str] = set()
        self.ended = False

    def call(self, name: str) -> bool:
        before = self.names[: self.names.index(name)]
        allowed = not self.ended and self.done.issuperset(before)
        if allowed:
            self.done.add(name)
        return allowed


@given(st.lists(st.sampled_from([*Step.names, "end"]), max_size=8))
def test_order_and_state_agree_with_a_small_model(moves: list[str]) -> None:
    from .conftest import balance, collected, count, tell

    run = Run.start(collected([count, balance, tell]), {"rows": [3, 4], "lost": 1})
    model = Step()
    for move in moves:
        if move == "end":
            if not model.ended:
                run.end()
            model.ended = True
            continue
        allowed = model.call(move)
        try:
            run.call(move)
            assert allowed
        except (OrderError, RunEndedError):
            assert not allowed
    run.close()
    assert set(run.state.last) == model.done
    assert run.state.is_open is not model.ended
    assert fold(records(run)) == run.state


def test_the_state_of_a_journal_is_the_same_elsewhere(skill: Skill) -> None:
    run = Run.start(skill, {"rows": [157, 156], "lost": 102})
    walk(run)
    code = (
        "import sys; from pathlib import Path; from skills2_nb.contract import journal, state;"
        "s = state.fold(journal.read(Path(sys.argv[1])));"
        "print(sorted(s.last), s.count, s.head, 'pydantic' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(run.path)], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert told == f"{sorted(run.state.last)} {run.state.count} {run.state.head} False"


def test_records_are_json_without_tags_for_plain_values(skill: Skill) -> None:
    run = Run.start(skill, {"rows": [1]})
    run.call("count")
    assert json.loads(run.path.read_text().splitlines()[1])["output"] == {
        "previous": 1,
        "gained": 0,
        "lost": 0,
        "current": 1,
    }


@pytest.mark.parametrize(
    ("runtime", "stored"),
    [
        (Runtime(), 2),
        (Runtime(capture="digest"), 0),
        (Runtime(redact=("log",)), 1),
        (Runtime(redact=("other",)), 2),
    ],
)
def test_withheld_tables_are_on_no_disk(home: Path, runtime: Runtime, stored: int) -> None:
    pd = pytest.importorskip("pandas", reason="Tables need pandas")

    class Logs(BaseModel):
        log: Table
        free: Table

    @step
    def read(n: int) -> Logs:
        return Logs(log=pd.DataFrame({"a": ["hush"] * n}), free=pd.DataFrame({"b": [n]}))

    @step
    def size(log: Table, free: Table) -> int:
        return len(log) + len(free)

    run = Run.start(Skill.collect({"read": read, "size": size}, "t", runtime=runtime), {"n": 3})
    run.call("read")
    assert run.call("size") == 4
    blobs = list((home / "blobs").iterdir()) if (home / "blobs").is_dir() else []
    assert len(blobs) == stored
    hidden = b"".join(blob.read_bytes() for blob in blobs) + run.path.read_bytes()
    assert (b"hush" in hidden) is (stored == 2)
