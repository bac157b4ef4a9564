"""The real Claude Code client, with a script in the model's place."""

import json
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.journal import read
from tests.claude import CLAUDE, QUIET, calls, model, needs_claude, says
from tests.serve.packages import SUMS, write_package
from tests.serve.servers import START

TURNS = [
    ("start_run", {"prompt": "Add 1 and 2.", "inputs": {"values": [1, 2]}}),
    ("add", {}),
    ("tell", {}),
    ("end_run", {"answer": "$last_result"}),
]
#: The model would call before the server is there, and one wait lasts seconds at most: on a busy
#: machine the first calls were refused by the client, and no server ever saw them.
PATIENCE = [("WaitForMcpServers", {})] * 8


def talk(
    shared: Path,
    folder: Path,
    home: Path,
    verb: str,
    turns: list[tuple[str, dict[str, Any]]],
    **environ: str,
) -> dict[str, Any]:
    """What the client says of a session in which its model calls these tools, one a turn."""
    patient = [*PATIENCE, *turns]
    blocks = [calls(name, given) for name, given in patient]
    entry = {
        "command": START[0],
        "args": [*START[1:-1], verb, str(folder / "skills")],
        "env": {"SKILLS2_HOME": str(home), **environ},
    }
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"skills2": entry}}))
    with model(shared, [*blocks, says("It is 3.")], folder / "api.jsonl") as address:
        done = subprocess.run(
            [
                CLAUDE,
                *("-p", "Add 1 and 2.", "--mcp-config", str(folder / "mcp.json")),
                *("--allowedTools", "mcp__skills2__*", "Bash", "--output-format", "json"),
            ],
            cwd=folder,
            env={
                "HOME": str(folder),
                "PATH": os.environ["PATH"],
                "ANTHROPIC_BASE_URL": address,
                **QUIET,
            },
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
    return dict(json.loads(done.stdout))


def ours(turns: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    return [(f"mcp__skills2__sums__{name}", given) for name, given in turns]


@needs_claude
@pytest.mark.parametrize("verb", ["serve", "connect"])
def test_a_whole_run_over_stdio(verb: str, shared: Path, tmp_path: Path, home: Path) -> None:
    write_package(tmp_path / "skills", "sums", SUMS)
    told = talk(shared, tmp_path, home, verb, ours(TURNS))
    (journal,) = (home / "runs").rglob("*.jsonl")
    lines = list(read(journal))
    assert [line["kind"] for line in lines] == [
        *("run_started", "step_ok", "step_ok", "run_ended", "answer")
    ]
    assert (told["result"], lines[0]["session"]) == ("It is 3.", told["session_id"])


@needs_claude
@pytest.mark.filterwarnings("ignore:.*")  # jupyter_client's own
def test_a_cell_run_again_during_the_session_is_called_in_its_new_form(
    shared: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jupyter_core.utils import ensure_event_loop

    from tests.lab.kernels import kernel
    from tests.serve.test_real_kernel import TELL, notebook_of_sums

    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    notebook = notebook_of_sums(tmp_path)
    (tmp_path / "skills").mkdir()
    new = TELL.replace("total: int", "total: int, tone: str = 'dry'")
    asked, done = tmp_path / "asked", tmp_path / "done"
    wait = f"touch {asked}; while [ ! -e {done} ]; do sleep 0.2; done; sleep 1"
    turns = [
        *ours(TURNS[:2]),
        ("Bash", {"command": wait, "description": "Let the author work"}),
        *ours([*TURNS[:2], ("tell", {"tone": "gay"}), TURNS[3]]),
    ]
    with kernel(notebook) as running:
        running.serve()

        def work() -> None:
            while not asked.exists():
                time.sleep(0.1)
            running.run(new)
            done.touch()
            ensure_event_loop().close()  # jupyter_client made it for this thread and leaves it

        author = threading.Thread(target=work, daemon=True)
        author.start()
        runtime = str(tmp_path / "runtime")
        told = talk(shared, tmp_path, home, "connect", turns, JUPYTER_RUNTIME_DIR=runtime)
        author.join(5)
    first, second = sorted((home / "runs").rglob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    assert [line["kind"] for line in read(first)][:2] == ["run_started", "step_ok"]
    calls = [line for line in read(second) if line["kind"].startswith("step_")]
    assert [(line["kind"], line["step"]) for line in calls] == [
        ("step_ok", "add"),
        ("step_ok", "tell"),
    ]
    assert calls[1]["args"]["tone"] == "gay"
    assert next(iter(read(second)))["session"] == told["session_id"]
