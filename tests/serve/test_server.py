"""The server in memory, by mcp's client and FastMCP's."""

import asyncio
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client as FastClient
from fastmcp.skills.client import SkillsClientExtension
from mcp.client import Client

from skills2_nb.cli.serve_parts import judge, run_script
from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.library.catalog import Catalog
from skills2_nb.serve import tools
from skills2_nb.serve.server import Options, Server
from skills2_nb.serve.sessions import Transport
from tests.serve.packages import SUMS

ROOT = Path(__file__).resolve().parents[2]
GROWTH = ROOT / "skills" / "growth-accounting"
ONE = Transport("the-client", "process")
INPUTS = {
    "path": "assets/cdnow_sample.csv",
    "user_column": "customer_id",
    "date_column": "date",
    "grain": "month",
    "period": "1998-03",
}
PROMPT = "Why did monthly active customers move in March 1998?"


def server(*roots: Path, transport: Transport = ONE, **settings: Any) -> Server:
    return Server(Catalog(roots), Options(judge=judge, transport=transport, **settings))


def test_growth_accounting_is_fifteen_tools_with_short_names() -> None:
    listed = asyncio.run(server(GROWTH).mcp.list_tools())
    assert len(listed) == 15
    assert all(len(f"mcp__skills2__{tool.name}") <= 64 for tool in listed)


@pytest.mark.parametrize("kind", ["mcp", "mcp legacy", "fastmcp", "fastmcp legacy"])
def test_ten_steps_without_arguments_give_a_classic_one(kind: str) -> None:
    pytest.importorskip("pandas", reason="the skill reads a table")

    async def work() -> dict[str, Any]:
        mode: Any = "legacy" if "legacy" in kind else "auto"
        made = FastClient if kind.startswith("fastmcp") else Client
        target: Any = server(GROWTH).mcp if made is FastClient else server(GROWTH).mcp._mcp_server
        async with made(target, mode=mode) as client:

            async def call(name: str, **arguments: Any) -> dict[str, Any]:
                done = await client.call_tool(f"growth-accounting__{name}", arguments)
                assert not done.is_error, done.structured_content
                return done.structured_content

            started = await call("start_run", prompt=PROMPT, inputs=INPUTS)
            assert all("you" not in s["arguments"].values() for s in started["steps"])
            step, done = started["next"], {}
            while step[0] != started["finish"]:
                done = await call(step[0].partition("__")[2])
                step = done["next"]
            await call("end_run", answer=done["readout"])
            return await call("audit_run")

    audit = asyncio.run(work())
    assert audit["classic"]["score"] == 1.0
    assert audit["classic"]["verdict"] == "pass"


def test_every_tool_says_what_it_does(package: Callable[..., Path], skills: Path) -> None:
    package("sums", SUMS)

    async def work() -> list[Any]:
        async with Client(server(skills).mcp._mcp_server) as client:
            return (await client.list_tools()).tools

    for tool in asyncio.run(work()):
        assert tool.title and tool.description and tool.annotations is not None
        assert tool.input_schema["type"] == "object"
        assert tool.output_schema is None or tool.output_schema["type"] == "object"
        if tool.name in ("sums__add", "sums__tell"):
            assert not tool.input_schema.get("required")
            assert {"refs", "run_id"} <= set(tool.input_schema["properties"])
            assert tool.annotations.read_only_hint


#: Tool, arguments, kind, what `next` names.
WRONG = [
    ("sums__tell", {}, "order", ["sums__add"]),
    ("sums__add", {"values": "many"}, "invalid", ["sums__add"]),
    ("sums__add", {"nothing": 1}, "unknown", ["sums__add"]),
    ("sums__add", {"refs": {"values": "tell#/readout"}}, "reference", ["sums__add"]),
    ("sums__add", {"refs": {"values": 3}}, "reference", ["sums__add"]),
    ("sums__add", {"refs": "add"}, "unknown", ["sums__add"]),
    ("sums__add", {}, "missing", ["sums__add"]),
    ("sums__add", {"values": [1], "run_id": "20200101-000000-00000000"}, "unknown_run", []),
    ("sums__add", {"run_id": 3}, "invalid", []),
    ("sums__start_run", {"inputs": [1]}, "invalid", []),
    ("sums__end_run", {}, "run_required", ["sums__start_run"]),
    ("sums__audit_run", {}, "run_required", ["sums__start_run"]),
    ("list_steps", {"skill": "nobody"}, "unknown_skill", ["list_skills"]),
    ("list_steps", {}, "unknown_skill", ["list_skills"]),
]


