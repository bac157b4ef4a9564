"""What a desk lets nobody do."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.serve.sessions import Session
from tests.serve.conftest import Counter
from tests.serve.packages import SUMS

ME = Session("one", "bridge")


@pytest.fixture
def two(package: Callable[..., Path]) -> None:
    """Two skills with the same steps."""
    package("sums", SUMS)
    package("other", SUMS)


@pytest.mark.parametrize("run", ["--help", "{skills}/other", "../x", "a\0b", "\ud800", "x" * 9_999])
def test_an_audit_takes_the_id_of_a_run_and_no_other_word(
    run: str, two: None, skills: Path, with_counter: Callable[..., Any]
) -> None:
    async def work(counter: Counter) -> None:
        word = run.replace("{skills}", str(skills))
        assert (await counter.call("sums", "audit_run", run_id=word)).body["kind"] == "unknown_run"

    with_counter(work)  # its judge fails whoever asks it


def test_a_run_of_another_skill_is_let_alone(two: None, with_counter: Callable[..., Any]) -> None:
    async def work(counter: Counter) -> None:
        run = (await counter.call("sums", "add", values=[1])).body["run_id"]
        for verb in ("add", "end_run", "audit_run"):
            bad = await counter.call("other", verb, run_id=run)
            assert bad.body["kind"] == "unknown_run" and "is of sums" in bad.text
        assert [line["kind"] for line in read(find(run))] == ["run_started", "step_ok"]

    with_counter(work)


SLIPS: list[tuple[str, dict[str, Any]]] = [
    ("end_run", {"anwser": "3"}),
    ("end_run", {"answer": 3}),
    ("end_run", {"run_id": 3}),
    ("audit_run", {"run_id": ["x"]}),
    ("audit_run", {"run": "x"}),
]


def test_a_slip_ends_no_run(two: None, with_counter: Callable[..., Any]) -> None:
    async def work(counter: Counter) -> None:
        run = (await counter.call("sums", "add", values=[1])).body["run_id"]
        for verb, arguments in SLIPS:
            assert (await counter.call("sums", verb, **arguments)).body["kind"] == "invalid"
        assert (await counter.call("sums", "tell")).body["run_id"] == run

    with_counter(work)


def test_two_servers_of_one_session_share_its_run(
    two: None, counter: Callable[..., Counter]
) -> None:
    async def work() -> None:
        here, there = counter(), counter()
        try:
            first = (await here.call("sums", "add", values=[1])).body["run_id"]
            assert (await there.call("sums", "tell")).body["run_id"] == first
            second = (await there.call("sums", "start_run")).body["run_id"]
            assert (await here.call("sums", "add", values=[2])).body["run_id"] == second
            third = await here.call("sums", "start_run")
            assert third.body["notices"] == [f"run {second} was still open and has been ended"]
            ended = await there.call("sums", "end_run")
            assert ended.body["run_id"] == third.body["run_id"]
            fourth = (await here.call("sums", "add", values=[3])).body["run_id"]
            assert (await there.call("sums", "tell")).body["run_id"] == fourth
        finally:
            await here.pool.close()
            await there.pool.close()
        opened = {first, second, third.body["run_id"], fourth}
        assert {path.stem for path in find(first).parent.glob("*.jsonl")} == opened

    asyncio.run(work())


def test_a_package_that_cannot_be_read_is_broken(
    two: None, skills: Path, with_counter: Callable[..., Any]
) -> None:
    (skills / "other" / "skill.toml").write_text("[[")

    async def work(counter: Counter) -> None:
        for _ in range(2):
            for verb in ("add", "start_run"):
                assert (await counter.call("other", verb)).body["kind"] == "broken"
            listed = await counter.desk.answer("", "list_steps", {"skill": "other"}, ME)
            assert listed.body["kind"] == "broken"
        assert [line.split()[0] for line in counter.said] == ["other"]

    with_counter(work)


@pytest.mark.parametrize("word", ["a\0b", "\ud800"])
def test_a_word_that_no_program_can_be_given(
    word: str, two: None, with_counter: Callable[..., Any]
) -> None:
    async def scripts(*_: Any) -> dict[str, Any]:
        raise AssertionError("it was run")

    async def work(counter: Counter) -> None:
        given = {"skill": "sums", "path": "scripts/x.py", "arguments": [word]}
        bad = await counter.desk.answer("", "run_skill_script", given, ME)
        assert bad.body["kind"] == "invalid"

    with_counter(work, scripts=scripts)
