"""The real Claude Code client, with a script in the model's place."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.contract.journal import read
from tests.serve.packages import SUMS, write_package
from tests.serve.servers import START, TOKEN

CLAUDE = os.environ.get("SKILLS2_CLAUDE", "")
TURNS = [
    ("start_run", {"prompt": "Add 1 and 2.", "inputs": {"values": [1, 2]}}),
    ("add", {}),
    ("tell", {}),
    ("end_run", {"answer": "$last_result"}),
]


@pytest.mark.skipif(not CLAUDE, reason="set SKILLS2_CLAUDE to the client's program")
def test_a_whole_run_over_stdio(shared: Path, tmp_path: Path, home: Path) -> None:
    write_package(tmp_path / "skills", "sums", SUMS)
    turns = [
        [{"type": "tool_use", "name": f"mcp__skills2__sums__{name}", "input": given}]
        for name, given in TURNS
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps([*turns, [{"type": "text", "text": "It is 3."}]]))
    entry = {
        "command": START[0],
        "args": [*START[1:], str(tmp_path / "skills")],
        "env": {"SKILLS2_HOME": str(home)},
    }
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"skills2": entry}}))
    api = subprocess.Popen(
        [
            sys.executable,
            str(shared / "tools" / "scripted_messages_api.py"),
            str(script),
            *("--log", str(tmp_path / "api.jsonl"), "--port", "0"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert api.stdout is not None
    try:
        port = api.stdout.readline().strip()
        done = subprocess.run(
            [
                CLAUDE,
                *("-p", "Add 1 and 2.", "--mcp-config", str(tmp_path / "mcp.json")),
                *("--allowedTools", "mcp__skills2__*", "--output-format", "json"),
            ],
            cwd=tmp_path,
            env={
                "HOME": str(tmp_path),
                "PATH": os.environ["PATH"],
                "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
                "ANTHROPIC_API_KEY": TOKEN,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_TELEMETRY": "1",
                "DISABLE_AUTOUPDATER": "1",
            },
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
    finally:
        api.kill()
        api.wait()
        api.stdout.close()
    told = json.loads(done.stdout)
    (journal,) = (home / "runs").rglob("*.jsonl")
    lines = list(read(journal))
    assert [line["kind"] for line in lines] == [
        *("run_started", "step_ok", "step_ok", "run_ended", "answer")
    ]
    assert (told["result"], lines[0]["session"]) == ("It is 3.", told["session_id"])
