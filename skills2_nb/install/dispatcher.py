"""What Claude Code's settings say to have hooks called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from skills2_nb.hooks import starter
from skills2_nb.hooks.home import MODES
from skills2_nb.hooks.starter import EVERY
from skills2_nb.hooks.uses import prefix
from skills2_nb.install.clients import Machine
from skills2_nb.library.discovery import claude_folder

if TYPE_CHECKING:
    from skills2_nb.hooks.home import Enforce

HookScope = Literal["user", "project", "local"]
HOOK_SCOPES: tuple[HookScope, ...] = get_args(HookScope)
#: The member of the settings that holds the hooks.
KEY = "hooks"
_FILES = {"project": "settings.json", "local": "settings.local.json"}
_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": r"C:\Program Files\ClaudeCode",
    "linux": "/etc/claude-code",
}
_MARK = re.compile(r"(?:^|[/\\\s\"'])skills2_nb[/\\]hooks[/\\]main\.py(?=$|[\s\"'])")


def settings_of(scope: HookScope, machine: Machine) -> Path:
    """The settings file of a scope."""
    if scope == "user":
        return claude_folder(machine.home, machine.environ) / "settings.json"
    return machine.cwd / ".claude" / _FILES[scope]


def managed_settings(machine: Machine) -> Path:
    """The settings of whoever runs the machine; they may forbid the hooks of others."""
    return Path(_MANAGED.get(machine.system, _MANAGED["linux"])) / "managed-settings.json"


def groups(machine: Machine, enforce: Enforce, *, every_tool: bool) -> dict[str, dict[str, Any]]:
    """The group that each event gets.

    Args:
        every_tool: whether calls of other tools than ours are looked at too, since a skill
            restricts them during its run.
    """
    tools = EVERY if every_tool else f"{prefix()}.*"
    return starter.groups(machine.python, [str(machine.main), enforce], tools)


def is_ours(handler: Any) -> bool:
    """Whether a handler starts our dispatcher, of this environment or another.

    Its words may stand apart, or as one line for a shell.
    """
    return any(_MARK.search(word) for word in words_of(handler))


def words_of(handler: Any) -> list[str]:
    """The command of a handler and its arguments; nothing where it is of another shape."""
    if not isinstance(handler, Mapping):
        return []
    args = handler.get("args")
    words = [handler.get("command"), *(args if isinstance(args, list) else ())]
    return [word for word in words if isinstance(word, str)]


def handlers_of(group: Any) -> list[Any]:
    """The handlers of a group; none where it is of another shape."""
    inner = group.get("hooks") if isinstance(group, Mapping) else None
    return inner if isinstance(inner, list) else []


def mode_of(group: Any) -> Enforce | None:
    """What our handler in a group is told to enforce; None where it says nothing known."""
    for handler in handlers_of(group):
        last = " ".join(words_of(handler)).split()[-1:] if is_ours(handler) else []
        for mode in MODES:
            if last == [mode]:
                return mode
    return None
