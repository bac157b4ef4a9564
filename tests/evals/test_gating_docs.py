"""The workflow of the docs: its commands exist, and do what it says."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from skills2_nb.cli.main import main
from tests.evals.small_skill import packaged

DOCS = Path(__file__).resolve().parents[2] / "docs"
WORKFLOW = yaml.safe_load((DOCS / "github-workflow.yml").read_text(encoding="utf-8"))
LINES = [step["run"] for step in WORKFLOW["jobs"]["gate"]["steps"] if "run" in step]
PAGE = (DOCS / "gating.md").read_text(encoding="utf-8")
HOOK = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.S)[1])[0]["hooks"][0]


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("skills2 ")])
def test_verbs_and_options_exist(line):
    words = shlex.split(line)[1:]
    command = main.get_command(None, words[0])
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_workflow_judges_by_the_gate_and_keeps_the_report():
    steps = WORKFLOW["jobs"]["gate"]["steps"]
    (played,) = (step for step in steps if step.get("run", "").startswith("skills2 eval"))
    assert played["continue-on-error"] is True
    (gate,) = (step for step in steps if step.get("run", "").startswith("skills2 gate"))
    assert "continue-on-error" not in gate


@pytest.mark.skipif(os.name == "nt", reason="the hook is a line of sh")
def test_the_hook_of_the_page_decides(tmp_path):
    """Eval and gate as pre-push calls them: inconclusive, accepted, pass."""
    pytest.importorskip("papermill", reason="eval executes a notebook")
    packaged(tmp_path)
    script = tmp_path / "bin" / "skills2"
    script.parent.mkdir()
    script.write_text(
        f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "
        "'from skills2_nb.cli.main import main; main()' \"$@\"\n"
    )
    script.chmod(0o755)
    shutil.rmtree(tmp_path / "notebooks")
    env = {**os.environ, "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}

    def call(*words: str) -> int:
        done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, check=False)
        return done.returncode

    assert call(*shlex.split(HOOK["entry"])) == 3
    assert call("skills2", "gate", "eval-results", "--accept") == 0
    assert call("skills2", "gate", "eval-results", "--ablate") == 0
    (kept,) = json.loads((tmp_path / "skills/trial-skill/evals/baseline.json").read_text())[
        "skills"
    ]
    assert kept["ablated"] and len(kept["cases"]) == 3
