"""The real Claude Code client reads settings with our hooks in them."""

import json
import os
import subprocess
from pathlib import Path

from skills2_nb.hooks.starter import EVENTS
from skills2_nb.install.clients import Machine
from skills2_nb.install.dispatcher import groups
from skills2_nb.install.groups import with_groups
from tests.claude import CLAUDE, QUIET, model, needs_claude

pytestmark = needs_claude
#: Somebody else's, for the same events and another kind.
THEIRS = {
    "hooks": {
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo theirs >> heard"}]}],
        "Stop": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:9/x", "timeout": 1}]}],
    }
}
LISTENER = """
import json, sys
event = json.load(sys.stdin)
with open({heard!r}, "a") as file:
    print(event["hook_event_name"], event.get("tool_name", ""), *sys.argv[1:], file=file)
"""


def asked(shared: Path, folder: Path, turns: list[list[dict[str, object]]]) -> dict[str, object]:
    """What the client says of a session in which the model gives these turns."""
    with model(shared, turns, folder / "api.jsonl") as address:
        done = subprocess.run(
            [CLAUDE, "-p", "Do it.", "--allowedTools", "Bash", "--output-format", "json"],
            cwd=folder,
            env={
                "HOME": os.environ["HOME"],
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


def entered(machine: Machine) -> None:
    """The settings of a user with hooks, and ours among them."""
    path = machine.home / ".claude/settings.json"
    path.parent.mkdir()
    wanted = groups(machine, "advise", every_tool=True)
    path.write_text(with_groups(json.dumps(THEIRS, indent=2), wanted, {})[0])


def test_every_event_reaches_our_script_and_theirs_too(shared: Path, tmp_path: Path) -> None:
    heard, main = tmp_path / "heard", tmp_path / "skills2_nb/hooks/main.py"
    main.parent.mkdir(parents=True)
    main.write_text(LISTENER.format(heard=str(heard)))
    entered(Machine(Path.home(), tmp_path, main=main))
    call = {"type": "tool_use", "name": "Bash", "input": {"command": "true", "description": "x"}}
    told = asked(shared, tmp_path, [[call], [{"type": "text", "text": "Done."}]])
    assert told["result"] == "Done."
    lines = heard.read_text().splitlines()
    ours = [line.split() for line in lines if line != "theirs"]
    assert "theirs" in lines
    assert [line[0] for line in ours] == ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"]
    assert all(line[-1] == "advise" and line[0] in EVENTS for line in ours)
    assert ours[2][1] == "Bash"


def test_hooks_of_the_user_and_of_a_project_are_called_once(shared: Path, tmp_path: Path) -> None:
    heard, main = tmp_path / "heard", tmp_path / "skills2_nb/hooks/main.py"
    main.parent.mkdir(parents=True)
    main.write_text(LISTENER.format(heard=str(heard)))
    machine = Machine(Path.home(), tmp_path, main=main)
    entered(machine)
    (tmp_path / ".claude").mkdir()
    text, _ = with_groups("", groups(machine, "advise", every_tool=False), {})
    (tmp_path / ".claude/settings.local.json").write_text(text)
    asked(shared, tmp_path, [[{"type": "text", "text": "Done."}]])
    ours = [line.split()[0] for line in heard.read_text().splitlines() if line != "theirs"]
    assert ours == ["SessionStart", "UserPromptSubmit", "Stop"]


def test_a_kit_that_is_gone_stops_no_prompt(shared: Path, tmp_path: Path) -> None:
    entered(Machine(Path.home(), tmp_path, main=tmp_path / "gone/skills2_nb/hooks/main.py"))
    told = asked(shared, tmp_path, [[{"type": "text", "text": "Still here."}]])
    assert told["result"] == "Still here."


def test_the_real_dispatcher_is_called(shared: Path, tmp_path: Path, home: Path) -> None:
    """It writes down the prompt; the home is the user's own, as nothing says another."""
    entered(Machine(Path.home(), tmp_path))
    asked(shared, tmp_path, [[{"type": "text", "text": "Done."}]])
    (record,) = (Path.home() / ".claude/skills2/sessions").glob("*/prompt.json")
    assert json.loads(record.read_text())["prompt"] == "Do it."
