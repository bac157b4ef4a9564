"""What settings and plugins say to have the script called.

The script itself never reads this.
"""

from typing import Any

EVENTS = (
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "Stop",
    "SubagentStop",
    "SessionStart",
)
#: The event that is matched by the name of a tool, and what every name matches.
TOOLS, EVERY = "PreToolUse", "*"
#: Seconds; a cold start on a busy machine has taken five, and one that is late is let go.
TIMEOUT = 15
#: Starts the script if it is there and whole. Python by itself exits with 2 where it is not, which
#: Claude Code takes for a no: every prompt would be blocked on the day the kit is taken off the
#: machine, or while a session is open whose plugin was replaced.
STARTER = (
    "import sys\ndel sys.argv[0]\n__file__ = sys.argv[0]\n"
    "try: exec(open(__file__, 'rb').read())\nexcept Exception: pass"
)


def groups(python: str, words: list[str], tools: str) -> dict[str, dict[str, Any]]:
    """The group that each event gets.

    Args:
        python: the interpreter.
        words: the script, and what it is told.
        tools: whose calls are looked at.
    """
    args = ["-I", "-S", "-c", STARTER, *words]
    handler = {"type": "command", "command": python, "args": args, "timeout": TIMEOUT}
    matcher = {TOOLS: {"matcher": tools}}
    return {event: {**matcher.get(event, {}), "hooks": [handler]} for event in EVENTS}
