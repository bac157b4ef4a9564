"""`skills2 connect`: live kernels first, packages otherwise, and nothing twice."""

import asyncio
import contextlib
import itertools
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client as FastClient
from fastmcp.client.transports import StdioTransport
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.library.catalog import Catalog
from skills2_nb.serve import kernel as kernel_module
from skills2_nb.serve import registry
from skills2_nb.serve.bridge import Bridge
from skills2_nb.serve.server import Options
from skills2_nb.serve.sessions import Transport
from tests.serve.conftest import no_audit
from tests.serve.kernels import LIVE, VERBS, Fake, live, register, registered_fake
from tests.serve.packages import SUMS, write_package
from tests.serve.servers import TOKEN, Served, environment, http_server

CONNECT = (sys.executable, "-c", "from skills2_nb.cli.main import main; main()", "connect")
START = {"prompt": "Add 1 and 2.", "inputs": {"values": [1, 2]}}


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Jupyter's runtime folder, for this test alone."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    return tmp_path / "runtime"


@pytest.fixture
def sums(package: Callable[..., Path]) -> Path:
    """The exported package of the skill that the kernels here serve too."""
    return package("sums", SUMS)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where all runs of this file are kept: its servers last longer than a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLS2_HOME", str(tmp_path_factory.mktemp("home") / "skills2"))
        yield Path(os.environ["SKILLS2_HOME"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Iterator[Served]:
    """A server of `sums`, of other code than the package."""
    base = tmp_path_factory.mktemp("kernel")
    write_package(base / "live", "sums", LIVE)
    with http_server(base / "live", home) as made:
        yield made


@pytest.fixture
def kernel(served: Served, runtime: Path) -> Served:
    """The same, registered."""
    register(runtime, served.url, served.process.pid)
    return served


def over_stdio(skills: Path, home: Path, runtime: Path, **more: str) -> Any:
    env = environment(home, JUPYTER_RUNTIME_DIR=str(runtime), **more)
    return stdio_client(
        StdioServerParameters(command=CONNECT[0], args=[*CONNECT[1:], str(skills)], env=env)
    )


_NUMBERS = itertools.count()


class Near:
    """A bridge in this process, and a client of it."""

    def __init__(self, client: Client, bridge: Bridge, said: list[str]) -> None:
        self.client = client
        self.bridge = bridge
        self.said = said

    async def call(self, verb: str, **arguments: Any) -> Any:
        name = verb if verb.startswith("list_") or verb.endswith("_skill") else f"sums__{verb}"
        done = await self.client.call_tool(name, arguments)
        assert done.structured_content is not None, done
        return done

    async def names(self) -> list[str]:
        return [tool.name for tool in (await self.client.list_tools(cache_mode="bypass")).tools]

    async def until(self, name: str, *, listed: bool = True) -> None:
        async with asyncio.timeout(15):
            while (name in await self.names()) != listed:
                await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def near(
    skills: Path, client: Any = None, session: str = "", **settings: Any
) -> AsyncIterator[Near]:
    said: list[str] = []
    transport = Transport(session or f"session-{next(_NUMBERS)}", "environment")
    bridge = Bridge(Catalog([skills]), Options(no_audit, transport, say=said.append, **settings))
    async with Client(bridge.mcp._mcp_server, **(client or {})) as made:
        yield Near(made, bridge, said)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_run_in_a_kernel_over_stdio(
    mode: Any, sums: Path, skills: Path, home: Path, kernel: Served, runtime: Path
) -> None:
    async def work() -> None:
        async with Client(over_stdio(skills, home, runtime), mode=mode) as client:
            started = await client.call_tool("sums__start_run", START)
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names[:2] == ["list_skills", "list_steps"] and "sums__doubled" in names
            run = started.structured_content["run_id"]
            assert "notices" not in started.structured_content
            await client.call_tool("sums__add", {})
            told = await client.call_tool("sums__tell", {})
            assert told.structured_content["readout"] == "Adding up gives, live, 3."
            assert (await client.call_tool("sums__doubled", {})).structured_content["total"] == 6
            answer = told.structured_content["readout"]
            ended = await client.call_tool("sums__end_run", {"answer": answer})
            assert ended.structured_content["ended"]
            judged = await client.call_tool("sums__audit_run", {})
            assert judged.structured_content["run_id"] == run
            assert judged.structured_content["classic"]["score"] > 0
            first = next(iter(read(find(run))))
            assert first["session"].startswith("process-")

    asyncio.run(work())


def test_another_process_goes_on_with_a_run(
    sums: Path, skills: Path, home: Path, runtime: Path
) -> None:
    """By its session's name where that is the same, by the run's id where it is not."""

    async def one(session: str, verb: str, given: dict[str, Any]) -> dict[str, Any]:
        server = over_stdio(skills, home, runtime, CLAUDE_CODE_SESSION_ID=session)
        async with Client(server) as client:
            done = await client.call_tool(f"sums__{verb}", given)
            assert done.structured_content is not None and not done.is_error, done
            return dict(done.structured_content)

    async def work() -> None:
        run = (await one("restarted", "start_run", START))["run_id"]
        assert (await one("restarted", "add", {}))["run_id"] == run
        told = await one("another", "tell", {"run_id": run})
        assert (told["run_id"], told["next"]) == (run, ["sums__end_run"])
        ended = await one("restarted", "end_run", {"answer": told["readout"]})
        assert (ended["run_id"], ended["missing"]) == (run, [])
        kinds = [record["kind"] for record in read(find(run))]
        assert kinds == ["run_started", "step_ok", "step_ok", "run_ended", "answer"]

    asyncio.run(work())


def test_a_bridge_begun_anew_goes_on_in_the_kernel(
    sums: Path, skills: Path, kernel: Served
) -> None:
    async def work() -> None:
        async with near(skills, session="anew") as here:
            run = (await here.call("start_run", **START)).structured_content["run_id"]
            await here.call("add")
        async with near(skills, session="anew") as here:
            told = (await here.call("tell")).structured_content
            assert (told["run_id"], told["readout"]) == (run, "Adding up gives, live, 3.")
        async with near(skills) as here:
            await here.until("sums__doubled")
            done = (await here.call("doubled", run_id=run)).structured_content
            assert (done["run_id"], done["total"]) == (run, 6)

    asyncio.run(work())


#: A step whose own arguments are called as the kit's are.
NAMESAKES = """
class Kept(BaseModel):
    kept: str

@step
def keep(run_id: str, refs: list[str]) -> Kept:
    \"""Keep both.\"""
    return Kept(kept=" ".join([run_id, *refs]))
"""


@pytest.mark.parametrize("where", ["package", "kernel"])
def test_a_step_may_have_arguments_of_the_kits_names(
    where: str, tmp_path: Path, package: Callable[..., Path], skills: Path, home: Path,
    runtime: Path,
) -> None:  # fmt: skip
    package("sums", SUMS + NAMESAKES)

    async def work() -> None:
        async with near(skills) as here:
            if where == "kernel":
                async with asyncio.timeout(15):
                    while not here.bridge.cards()[0].folder.samefile(runtime):
                        await asyncio.sleep(0.05)
            first = (await here.call("start_run", **START)).structured_content["run_id"]
            await here.call("add")
            await here.call("tell")
            own = await here.call("keep", run_id="mine", refs=["a", "b"])
            assert own.structured_content["kept"] == "mine a b"
            second = (await here.call("start_run", **START)).structured_content["run_id"]
            await here.call("add")
            await here.call("tell")
            taken = {"run_id": "tell#/readout"}
            referred = await here.call("keep", refs=[], skills2_refs=taken, skills2_run_id=second)
            assert referred.structured_content["kept"].startswith("Adding up gives")
            calls = [record for record in read(find(second)) if record.get("step") == "keep"]
            assert calls[0]["bound"]["run_id"]["from"] == "tell#/readout"
            back = await here.call("keep", run_id="x", refs=[], skills2_run_id=first)
            assert back.structured_content["kind"] == "run_ended"

    with contextlib.ExitStack() as stack:
        if where == "kernel":
            stack.enter_context(live(tmp_path, home, runtime, SUMS + NAMESAKES))
        asyncio.run(work())


def test_fastmcps_client_finds_packages_alone(
    sums: Path, skills: Path, home: Path, runtime: Path
) -> None:
    async def work() -> None:
        env = environment(home, CLAUDE_CODE_SESSION_ID="s-1", JUPYTER_RUNTIME_DIR=str(runtime))
        transport = StdioTransport(CONNECT[0], [*CONNECT[1:], str(skills)], env=env)
        async with FastClient(transport) as client:
            done = await client.call_tool("sums__add", {"values": [4, 5]})
            assert done.structured_content["total"] == 9
            assert "notices" not in done.structured_content
            record = next(iter(read(find(done.structured_content["run_id"]))))
            assert record["session"] == "s-1"

    asyncio.run(work())


def test_a_listener_is_told_as_kernels_come_and_go(
    sums: Path, skills: Path, home: Path, runtime: Path, kernel: Served
) -> None:
    (registration,) = runtime.iterdir()
    text = registration.read_text()
    registration.unlink()

    async def work() -> None:
        async with Client(over_stdio(skills, home, runtime)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert "sums__add" in names and "sums__doubled" not in names
            async with client.listen(tools_list_changed=True) as events:
                for arrives in (True, False):
                    if arrives:
                        registration.write_text(text)
                    else:
                        registration.unlink()
                    async with asyncio.timeout(15):
                        await anext(events)
                    names = {tool.name for tool in (await client.list_tools()).tools}
                    assert ("sums__doubled" in names) == arrives
            done = await client.call_tool("sums__start_run", START)
            text_ = done.content[0].text
            assert text_.startswith("the kernel of sums.ipynb is gone; this ran from the package")
            assert done.structured_content["notices"] == [text_.split("\n")[0]]

    asyncio.run(work())


def test_an_older_client_is_told_too(
    sums: Path, skills: Path, runtime: Path, served: Served
) -> None:
    heard: list[str] = []

    async def note(message: Any) -> None:
        heard.append(getattr(message, "method", ""))

    async def work() -> None:
        async with near(skills, {"mode": "legacy", "message_handler": note}) as here:
            assert "sums__doubled" not in await here.names()
            register(runtime, served.url, served.process.pid)
            async with asyncio.timeout(10):
                while "notifications/tools/list_changed" not in heard:
                    await asyncio.sleep(0.05)
            assert "sums__doubled" in await here.names()

    asyncio.run(work())


def test_a_step_that_its_author_changed_is_listed_anew_and_called_in_its_new_form(
    tmp_path: Path, sums: Path, skills: Path, home: Path, runtime: Path
) -> None:
    write_package(tmp_path / "edited", "sums", LIVE.replace("doubled", "tripled"))

    async def work() -> None:
        with live(tmp_path, home, runtime):
            async with near(skills) as here:
                await here.until("sums__doubled")
                (tmp_path / "live" / "sums").rename(tmp_path / "before")
                (tmp_path / "edited" / "sums").rename(tmp_path / "live" / "sums")
                await here.until("sums__tripled")
                await here.call("start_run", **START)
                await here.call("add")
                await here.call("tell")
                assert (await here.call("tripled")).structured_content["total"] == 6

    asyncio.run(work())


def test_a_run_stays_where_it_was_opened(
    sums: Path, skills: Path, home: Path, runtime: Path, kernel: Served
) -> None:
    (registration,) = runtime.iterdir()
    text = registration.read_text()
    registration.unlink()

    async def work() -> None:
        async with near(skills) as here:
            packaged = (await here.call("start_run", **START)).structured_content["run_id"]
            registration.write_text(text)
            await here.until("sums__doubled")
            added = (await here.call("add")).structured_content
            assert added["run_id"] == packaged
            run = await here.call("start_run", **START)
            (told,) = run.structured_content["notices"]
            assert packaged in told and "has been ended" in told
            assert [line["kind"] for line in read(find(packaged))][-1] == "run_ended"
            await here.call("add")
            assert "live" in (await here.call("tell")).structured_content["readout"]
            # By its id, the run of the package is still the package's.
            late = await here.call("add", run_id=packaged)
            assert late.structured_content["kind"] == "run_ended"

    asyncio.run(work())


def test_a_kernel_that_dies_in_a_run_leaves_it(
    tmp_path: Path, sums: Path, skills: Path, home: Path, runtime: Path
) -> None:
    async def work() -> None:
        with live(tmp_path, home, runtime) as served:
            registration = next(runtime.iterdir())
            async with near(skills) as here:
                started = await here.call("start_run", **START)
                run = started.structured_content["run_id"]
                served.process.kill()
                served.process.wait()
                for arguments in ({}, {"run_id": run}, {}):
                    lost = await here.call("add", **arguments)
                    assert lost.is_error
                    body = lost.structured_content
                    assert (body["kind"], body["next"]) == ("package_changed", ["sums__start_run"])
                gone = await here.call("doubled")
                assert gone.structured_content["kind"] == "package_changed"
                assert [line["kind"] for line in read(find(run))] == ["run_started"]
                again = await here.call("start_run", **START)
                notices = again.structured_content["notices"]
                assert any("this ran from the package of sums" in each for each in notices)
                done = await here.call("add")
                assert "notices" not in done.structured_content
                assert "live" not in (await here.call("tell")).structured_content["readout"]
                await here.until("sums__doubled", listed=False)
            assert not registration.exists()

    asyncio.run(work())


def test_another_port_and_token_of_the_same_kernel(
    tmp_path: Path, sums: Path, skills: Path, home: Path, runtime: Path
) -> None:
    async def work() -> None:
        async with near(skills) as here:
            with live(tmp_path, home, runtime, started="1") as first:
                run = (await here.call("start_run", **START)).structured_content["run_id"]
                with http_server(tmp_path / "live", home, token="another") as second:
                    pid = first.process.pid
                    (old,) = runtime.iterdir()
                    new = register(runtime, second.url, pid, token="another", started="2")
                    old.unlink()
                    first.process.send_signal(signal.SIGSTOP)  # whoever asks there, waits
                    try:
                        async with asyncio.timeout(10):
                            while here.bridge.kernels.kernel(pid).entry.path != new:  # type: ignore[union-attr]
                                await asyncio.sleep(0.05)
                        done = await here.call("add")
                        assert done.structured_content["run_id"] == run
                        assert done.structured_content["total"] == 3
                    finally:
                        first.process.send_signal(signal.SIGCONT)

    asyncio.run(work())


def test_a_stopped_kernel_is_passed_over_and_its_registration_kept(
    tmp_path: Path, sums: Path, skills: Path, home: Path, runtime: Path
) -> None:
    async def work() -> None:
        with live(tmp_path, home, runtime) as served:
            async with near(skills) as here:
                run = (await here.call("start_run", **START)).structured_content["run_id"]
                await here.call("end_run")
                await asyncio.sleep(1.1)  # it is no longer taken for granted
                served.process.send_signal(signal.SIGSTOP)
                try:
                    done = await here.call("start_run", **START)
                    notice = "the kernel of sums.ipynb does not answer within 2 s"
                    assert done.content[0].text.startswith(f"{notice}; this ran from the package")
                    late = await here.call("end_run", run_id=run)
                    assert late.structured_content["kind"] == "unreachable"
                    assert late.structured_content["next"] == ["sums__end_run", "sums__start_run"]
                    assert [path.suffix for path in runtime.iterdir()] == [".json"]
                finally:
                    served.process.send_signal(signal.SIGCONT)
                await here.until("sums__doubled")
                assert (await here.call("add")).structured_content["total"] == 3  # the package's
                again = await here.call("start_run", **START)
                assert "has been ended" in again.content[0].text

    asyncio.run(work())


@pytest.mark.parametrize("does", ["hang", "garbage", "babble", "close", "refuse"])
def test_a_server_that_never_was_one(does: str, sums: Path, skills: Path, runtime: Path) -> None:
    async def work() -> None:
        async with Fake(does, everything=True).serving() as fake:
            registration = registered_fake(runtime, fake)
            async with near(skills) as here:
                assert await here.names() == ["list_skills", "list_steps", *tools_of("sums")]
                done = await here.call("start_run", **START)
                first, _, text = done.content[0].text.partition("\n")
                assert first.startswith("the kernel of sums.ipynb ")
                assert first.endswith("; this ran from the package of sums")
                assert '"run_id"' in text and done.structured_content["notices"] == [first]
                done = await here.call("add")
                assert "notices" not in done.structured_content
                assert done.structured_content["total"] == 3
                assert len(here.said) == 1 and fake.called == []
            assert registration.exists()

    asyncio.run(work())


def tools_of(skill: str) -> list[str]:
    return [f"{skill}__{verb}" for verb in VERBS]


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("close", "broke the connection"),
        ("garbage", "something that is no MCP"),
        ("babble", "broke the connection"),
        ("hang", "within 0.5 s"),
    ],
)
def test_a_call_whose_outcome_is_unknown_is_made_once(
    does: str,
    why: str,
    sums: Path,
    skills: Path,
    home: Path,
    runtime: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_module, "SPARE_SECONDS", 0.3)
    before = set(home.rglob("*.jsonl"))

    async def work() -> None:
        async with Fake().serving() as fake:
            registered_fake(runtime, fake)
            async with near(skills) as here:
                await here.call("start_run", **START)
                fake.does = does
                lost = await here.call("add")
                assert lost.is_error
                body = lost.structured_content
                assert (body["kind"], body["next"]) == ("unknown_outcome", ["sums__start_run"])
                assert why in body["message"] and "not called again" in body["message"]
                assert fake.called == ["sums__start_run", "sums__add"]
                assert set(home.rglob("*.jsonl")) == before  # nor was it called in the package

    asyncio.run(work())


def test_what_a_server_turns_away_is_done_in_the_package(
    sums: Path, skills: Path, runtime: Path
) -> None:
    async def work() -> None:
        async with Fake("refuse").serving() as fake:
            registered_fake(runtime, fake)
            async with near(skills) as here:
                done = await here.call("start_run", **START)
                assert "turns its caller away (401); this ran" in done.content[0].text

    asyncio.run(work())


def test_a_token_that_has_changed_is_read_again(
    sums: Path, skills: Path, kernel: Served, runtime: Path
) -> None:
    (registration,) = runtime.iterdir()
    good = registration.read_text()
    registration.write_text(good.replace(TOKEN, "an-old-one"))

    async def work() -> None:
        async with near(skills) as here:
            done = await here.call("start_run", **START)
            assert "(401)" in done.content[0].text
            registration.write_text(good)
            await here.until("sums__doubled")
            assert "notices" not in (await here.call("end_run")).structured_content
            assert "notices" not in (await here.call("start_run", **START)).structured_content

    asyncio.run(work())


def test_of_two_kernels_the_newest_is_taken_and_said(
    sums: Path, skills: Path, runtime: Path
) -> None:
    async def work() -> None:
        async with Fake().serving() as old, Fake().serving() as new:
            registered_fake(runtime, old, started="2026-03-01T09:00:00.000000Z", pid=os.getppid())
            registered_fake(runtime, new, started="2026-03-02T09:00:00.000000Z")
            async with near(skills) as here:
                done = await here.call("start_run", **START)
                (notice,) = done.structured_content["notices"]
                assert "was taken, the newest that answers" in notice
                assert f"(process {os.getppid()}) serves the skill too" in notice
                assert "notices" not in (await here.call("add")).structured_content
                assert (old.called, new.called) == ([], ["sums__start_run", "sums__add"])
                new.does = "refuse"
                assert (await here.call("add")).structured_content["kind"] == "unreachable"
                await here.call("start_run", **START)
                assert old.called == ["sums__start_run"]

    asyncio.run(work())


def test_what_goes_along_with_a_call(sums: Path, skills: Path, home: Path, runtime: Path) -> None:
    seen: list[tuple[float, float | None]] = []

    async def noted(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    async def work() -> None:
        async with Fake().serving() as fake:
            registered_fake(runtime, fake)
            async with Client(over_stdio(skills, home, runtime)) as client:
                meta: Any = {"claudecode/toolUseId": "toolu_1"}
                await client.call_tool("sums__add", {}, meta=meta, progress_callback=noted)
                (told,) = [meta for name, meta in fake.asked if name == "sums__add"]
                assert told["claudecode/toolUseId"] == "toolu_1"
                assert told["skills2/session"].startswith("process-")
                assert "progressToken" in told and seen == [(1, 2)]

    asyncio.run(work())


def test_a_call_that_its_caller_gives_up_is_given_up(
    sums: Path, skills: Path, runtime: Path
) -> None:
    async def work() -> None:
        async with Fake().serving() as fake:
            registered_fake(runtime, fake)
            async with near(skills) as here:
                await here.call("start_run", **START)
                fake.does = "hang"
                asked = asyncio.ensure_future(here.call("add"))
                while "sums__add" not in fake.called:
                    await asyncio.sleep(0.01)
                asked.cancel()
                await asyncio.wait_for(fake.dropped.wait(), 2)
                assert fake.dropped.is_set() and asked.cancelled()

    asyncio.run(work())


def test_a_skill_that_has_no_package(skills: Path, home: Path, kernel: Served) -> None:
    skills.mkdir()

    async def work() -> None:
        async with near(skills) as here:
            listed = (await here.call("list_skills")).structured_content
            await here.until("sums__doubled")
            listed = (await here.call("list_skills")).structured_content
            (item,) = listed["skills"]
            assert (item["name"], item["live"]) == ("sums", "the kernel of sums.ipynb")
            steps = (
                await here.client.call_tool("list_steps", {"skill": "sums"})
            ).structured_content
            assert [step["step"] for step in steps["steps"]] == ["add", "tell", "doubled"]
            assert "- sums: Adds up" in here.bridge.mcp.instructions
            assert (await here.call("add", values=[1])).structured_content["total"] == 1
            await here.call("end_run")
            await asyncio.sleep(1.1)
            kernel.process.send_signal(signal.SIGSTOP)
            try:
                lost = await here.call("start_run", **START)
                assert lost.structured_content["kind"] == "unreachable"
                assert "no exported package of sums" in lost.structured_content["message"]
                assert "sums__doubled" in await here.names()
            finally:
                kernel.process.send_signal(signal.SIGCONT)

    asyncio.run(work())


def test_a_call_may_come_before_kernels_were_looked_at(
    skills: Path, kernel: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    skills.mkdir()
    looked = registry.registered

    def late() -> Any:
        time.sleep(0.5)
        return looked()

    monkeypatch.setattr(registry, "registered", late)

    async def work() -> None:
        async with near(skills) as here:
            started = (await here.call("start_run", **START)).structured_content
            assert started["next"] == ["sums__add"] and here.said == []

    asyncio.run(work())


def test_the_few_tools_reach_a_kernel(sums: Path, skills: Path, kernel: Served) -> None:
    async def work() -> None:
        async with near(skills, lazy=True) as here:

            async def step(step: str, **arguments: Any) -> Any:
                given = {"skill": "sums", "step": step, "arguments": arguments}
                return (await here.client.call_tool("call_step", given)).structured_content

            started = await step("start_run", **START)
            assert (started["next"], started["finish"]) == (["add"], "end_run")
            assert [item["tool"] for item in started["steps"]] == ["add", "tell", "doubled"]
            assert (await step("add"))["next"] == ["tell"]
            found = await here.client.call_tool("activate_skill", {"skill": "sums"})
            body = found.structured_content
            assert "Prose." in body["instructions"] and body["steps"][2]["step"] == "doubled"
            assert "refs" in body["steps"][2]["input"]["properties"]
            await here.until("sums__doubled")
            await here.call("tell")
            assert (await here.call("doubled")).structured_content["total"] == 6

    asyncio.run(work())


def test_nobody_waits_for_kernels_to_list(sums: Path, skills: Path, runtime: Path) -> None:
    async def work() -> None:
        async with Fake("hang", everything=True).serving() as fake:
            registered_fake(runtime, fake)
            async with near(skills) as here:
                for _ in range(3):
                    async with asyncio.timeout(1):
                        assert "sums__add" in await here.names()

    asyncio.run(work())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"v": 1, "pid": "one"}', '{"v": 1, "pid": 1}'])
def test_registrations_that_are_none(text: str, sums: Path, skills: Path, runtime: Path) -> None:
    runtime.mkdir(exist_ok=True)
    (runtime / "skills2-1-2.json").write_text(text)

    async def work() -> None:
        async with near(skills) as here:
            assert "notices" not in (await here.call("start_run", **START)).structured_content

    asyncio.run(work())


def test_a_token_goes_to_this_machine_alone(sums: Path, skills: Path, runtime: Path) -> None:
    register(runtime, "http://192.0.2.1:80/mcp", os.getpid())

    async def work() -> None:
        async with near(skills) as here:
            done = await here.call("start_run", **START)
            assert "an address that is not this machine's" in done.content[0].text

    asyncio.run(work())
