"""Claude Code's front matter: what lint says of it, and that it travels."""

from pathlib import Path

import pytest

from skills2_nb.convert.arranging import planned
from skills2_nb.convert.bundle import upload
from skills2_nb.convert.bundle_plugin import Choices, Served, plugin
from skills2_nb.convert.bundle_source import source_of
from skills2_nb.convert.claude_rules import BOOLEANS, CHOICES, EVENTS, HANDLERS
from skills2_nb.convert.exporter import export
from skills2_nb.convert.front_rules import CLAUDE_KEYS
from skills2_nb.convert.importer import bring
from skills2_nb.convert.prose_cells import prose_cells
from skills2_nb.formats.codes import CODES
from skills2_nb.formats.frontmatter import parse
from skills2_nb.formats.skill_md import split

HEAD = "name: weekly\ndescription: Counts the week. Use when counting."
BODY = "\n\n# Weekly\n\nText.\n"
#: Every key that Claude Code adds, each as its documentation has it.
EVERY = """\
when_to_use: When a week is over.
argument-hint: '[file]'
arguments: file tone
disable-model-invocation: false
user-invocable: yes
disallowed-tools:
  - Bash(rm:*)
  - WebFetch
model: inherit
effort: high
context: fork
agent: Explore
background: off
paths: "*.csv, data/**"
shell: bash
display-name: Weekly numbers
default-enabled: true
fallback: other-skill"""
HOOKS = """\
hooks:
  PreToolUse:
    - matcher: "Bash|Edit"
      hooks:
        - type: command
          command: python3
          args: ["-I", "check.py"]
          timeout: 10
          once: true"""


def problems(front: str):
    text = f"---\n{HEAD}\n{front}\n---{BODY}"
    return planned(prose_cells(split(text.encode())), "weekly.ipynb").problems


def codes(front: str) -> set[str]:
    return {problem.code for problem in problems(front)} - {"F323"}


GOOD = [
    EVERY,
    HOOKS,
    *(f"{key}: {word}" for key in BOOLEANS[:2] for word in ("true", "Off", "'no'", "1", "yes")),
    *(f"{key}: {word}" for key, words in CHOICES.items() for word in words),
    "context: fork\nagent: general-purpose\nbackground: false",
    "arguments:\n  - file\n  - tone",
    "disable-model-invocation: true\nuser-invocable: true",
    "hooks: {}",
    "hooks:\n  Stop:\n    - hooks:\n        - type: http\n          url: http://127.0.0.1:1/x",
]
WRONG = [
    ("disable-model-invocation: maybe", "F329", "neither true nor false"),
    ("user-invocable: 2", "F329", "neither true nor false"),
    ("context: fork\nbackground: [true]", "F329", "neither true nor false"),
    ("context: forked", "F329", "write fork"),
    ("context: true", "F329", "write fork"),
    ("effort: maximal", "F329", "low or medium or high or xhigh or max"),
    ("shell: zsh", "F329", "bash or powershell"),
    ("argument-hint: [file]", "F329", "no text"),
    ("model: 4", "F329", "no text"),
    ("model:", "F329", "no text"),
    ("when_to_use:\n  - here", "F329", "no text"),
    ("arguments: 3", "F329", "no list of texts"),
    ("paths:\n  a: b", "F329", "no list of texts"),
    ("disallowed-tools:\n  - 3", "F329", "no list of texts"),
    ("agent: Explore", "F330", "without `context: fork`"),
    ("background: false", "F330", "without `context: fork`"),
    ("disable-model-invocation: on\nuser-invocable: 0", "F330", "nobody can"),
    (f"context: fork\n{HOOKS}", "F330", "do not reach its fork"),
    ("hooks: check.py", "F331", "no mapping of events"),
    ("hooks:\n  - a", "F331", "no mapping of events"),
    ("hooks:\n  PreTool:\n    - hooks: []", "F331", "write PreToolUse"),
    ("hooks:\n  Stop:\n    hooks: []", "F331", "no list of groups"),
    ("hooks:\n  Stop:\n    - type: command\n      command: x", "F331", "has no list `hooks`"),
    ("hooks:\n  Stop:\n    - matcher: 3\n      hooks: []", "F331", "matcher of Stop is no text"),
    ("hooks:\n  Stop:\n    - hooks:\n        - type: shell", "F331", "no known type"),
    ("hooks:\n  Stop:\n    - hooks:\n        - type: command", "F331", "no command"),
    (HOOKS.replace("10", "30000"), "F331", "write 30, if milliseconds"),
    (HOOKS.replace("10", "soon"), "F331", "no number of seconds"),
    (HOOKS.replace("10", "-1"), "F331", "no number of seconds"),
    (f"when_to_use: {'x' * 1510}", "F332", "characters together"),
]


