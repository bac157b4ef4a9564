"""A live skill without a kernel: its catalog, its calls in threads, its server in a thread."""

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from skills2_nb.contract import step
from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.contract.skill import Runtime, Skill
from skills2_nb.errors import DefinitionError, SetupError
from skills2_nb.serve.live import Live, LiveCatalog, contract_of
from skills2_nb.serve.live_calls import MOST_CALLS, LiveBackends
from skills2_nb.serve.live_server import SWITCH_SECONDS, Heard, Hooks, LiveServer
from skills2_nb.serve.open_runs import GivenUpError, Leave
from skills2_nb.serve.registry import registered
from skills2_nb.serve.streams import Printed

GATE = threading.Event()
OVER: list[float] = []


@step.step(1)
def add(values: list[int]) -> int:
    """Add up."""
    return sum(values)


@step.step(2)
def wait(seconds: float = 0.0) -> str:
    """Wait for the gate."""
    GATE.wait(seconds)
    OVER.append(seconds)
    return "done"


def live(*functions: Any, timeout: float = 5, sources: str = "one", **options: Any) -> Live:
    """A skill of these steps, as a kernel would hand it over."""
    names = {fn.__name__: fn for fn in functions}
    skill = Skill.collect(names, "sums", live=sources, runtime=Runtime(timeout=timeout))
    kept: list[str] = options.pop("kept", [])
    made = contract_of(skill, "Adds up. Use it for sums.", "sums.ipynb", **options)
    return Live(skill, made, lambda: kept.append(sources), (Path.cwd(),), Path("sums.ipynb"))


