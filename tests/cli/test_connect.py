"""connect: what it says, lists and does before any kernel has answered."""

import json
import signal
import socket
import subprocess
import sys

import pytest

from tests.serve.kernels import register
from tests.serve.packages import SUMS, write_package

START = (sys.executable, "-c", "from skills2_nb.cli.main import main; main()", "connect")
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def connected(bare, home, monkeypatch):
    """`connected(*words)`: the process, and what asks it."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(bare / "runtime"))
    started = []

    def start(*words):
        process = subprocess.Popen(
            [*START, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)

        def ask(method, **params):
            message = {"jsonrpc": "2.0", "id": 1, "method": method}
            line = json.dumps(message | {"params": params | {"_meta": META}})
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())["result"]

        return process, ask

    yield start
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


def test_packages_are_listed_while_a_kernel_is_silent(bare, connected):
    write_package(bare / "skills", "sums", SUMS)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # its queue takes callers, for ever
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"
        register(bare / "runtime", url, 1)
        process, ask = connected()
        names = [tool["name"] for tool in ask("tools/list")["tools"]]
        assert names[:3] == ["list_skills", "list_steps", "sums__start_run"]
        done = ask("tools/call", name="sums__add", arguments={"values": [4, 5]})
        assert done["structuredContent"]["total"] == 9
        assert "does not answer" in done["content"][0]["text"]
        process.stdin.close()
        assert process.wait(20) == 0
        assert process.stdout.read() == ""
        assert process.stderr.read() == "the kernel of sums.ipynb does not answer within 2 s\n"


def test_the_few_tools_and_a_root_that_is_not_there_yet(connected):
    process, ask = connected("later", "--lazy", "--allow-scripts")
    names = [tool["name"] for tool in ask("tools/list")["tools"]]
    assert {"call_step", "activate_skill", "run_skill_script"} <= set(names)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert "later is not there yet" in process.stderr.read()


def test_an_option_of_serve_that_it_has_not(bare, skills2):
    done = skills2("connect", "--http", ":0")
    assert done.code == 2 and "--http" in done.err