@pytest.mark.parametrize("front", GOOD)
def test_what_claude_code_reads_is_let_through(front: str) -> None:
    assert codes(front) - {"F318"} == set()


@pytest.mark.parametrize(("front", "code", "said"), WRONG)
def test_what_claude_code_passes_over_in_silence_is_told(front: str, code: str, said: str) -> None:
    found = [p for p in problems(front) if p.code == code]
    assert found, codes(front)
    assert any(said in p.sentence() for p in found)
    assert all(p.level == CODES[code].level != "error" and p.cell == 1 for p in found)
    assert all((p.line or 0) > 3 for p in found), "the line of the key"


def test_every_key_has_a_level_of_its_own() -> None:
    whole = f"{EVERY}\n{HOOKS}"
    assert set(parse(whole)) == set(CLAUDE_KEYS)
    told = [p for p in problems(whole) if p.code == "F323"]
    assert {p.message.split("'")[1] for p in told} == set(CLAUDE_KEYS)
    assert {p.level for p in told} == {"note"}


@pytest.mark.parametrize("front", [EVERY, HOOKS, f"{EVERY}\n{HOOKS}"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_front_matter_travels_byte_for_byte(front: str, ends: str, tmp_path: Path) -> None:
    text = f"---\n{HEAD}\n{front}\n---{BODY}".replace("\n", ends).encode()
    folder = tmp_path / "weekly"
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(text)
    brought = bring(folder, tmp_path / "nb" / "weekly.ipynb")
    made = export(brought.notebook, tmp_path / "skills").folder
    assert (made / "SKILL.md").read_bytes() == text
    source = source_of(made)
    assert plugin(source, Choices(), Served()).files["skills/weekly/SKILL.md"] == text


def test_an_upload_keeps_the_six_fields_alone(tmp_path: Path) -> None:
    folder = tmp_path / "weekly"
    folder.mkdir()
    text = f"---\n{HEAD}\n{EVERY}\n{HOOKS}\nversion: 1.0.0\nlicense: MIT\n---{BODY}"
    (folder / "SKILL.md").write_text(text)
    made = upload(source_of(folder))
    document = split(made.files["SKILL.md"])
    assert list(document.fields) == ["name", "description", "license"]
    assert document.body == BODY.strip("\n")
    levels = {p.message.split(" ")[0]: (p.code, p.level) for p in made.dropped}
    assert levels == {
        **dict.fromkeys(CLAUDE_KEYS, ("F323", "note")),
        "version": ("F322", "warning"),
    }
    assert all(p.mend for p in made.dropped)


def test_the_events_are_those_of_the_settings(shared: Path) -> None:
    text = (shared / "reference" / "protocols.md").read_text(encoding="utf-8")
    line = next(line for line in text.split("\n") if line.startswith("PreToolUse, PostToolUse, "))
    said = line.replace("*", "").partition(" (")[0].rstrip(".")
    assert {word.strip() for word in said.split(",")} == EVENTS
    assert set(HANDLERS) == {"command", "http", "mcp_tool", "prompt", "agent"}
