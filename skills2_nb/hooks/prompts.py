"""A prompt is written down, and answered with facts.

What the model is told are facts: once, what the last audit of the session found; and the
checklists of the skills that the prompt calls for, each once a prompt, by whichever dispatcher
claims it first. Turns that no user asked for leave everything as it is.
"""

from skills2_nb.hooks.event import MOST_TEXT, Event, context, length, written
from skills2_nb.hooks.home import Home, digest, release
from skills2_nb.hooks.system import calls, claim, read, remove, replace
from skills2_nb.hooks.triggers import Told, matched, named

#: The worker keeps to this; a longer text is cut.
MOST_AUDIT = 2_000
#: What a claim holds of a skill that is told from another home: there it is audited too.
ELSEWHERE = b"plugin\n"
CUT = "\n(The rest of this list is left out here; list_steps has it.)"
_GAP = "\n\n"


def submitted(home: Home, event: Event) -> str:
    """The answer to ``UserPromptSubmit``."""
    if not event.is_users:
        return ""
    folder = home.made_session(event)
    release(folder)  # a turn that was broken off had no Stop
    if home.enforce == "block":
        claim(home.guard(event))
    texts: list[str] = []
    listed: list[str] = []
    if home.enforce != "off":
        texts += _audit(home, event, folder)
        listed = _tell(home, event, folder, _matched(home, event), texts)
    _write(home, event, folder, listed, event.text("prompt"))
    return context(event.name, _GAP.join(texts)) if texts else ""


def expanded(home: Home, event: Event) -> str:
    """The answer to ``UserPromptExpansion``: somebody typed ``/skill``."""
    command = event.text("command_name").lstrip("/")
    if not command or not event.is_users:
        return ""
    folder = home.made_session(event)
    texts: list[str] = []
    listed: list[str] = []
    if home.enforce != "off":
        told = named(home.index, command.rpartition(":")[2], event.place)
        listed = _tell(home, event, folder, [told] if told else [], texts)
    known = home.prompt(event)
    same = bool(event.prompt_id) and known.get("prompt_id") == event.prompt_id
    prompt = str(known.get("prompt")) if same else event.text("prompt") or _typed(event, command)
    _write(home, event, folder, listed, prompt)
    return context(event.name, _GAP.join(texts)) if texts else ""


def _matched(home: Home, event: Event) -> "list[Told]":
    """The skills that the prompt calls for; a broken index keeps no prompt from being recorded."""
    try:
        return matched(home.index, event.text("prompt"), event.place)
    except Exception as error:
        home.fault(f"{event.name}, triggers", error)
        return []


def _audit(home: Home, event: Event, folder: str) -> "list[str]":
    """What the last audit found, if nobody has told it yet."""
    taken = f"{folder}/audit.{calls.getpid()}"
    try:
        calls.rename(f"{folder}/audit.txt", taken)
    except OSError:
        return []
    try:
        text = read(taken, 8 * MOST_AUDIT).decode("utf-8", "replace").strip()
    except OSError as error:
        home.fault(f"{event.name}, audit", error)
        return []
    finally:
        remove(taken)
    return [text[:MOST_AUDIT]] if text else []


def _tell(
    home: Home, event: Event, folder: str, skills: "list[Told]", texts: "list[str]"
) -> "list[str]":
    """Add the checklists that are this dispatcher's to tell.

    Returns:
        the skills told from this home, by this dispatcher or by another one of it.
    """
    listed, key = [], home.key(event)
    for skill in skills:
        left = MOST_TEXT - length(_GAP.join([*texts, ""]))
        text = _fitting(skill.checklist, left)
        if not text:
            continue
        mark = f"told-{key}-{digest(skill.name)}"
        is_first = claim(f"{folder}/{mark}")
        if is_first and home.neighbour and not _claim_beside(home, event, mark):
            replace(f"{folder}/{mark}", ELSEWHERE)
            continue
        if is_first:
            texts.append(text)
        elif read(f"{folder}/{mark}", len(ELSEWHERE)) == ELSEWHERE:
            continue
        listed.append(skill.name)
    return listed


def _claim_beside(home: Home, event: Event, mark: str) -> bool:
    """Whether the kit's own dispatcher has not told the same; a home that is shut tells nothing."""
    try:
        beside = Home("off").made_session(event)
        return claim(f"{beside}/{mark}", ELSEWHERE)
    except OSError as error:
        home.fault(f"{event.name}, claim", error)
        return True


def _fitting(text: str, left: int) -> str:
    """A checklist, cut at a line's end where there is no room for all of it."""
    text = text.strip()
    if length(text) <= left:
        return text
    room = text.encode("utf-16-le", "surrogatepass")[: 2 * max(0, left - len(CUT))]
    kept = room.decode("utf-16-le", "ignore").rpartition("\n")[0]
    return kept + CUT if "\n" in kept else ""


def _write(home: Home, event: Event, folder: str, listed: "list[str]", prompt: str) -> None:
    """Keep the prompt, with the skills that any event of it was told of."""
    try:
        known = home.prompt(event)
        same = (
            known.get("prompt_id") == event.prompt_id
            if event.prompt_id
            else (known.get("prompt") == prompt)
        )
        before = known.get("skills") if same else None
        if isinstance(before, list):
            listed = [*before, *(name for name in listed if name not in before)]
        facts: dict[str, object] = {
            "prompt": prompt,
            "prompt_id": event.prompt_id or None,
            "skills": listed,
        }
        replace(f"{folder}/prompt.json", written(facts))
    except Exception as error:  # what was claimed has to be told
        home.fault(f"{event.name}, prompt", error)


def _typed(event: Event, command: str) -> str:
    return f"/{command} {event.text('command_args')}".strip()
