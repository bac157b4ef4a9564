"""The command in the settings: what it says, and that it never says no by itself."""

import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.hooks.home import MODES
from skills2_nb.hooks.starter import EVENTS, TOOLS
from skills2_nb.install.clients import Machine
from skills2_nb.install.dispatcher import (
    groups,
    is_ours,
    managed_settings,
    mode_of,
    settings_of,
    words_of,
)

HERE = Machine(Path("/home/ana"), Path("/home/ana/work"), "linux")


@pytest.mark.parametrize("mode", MODES)
def test_a_group_says_what_the_dispatcher_is_told(mode):
    made = groups(HERE, mode, every_tool=False)
    assert tuple(made) == EVENTS
    assert {event for event, group in made.items() if "matcher" in group} == {TOOLS}
    assert made[TOOLS]["matcher"] == "mcp__skills2__.*"
    assert groups(HERE, mode, every_tool=True)[TOOLS]["matcher"] == "*"
    for group in made.values():
        (handler,) = group["hooks"]
        assert handler["command"] == sys.executable
        assert handler["args"][-2:] == [str(HERE.main), mode]
        assert handler["timeout"] < 60  # seconds
        assert is_ours(handler) and mode_of(group) == mode


def started(machine, mode="advise"):
    group = groups(machine, mode, every_tool=False)["Stop"]
    return subprocess.run(
        words_of(group["hooks"][0]), input="{}", capture_output=True, text=True, check=False
    )


def test_the_script_that_is_started_is_there():
    assert HERE.main.is_file()


def test_the_script_sees_its_place_and_its_mode_as_if_it_were_called_itself(tmp_path):
    main = tmp_path / "main é.py"
    main.write_text(
        "import sys\nif __name__ == '__main__':\n    print(__file__, sys.argv, sys.flags.no_site)\n"
    )
    done = started(Machine(tmp_path, tmp_path, main=main), "block")
    assert done.stdout == f"{main} {[str(main), 'block']} 1\n"


@pytest.mark.parametrize("state", ["absent", "a folder", "folders gone"])
def test_a_kit_that_was_taken_off_the_machine_stops_no_prompt(state, tmp_path):
    """Python exits with 2 where a script is missing, and that is how a hook says no."""
    main = tmp_path / ("gone/main.py" if state == "folders gone" else "main.py")
    if state == "a folder":
        main.mkdir()
    done = started(Machine(tmp_path, tmp_path, main=main))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "group",
    [None, 7, [], {}, {"hooks": 7}, {"hooks": [7, {"args": 3}, {"command": ["x"]}]},
     {"hooks": [{"command": "x", "args": ["block"]}]},
     {"hooks": [{"command": "p", "args": ["/skills2_nb/hooks/main.py", "strict"]}]}],
)  # fmt: skip
def test_groups_of_any_shape_say_no_mode(group):
    assert mode_of(group) is None


@pytest.mark.parametrize(
    ("scope", "environ", "path"),
    [
        ("user", {}, "/home/ana/.claude/settings.json"),
        ("user", {"CLAUDE_CONFIG_DIR": "/moved"}, "/moved/settings.json"),
        ("project", {"CLAUDE_CONFIG_DIR": "/moved"}, "/home/ana/work/.claude/settings.json"),
        ("local", {}, "/home/ana/work/.claude/settings.local.json"),
    ],
)
def test_each_scope_has_its_file(scope, environ, path):
    assert str(settings_of(scope, Machine(HERE.home, HERE.cwd, "linux", environ))) == path


@pytest.mark.parametrize(
    ("system", "folder"),
    [
        ("linux", "/etc/claude-code"),
        ("darwin", "/Library/Application Support/ClaudeCode"),
        ("win32", r"C:\Program Files\ClaudeCode"),
        ("plan9", "/etc/claude-code"),
    ],
)
def test_managed_settings(system, folder):
    path = managed_settings(Machine(HERE.home, HERE.cwd, system))
    assert (str(path.parent), path.name) == (folder, "managed-settings.json")
