"""Sessions as the dispatcher leaves them, and runs in them as a server writes them."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.home import home
from skills2_nb.contract.loader import load
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill

PROMPT = "What is the sum of 20, 30 and 41?"
INPUTS = {"values": [20, 30, 41]}
SESSION, ASKED = "3f0e-session", "prompt-1"
SKILL = "trial-skill"


def key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def session(
    skills: Iterable[str] = (SKILL,),
    prompt: str = PROMPT,
    prompt_id: str | None = ASKED,
    id: str = SESSION,
) -> Path:
    """The folder of a session whose newest prompt is this one."""
    folder = home() / "sessions" / key(id)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    facts = {"prompt": prompt, "prompt_id": prompt_id, "skills": list(skills)}
    (folder / "prompt.json").write_text(json.dumps(facts))
    return folder


def run(
    folder: Path,
    package: Path,
    steps: Iterable[str] = ("add", "tell"),
    inputs: Mapping[str, Any] | None = None,
    prompt: str = PROMPT,
    prompt_id: str | None = ASKED,
    id: str = SESSION,
) -> Run:
    """A run of the session, vouched for by a hook, in which these steps were called."""
    given = INPUTS if inputs is None else inputs
    return run_of(folder, load(package), steps, given, prompt, prompt_id, id)


def run_of(
    folder: Path,
    skill: Skill,
    steps: Iterable[str],
    inputs: Mapping[str, Any] = INPUTS,
    prompt: str = PROMPT,
    prompt_id: str | None = ASKED,
    id: str = SESSION,
    writer: str = "serve",
) -> Run:
    """The same of a skill that is loaded, perhaps from the cells of a kernel."""
    made = Run.start(
        skill,
        inputs,
        prompt=prompt,
        vouched="hook",
        writer=writer,
        session=id,
        prompt_id=prompt_id,
    )
    (folder / f"run-{key(made.skill.name)}").write_text(made.id)
    for step in steps:
        made.call(step)
    made.close()
    return made


def job(
    folder: Path,
    answer: str | None,
    cwd: Path,
    enforce: str = "advise",
    prompt_id: str | None = ASKED,
    id: str = SESSION,
    **more: Any,
) -> Path:
    """The job of a stopped answer."""
    event = {
        "session_id": id,
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "cwd": str(cwd),
        **({} if prompt_id is None else {"prompt_id": prompt_id}),
        **({} if answer is None else {"last_assistant_message": answer}),
        **more,
    }
    path = folder / f"stop-{key(json.dumps(event))}.json"
    path.write_text(json.dumps({"enforce": enforce, "plugin": None, "event": event}))
    return path
