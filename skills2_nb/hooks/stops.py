"""The turn is over, or the model is sent back.

The worker ends open runs, appends the answer and audits, in a process of its own that the client
does not wait for. In ``block`` mode a verdict comes first, for two seconds at most, and at most
twice a prompt. A turn that is only paused is no end: while work is open in the background nothing
is done.
"""

from skills2_nb.hooks import spawn
from skills2_nb.hooks.event import MOST_TEXT, Event, block, quoted
from skills2_nb.hooks.home import Home, digest, release
from skills2_nb.hooks.system import PLAIN, PRIVATE_FILE, calls, claim, is_there, names, remove

MOST_BLOCKS = 2
#: Seconds that the verdict has.
PATIENCE = 2.0
_OPEN = ("background_tasks", "session_crons")


def stopped(home: Home, event: Event) -> str:
    """The answer to ``Stop``."""
    if event.has("agent_id") or any(event.has(field) for field in _OPEN):
        return ""
    folder = home.session(event)
    if home.enforce != "block" and is_there(home.guard(event)):
        return ""  # another settings file asks for more, and its own dispatcher is started too
    if not (_has_runs(folder) or _was_told(home, event)):
        return ""
    job = _job(home, event, folder)
    if job is None:
        return ""
    reason = _verdict(home, event, folder, job) if home.enforce == "block" else ""
    if reason:
        remove(job)
        return block(reason)
    release(folder)
    spawn.detached(_words(home, "after", job), _environment(home))
    return ""


def handed_back(home: Home, event: Event) -> str:
    """The answer to ``SubagentStop``: nothing; the worker notes in open runs what came back."""
    folder = home.session(event)
    job = _job(home, event, folder) if _has_runs(folder) else None
    if job is not None:
        spawn.detached(_words(home, "after", job), _environment(home))
    return ""


def _has_runs(folder: str) -> bool:
    return any(name.startswith("run-") and "." not in name for name in names(folder))


def _was_told(home: Home, event: Event) -> bool:
    """Whether a skill's checklist was given for this prompt: then a run is owed."""
    known = home.prompt(event)
    same = not event.prompt_id or known.get("prompt_id") == event.prompt_id
    return same and bool(known.get("skills"))


def _job(home: Home, event: Event, folder: str) -> "str | None":
    """The file of the worker's job; None where another dispatcher has it already."""
    facts = [event.name, event.session, event.prompt_id, event.text("agent_id")]
    facts += [event.text("last_assistant_message"), str(event.has("stop_hook_active"))]
    path = f"{folder}/stop-{digest(chr(0).join(facts))}.json"
    plugin = quoted(home.plugin) if home.plugin else "null"
    beside = quoted(home.neighbour) if home.neighbour else "null"
    head = f'{{"enforce":{quoted(home.enforce)},"plugin":{plugin},"neighbour":{beside},"event":'
    return path if claim(path, f"{head}{event.raw}}}\n".encode()) else None


def _verdict(home: Home, event: Event, folder: str, job: str) -> str:
    """Why the turn is not over; empty where it is, or where nobody can tell in time."""
    count = f"{folder}/{home.key(event)}.blocks"
    try:
        if _blocks(count) >= MOST_BLOCKS:
            return ""
        said = spawn.asked(_words(home, "verdict", job), _environment(home), PATIENCE)
        reason = said.decode("utf-8", "replace").strip()[:MOST_TEXT]
        if reason:
            _count(count)
        return reason
    except Exception as error:  # a block that cannot be counted could be one without end
        home.fault(f"{event.name}, verdict", error)
        return ""


def _blocks(path: str) -> int:
    try:
        state = calls.lstat(path)
    except FileNotFoundError:
        return 0
    if state.st_mode & 0o170000 != 0o100000:
        raise OSError(22, "it is no plain file", path)
    return state.st_size


def _count(path: str) -> None:
    fd = calls.open(path, calls.O_WRONLY | calls.O_CREAT | calls.O_APPEND | PLAIN, PRIVATE_FILE)
    try:
        if calls.write(fd, b"+") != 1:
            raise OSError(28, "No space left on device", path)
    finally:
        calls.close(fd)


def _words(home: Home, verb: str, job: str) -> "list[str]":
    """The command: the plugin's launcher finds a kit, the settings' dispatcher lies in one."""
    launcher = [f"{home.plugin}/kit.py"] if home.plugin else ["-I", "-m", "skills2_nb.cli.main"]
    return [*launcher, "hooks", verb, job]


def _environment(home: Home) -> "dict[str, str]":
    return {"SKILLS2_HOME": home.path}
