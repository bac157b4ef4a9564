"""`skills2 serve --http`: who is let in, both eras, listening, many sessions."""

import asyncio
import contextlib
import http.client
import json
import os
import shutil
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastmcp import Client as FastClient
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from skills2_nb.contract.chain import verify
from skills2_nb.library.runs import state
from tests.serve.packages import SUMS, write_package
from tests.serve.servers import TOKEN, Served, http_server


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of `sums`, with a token."""
    base = tmp_path_factory.mktemp("http")
    write_package(base / "skills", "sums", SUMS)
    with http_server(base / "skills", base / "home") as made:
        yield made


def status(served: Served, **headers: str) -> int:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    link = http.client.HTTPConnection(*served.address, timeout=20)
    given = {
        "Host": "{}:{}".format(*served.address),
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/list",
    } | {name.replace("_", "-"): text for name, text in headers.items()}
    link.request("POST", "/mcp", json.dumps(body), {k: v for k, v in given.items() if v})
    try:
        return link.getresponse().status
    finally:
        link.close()


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1:5000"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example", "Authorization": ""}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Authorization": f"Bearer {TOKEN}x"}, 401),
    ],
)
def test_who_is_let_in(headers: dict[str, str], code: int, served: Served) -> None:
    assert status(served, **headers) == code


@contextlib.asynccontextmanager
async def connected(served: Served, mode: Any = "auto", **headers: str) -> AsyncIterator[Client]:
    given = {"Authorization": f"Bearer {TOKEN}"} | headers
    async with httpx2.AsyncClient(headers=given, timeout=60) as web:
        link = streamable_http_client(served.url, http_client=web)
        async with Client(link, mode=mode) as client:
            yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_run_that_names_itself(mode: str, served: Served) -> None:
    async def work() -> None:
        async with connected(served, mode) as client:
            lost = await client.call_tool("sums__add", {"values": [1]})
            assert lost.is_error and lost.structured_content["kind"] == "run_required"
            assert lost.structured_content["next"] == ["sums__start_run"]
            started = await client.call_tool("sums__start_run", {"inputs": {"values": [2, 3]}})
            run = started.structured_content["run_id"]
            done = await client.call_tool("sums__add", {"run_id": run})
            assert done.structured_content["total"] == 5

    asyncio.run(work())


def test_fastmcps_client_calls_over_http(served: Served) -> None:
    async def work() -> None:
        async with FastClient(served.url, auth=TOKEN) as client:
            assert len(await client.list_tools()) == 7
            assert (await client.call_tool("list_skills", {})).data["skills"][0]["name"] == "sums"

    asyncio.run(work())


def test_a_client_that_listens_hears_of_a_new_export(served: Served) -> None:
    root = served.home.parent / "skills"

    async def work() -> None:
        async with connected(served) as client, client.listen(tools_list_changed=True) as heard:
            before = {tool.name for tool in (await client.list_tools()).tools}
            write_package(root, "fresh", SUMS)
            async with asyncio.timeout(30):
                await anext(heard)
                while (after := {t.name for t in (await client.list_tools()).tools}) == before:
                    await anext(heard)
            assert {name.partition("__")[0] for name in after - before} == {"fresh"}
            shutil.rmtree(root / "fresh")
            async with asyncio.timeout(30):
                while {t.name for t in (await client.list_tools()).tools} != before:
                    await anext(heard)

    asyncio.run(work())


def test_many_sessions_at_once_mix_nothing(served: Served) -> None:
    sessions, calls = 16, int(os.environ.get("SKILLS2_CALLS", "25"))

    async def one(number: int) -> list[tuple[str, int]]:
        async with connected(served) as client:
            meta: Any = {"skills2/session": f"session-{number}"}
            seen = []
            for at in range(calls):
                given = {"values": [number, at]}
                done = await client.call_tool("sums__add", given, meta=meta)
                seen.append((done.structured_content["run_id"], done.structured_content["total"]))
            return seen

    async def work() -> list[list[tuple[str, int]]]:
        return await asyncio.gather(*map(one, range(sessions)))

    runs = []
    for number, seen in enumerate(asyncio.run(work())):
        assert [total for _, total in seen] == [number + at for at in range(calls)]
        (run,) = {run for run, _ in seen}
        runs.append(run)
        path = next((served.home / "runs").rglob(f"{run}.jsonl"))
        assert not verify(path)
        made = state(path)
        assert made.session == f"session-{number}"
        assert [call.output["total"] for call in made.calls] == [number + n for n in range(calls)]
    assert len(set(runs)) == sessions


def test_nothing_that_is_logged_holds_the_token(served: Served) -> None:
    assert status(served, Authorization="Bearer wrong") == 401
    assert TOKEN not in served.err.read_text()


def test_a_token_is_made_and_printed_once(tmp_path: Path) -> None:
    with http_server(tmp_path / "skills", tmp_path / "home", token=None) as made:
        assert status(made) == 401
        (line,) = [line for line in made.err.read_text().splitlines() if "Token" in line]
        token = line.partition(": ")[2].split()[0]
        assert len(token) > 40 and status(made, Authorization=f"Bearer {token}") == 200


def test_no_token_is_warned_of_and_keeps_the_other_guards(tmp_path: Path) -> None:
    with http_server(tmp_path / "skills", tmp_path / "home", "--no-token", token=None) as made:
        assert "Warning" in made.err.read_text()
        assert status(made, Authorization="") == 200
        assert status(made, Authorization="", Host="evil.example") == 421
        assert status(made, Authorization="", Origin="http://evil.example") == 403


def test_who_hangs_up_leaves_no_trace_on_stderr(served: Served) -> None:
    with socket.create_connection(served.address) as link:
        head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + TOKEN
        kind = "Content-Type: application/json\r\nAccept: application/json, text/event-stream"
        link.sendall(f"{head}\r\n{kind}\r\nContent-Length: 99\r\n\r\n{{".encode())
    assert status(served) == 200
    assert "Traceback" not in served.err.read_text()
