"""The programs that use skills, and where they keep what."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from skills2_nb.errors import SetupError, UsageError
from skills2_nb.library.discovery import claude_folder

Scope = Literal["user", "project"]
#: The one server entry that a client's settings get.
NAME = "skills2"
#: What the client calls the kit's command with.
ARGS = ("connect",)
_CODE = {
    "darwin": ("Library", "Application Support"),
    "win32": ("AppData", "Roaming"),
    "linux": (".config",),
}
_CODE_VARIABLE = {"win32": "APPDATA", "linux": "XDG_CONFIG_HOME"}


@dataclass(frozen=True)
class Machine:
    """What a path depends on.

    Attributes:
        home: the user's home.
        cwd: the working folder, which is the project.
        system: as ``sys.platform`` says it: ``linux``, ``darwin``, ``win32``.
        environ: the environment's variables.
        scripts: where this environment keeps its commands.
        python: the interpreter.
        main: the script that hooks start.
    """

    home: Path
    cwd: Path
    system: str = sys.platform
    environ: Mapping[str, str] = field(default_factory=dict)
    scripts: Path = field(default_factory=lambda: Path(sysconfig.get_path("scripts")))
    python: str = sys.executable
    main: Path = Path(__file__).absolute().parents[1] / "hooks" / "main.py"

    @classmethod
    def here(cls) -> Machine:
        """This one.

        Raises:
            SetupError: there is no home, or the working folder is gone.
        """
        try:
            return cls(Path.home(), Path.cwd(), environ=dict(os.environ))
        except (RuntimeError, OSError):
            raise SetupError(
                "the home folder or the working folder cannot be found. Mend: set HOME, and call "
                "the command in a folder that exists."
            ) from None


@dataclass(frozen=True)
class Client:
    """A program that reads skills and MCP servers.

    Attributes:
        name: the word for it on the command line.
        title: what people call it.
        key: the member of its settings that holds the servers.
        project: its settings file in a project.
        has_hooks: whether it calls hooks of the kind that we have.
    """

    name: str
    title: str
    key: str
    project: str
    has_hooks: bool = False

    def settings(self, scope: Scope, machine: Machine) -> Path:
        """The file that the server's entry goes into."""
        if scope == "project":
            return machine.cwd / self.project
        if self.name == "claude":
            moved = machine.environ.get("CLAUDE_CONFIG_DIR")
            return (Path(moved) if moved else machine.home) / ".claude.json"
        if self.name == "vscode":
            return _code_folder(machine) / "Code" / "User" / "mcp.json"
        return machine.home / self.project

    def skills(self, scope: Scope, machine: Machine) -> Path:
        """The folder that packages go into; every client here reads Claude's."""
        if scope == "project":
            return machine.cwd / ".claude" / "skills"
        if self.name == "claude":
            return claude_folder(machine.home, machine.environ) / "skills"
        return machine.home / ".claude" / "skills"


CLIENTS = {
    client.name: client
    for client in (
        Client("claude", "Claude Code", "mcpServers", ".mcp.json", has_hooks=True),
        Client("cursor", "Cursor", "mcpServers", ".cursor/mcp.json"),
        Client("vscode", "VS Code", "servers", ".vscode/mcp.json"),
    )
}


def entry(machine: Machine) -> dict[str, Any]:
    """The server's entry: this environment's own command, by its absolute path."""
    script = machine.scripts / ("skills2.exe" if machine.system == "win32" else "skills2")
    if script.is_file():
        return {"type": "stdio", "command": str(script.absolute()), "args": list(ARGS)}
    args = ["-m", "skills2_nb.cli.main", *ARGS]
    return {"type": "stdio", "command": machine.python, "args": args}


def check_scope(scope: Scope, machine: Machine) -> None:
    """Refuse a project that is the home: both scopes would be one folder.

    Raises:
        UsageError: it is.
    """
    if scope == "project" and os.path.realpath(machine.cwd) == os.path.realpath(machine.home):
        raise UsageError(
            f"{machine.cwd} is your home, and no project; go to the project's folder, or say "
            "--scope user"
        )


def _code_folder(machine: Machine) -> Path:
    """Where programs of VS Code's kind keep their settings."""
    system = machine.system if machine.system in _CODE else "linux"
    moved = machine.environ.get(_CODE_VARIABLE.get(system, ""))
    return Path(moved) if moved else machine.home.joinpath(*_CODE[system])
