"""The real Claude Code client and a plugin that `skills2 package` made."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.journal import read
from tests.claude import CLAUDE, QUIET, calls, model, needs_claude, says
from tests.cli.conftest import NAME
from tests.serve.test_claude import PATIENCE

MIT = "Anybody may do anything with this.\n"
INPUTS = {"daily": [12, 9, 14, 11, 20, 31, 18]}
PROMPT = "How did the week of 12, 9, 14, 11, 20, 31, 18 go? Give total, average and busiest day."
ANSWER = (
    "The week came to a total of 115, an average of 16.4 a day. The busiest day was Saturday, "
    "with a busiest count of 31."
)
TURNS = [
    ("start_run", {"prompt": PROMPT, "inputs": INPUTS}),
    ("add_up_week", {}),
    ("find_busiest_day", {}),
    ("write_readout", {}),
]


@pytest.fixture
def plugin(desk: Path, skills2: Any) -> Path:
    (desk / "LICENSE.txt").write_text(MIT)
    done = skills2(
        *("package", NAME, "--format", "plugin", "-o", desk / "out"),
        *("--author", "Ana <ana@example.org>", "--license", desk / "LICENSE.txt"),
    )
    assert done.code == 0, done.err
    return desk / "out" / NAME


def claude(home: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """The client in a home of its own, with the Python of the tests as `python3`."""
    folder = home / "bin"
    folder.mkdir(exist_ok=True, parents=True)
    if not (folder / "python3").exists():
        (folder / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (folder / "python3").chmod(0o755)
    return subprocess.run(
        [CLAUDE, *words],
        cwd=home,
        env={
            "HOME": str(home),
            "PATH": f"{folder}:{os.environ['PATH']}",
            **QUIET,
            **environ,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def talk(
    shared: Path,
    home: Path,
    plugin: Path,
    turns: list[tuple[str, dict[str, Any]]],
    *words: str,
) -> tuple[dict[str, Any], str]:
    """What the client says of a turn in which its model calls these tools, and what it was sent."""
    log = home.with_name("api.jsonl")
    log.unlink(missing_ok=True)
    with model(shared, [*(calls(*turn) for turn in turns), says(ANSWER)], log) as address:
        done = claude(
            home,
            *("--plugin-dir", str(plugin), "--output-format", "json", "-p", *words),
            *("--allowedTools", f"mcp__plugin_{NAME}_s__*"),
            ANTHROPIC_BASE_URL=address,
        )
    told = json.loads(done.stdout)
    assert told["result"] == ANSWER, done.stderr
    return told, log.read_text(encoding="utf-8")


def whole(folder: Path) -> dict[Path, bytes]:
    """Every file but what Python keeps of its modules."""
    files = [p for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc"]
    return {path: path.read_bytes() for path in files}


def waited(home: Path) -> dict[str, Any]:
    """The line of the ledger that the worker of the Stop hook writes, and the text for Claude."""
    for _ in range(400):
        data = next((home / ".claude/plugins/data").iterdir())
        ledger = data / "ledger" / "audits.jsonl"
        if ledger.exists() and list(data.glob("sessions/*/audit.txt")):
            return dict(json.loads(ledger.read_text().splitlines()[-1]))
        time.sleep(0.2)
    raise AssertionError("nothing was audited")


@needs_claude
def test_the_client_takes_the_plugin(plugin: Path, tmp_path: Path) -> None:
    done = claude(tmp_path / "h", "plugin", "validate", "--strict", str(plugin))
    assert done.returncode == 0, done.stdout + done.stderr
    if "--profile" not in claude(tmp_path / "h", "plugin", "validate", "--help").stdout:
        pytest.skip("this client cannot check for the directory")
    done = claude(tmp_path / "h", "plugin", "validate", "--profile", "directory", str(plugin))
    assert done.returncode == 0, done.stdout
    assert "MISSING" not in done.stdout.replace("ICON_MISSING", "")


@needs_claude
def test_a_plugin_brings_the_checklist_in_and_the_audit_back(
    plugin: Path, tmp_path: Path, shared: Path
) -> None:
    home = tmp_path / "h"
    tools = [(f"mcp__plugin_{NAME}_s__{verb}", given) for verb, given in TURNS]
    before = whole(plugin)
    told, sent = talk(shared, home, plugin, [*PATIENCE, *tools], PROMPT)
    first = sent.split("\n")[0]
    assert f"Tools, of the MCP server s: mcp__plugin_{NAME}_s__" in first

    audit = waited(home)
    assert (audit["strict"], audit["level"]) == ({"score": 1.0, "verdict": "pass"}, "L2")
    (journal,) = (home / ".claude/plugins/data").rglob("runs/*/*.jsonl")
    lines = list(read(journal))
    assert [line["kind"] for line in lines] == [
        *("run_started", "step_ok", "step_ok", "step_ok", "run_ended", "answer")
    ]
    assert (lines[0]["session"], lines[0]["vouched"]) == (told["session_id"], "hook")
    assert [line["step"] for line in lines[1:4]] == [verb for verb, _ in TURNS[1:]]
    assert lines[5]["text"] == ANSWER

    _, again = talk(shared, home, plugin, [], "Thanks.", "--resume", told["session_id"])
    assert f"{NAME}: pass, score 1.00, evidence L2." in again
    assert not (home / ".claude/skills2").exists()
    assert whole(plugin) == before  # state lies in the data folder alone
