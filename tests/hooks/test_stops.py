"""What the end of a turn starts, and when the model is sent back."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.evals.stop_event import read_event
from skills2_nb.hooks import stops
from skills2_nb.hooks.event import parsed
from skills2_nb.hooks.home import Home
from skills2_nb.hooks.system import calls
from tests.hooks.client import SESSION, Answer, Plugin, event

Hook = Callable[..., Answer]
REASON = "The step flows was left out: “net” has no number.\nCall mcp__x__flows."


@pytest.fixture
def folder(plugin: Plugin) -> Path:
    """The plugin's folder of the session, with a run in it."""
    made = plugin.data / "sessions" / hashlib.sha256(SESSION.encode()).hexdigest()[:16]
    made.mkdir(parents=True)
    (made / "run-0123456789abcdef").write_text("20261201-000000-00000000")
    return made


@pytest.fixture
def stop(hook: Hook, plugin: Plugin, folder: Path) -> Callable[..., Answer]:
    def send(enforce: str = "advise", verdict: str = "", status: int = 0, **fields: Any) -> Answer:
        env = {"VERDICT": verdict, "STATUS": str(status)}
        sent = {**event("Stop", last_assistant_message="Done.", stop_hook_active=False), **fields}
        return hook(sent, *plugin.words(enforce), main=plugin.main, env=env)

    return send