@pytest.mark.parametrize(("tool", "given", "kind", "then"), WRONG)
def test_wrong_calls_are_typed_and_recorded(
    tool: str,
    given: dict[str, Any],
    kind: str,
    then: list[str],
    package: Callable[..., Path],
    skills: Path,
    home: Path,
) -> None:
    package("sums", SUMS)

    async def work() -> Any:
        async with Client(server(skills).mcp._mcp_server) as client:
            return await client.call_tool(tool, given)

    done = asyncio.run(work())
    body = done.structured_content
    assert done.is_error and body["kind"] == kind and body["next"] == then
    assert {"kind", "step", "missing", "next", "values"} <= set(body)
    assert done.content[0].text == body["message"]
    if kind in ("order", "unknown", "reference", "missing") or given == {"values": "many"}:
        kinds = [record["kind"] for record in read(find(body["run_id"]))]
        assert kinds == ["run_started", "rejected" if kind == "order" else "step_failed"]


def test_a_session_has_one_open_run_of_a_skill(package: Callable[..., Path], skills: Path) -> None:
    package("sums", SUMS)

    async def work() -> None:
        async with Client(server(skills).mcp._mcp_server) as client:

            async def call(name: str, **arguments: Any) -> dict[str, Any]:
                done = await client.call_tool(f"sums__{name}", arguments)
                assert not done.is_error, done.structured_content
                return done.structured_content

            first = (await call("start_run", prompt="one"))["run_id"]
            assert (await call("add", values=[1]))["run_id"] == first
            again = await call("start_run", prompt="two")
            assert again["run_id"] != first and first in again["notices"][0]
            assert [r["kind"] for r in read(find(first))][-1] == "run_ended"
            assert (await call("add", values=[2]))["run_id"] == again["run_id"]
            await call("end_run")
            after = await call("add", values=[3])
            assert after["run_id"] not in (first, again["run_id"])

    asyncio.run(work())


def test_a_fixed_surface_stands_for_many_skills(package: Callable[..., Path], skills: Path) -> None:
    for number in range(13):
        package(f"sums-{number}", SUMS)
    folder = skills / "sums-0"
    (folder / "references").mkdir()
    (folder / "references" / "guide.md").write_text("# Guide\n")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "count.py").write_text("import sys\nprint(len(sys.argv))\n")

    async def work() -> None:
        made = server(skills, scripts=run_script)
        async with Client(made.mcp._mcp_server) as client:

            async def call(name: str, **arguments: Any) -> dict[str, Any]:
                done = await client.call_tool(name, arguments)
                assert not done.is_error, done.structured_content
                return done.structured_content

            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == [*tools.FIXED, tools.SCRIPT]
            async with client.listen(tools_list_changed=True) as heard:
                opened = await call("activate_skill", skill="sums-0")
                async with asyncio.timeout(20):
                    await anext(heard)
            assert opened["steps"][0]["input"]["properties"]["values"]["type"] == "array"
            assert "references/guide.md" in opened["resources"]
            assert "sums-0__add" in {tool.name for tool in (await client.list_tools()).tools}

            started = await call(
                "call_step", skill="sums-1", step="start_run", arguments={"inputs": {"values": [7]}}
            )
            assert started["next"] == ["add"]
            assert (await call("call_step", skill="sums-1", step="add"))["total"] == 7
            told = await call("call_step", skill="sums-1", step="tell")
            assert told["run_id"] == started["run_id"]
            await call("call_step", skill="sums-1", step="end_run", arguments={"answer": "7"})
            assert (await call("sums-0__add", values=[1, 1]))["total"] == 2

            read_it = await call("read_skill_resource", skill="sums-0", path="references/guide.md")
            assert read_it["text"] == "# Guide\n"
            out = await client.call_tool(
                "read_skill_resource", {"skill": "sums-0", "path": "../sums-1/SKILL.md"}
            )
            assert out.is_error and out.structured_content["kind"] == "usage"
            script = {"skill": "sums-0", "path": "scripts/count.py", "arguments": ["a", "$(b)"]}
            assert (await call("run_skill_script", **script))["stdout"] == "3\n"

    asyncio.run(work())


