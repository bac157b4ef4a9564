"""The kit's commands as tools of a Jupyter server's agents."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

#: What `jupyter-server-mcp` reads by the entry point: an address a tool.
TOOLS = [
    f"{__name__}:{name}"
    for name in (
        "list_skills",
        "show_skill",
        "lint_skill_notebook",
        "export_skill_notebook",
        "run_skill",
        "audit_skill_run",
    )
]
#: Seconds; each step has a limit of its own, and this is for what hangs otherwise.
_LIMIT = 900
#: Exit codes that come with a result: good, a check said no, unproven.
_RESULTS = (0, 1, 3)


class ToolError(Exception):
    """A command could not be carried out; the message is its own sentence."""


def list_skills() -> dict[str, Any]:
    """List the skills that are found from the server's folder, each with its steps and faults."""
    return dict(_called("list"))


def show_skill(skill: str) -> dict[str, Any]:
    """Show what a skill promises: its steps in order, what is checked, what an answer must report.

    Args:
        skill: a package's folder, a notebook's path, or a skill's name.
    """
    return dict(_called("show", skill))


def lint_skill_notebook(notebook: str) -> dict[str, Any]:
    """Say what would stop an export of a skill notebook, with cell, line and mend; runs nothing.

    Args:
        notebook: the path of the notebook.
    """
    return dict(_called("lint", notebook))


def export_skill_notebook(notebook: str) -> dict[str, Any]:
    """Make the skill package of a notebook; what was edited since is not overwritten.

    Args:
        notebook: the path of the notebook.
    """
    return dict(_called("export", notebook))


def run_skill(skill: str, inputs: dict[str, Any] | str | None = None) -> dict[str, Any]:
    """Call a skill's steps in order, journal them, and audit the run.

    Args:
        skill: a package's folder, a notebook's path, or a skill's name.
        inputs: the run's inputs by name, or the JSON text of them, which some clients send; left
            out, those of the skill's first case.

    Returns:
        The run's id, each step's output, the answer, and the audit in both profiles.
    """
    if inputs is None:
        return dict(_called("run", skill))
    given = inputs if isinstance(inputs, str) else json.dumps(inputs)
    return dict(_called("run", skill, "--inputs", "-", given=given))


def audit_skill_run(run: str, answer: str | None = None) -> dict[str, Any]:
    """Judge a recorded run, or an answer given on its grounds.

    Args:
        run: the run's id, or a skill for its newest run.
        answer: the answer to judge; left out, the run's own.
    """
    if answer is None:
        return dict(_called("audit", run))
    return dict(_called("audit", run, "--answer", "-", given=answer))


def _called(*words: str, given: str = "") -> Any:
    """The result of a command, run in a process of its own: a skill's code never runs in ours."""
    verb, *rest = words
    line = [sys.executable, "-m", "skills2_nb.cli.main", verb, "--json", *rest[1:], "--", *rest[:1]]
    done = subprocess.run(
        line, input=given, capture_output=True, encoding="utf-8", timeout=_LIMIT, check=False
    )
    if done.returncode not in _RESULTS or not done.stdout.strip():
        raise ToolError(done.stderr.strip() or f"skills2 {verb} ended with {done.returncode}")
    return json.loads(done.stdout)
