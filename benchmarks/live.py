"""P6, live: a step called in a running kernel, idle and computing."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.table import Row
from benchmarks.timing import Contender, measure

IDLE = "at most 0.4 times a round trip to the kernel"
BUSY = "at most 20 ms while a cell computes in pure Python"
ROUNDS, LOOPS, BUSY_LOOPS = 7, 50, 20
#: Servers keep an idle connection for five seconds.
KEPT_SECONDS = 2.0
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "skills2/session": "bench",
}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
}
ONE = '''from skills2_nb import step

def is_doubled(number, output):
    return output == 2 * number

@step(invariants=[is_doubled])
def double(number: int) -> int:
    """Twice the number."""
    return 2 * number
'''
SPIN = "while True:\n    pass"


def rows(folder: Path) -> list[Row]:
    """A step of a live kernel beside a round trip to that kernel, and while a cell computes."""
    with served(folder) as (run, spinning, call):
        idle = measure(
            [
                Contender("live step, journalled, idle kernel", call, LOOPS),
                Contender("a cell of that kernel: `1`", lambda: run("1"), LOOPS),
            ],
            ROUNDS,
        )
        with spinning():
            busy = measure([Contender("live step, busy kernel", call, BUSY_LOOPS)], ROUNDS)
    return [
        Row("P6", "a live step, idle", IDLE, idle, {"a cell of that kernel": 0.4}),
        Row("P6", "a live step, busy", BUSY, busy),
    ]


@contextmanager
def served(folder: Path) -> Iterator[tuple[Callable[..., Any], Any, Callable[[], object]]]:
    """A kernel that serves one step: what runs a cell, what keeps it busy, what calls the step."""
    from jupyter_client.manager import KernelManager

    from skills2_nb.serve.registry import registered

    folder.mkdir(parents=True, exist_ok=True)
    os.environ["SKILLS2_HOME"] = str(folder / "home")
    os.environ["JUPYTER_RUNTIME_DIR"] = str(folder / "runtime")
    os.environ["IPYTHONDIR"] = str(folder / "ipython")
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder))
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)

    def run(code: str) -> Any:
        sent = client.execute(code)
        while True:
            reply = client.get_shell_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == sent:
                assert reply["content"]["status"] == "ok", reply["content"]
                return reply

    @contextmanager
    def spinning() -> Iterator[None]:
        client.execute(SPIN)
        yield
        manager.interrupt_kernel()
        client.get_shell_msg(timeout=60)

    try:
        for code in ("%load_ext skills2_nb", ONE, "%skills2 serve"):
            run(code)
        (entry,) = registered()
        with caller(entry.url, entry.token, "notebook__double", {"number": 21}) as call:

            def doubled() -> None:
                answer = call()
                assert answer["result"]["structuredContent"]["result"] == 42, answer

            yield run, spinning, doubled
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        shutil.rmtree(folder / "ipython", ignore_errors=True)


@contextmanager
def caller(
    url: str, token: str, tool: str, arguments: dict[str, Any]
) -> Iterator[Callable[[], Any]]:
    """What calls a tool over a connection that is kept, with nothing around it."""
    place = urlsplit(url)
    assert place.hostname is not None
    link = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
    params = {"name": tool, "arguments": arguments, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {**HEADERS, "Authorization": f"Bearer {token}", "Mcp-Name": tool}

    last = time.monotonic()

    def call() -> Any:
        nonlocal last
        if time.monotonic() - last > KEPT_SECONDS:
            link.close()  # while others had their turn the server may have let it go
        last = time.monotonic()
        link.request("POST", place.path, body, headers)
        answer = json.loads(link.getresponse().read())
        assert not answer["result"].get("isError"), answer
        return answer

    try:
        yield call
    finally:
        link.close()