@pytest.mark.parametrize("enforce", ["off", "advise", "block"])
def test_the_worker_gets_the_event_as_it_came(
    stop: Callable[..., Answer],
    plugin: Plugin,
    folder: Path,
    enforce: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert stop(enforce, zebra={"a": [1, "ü\ud800"]}) == Answer(0, b"", b"")
    *_, last = plugin.asked(2 if enforce == "block" else 1)
    verb, name, is_leader, is_there = last
    assert (verb, is_leader, is_there) == ("after", "True", "True")
    facts = json.loads((folder / name).read_bytes())
    assert facts["enforce"] == enforce and facts["plugin"] == str(plugin.root)
    assert facts["event"]["zebra"] == {"a": [1, "ü\ud800"]}
    monkeypatch.setenv("SKILLS2_HOME", str(plugin.data))
    read = read_event(folder / name)
    assert (read.session, read.answer, read.prompt_id) == (SESSION, "Done.", "p1")


@pytest.mark.parametrize(
    "fields",
    [
        {"background_tasks": [{"id": "b1"}]},
        {"session_crons": [{"id": "c1"}]},
        {"agent_id": "a1"},
    ],
)
def test_a_pause_is_no_end(
    stop: Callable[..., Answer], plugin: Plugin, folder: Path, fields: dict[str, Any]
) -> None:
    assert stop("block", REASON, **fields) == Answer(0, b"", b"")
    assert not list(folder.glob("stop-*"))


@pytest.mark.parametrize(
    ("prompt", "is_owed"),
    [
        (None, False),
        ({"prompt": "x", "prompt_id": "p1", "skills": []}, False),
        ({"prompt": "x", "prompt_id": "p1", "skills": ["a"]}, True),
        ({"prompt": "x", "prompt_id": "p0", "skills": ["a"]}, False),
        (["no record"], False),
    ],
)
def test_a_turn_without_a_run_is_worked_on_where_one_is_owed(
    stop: Callable[..., Answer], folder: Path, prompt: Any, is_owed: bool
) -> None:
    (folder / "run-0123456789abcdef").unlink()
    if prompt is not None:
        (folder / "prompt.json").write_text(json.dumps(prompt))
    assert stop().said == {}
    assert bool(list(folder.glob("stop-*"))) == is_owed


def test_the_model_is_sent_back_twice_and_then_let_through(
    stop: Callable[..., Answer], plugin: Plugin, folder: Path
) -> None:
    blocked = {"decision": "block", "reason": REASON}
    assert stop("block", REASON, 1).said == blocked
    assert not list(folder.glob("stop-*")), "the run stays open: no work for the worker"
    assert stop("block", REASON, stop_hook_active=True).said == blocked
    assert (folder / "p1.blocks").stat().st_size == 2
    assert stop("block", REASON, stop_hook_active=True).said == {}
    assert [line[0] for line in plugin.asked(3)] == ["verdict", "verdict", "after"]
    assert stop("block", REASON, prompt_id="p2").said == blocked, "another prompt, another count"


@pytest.mark.parametrize(
    ("verdict", "status"), [("", 0), ("  \n", 1), ("Traceback", 2), ("half a word", 139)]
)
def test_no_verdict_is_no_block(
    stop: Callable[..., Answer], plugin: Plugin, verdict: str, status: int
) -> None:
    assert stop("block", verdict, status).said == {}
    assert [line[0] for line in plugin.asked(2)] == ["verdict", "after"]
    log = plugin.data / "hooks.log"
    traces = log.read_text() if log.exists() else ""
    assert ("Stop, verdict: ChildProcessError" in traces) == (status > 1)
    assert "half" not in traces


def test_a_late_verdict_is_killed(stop: Callable[..., Answer], plugin: Plugin) -> None:
    began = time.monotonic()
    assert stop("block", "hang").said == {}
    assert time.monotonic() - began < 15, "it had two seconds, and a slow machine"
    assert [line[0] for line in plugin.asked(2)] == ["verdict", "after"]
    assert "Stop, verdict: TimeoutError: it was late" in (plugin.data / "hooks.log").read_text()


def test_advice_is_no_block(stop: Callable[..., Answer], plugin: Plugin) -> None:
    assert stop("advise", REASON).said == {}
    assert [line[0] for line in plugin.asked(1)] == ["after"]


def test_of_two_modes_the_one_that_blocks_ends_the_turn(
    stop: Callable[..., Answer], hook: Hook, plugin: Plugin, folder: Path
) -> None:
    prompt = event("UserPromptSubmit", prompt="Why?")
    for enforce in ("advise", "block"):
        assert hook(prompt, *plugin.words(enforce), main=plugin.main).status == 0
    assert stop("advise", REASON) == Answer(0, b"", b"")
    assert plugin.asked(0) == [] and list(folder.glob("stop-*")) == []
    assert REASON.splitlines()[0] in stop("block", REASON).said["reason"]
    assert stop("advise", prompt_id="p2").status == 0
    assert [verb for verb, *_ in plugin.asked(2)] == ["verdict", "after"]


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_count_that_is_no_file_counts_nothing(
    stop: Callable[..., Answer], plugin: Plugin, folder: Path, kind: str
) -> None:
    if kind == "folder":
        (folder / "p1.blocks").mkdir()
    else:
        (folder / "p1.blocks").symlink_to(plugin.data / "other")
    assert stop("block", REASON).said == {}
    assert [line[0] for line in plugin.asked(1)] == ["after"], "nobody was asked"
    assert "it is no plain file" in (plugin.data / "hooks.log").read_text()
    assert not (plugin.data / "other").exists()


@pytest.mark.skipif(os.name != "posix", reason="the environment of the system's calls")
def test_a_block_that_cannot_be_counted_is_none(
    plugin: Plugin, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: str) -> None:
        raise OSError(28, "No space left on device")

    sent = json.dumps(event("Stop", last_assistant_message="Done.")).encode()
    monkeypatch.setitem(calls.environ, b"VERDICT", REASON.encode())
    home, stop = Home(*plugin.words("block")), parsed(sent)
    assert stop is not None
    assert REASON in json.loads(stops.stopped(home, stop))["reason"]
    monkeypatch.setattr(stops, "_count", full)
    assert stops.stopped(home, stop) == ""
    assert [line[0] for line in plugin.asked(3)] == ["verdict", "verdict", "after"]
    assert "No space left on device" in (plugin.data / "hooks.log").read_text()


def test_the_same_end_is_worked_on_once(
    stop: Callable[..., Answer], plugin: Plugin, folder: Path
) -> None:
    for _ in range(3):  # as parallel dispatchers: the first job is still there
        stop()
    stop(last_assistant_message="Done, and more.")
    assert len(plugin.asked(2)) == 2
    assert len(list(folder.glob("stop-*.json"))) == 2


def test_a_subagent_is_noted_where_a_run_is(
    hook: Hook, plugin: Plugin, folder: Path, stop: Callable[..., Answer]
) -> None:
    back = event("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="7")
    assert hook(back, *plugin.words("block"), main=plugin.main).said == {}
    assert [line[0] for line in plugin.asked(1)] == ["after"]
    (folder / "run-0123456789abcdef").unlink()
    hook({**back, "agent_id": "a2"}, *plugin.words("block"), main=plugin.main)
    assert len(list(folder.glob("stop-*.json"))) == 1
