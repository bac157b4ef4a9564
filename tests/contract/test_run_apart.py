"""Runs among threads, tasks and processes, and steps that reach back."""

import asyncio
import contextvars
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract import chain, journal
from skills2_nb.contract.errors import (
    ContractError,
)
from skills2_nb.contract.run import Run, find
from skills2_nb.contract.step import step

from .conftest import collected


def records(run: Run) -> list[dict[str, Any]]:
    return list(journal.read(run.path))


@step
def first(n: int) -> dict[str, int]:
    return {"seen": n}


@step
async def second(seen: int) -> dict[str, int]:
    await asyncio.sleep(0.001 * (seen % 5))
    return {"twice": 2 * seen}


@step
def third(twice: int) -> dict[str, int]:
    return {"end": twice + 1}


def check_apart(runs: list[Run]) -> None:
    for number, run in enumerate(runs):
        assert [call.step for call in run.state.calls] == ["first", "second", "third"]
        assert run.state.last["third"].output == {"end": 2 * number + 1}
        assert {record["run"] for record in records(run)} == {run.id}
        assert chain.verify(run.path) == []


def test_thirty_two_runs_in_threads_do_not_mix() -> None:
    skill = collected([first, second, third])
    runs = [Run.start(skill, {"n": n}) for n in range(32)]
    start = threading.Barrier(32)

    def work(number: int, run: Run) -> None:
        start.wait()
        with run:
            first(number)
            asyncio.run(second(number))  # type: ignore[arg-type]
            third(2 * number)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(runs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_apart(runs)


def test_thirty_two_runs_in_tasks_do_not_mix() -> None:
    skill = collected([first, second, third])
    runs = [Run.start(skill, {"n": n}) for n in range(32)]

    async def work(number: int, run: Run) -> None:
        with run:
            await asyncio.sleep(0)
            first(number)
            await second(number)
            third(2 * number)

    async def everything() -> None:
        await asyncio.gather(*(work(number, run) for number, run in enumerate(runs)))

    asyncio.run(everything())
    check_apart(runs)


def test_one_run_may_be_current_in_many_threads_at_once() -> None:
    run = Run.start(collected([first]))
    entered = threading.Barrier(4)
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with run:
                entered.wait()
                first(number)
                entered.wait()
            assert first(0) == {"seen": 0}
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert sorted(call.args["n"] for call in run.state.calls) == [0, 1, 2, 3]


def test_a_run_left_in_another_context_than_entered() -> None:
    run = Run.start(collected([first]))

    def held() -> Iterator[None]:
        with run:
            first(1)
            yield

    generator = held()
    contextvars.copy_context().run(next, generator)
    generator.close()
    first(2)
    with run, run:
        first(3)
    first(4)
    assert [call.args["n"] for call in run.state.calls] == [1, 3]


def test_an_exception_leaves_no_run_current() -> None:
    outer, inner = (Run.start(collected([first])) for _ in range(2))
    with outer:
        with pytest.raises(ZeroDivisionError), inner:
            1 / 0  # noqa: B018
        first(1)
    first(2)
    assert (len(outer.state.calls), len(inner.state.calls)) == (1, 0)


def test_a_cancelled_step_is_recorded_and_the_run_stays_usable() -> None:
    @step
    async def slow(n: int) -> int:
        await asyncio.sleep(30)
        return n

    run = Run.start(collected([first, slow]), {"n": 1})

    async def cancel() -> None:
        run.call("first")
        task = asyncio.create_task(run.acall("slow"))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await run.acall("first") == {"seen": 1}

    asyncio.run(cancel())
    assert [call.status for call in run.state.calls] == ["ok", "failed", "ok"]
    assert run.state.calls[1].error["message"] == "slow raised CancelledError"  # type: ignore[index]
    assert run.state.calls[1].reason == "exception"


def test_a_step_that_starts_threads() -> None:
    @step
    def spread(n: int) -> int:
        made: list[Any] = []
        threads = [threading.Thread(target=lambda k=k: made.append(first(k))) for k in range(n)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(made)

    run = Run.start(collected([first, spread]), {"n": 5})
    with run:
        first(1)
        assert spread(5) == 5
    assert [call.step for call in run.state.calls] == ["first", "spread"]


def test_a_step_that_calls_its_own_run() -> None:
    box: list[Run] = []

    @step
    def outer(n: int) -> dict[str, int]:
        box[0].note("from within")
        return {"end": box[0].call("first")["seen"] + 1}

    run = Run.start(collected([first, outer]), {"n": 1})
    box.append(run)
    run.call("first")
    assert run.call("outer") == {"end": 2}
    assert [call.step for call in run.state.calls] == ["first", "first", "outer"]
    assert chain.verify(run.path) == []


def test_a_step_that_ends_its_own_run_is_refused_afterwards() -> None:
    box: list[Run] = []

    @step
    def closing(n: int) -> int:
        box[0].end()
        return n

    run = Run.start(collected([closing]), {"n": 1})
    box.append(run)
    with pytest.raises(ContractError, match="had ended"):
        run.call("closing")
    assert [record["kind"] for record in records(run)] == ["run_started", "run_ended", "rejected"]


KERNEL = """
import sys
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk
from skills2_nb.contract.loader import load
from pathlib import Path
skill = load(Path(sys.argv[1]))
own = Run.start(skill, {"values": [int(sys.argv[3])] * 3})
assert walk(own).error is None
shared = Run.resume(skill, sys.argv[2])
for _ in range(20):
    shared.call("add")
print(own.id, own.state.last["add"].output["total"])
"""


def test_two_processes_on_one_skill(tmp_path: Path) -> None:
    from skills2_nb.contract.loader import load

    from .test_loader import package

    place = package(tmp_path)
    shared = Run.start(load(place), {"values": [1, 2]})
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", KERNEL, str(place), shared.id, str(n)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in (1, 2)
    ]
    told = [process.communicate(timeout=60)[0].split() for process in processes]
    assert [total for _, total in told] == ["3", "6"]
    for id_, _ in told:
        assert chain.verify(find(id_)) == []
    shared.call("add")
    assert len(shared.state.calls) == 41
    assert chain.verify(shared.path) == []
