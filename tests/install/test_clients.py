"""Where each client keeps its settings, on each system."""

from pathlib import Path

import pytest

from skills2_nb.errors import SetupError, UsageError
from skills2_nb.install.clients import ARGS, CLIENTS, Machine, check_scope, entry

HOME, PROJECT = Path("/home/ana"), Path("/home/ana/work")


def machine(system="linux", **environ):
    return Machine(HOME, PROJECT, system, environ, Path("/env/bin"), "/env/bin/python3")


PLACES = [
    ("claude", "user", machine(), HOME / ".claude.json"),
    ("claude", "user", machine(CLAUDE_CONFIG_DIR="/cfg"), Path("/cfg/.claude.json")),
    ("claude", "project", machine(CLAUDE_CONFIG_DIR="/cfg"), PROJECT / ".mcp.json"),
    ("cursor", "user", machine(), HOME / ".cursor/mcp.json"),
    ("cursor", "user", machine("win32", APPDATA="/data"), HOME / ".cursor/mcp.json"),
    ("cursor", "project", machine(), PROJECT / ".cursor/mcp.json"),
    ("vscode", "project", machine(), PROJECT / ".vscode/mcp.json"),
    ("vscode", "user", machine(), HOME / ".config/Code/User/mcp.json"),
    ("vscode", "user", machine(XDG_CONFIG_HOME="/x"), Path("/x/Code/User/mcp.json")),
    ("vscode", "user", machine("darwin", XDG_CONFIG_HOME="/x"),
     HOME / "Library/Application Support/Code/User/mcp.json"),
    ("vscode", "user", machine("win32", APPDATA="/data"), Path("/data/Code/User/mcp.json")),
    ("vscode", "user", machine("win32"), HOME / "AppData/Roaming/Code/User/mcp.json"),
    ("vscode", "user", machine("freebsd14"), HOME / ".config/Code/User/mcp.json"),
]  # fmt: skip


@pytest.mark.parametrize(("client", "scope", "here", "path"), PLACES)
def test_settings(client, scope, here, path):
    assert CLIENTS[client].settings(scope, here) == path


@pytest.mark.parametrize("client", CLIENTS)
def test_packages_go_where_the_kit_and_every_client_look(client):
    assert CLIENTS[client].skills("user", machine()) == HOME / ".claude/skills"
    assert CLIENTS[client].skills("project", machine()) == PROJECT / ".claude/skills"


def test_claude_alone_follows_its_variable():
    moved = machine(CLAUDE_CONFIG_DIR="/cfg")
    assert CLIENTS["claude"].skills("user", moved) == Path("/cfg/skills")
    assert CLIENTS["cursor"].skills("user", moved) == HOME / ".claude/skills"


@pytest.mark.parametrize(("system", "script"), [("linux", "skills2"), ("win32", "skills2.exe")])
def test_the_entry_is_this_environments_command_or_its_interpreter(tmp_path, system, script):
    here = Machine(HOME, PROJECT, system, {}, tmp_path, "/env/bin/python3")
    module = ["-m", "skills2_nb.cli.main", *ARGS]
    assert entry(here) == {"type": "stdio", "command": "/env/bin/python3", "args": module}
    (tmp_path / script).touch()
    assert entry(here) == {
        "type": "stdio",
        "command": str(tmp_path / script),
        "args": list(ARGS),
    }


def test_the_home_is_no_project(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    for cwd in (tmp_path, tmp_path / "link"):
        with pytest.raises(UsageError, match="is your home"):
            check_scope("project", Machine(tmp_path, cwd))
        check_scope("user", Machine(tmp_path, cwd))


def test_without_a_home_it_is_said(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(SetupError, match="set HOME"):
        Machine.here()