def test_shared_servers_list_the_same_to_all(package: Callable[..., Path], skills: Path) -> None:
    package("sums", SUMS)

    async def work() -> None:
        made = server(skills, transport=Transport(), lazy=True)
        async with Client(made.mcp._mcp_server) as client:
            before = [tool.name for tool in (await client.list_tools()).tools]
            assert before == list(tools.FIXED)
            await client.call_tool("activate_skill", {"skill": "sums"})
            assert [tool.name for tool in (await client.list_tools()).tools] == before
            off = await client.call_tool("run_skill_script", {"skill": "sums", "path": "x"})
            assert off.is_error

    asyncio.run(work())


def test_an_older_client_is_told_of_a_change(package: Callable[..., Path], skills: Path) -> None:
    package("sums", SUMS)
    heard: list[str] = []

    async def note(message: Any) -> None:
        heard.append(getattr(message, "method", ""))

    async def work() -> None:
        made = server(skills, watch=False)
        async with Client(made.mcp._mcp_server, mode="legacy", message_handler=note) as client:
            await client.list_tools()
            package("more", SUMS)
            assert made.catalog.refresh() and await made.refresh()
            async with asyncio.timeout(10):
                while "notifications/tools/list_changed" not in heard:
                    await asyncio.sleep(0.01)
            assert len((await client.list_tools()).tools) == 12

    asyncio.run(work())


def test_a_new_export_is_called_in_its_new_form(package: Callable[..., Path], skills: Path) -> None:
    package("sums", SUMS)

    async def work() -> None:
        made = server(skills, watch=False)
        async with Client(made.mcp._mcp_server) as client:
            first = await client.call_tool("sums__add", {"values": [1]})
            package("sums", SUMS.replace("sum(values))", "sum(values), label='new')"))
            assert made.catalog.refresh()
            await made.refresh()
            old = await client.call_tool("sums__tell", {})
            assert old.structured_content["kind"] == "package_changed"
            assert old.structured_content["next"] == ["sums__start_run"]
            await client.call_tool("sums__start_run", {})
            done = await client.call_tool("sums__add", {"values": [1]})
            assert done.structured_content["label"] == "new"
            assert done.structured_content["run_id"] != first.structured_content["run_id"]

    asyncio.run(work())


def test_packages_are_mcp_skills_too(package: Callable[..., Path], skills: Path) -> None:
    package("sums", SUMS)
    package("odd-name", SUMS)
    front = (skills / "odd-name" / "SKILL.md").read_text()
    (skills / "odd-name" / "SKILL.md").write_text(front.replace("name: odd-name", "name: Odd_Name"))
    said: list[str] = []

    async def work() -> None:
        made = server(skills, say=said.append)
        async with FastClient(made.mcp, extensions=[SkillsClientExtension()]) as client:
            listed = await client.list_skills()
            assert [skill.uri for skill in listed] == ["skill://sums/SKILL.md"]
            found = {str(item.uri) for item in await client.list_resources()}
            assert "skill://sums/runtime/skill.py" in found
            (text,) = await client.read_resource("skill://sums/SKILL.md")
            assert text.text == (skills / "sums" / "SKILL.md").read_text()

    asyncio.run(work())
    assert any("Odd_Name" in line or "odd-name" in line for line in said)


def test_tables_travel_by_reference() -> None:
    pytest.importorskip("pandas", reason="the skill reads a table")

    async def work() -> None:
        async with Client(server(GROWTH).mcp._mcp_server) as client:
            given = {"inputs": INPUTS}
            await client.call_tool("growth-accounting__start_run", given)
            done = await client.call_tool("growth-accounting__define_active_user", {})
            log = done.structured_content["log"]
            assert set(log) == {"table", "rows", "columns", "head"} and len(log["head"]) == 5
            refs = {"refs": {"log": "define_active_user#/log"}}
            counted = await client.call_tool("growth-accounting__count_flows", refs)
            assert counted.structured_content["current_mau"] == 211

    asyncio.run(work())