class Held:
    """A kernel that holds what it is told."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.saved: Live | None = None

    def look(self) -> None:
        if self.saved is not None:
            self.live, self.saved = self.saved, None


@contextlib.contextmanager
def printed() -> Iterator[Printed]:
    yield Printed()


async def judged(run: str, folder: Path) -> dict[str, Any]:
    profile = {"score": 1.0, "verdict": "pass", "findings": []}
    return {"classic": profile, "strict": profile, "provenance": "live"}


@pytest.fixture(autouse=True)
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    GATE.clear()
    OVER.clear()
    yield
    GATE.set()


def test_the_page_says_what_the_code_does() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "serving.md"
    words = " ".join(page.read_text(encoding="utf-8").split())
    assert f"at most {MOST_CALLS} of a skill at once" in words
    assert f"take turns every {SWITCH_SECONDS * 1000:g} ms" in words


def test_the_contract_is_that_of_an_export() -> None:
    made = live(add, wait, ghosts=("old",)).contract
    assert [(entry.id, entry.order) for entry in made.steps] == [("add", 1), ("wait", 2)]
    assert made.schema("add").parameters["values"]["items"] == {"type": "integer"}
    assert (made.notebook, made.ghosts) == ("sums.ipynb", ("old",))
    assert made.card.description == "Adds up. Use it for sums."


def test_a_step_that_stays_keeps_its_schemas() -> None:
    before = live(add, wait)
    after = live(add, before=before)
    assert after.contract.schema("add") is before.contract.schema("add")


def test_a_step_of_no_name_is_a_definition_that_fails() -> None:
    @step.step(3, requires=["nobody"])
    def lost() -> int:
        return 1

    with pytest.raises(DefinitionError, match="nobody"):
        live(add, lost)


def test_the_catalog_is_the_kernel_now() -> None:
    held = Held(live(add))
    catalog = LiveCatalog(held)
    assert not catalog.refresh()
    held.saved = live(add, wait)
    assert catalog.refresh() and not catalog.refresh()
    assert catalog.contract("sums").step("wait") is not None
    assert catalog.mark("sums") is held.live and catalog.mark("other") is None
    assert catalog.faults == () and catalog.is_read
    held.live = held.live.broken("no such name")
    assert [fault.message for fault in catalog.faults] == ["no such name"]
    with pytest.raises(KeyError):
        catalog.contract("other")


def test_leave_is_taken_once() -> None:
    taken = Leave().of("r")
    taken.ask("r", 2)
    taken.ask("r", 3)
    assert taken.seq == 3 and not taken.give_up()
    lost = Leave().of("r")
    lost.ask("another", 9)
    assert lost.give_up() and lost.seq is None
    with pytest.raises(GivenUpError):
        lost.ask("r", 2)


def start(inputs: Any = None) -> dict[str, Any]:
    said = {"prompt": None, "vouched": "client", "session": None, "prompt_id": None}
    return {"op": "start", "inputs": inputs or {}} | said


def call(run: str, step: str, **args: Any) -> dict[str, Any]:
    return {"op": "call", "run": run, "step": step, "args": args, "refs": {}}


def kinds(run: str) -> list[tuple[str, Any]]:
    return [(record["kind"], record.get("reason")) for record in read(find(run))]


def test_sources_are_kept_as_a_run_begins(home: Path) -> None:
    kept: list[str] = []

    async def work() -> None:
        now = live(add, kept=kept)
        backend = LiveBackends(printed).worker(now.contract, now)
        assert kept == []
        run = (await backend.ask(start({"values": [1, 2]})))["ok"]["run"]
        assert kept == ["one"]
        assert (await backend.ask(call(run, "add")))["ok"]["output"] == 3
        assert kept == ["one"]

    asyncio.run(work())


def test_a_late_result_is_not_recorded(home: Path) -> None:
    async def work() -> str:
        now = live(add, wait, timeout=0.2)
        backends = LiveBackends(printed)
        backend = backends.worker(now.contract, now)
        run = str((await backend.ask(start({"values": [1]})))["ok"]["run"])
        await backend.ask(call(run, "add"))
        late = await backend.ask(call(run, "wait", seconds=30.0))
        assert late["error"]["kind"] == "timeout" and late["error"]["next"] == ["wait"]
        GATE.set()
        while not OVER:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert (await backend.ask(call(run, "wait")))["ok"]["output"] == "done"
        return run

    assert kinds(asyncio.run(work())) == [
        ("run_started", None),
        ("step_ok", None),
        ("step_failed", "timeout"),
        ("step_ok", None),
    ]


def test_a_call_whose_caller_has_gone_is_recorded(home: Path) -> None:
    async def work() -> str:
        now = live(add, wait)
        backend = LiveBackends(printed).worker(now.contract, now)
        run = str((await backend.ask(start({"values": [1]})))["ok"]["run"])
        await backend.ask(call(run, "add"))
        asked = asyncio.ensure_future(backend.ask(call(run, "wait", seconds=30.0)))
        await asyncio.sleep(0.05)
        asked.cancel()
        GATE.set()
        while len(kinds(run)) < 3:
            await asyncio.sleep(0.01)
        return run

    assert kinds(asyncio.run(work()))[-1] == ("step_ok", None)


def test_so_many_calls_at_once_and_no_more(home: Path) -> None:
    async def work() -> None:
        now = live(add, wait)
        backends = LiveBackends(printed)
        backend = backends.worker(now.contract, now)
        run = (await backend.ask(start({"values": [1]})))["ok"]["run"]
        await backend.ask(call(run, "add"))
        asked = [
            asyncio.ensure_future(backend.ask(call(run, "wait", seconds=30.0)))
            for _ in range(MOST_CALLS)
        ]
        await asyncio.sleep(0.05)
        newer = live(add, wait, sources="two")
        for each in (backend, backends.worker(newer.contract, newer)):
            told = await each.ask(call(run, "wait"))
            assert told["error"]["kind"] == "busy", "another state of the skill has the same room"
        GATE.set()
        assert {done["ok"]["output"] for done in await asyncio.gather(*asked)} == {"done"}

    asyncio.run(work())


def test_a_run_of_other_cells_is_refused_and_may_be_ended(home: Path) -> None:
    async def work() -> None:
        old, new, same = live(add), live(add, sources="two"), live(add)
        backends = LiveBackends(printed)
        run = (await backends.worker(old.contract, old).ask(start({"values": [1]})))["ok"]["run"]
        again = backends.worker(same.contract, same)
        assert "ok" in await again.ask(call(run, "add")), "a cell run again as it was"
        now = backends.worker(new.contract, new)
        told = (await now.ask(call(run, "add")))["error"]
        assert (told["kind"], told["next"]) == ("package_changed", ["start_run"])
        assert "ok" in await now.ask({"op": "end", "run": run, "answer": None, "prompt_id": None})

    asyncio.run(work())


@contextlib.asynccontextmanager
async def connected(server: LiveServer) -> Any:
    assert server.entry is not None
    given = {"Authorization": f"Bearer {server.entry.token}"}
    async with (
        httpx2.AsyncClient(headers=given, timeout=20) as web,
        Client(streamable_http_client(server.url, http_client=web)) as client,
    ):
        yield client


def test_a_server_in_a_thread(home: Path) -> None:
    held, heard = Held(live(add)), []
    before, others = sys.getswitchinterval(), set(threading.enumerate())
    server = LiveServer(Hooks(held, judged, printed, heard.append), "kernel-id")
    server.start()
    assert [(e.url, e.skills, e.kernel) for e in registered()] == [
        (server.url, ("sums",), "kernel-id")
    ]
    with pytest.raises(SetupError, match="cannot be listened at"):
        LiveServer(Hooks(held, judged, printed, heard.append)).start(
            int(server.url.rpartition(":")[2].partition("/")[0])
        )

    async def work() -> None:
        async with connected(server) as client, client.listen(tools_list_changed=True) as changes:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert "sums__add" in tools and "sums__wait" not in tools
            run = (await client.call_tool("sums__start_run", {})).structured_content["run_id"]
            audit = await client.call_tool("sums__audit_run", {"run_id": run})
            assert audit.structured_content["provenance"] == "live"
            held.live = live(add, wait, sources="two")
            await asyncio.to_thread(server.refresh)
            async with asyncio.timeout(5):
                await anext(changes)
            assert "sums__wait" in {tool.name for tool in (await client.list_tools()).tools}

    try:
        asyncio.run(work())
    finally:
        begun = time.monotonic()
        server.stop()
    assert not server.is_running and registered() == [], time.monotonic() - begun
    for thread in set(threading.enumerate()) - others:
        thread.join(5)
        assert not thread.is_alive(), thread
    assert sys.getswitchinterval() == pytest.approx(before)
    assert [(h.verb, h.outcome) for h in heard] == [("start_run", "ok"), ("audit_run", "ok")]
    assert all(isinstance(h, Heard) and h.client for h in heard) and heard[1].run == heard[0].run
    server.stop()


def test_a_runtime_folder_that_cannot_be_written_ends_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(file / "runtime"))
    server = LiveServer(Hooks(Held(live(add)), judged, printed, lambda heard: None))
    with pytest.raises(SetupError, match="JUPYTER_RUNTIME_DIR"):
        server.start()
    assert not server.is_running and os.getpid() not in {e.pid for e in registered()}
