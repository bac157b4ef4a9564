"""P6, over HTTP: a `tools/call` on a kept connection, beside the same in bare FastMCP."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import live
from benchmarks.export import beside
from benchmarks.table import Row
from benchmarks.timing import Contender, Sample, measure

ROUNDS, LOOPS = 7, 100
TOKEN = "a-token-of-the-benchmark"
#: Seconds for a server to listen.
SOON = 60.0
#: The bare server answers as ours does: no session, one JSON text a request.
RUN = (
    "    mcp.run(transport='http', host='127.0.0.1', port={port}, path='/mcp', show_banner=False,\n"
    "            stateless_http=True, json_response=True, log_level='critical')\n"
)


def rows(package: Path, bare: str, arguments: dict[str, Any], folder: Path) -> list[Row]:
    """Both calls over HTTP.

    Args:
        package: a skill `one` of the step `classify_growth`.
        bare: the code of a server of a function of that name, and of `list_skills`.
        arguments: of the step.
        folder: is thrown away afterwards.
    """
    with ours(package) as (url, token), theirs(bare, folder) as place:

        def pair(tool: str, bare_tool: str, given: dict[str, Any]) -> tuple[Sample, ...]:
            with (
                live.caller(url, token, tool, given) as mine,
                live.caller(place, "", bare_tool, given) as other,
            ):
                both = [Contender("skills2", mine, LOOPS), Contender("bare FastMCP", other, LOOPS)]
                return measure(both, ROUNDS)

        listing = pair("list_skills", "list_skills", {})
        step = pair("one__classify_growth", "classify_growth", arguments)
    return [
        Row("P6", "list_skills, over HTTP", "", listing, {"bare FastMCP": 1.05}),
        Row("P6", "a step, over HTTP", "", step, {"bare FastMCP": 1.5}),
    ]


@contextmanager
def ours(package: Path) -> Iterator[tuple[str, str]]:
    """`skills2 serve --http`: its address and its token."""
    words = [beside("skills2"), "serve", str(package), "--http", "127.0.0.1:0", "--json"]
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"SKILLS2_TOKEN": TOKEN},
    )
    with _ended(process):
        assert process.stdout is not None
        told = ""
        while not told.endswith("}\n"):
            line = process.stdout.readline()
            assert line, "the server ended before it listened"
            told += line
        yield json.loads(told)["url"], TOKEN
        process.stdout.close()


@contextmanager
def theirs(bare: str, folder: Path) -> Iterator[str]:
    """The bare server: its address."""
    with socket.socket() as spare:
        spare.bind(("127.0.0.1", 0))
        port = spare.getsockname()[1]
    script = folder / "bare_http.py"
    script.write_text(f"{bare}\nif __name__ == '__main__':\n{RUN.format(port=port)}", "utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with _ended(process):
        _wait(port)
        yield f"http://127.0.0.1:{port}/mcp"


def _wait(port: int) -> None:
    until = time.monotonic() + SOON
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < until, "the bare server does not listen"
            time.sleep(0.1)
        else:
            return


@contextmanager
def _ended(process: subprocess.Popen[Any]) -> Iterator[None]:
    try:
        yield
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
