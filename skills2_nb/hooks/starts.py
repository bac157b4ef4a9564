"""A session starts, or goes on: which runs of it are open.

After a resume or a compaction the model no longer sees how far a run had come. The journal does.
"""

from skills2_nb.hooks.event import MOST_TEXT, Event, context, is_name, length, record
from skills2_nb.hooks.home import Home
from skills2_nb.hooks.system import names, read
from skills2_nb.hooks.triggers import named

#: A longer journal is not read here.
MOST_JOURNAL = 8 * 1024 * 1024
#: After these a run is told with its checklist.
AGAIN = ("resume", "compact")
_LONGEST_RUN = 64


def started(home: Home, event: Event) -> str:
    """The answer to ``SessionStart``."""
    if home.enforce == "off":
        return ""
    texts: list[str] = []
    for run in _runs(home.session(event)):
        try:
            text = _told(home, event, run)
        except Exception as error:
            home.fault(event.name, error)
            continue
        if text and length("\n\n".join([*texts, text])) <= MOST_TEXT:
            texts.append(text)
    return context(event.name, "\n\n".join(texts)) if texts else ""


def _runs(folder: str) -> "list[str]":
    """The ids of the session's newest run of each skill."""
    found = []
    for name in names(folder):
        if name.startswith("run-"):
            try:
                run = read(f"{folder}/{name}", _LONGEST_RUN).decode("ascii").strip()
            except (OSError, ValueError):
                continue
            if run.replace("-", "").isalnum():
                found.append(run)
    return found


def _told(home: Home, event: Event, run: str) -> str:
    """What is known of an open run; empty where it has ended, or there is no journal."""
    day = f"{run[:4]}-{run[4:6]}-{run[6:8]}"
    try:
        data = read(f"{home.path}/runs/{day}/{run}.jsonl", MOST_JOURNAL + 1)
    except FileNotFoundError:
        return ""
    if len(data) > MOST_JOURNAL:
        return ""
    records = [record(line) for line in data.split(b"\n") if line]
    kinds = [line.get("kind") for line in records]
    skill = records[0].get("skill") if records else None
    if not isinstance(skill, str) or not is_name(skill) or "run_ended" in kinds:
        return ""
    steps = [str(line.get("step")) for line in records if line.get("kind") == "step_ok"]
    done = [step for step in steps if is_name(step)]
    unique = ", ".join(dict.fromkeys(done)) or "none yet"
    text = f"The run {run} of {skill} is open in this session. Steps that have succeeded: {unique}."
    told = named(home.index, skill, event.place) if event.text("source") in AGAIN else None
    return f"{text}\n{told.checklist.strip()}" if told else text
