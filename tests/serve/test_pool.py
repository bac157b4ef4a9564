"""Workers: what steps do to their process, and what becomes of the run."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.chain import verify
from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.serve import frames, pool, process
from tests.serve.conftest import Counter
from tests.serve.packages import ROGUES, SUMS

ROGUE = "timeout = 1\nmemory_mb = 300"


def records(run: str) -> list[tuple[str, str | None]]:
    assert not verify(find(run))
    return [(line["kind"], line.get("step")) for line in read(find(run))]


@pytest.fixture
def rogues(package: Callable[..., Path]) -> Path:
    return package("rogues", ROGUES, runtime=ROGUE)


#: Step, the kind of error (None: it succeeds), a part of its sentence.
CASES = [
    ("prints", None, ""),
    ("floods", None, ""),
    ("closes", None, ""),
    ("forks", None, ""),
    ("waits", None, ""),
    ("odd", None, ""),
    ("moves", None, ""),
    ("leaks", None, ""),
    ("halves", None, ""),
    ("hides", "exception", "Hidden"),
    ("quits", "exception", "SystemExit"),
    ("interrupts", "exception", "KeyboardInterrupt"),
    ("hangs", "timeout", "longer than 1 s"),
    ("dies", "crashed", "exit code 7, last words: last words)"),
]


@pytest.mark.parametrize(("step", "kind", "part"), CASES, ids=[case[0] for case in CASES])
def test_a_step_does_its_worst_and_the_run_goes_on(
    step: str, kind: str | None, part: str, rogues: Path, with_counter: Callable[..., Any]
) -> None:
    async def work(counter: Counter) -> None:
        first = await counter.call("rogues", "good")
        run = first.body["run_id"]
        bad = await counter.call("rogues", step)
        assert bad.body.get("kind") == kind and bad.failed == (kind is not None)
        assert part in bad.text
        again = await counter.call("rogues", "good", n=2)
        assert (again.body["run_id"], again.body["total"]) == (run, 2)
        kinds = ["step_ok", "step_failed" if kind else "step_ok", "step_ok"]
        assert records(run) == [
            ("run_started", None),
            *zip(kinds, ["good", step, "good"], strict=True),
        ]

    with_counter(work)


def test_memory_is_bounded(rogues: Path, with_counter: Callable[..., Any]) -> None:
    async def work(counter: Counter) -> None:
        bad = await counter.call("rogues", "fills")
        assert bad.failed and bad.body["kind"] in ("memory", "exception", "crashed")
        assert (await counter.call("rogues", "good")).body["total"] == 1
        assert records(bad.body["run_id"])[1] == ("step_failed", "fills")

    with_counter(work)


def test_a_step_that_writes_to_every_pipe_loses_its_process(
    rogues: Path, with_counter: Callable[..., Any]
) -> None:
    async def work(counter: Counter) -> None:
        bad = await counter.call("rogues", "scribbles")
        assert bad.body["kind"] == "crashed"
        run = (await counter.call("rogues", "good")).body["run_id"]
        assert run == bad.body["run_id"] and records(run)[-1] == ("step_ok", "good")

    with_counter(work)


def test_a_child_that_left_the_group_keeps_nobody_waiting(
    package: Callable[..., Path], home: Path, with_counter: Callable[..., Any]
) -> None:
    package("rogues", ROGUES, runtime="timeout = 20")
    home.mkdir(parents=True)

    async def work(counter: Counter) -> None:
        try:
            bad = await counter.call("rogues", "detaches")
            assert bad.body["kind"] == "crashed" and "exit code 5" in bad.text
            assert (await counter.call("rogues", "good")).body["total"] == 1
        finally:
            os.kill(int((home / "child").read_text()), signal.SIGKILL)

    with_counter(work)


def test_a_call_that_is_too_large_is_told(
    rogues: Path, with_counter: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "MOST_BYTES", 1_000)

    async def work(counter: Counter) -> None:
        bad = await counter.call("rogues", "good", n="1" * 2_000)
        assert bad.body["kind"] == "too_large"
        assert (await counter.call("rogues", "good")).body["total"] == 1

    with_counter(work)


def test_one_killed_while_it_waits_costs_no_call(
    rogues: Path, with_counter: Callable[..., Any]
) -> None:
    async def work(counter: Counter) -> None:
        run = (await counter.call("rogues", "good")).body["run_id"]
        made = counter.pool.worker(
            counter.catalog.contract("rogues"), counter.catalog.mark("rogues")
        )
        os.kill(made.process._process.pid, signal.SIGKILL)  # type: ignore[union-attr]
        while made.process.is_ready:  # type: ignore[union-attr]
            await asyncio.sleep(0)
        assert (await counter.call("rogues", "good")).body["run_id"] == run
        assert ("step_failed", "good") not in records(run)

    with_counter(work)


def test_what_is_printed_is_capped_and_handed_on(
    rogues: Path, with_counter: Callable[..., Any]
) -> None:
    async def work(counter: Counter) -> None:
        told = await counter.call("rogues", "prints")
        assert told.body["printed"] == "to python\nto stderr\n"
        flood = await counter.call("rogues", "floods")
        assert len(flood.body["printed"]) < 5_000 and "2,000,200 bytes" in flood.body["printed"]

    with_counter(work)


def test_a_number_that_json_lacks_is_null(rogues: Path, with_counter: Callable[..., Any]) -> None:
    async def work(counter: Counter) -> None:
        assert (await counter.call("rogues", "odd")).body["result"] is None

    with_counter(work)


def test_a_timeout_ends_the_children_too(
    rogues: Path, home: Path, with_counter: Callable[..., Any]
) -> None:
    home.mkdir(parents=True)

    async def work(counter: Counter) -> None:
        assert (await counter.call("rogues", "spawns")).body["kind"] == "timeout"
        child = int((home / "child").read_text())
        for _ in range(100):
            if not alive(child):
                break
            await asyncio.sleep(0.05)
        assert not alive(child)

    with_counter(work)


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_hung_steps_leave_other_skills_alone(
    rogues: Path, package: Callable[..., Path], with_counter: Callable[..., Any]
) -> None:
    package("sums", SUMS)

    async def work(counter: Counter) -> None:
        hung = [
            asyncio.ensure_future(counter.call("rogues", "hangs", session=f"s{n}"))
            for n in range(45)
        ]
        await asyncio.sleep(0.1)
        for n in range(5):
            done = await counter.call("sums", "add", session=f"s{n}", values=[1, n])
            assert done.body["total"] == 1 + n
        await asyncio.wait(hung, return_when=asyncio.FIRST_COMPLETED)
        busy = [task.result().body["kind"] for task in hung if task.done()]
        assert busy.count("busy") >= 45 - pool.MOST_WAITING - 2
        for task in hung:
            task.cancel()
        await asyncio.gather(*hung, return_exceptions=True)

    with_counter(work)


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("raise RuntimeError('no such table')", "no such table"),
        ("def broken(:", "SyntaxError"),
        ("import no_such_library_at_all", "no_such_library_at_all"),
        ("os._exit(9)", "exit code 9"),
        ("raise SystemExit(0)", "SystemExit"),
        ("time.sleep(60)", "does not import within 4 s"),
    ],
)
def test_a_package_that_does_not_import_is_named_once(
    code: str,
    part: str,
    package: Callable[..., Path],
    with_counter: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "IMPORT_SECONDS", 4.0)
    folder = package("bad", SUMS)
    package("sums", SUMS)
    source = folder / "runtime" / "skill.py"
    source.write_text(source.read_text() + f"\n{code}\n")

    async def work(counter: Counter) -> None:
        late = asyncio.ensure_future(counter.call("bad", "add", values=[1]))
        begun = time.monotonic()
        good = await counter.call("sums", "add", values=[1])
        assert good.body["total"] == 1 and time.monotonic() - begun < 30
        first = await late
        second = await counter.call("bad", "add", values=[1])
        for reply in (first, second):
            assert reply.body["kind"] == "broken" and part in reply.text
        listed = (await counter.call("", "list_skills")).body
        assert [item["name"] for item in listed["skills"]] == ["sums"]
        assert [item["name"] for item in listed["broken"]] == ["bad"]
        assert [line.split()[0] for line in counter.said] == ["bad"]

    with_counter(work)


def test_a_worker_that_nobody_calls_is_let_go(
    package: Callable[..., Path], with_counter: Callable[..., Any], monkeypatch: Any
) -> None:
    package("sums", SUMS)
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.1)

    async def work(counter: Counter) -> None:
        first = await counter.call("sums", "add", values=[1, 2])
        worker = counter.pool.worker(counter.catalog.contract("sums"), counter.catalog.mark("sums"))
        for _ in range(200):
            if worker.process is None:
                break
            await asyncio.sleep(0.05)
        assert worker.process is None
        told = await counter.call("sums", "tell")
        assert told.body["run_id"] == first.body["run_id"] and "3" in told.body["readout"]

    with_counter(work)


def test_a_caller_that_went_away_disturbs_nobody(
    rogues: Path, with_counter: Callable[..., Any]
) -> None:
    async def work(counter: Counter) -> None:
        first = await counter.call("rogues", "good")
        gone = asyncio.ensure_future(counter.call("rogues", "hangs"))
        await asyncio.sleep(0.2)
        waiting = asyncio.ensure_future(counter.call("rogues", "dies"))
        await asyncio.sleep(0.2)
        gone.cancel()
        waiting.cancel()
        after = await counter.call("rogues", "good", n=3)
        assert after.body["total"] == 3
        told = records(first.body["run_id"])
        assert ("step_failed", "hangs") in told and "dies" not in [step for _, step in told]

    with_counter(work)


def test_the_token_is_not_handed_to_workers(
    package: Callable[..., Path], with_counter: Callable[..., Any], monkeypatch: Any
) -> None:
    monkeypatch.setenv("SKILLS2_TOKEN", "a secret")
    package("looks", "@step\ndef look() -> str:\n    return str(os.environ.get('SKILLS2_TOKEN'))\n")

    async def work(counter: Counter) -> None:
        assert (await counter.call("looks", "look")).body["result"] == "None"

    with_counter(work)
    assert os.environ["SKILLS2_TOKEN"] == "a secret"


def test_a_lost_call_keeps_what_the_skill_may_keep(
    package: Callable[..., Path], with_counter: Callable[..., Any]
) -> None:
    package("rogues", ROGUES, runtime='timeout = 1\ncapture = "digest"')

    async def work(counter: Counter) -> None:
        bad = await counter.call("rogues", "hangs", n=41)
        line = list(read(find(bad.body["run_id"])))[-1]
        assert (line["kind"], line["reason"]) == ("step_failed", "timeout")
        assert line["args"]["n"].keys() == {"$digest"} and "withheld" in line["error"]["message"]
        assert line["writer"].startswith("serve:") and line["mac"]

    with_counter(work)
