"""`skills2 serve` on its own pipes, called by mcp's client, FastMCP's, and bare lines."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client as FastClient
from fastmcp.client.transports import StdioTransport
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from tests.serve.packages import ROGUES, SUMS
from tests.serve.servers import START, environment


def parameters(root: Path, home: Path, *words: str, **more: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=START[0], args=[*START[1:], str(root), *words], env=environment(home, **more)
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_run_by_mcps_client(
    mode: Any, package: Callable[..., Path], skills: Path, home: Path
) -> None:
    package("sums", SUMS)

    async def work() -> None:
        server = stdio_client(parameters(skills, home))
        async with Client(server, mode=mode) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == [
                "list_skills",
                "list_steps",
                *(f"sums__{v}" for v in ("start_run", "add", "tell", "end_run", "audit_run")),
            ]
            started = await client.call_tool(
                "sums__start_run", {"prompt": "Add 1 and 2.", "inputs": {"values": [1, 2]}}
            )
            run = started.structured_content["run_id"]
            await client.call_tool("sums__add", {})
            told = await client.call_tool("sums__tell", {})
            assert told.structured_content["next"] == ["sums__end_run"]
            answer = told.structured_content["readout"]
            ended = await client.call_tool("sums__end_run", {"answer": answer})
            assert ended.structured_content["missing"] == []
            kinds = [record["kind"] for record in read(find(run))]
            assert kinds == ["run_started", "step_ok", "step_ok", "run_ended", "answer"]
            first = next(iter(read(find(run))))
            assert (first["prompt"], first["vouched"]) == ("Add 1 and 2.", "client")
            assert first["session"].startswith("process-")

    asyncio.run(work())


def test_a_run_by_fastmcps_client(package: Callable[..., Path], skills: Path, home: Path) -> None:
    package("sums", SUMS)

    async def work() -> None:
        env = environment(home, CLAUDE_CODE_SESSION_ID="the-session")
        transport = StdioTransport(START[0], [*START[1:], str(skills)], env=env)
        async with FastClient(transport) as client:
            done = await client.call_tool("sums__add", {"values": [4, 5]})
            assert done.structured_content["total"] == 9
            record = next(iter(read(find(done.structured_content["run_id"]))))
            assert record["session"] == "the-session"

    asyncio.run(work())


@pytest.fixture
def raw(
    package: Callable[..., Path], skills: Path, home: Path
) -> Iterator[subprocess.Popen[bytes]]:
    package("rogues", ROGUES, runtime="timeout = 20")
    process = subprocess.Popen(
        [*START, str(skills)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    )
    yield process
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError, ValueError):
            pipe.close()  # type: ignore[union-attr]


def asked(process: subprocess.Popen[bytes], number: int, method: str, **params: Any) -> Any:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params | {"_meta": meta}}
    process.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
    process.stdin.flush()  # type: ignore[union-attr]


def answered(process: subprocess.Popen[bytes]) -> Any:
    return json.loads(process.stdout.readline())  # type: ignore[union-attr]


def test_stdout_carries_the_protocol_alone(raw: subprocess.Popen[bytes]) -> None:
    for number, step in enumerate(("prints", "closes", "good", "dies"), 1):
        asked(raw, number, "tools/call", name=f"rogues__{step}", arguments={})
        assert answered(raw)["id"] == number
    raw.stdin.close()  # type: ignore[union-attr]
    assert raw.stdout.read() == b""  # type: ignore[union-attr]
    assert raw.wait(20) == 0


def workers_of(pid: int) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            found.append(int(place.name))
    return found


def is_gone(pid: int) -> bool:
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(("number", "code"), [("TERM", 0), ("INT", 130), ("KILL", -9), ("", 0)])
def test_workers_end_with_the_server(number: str, code: int, raw: subprocess.Popen[bytes]) -> None:
    asked(raw, 1, "tools/call", name="rogues__good", arguments={})
    assert not answered(raw)["result"]["isError"]
    asked(raw, 2, "tools/call", name="rogues__hangs", arguments={})
    time.sleep(0.3)
    workers = workers_of(raw.pid)
    assert len(workers) == 1
    if number:
        os.kill(raw.pid, signal.Signals[f"SIG{number}"])
    else:
        raw.stdin.close()  # type: ignore[union-attr]
    assert raw.wait(15) == code
    assert all(map(is_gone, workers))
