"""What a client sends a hook, and what comes back."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import skills2_nb
from skills2_nb.hooks import triggers_rule as rule
from skills2_nb.library.index_bytes import Entries, Listed, index_bytes

HOOKS = Path(skills2_nb.__file__).parent / "hooks"
MAIN = HOOKS / "main.py"
SESSION = "0f3c7b5e-session"
PROMPT = "Why did our active customers fall in March?"
CHECKLIST = "growth-accounting is answered by three steps.\n1. count\n2. flows\n3. readout"
KIT = '''"""A launcher that notes what it was asked for, and says what the test wants said."""
import os, sys, time
from pathlib import Path
home = Path(os.environ["SKILLS2_HOME"])
verb, job = sys.argv[2:]
with (home / "kit.log").open("a") as log:
    print(verb, Path(job).name, os.getsid(0) == os.getpid(), Path(job).is_file(), file=log)
if verb == "verdict":
    said = os.environ.get("VERDICT", "")
    if said == "hang":
        time.sleep(60)
    print(said)
    sys.exit(int(os.environ.get("STATUS", "0")))
'''


@dataclass(frozen=True)
class Answer:
    status: int
    out: bytes
    err: bytes

    @property
    def said(self) -> dict[str, Any]:
        """The one object on stdout; empty where it is silent."""
        assert (self.status, self.err) == (0, b""), self.err.decode()
        return json.loads(self.out) if self.out else {}

    @property
    def context(self) -> str:
        specific = self.said.get("hookSpecificOutput", {})
        return specific.get("additionalContext", "")


def event(name: str, **fields: Any) -> dict[str, Any]:
    return {"session_id": SESSION, "cwd": "/", "hook_event_name": name, "prompt_id": "p1", **fields}


def skill(folder: Path, name: str, phrase: str, **changes: Any) -> Listed:
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "SKILL.md").write_text("---\nname: x\n---\n", encoding="utf-8")
    entries = Entries((rule.entry(phrase),), (), ())
    facts: dict[str, Any] = {
        "name": name,
        "root": "",
        "folder": str(folder / name),
        "threshold": 0.5,
        "restrict": False,
        "allowed": (),
        "entries": entries,
        "text": CHECKLIST,
    }
    return Listed(**{**facts, **changes})


def write_index(folder: Path, *skills: Listed) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "triggers.tsv").write_bytes(index_bytes(skills))


@dataclass(frozen=True)
class Plugin:
    root: Path
    data: Path

    @property
    def main(self) -> Path:
        return self.root / "hooks" / "main.py"

    def words(self, enforce: str = "advise") -> tuple[str, str, str]:
        return enforce, str(self.root), str(self.data)

    def asked(self, lines: int = 0) -> list[list[str]]:
        """What the kit was started for, once it has noted so many lines."""
        log, limit = self.data / "kit.log", time.monotonic() + 20
        while lines and time.monotonic() < limit:
            if log.is_file() and log.read_text().count("\n") >= lines:
                break
            time.sleep(0.02)
        return [line.split() for line in log.read_text().splitlines()] if log.is_file() else []
