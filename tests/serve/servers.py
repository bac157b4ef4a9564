"""Servers in processes of their own."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

START = (sys.executable, "-c", "from skills2_nb.cli.main import main; main()", "serve")
TOKEN = "a-token-of-the-tests"


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a server is started with: a home of its own, and nobody's session."""
    kept = {k: v for k, v in os.environ.items() if k != "CLAUDE_CODE_SESSION_ID"}
    return kept | {"SKILLS2_HOME": str(home), "HOME": str(home)} | more


@dataclass(frozen=True)
class Served:
    """A server on a loopback port."""

    url: str
    process: subprocess.Popen[str]
    home: Path
    err: Path

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").partition("/")[0].rpartition(":")
        return host, int(port)


@contextlib.contextmanager
def http_server(root: Path, home: Path, *words: str, token: str | None = TOKEN) -> Iterator[Served]:
    """`skills2 serve` on a free port, until the block ends."""
    env = environment(home) | ({"SKILLS2_TOKEN": token} if token else {})
    err = home.parent / f"{home.name}.err"
    with err.open("w") as file:
        process = subprocess.Popen(
            [*START, str(root), "--http", "127.0.0.1:0", "--json", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=file,
            env=env,
            text=True,
        )
    assert process.stdout is not None
    try:
        told = ""
        while not told.endswith("}\n"):
            line = process.stdout.readline()
            assert line, err.read_text()
            told += line
        yield Served(json.loads(told)["url"], process, home, err)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        process.stdout.close()
