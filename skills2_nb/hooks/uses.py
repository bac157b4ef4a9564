"""A tool is about to be called: by whom, and may it.

A step's call is written down for the server, which sees a tool use and no session. A skill that
has ``restrict_tools`` holds other tools back from its first step on, until ``end_run``, the end of
the turn or the next prompt. It holds back the agent that called the step, a subagent or the main
one, and no other. Otherwise nothing is said: "allow" would pass over the user's rules.
"""

from skills2_nb.hooks.event import Event, denial, is_name, record, written
from skills2_nb.hooks.home import Home, digest
from skills2_nb.hooks.system import claim, make_folder, names, read, remove, replace

TYPE_CHECKING = False  # `typing` is dear
if TYPE_CHECKING:
    from skills2_nb.hooks.triggers import Told

#: The kit's own server; the server of a plugin, whose name says already whose tools they are.
SERVER, PLUGIN_SERVER = "skills2", "s"
PLUGINS = "mcp__plugin_"
#: What starts no run, and what ends it; every other verb of a skill is a step.
BESIDE = ("start_run", "audit_run", "end_run")
END = "end_run"
#: The lazy surface calls a step by this tool.
CALL = "call_step"
#: These neither reckon nor change anything; without some of them no tool could be found.
HARMLESS = (
    *("AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "LS", "Read", "Skill"),
    *("ListMcpResourcesTool", "ReadMcpResourceTool", "TodoWrite", "ToolSearch"),
    *("TaskCreate", "TaskGet", "TaskList", "TaskUpdate"),
)
_MOST_HELD = 16 * 1024
_MOST_MANIFEST = 64 * 1024


def used(home: Home, event: Event) -> str:
    """The answer to ``PreToolUse``."""
    tool = event.text("tool_name")
    ours = _ours(home, tool)
    if not ours:
        return _held_back(home, event, tool)
    _write(home, event)
    if home.enforce != "off":
        _hold(home, event, *_step(home, event, ours))
    return ""


def _ours(home: Home, tool: str) -> str:
    """What follows the server's name in a tool of ours; empty for another's."""
    if home.plugin and not tool.startswith(PLUGINS):
        return ""
    start = prefix(plugins_name(home.plugin) if home.plugin else "")
    return tool[len(start) :] if tool.startswith(start) else ""


def prefix(plugin: str = "") -> str:
    """What Claude Code puts before the name of each tool of a server.

    Args:
        plugin: the name of the plugin that brings the server; empty for the kit's own.
    """
    if not plugin:
        return f"mcp__{SERVER}__"
    fit = [c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in plugin]
    return f"{PLUGINS}{''.join(fit)}_{PLUGIN_SERVER}__"


def plugins_name(plugin: str) -> str:
    """The name of a plugin: what its manifest says, else its folder's."""
    try:
        manifest = record(read(f"{plugin}/.claude-plugin/plugin.json", _MOST_MANIFEST, 0))
    except OSError:
        manifest = {}
    name = manifest.get("name")
    return name if isinstance(name, str) and name else plugin.rstrip("/").rpartition("/")[2]


def _write(home: Home, event: Event) -> None:
    use = event.text("tool_use_id")
    if not is_name(use):
        return
    facts: dict[str, object] = {"session": event.session, "prompt_id": event.prompt_id or None}
    folder = f"{home.path}/calls"
    try:
        claim(f"{folder}/{use}", written(facts))
    except FileNotFoundError:
        make_folder(folder)
        claim(f"{folder}/{use}", written(facts))


def _step(home: Home, event: Event, ours: str) -> "tuple[str, str]":
    """The skill and the step of a call; no step where it is none, no skill in a plugin of one."""
    if home.plugin:
        return "", ours
    skill, _, step = ours.partition("__")
    if ours != CALL:
        return skill, step
    given = event.fields.get("tool_input")
    wanted = Event(given) if isinstance(given, dict) else Event({})
    return wanted.text("skill"), wanted.text("step")


def _hold(home: Home, event: Event, skill: str, step: str) -> None:
    """Open or end what a skill with ``restrict_tools`` holds back."""
    if not step or (step in BESIDE and step != END):
        return
    agent = event.text("agent_id")
    path = f"{home.session(event)}/restrict-{digest(skill + agent)}"
    if step == END:
        remove(path)
        return
    told = _told(home, event, skill)
    if told is not None and told.restrict:
        home.made_session(event)
        lines = [event.prompt_id, agent, told.name, *told.allowed]
        replace(path, "\n".join(lines).encode("utf-8", "surrogatepass"))


def _told(home: Home, event: Event, skill: str) -> "Told | None":
    from skills2_nb.hooks import triggers

    if skill:
        return triggers.named(home.index, skill, event.place)
    with triggers.Index(home.index) as index:  # a plugin's, of its one skill
        return triggers.Told(index.row(0), 1.0, "") if index.skills == 1 else None


def _held_back(home: Home, event: Event, tool: str) -> str:
    folder = home.session(event)
    held = [name for name in names(folder) if name.startswith("restrict-") and "." not in name]
    for name in held if home.enforce != "off" and tool not in HARMLESS else ():
        try:
            lines = read(f"{folder}/{name}", _MOST_HELD).decode("utf-8").split("\n")
        except (OSError, ValueError):
            continue
        here, skill, allowed = lines[:2], "".join(lines[2:3]), lines[3:]
        is_here = here == [event.prompt_id, event.text("agent_id")]
        if skill and is_here and not _is_allowed(tool, allowed):
            return denial(
                f"{skill} has a run open, and with restrict_tools only its own tools are used "
                f"until end_run: {tool} is held back."
            )
    return ""


def _is_allowed(tool: str, allowed: "list[str]") -> bool:
    """Whether ``allowed-tools`` names a tool; what it says in brackets is the client's to judge."""
    for rule in allowed:
        name = rule.partition("(")[0].strip()
        if tool == name or tool.startswith(f"{name}__"):  # mcp__server names all its tools
            return True
        if name.endswith("*") and tool.startswith(name[:-1]):
            return True
    return False