def test_two_hundred_packages_of_which_some_are_broken(
    package: Callable[..., Path], skills: Path
) -> None:
    first = package("skill-000", SUMS)
    for number in range(1, 200):
        name = f"skill-{number:03}"
        shutil.copytree(first, skills / name)
        for file in ("SKILL.md", "skill.toml"):
            place = skills / name / file
            place.write_text(place.read_text().replace("skill-000", name))
    (skills / "skill-001" / "skill.toml").write_text("not = [toml")
    (skills / "skill-002" / "SKILL.md").write_bytes(b"---\nname: \xff\n---\n")
    (skills / "skill-003" / "schemas.json").write_text("[]")
    for number, line in ((4, "raise ValueError"), (5, "def x(:"), (6, "time.sleep(30)")):
        with (skills / f"skill-00{number}" / "runtime" / "skill.py").open("a") as file:
            file.write(f"\n{line}\n")
    with (skills / "skill-007" / "runtime" / "skill.py").open("a") as file:
        file.write("\nos._exit(3)\n")
    said: list[str] = []

    async def work() -> None:
        made = server(skills, say=said.append)
        assert len(made.mcp.instructions.encode()) <= 2_048
        async with Client(made.mcp._mcp_server) as client:
            assert len((await client.list_tools()).tools) == len(tools.FIXED)

            async def add(number: int) -> Any:
                given = {"skill": f"skill-{number:03}", "step": "add", "arguments": {"values": [1]}}
                return await client.call_tool("call_step", given)

            sleeps = asyncio.ensure_future(add(6))
            broken = await asyncio.gather(*map(add, (1, 2, 3, 4, 5, 7)))
            assert all(item.is_error for item in broken)
            assert (await add(150)).structured_content["total"] == 1
            assert not sleeps.done()
            sleeps.cancel()
            listed = (await client.call_tool("list_skills", {})).structured_content
            names = {item["name"] for item in listed["broken"]}
            assert names == {f"skill-00{number}" for number in (1, 2, 3, 4, 5, 7)}
            assert len(listed["skills"]) == 194
            await client.call_tool("list_skills", {})

    asyncio.run(work())
    assert sorted(line.split()[0] for line in said if "is left out" in line) == sorted(
        f"skill-00{number}" for number in (1, 2, 3, 4, 5, 7)
    )


def test_a_hook_that_saw_the_prompt_vouches_for_the_run(
    package: Callable[..., Path], skills: Path, home: Path
) -> None:
    package("sums", SUMS)
    session = "session-of-a-client"
    place = home / "sessions" / hashlib.sha256(session.encode()).hexdigest()[:16]
    place.mkdir(parents=True)
    (place / "prompt.json").write_text('{"prompt": "Add 1 and 2.", "prompt_id": "p-1"}')
    (home / "calls").mkdir()
    for number in (1, 2):
        record = {"session": session, "prompt_id": "p-1"}
        (home / "calls" / f"toolu_{number}").write_text(json.dumps(record))

    async def work() -> None:
        made = server(skills, transport=Transport())
        async with Client(made.mcp._mcp_server) as client:

            async def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
                meta: Any = {"claudecode/toolUseId": f"toolu_{number}"}
                done = await client.call_tool(f"sums__{name}", arguments, meta=meta)
                assert not done.is_error, done.structured_content
                return done.structured_content

            run = (await call(1, "add", values=[1, 2]))["run_id"]
            await call(2, "end_run", answer="3")
            first, *_, last = read(find(run))
            wanted = ("Add 1 and 2.", "hook", session, "p-1")
            keys = ("prompt", "vouched", "session", "prompt_id")
            assert tuple(first[key] for key in keys) == wanted
            assert (last["kind"], last["prompt_id"]) == ("answer", "p-1")

    asyncio.run(work())
