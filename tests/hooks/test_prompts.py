"""A prompt is recorded; what is known for it is told once."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.hooks import prompts
from skills2_nb.serve.sessions import TOOL_USE, Transport, session_of
from tests.hooks.client import (
    CHECKLIST,
    MAIN,
    PROMPT,
    SESSION,
    Answer,
    Plugin,
    event,
    skill,
    write_index,
)

Hook = Callable[..., Answer]


def recorded(session: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((session / "prompt.json").read_bytes())
    return facts


def asked(prompt: str = PROMPT, **fields: Any) -> dict[str, Any]:
    return event("UserPromptSubmit", prompt=prompt, **fields)


def test_a_prompt_is_recorded_and_answered(hook: Hook, indexed: Path, session: Path) -> None:
    answer = hook(asked())
    assert answer.said == {
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": CHECKLIST,
        }
    }
    assert answer.out.isascii()
    assert recorded(session) == {
        "prompt": PROMPT,
        "prompt_id": "p1",
        "skills": ["growth-accounting"],
    }
    if os.name == "posix":
        modes = [path.stat().st_mode & 0o777 for path in (session, session / "prompt.json")]
        assert modes == [0o700, 0o600]


@pytest.mark.parametrize("prompt", ['a "b" \\ \n', "Zürich\0 🙂", "\ud800 half", "", "x" * 70_000])
def test_the_server_reads_what_was_asked(hook: Hook, session: Path, prompt: str) -> None:
    hook(asked(prompt))
    hook(event("PreToolUse", tool_name="mcp__skills2__a__b", tool_use_id="toolu_1"))
    found = session_of({TOOL_USE: "toolu_1"}, None, Transport())
    assert (found.id, found.by, found.prompt, found.prompt_id) == (SESSION, "hook", prompt, "p1")


@pytest.mark.parametrize(
    ("changes", "words", "is_recorded", "is_told"),
    [
        ({}, ("advise",), True, True),
        ({}, ("block",), True, True),
        ({}, ("off",), True, False),
        ({}, ("nonsense",), True, True),
        ({"source": "sdk"}, ("advise",), True, True),
        ({"source": "unheard of"}, ("advise",), True, True),
        ({"source": "system"}, ("advise",), False, False),
        ({"source": "loop_wakeup"}, ("advise",), False, False),
        ({"source": "schedule_wakeup"}, ("advise",), False, False),
        ({"source": "poll_event"}, ("advise",), False, False),
        ({"agent_id": "a1"}, ("advise",), False, False),
        ({"prompt": "Tell me a joke"}, ("advise",), True, False),
    ],
)
def test_who_is_told(
    hook: Hook,
    indexed: Path,
    session: Path,
    changes: dict[str, Any],
    words: tuple[str, ...],
    is_recorded: bool,
    is_told: bool,
) -> None:
    answer = hook({**asked(), **changes}, *words)
    assert bool(answer.said) == is_told
    assert (session / "prompt.json").exists() == is_recorded
    if is_recorded:
        assert recorded(session)["skills"] == (["growth-accounting"] if is_told else [])


def test_a_checklist_is_told_once_a_prompt(hook: Hook, indexed: Path, session: Path) -> None:
    assert [hook(asked(prompt_id=id)).context for id in ("p1", "p1", "p2")] == [
        CHECKLIST,
        "",
        CHECKLIST,
    ]
    assert recorded(session)["skills"] == ["growth-accounting"]


def test_without_a_prompt_id_the_prompt_stands_for_itself(hook: Hook, indexed: Path) -> None:
    sent = [asked(prompt, prompt_id=None) for prompt in (PROMPT, PROMPT, f"{PROMPT} And April?")]
    assert [bool(hook(one).context) for one in sent] == [True, False, True]


@pytest.mark.parametrize("id", ["p1", None])
def test_off_beside_another_mode_takes_nothing_away(
    hook: Hook, indexed: Path, session: Path, id: str | None
) -> None:
    assert hook(asked(prompt_id=id)).context == CHECKLIST
    assert hook(asked(prompt_id=id), "off").context == ""
    assert recorded(session)["skills"] == ["growth-accounting"]


def test_of_dispatchers_at_once_one_tells(indexed: Path, session: Path) -> None:
    (session).mkdir(parents=True)
    (session / "audit.txt").write_text("The last run skipped a step.")
    started = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", str(MAIN), "advise"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(6)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write(json.dumps(asked()).encode())
    outs = b"".join(process.communicate(timeout=30)[0] for process in started)
    assert outs.count(b"additionalContext") in (1, 2)  # one may have the audit, another the list
    assert outs.count(b"1. count") == outs.count(b"skipped a step") == 1
    assert recorded(session)["skills"] == ["growth-accounting"]


def test_the_last_audit_is_told_once(hook: Hook, indexed: Path, session: Path) -> None:
    session.mkdir(parents=True)
    audit = session / "audit.txt"
    audit.write_text("Step flows was left out. " * 200, encoding="utf-8")
    assert hook(asked(source="system")).context == ""
    assert hook(asked(), "off").context == ""
    told = hook(asked()).context
    assert told.startswith("Step flows was left out.") and told.endswith(f"\n\n{CHECKLIST}")
    assert len(told) <= 2_000 + 2 + len(CHECKLIST)
    assert hook(asked(prompt_id="p2")).context == CHECKLIST
    assert not list(session.glob("audit*"))


def test_a_typed_skill_gets_its_checklist(hook: Hook, indexed: Path, session: Path) -> None:
    typed = {"command_name": "growth-accounting", "command_args": "march", "prompt": "/growth x"}
    assert hook(event("UserPromptExpansion", **typed)).context == CHECKLIST
    assert hook(asked("/growth x")).context == "", "told already, by the other event"
    assert recorded(session) == {
        "prompt": "/growth x",
        "prompt_id": "p1",
        "skills": ["growth-accounting"],
    }


@pytest.mark.parametrize(
    ("fields", "prompt"),
    [
        ({"command_name": "/growth-accounting"}, "/growth-accounting"),
        ({"command_name": "p:growth-accounting", "command_args": "x"}, "/p:growth-accounting x"),
    ],
)
def test_a_typed_skill_is_a_prompt_too(
    hook: Hook, indexed: Path, session: Path, fields: dict[str, str], prompt: str
) -> None:
    assert hook(event("UserPromptExpansion", **fields)).context == CHECKLIST
    assert recorded(session)["prompt"] == prompt


@pytest.mark.parametrize("fields", [{}, {"command_name": "review"}, {"command_name": 3}])
def test_another_command_is_nothing_to_tell(
    hook: Hook, indexed: Path, fields: dict[str, Any]
) -> None:
    assert hook(event("UserPromptExpansion", **fields)).said == {}


def test_what_is_told_keeps_to_the_limit(hook: Hook, home: Path, tmp_path: Path) -> None:
    line = "- a step that reckons with 🙂 and ü\n"
    told = [
        skill(tmp_path, name, "active customers fall", text=f"{name}:\n{line * count}", threshold=t)
        for name, count, t in [("a", 150, 0.5), ("b", 150, 0.5), ("c", 20, 0.5)]
    ]
    write_index(home / "index", *told)
    text = hook(asked()).context
    heads = [line for line in text.splitlines() if line.endswith(":")]
    assert len(text.encode("utf-16-le")) // 2 <= 9_000
    assert heads == ["a:", "b:"] and text.endswith(prompts.CUT)
    assert text.count(line.strip()) > 150


def test_a_broken_index_keeps_no_prompt_from_being_recorded(hook: Hook, plugin: Plugin) -> None:
    (plugin.root / "hooks" / "triggers.py").write_text(
        "class Told: ...\ndef named(*_): ...\ndef matched(*_): raise RuntimeError('my secret')\n"
    )
    answer = hook(asked(), *plugin.words(), main=plugin.main)
    assert answer.said == {}
    assert list(plugin.data.glob("sessions/*/prompt.json"))
    assert "RuntimeError (triggers.py:3)" in (plugin.data / "hooks.log").read_text()


@pytest.mark.parametrize("first", ["plugin", "settings"])
def test_a_plugin_and_the_settings_tell_it_once(
    hook: Hook, indexed: Path, plugin: Plugin, session: Path, first: str
) -> None:
    sent = {"plugin": plugin.words(), "settings": ("advise",)}
    mains = {"plugin": plugin.main, "settings": MAIN}
    session.mkdir(parents=True)  # the kit's own home is there
    order = [first, *(name for name in sent if name != first)]
    told = [hook(asked(), *sent[name], main=mains[name]).context for name in order]
    assert told == [CHECKLIST, ""]
    places = {"settings": session, "plugin": plugin.data / "sessions" / session.name}
    skills = [recorded(places[name])["skills"] for name in order]
    assert skills == [["growth-accounting"], []], "who tells it audits it"


def test_a_plugin_alone_leaves_the_kits_home_alone(hook: Hook, plugin: Plugin, home: Path) -> None:
    assert hook(asked(), *plugin.words(), main=plugin.main).context == CHECKLIST
    assert not home.exists()


@pytest.mark.skipif(os.name != "posix", reason="a limit of the system")
def test_a_full_disk(hook: Hook, indexed: Path, home: Path) -> None:
    import resource

    def nothing_more() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    answer = hook(asked(), preexec_fn=nothing_more)
    assert answer.context == CHECKLIST
    assert not list(home.glob("sessions/*/prompt.json*")), "half a record is none"


@pytest.mark.parametrize("place", ["", "sessions", "sessions/session"])
def test_a_home_that_cannot_be_written(
    hook: Hook, home: Path, session: Path, tmp_path: Path, place: str
) -> None:
    blocked = home / place if place != "sessions/session" else session
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("a file where a folder should be")
    assert hook(asked()) == Answer(0, b"", b"")
    traces = (home / "hooks.log").read_text() if place else ""
    assert ("NotADirectoryError: Not a directory" in traces) == bool(place)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_may_only_be_read(hook: Hook, indexed: Path, home: Path) -> None:
    home.chmod(0o500)
    try:
        assert hook(asked()) == Answer(0, b"", b"")
    finally:
        home.chmod(0o700)


@pytest.mark.parametrize(
    "broken", [b'{"prompt":"cut', b"{'", b"[]", b"\xff", b"", b'{"a":' * 9_000]
)
def test_a_broken_record_is_replaced(
    hook: Hook, indexed: Path, session: Path, broken: bytes
) -> None:
    session.mkdir(parents=True)
    (session / "prompt.json").write_bytes(broken)
    assert hook(asked()).context == CHECKLIST
    assert recorded(session)["skills"] == ["growth-accounting"]


def test_the_longest_prompt_is_known_at_the_next_event(
    hook: Hook, indexed: Path, session: Path
) -> None:
    long = PROMPT + " \u00fc" * 1_000_000
    sent = json.dumps(asked(long), ensure_ascii=False).encode()
    assert hook(sent).context == CHECKLIST
    hook(event("UserPromptExpansion", command_name="unknown"))
    assert recorded(session)["skills"] == ["growth-accounting"]
    meta = {TOOL_USE: "toolu_9"}
    hook(event("PreToolUse", tool_name="mcp__skills2__x__y", tool_use_id="toolu_9"))
    assert session_of(meta, None, Transport()).prompt == long


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_what_was_planted_is_neither_told_nor_written_through(
    hook: Hook, indexed: Path, session: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    session.mkdir(parents=True)
    for name in ("audit.txt", "prompt.json"):
        (session / name).symlink_to(secret)
    assert hook(asked()).context == CHECKLIST
    assert secret.read_text() == "secret" and not (session / "prompt.json").is_symlink()
    os.mkfifo(session / "audit.txt")
    assert hook(asked(prompt_id="p2")).context == CHECKLIST


def test_what_another_home_tells_is_not_taken_over_later(
    hook: Hook, indexed: Path, plugin: Plugin, session: Path
) -> None:
    session.mkdir(parents=True)
    assert hook(asked()).context == CHECKLIST
    for sent in (asked(), event("UserPromptExpansion", command_name="growth-accounting")):
        assert hook(sent, *plugin.words(), main=plugin.main).context == ""
    place = plugin.data / "sessions" / session.name
    assert recorded(place)["skills"] == []
