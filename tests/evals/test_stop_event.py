"""A job is believed only where it lies and as far as it goes."""

import json
import os

import pytest

from skills2_nb.contract.journal import now
from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.evals import stop_event
from skills2_nb.evals.stop_event import read_event
from tests.evals.stops import ASKED, PROMPT, SESSION, SKILL, job, key, session


def test_the_event_and_the_prompt(tmp_path, home):
    before = now()
    folder = session()
    event = read_event(job(folder, "It is 91.", tmp_path, enforce="block"))
    assert (event.session, event.prompt_id, event.answer) == (SESSION, ASKED, "It is 91.")
    assert (event.enforce, event.cwd, event.plugin, event.is_subagent) == (
        *("block", tmp_path, None, False),
    )
    assert (event.question, event.told, event.is_newest) == (PROMPT, (SKILL,), True)
    assert before[:19] <= event.prompt.since[:19] <= now()
    assert len(event.prompt.since) == len(now())


@pytest.mark.parametrize("key", ["plugin", "neighbour"])
@pytest.mark.parametrize("value", [None, 5, "", "relative", "/no/such/folder", "/a\0b", "here"])
def test_folders_of_a_job(key, value, tmp_path):
    path = job(session(), "x", tmp_path)
    facts = json.loads(path.read_text()) | {key: str(tmp_path) if value == "here" else value}
    path.write_text(json.dumps(facts))
    assert getattr(read_event(path), key) == (tmp_path if value == "here" else None)


def test_an_answer_to_an_earlier_prompt(tmp_path):
    folder = session(prompt_id="prompt-2")
    event = read_event(job(folder, "It is 91.", tmp_path))
    assert (event.is_newest, event.question, event.told) == (False, None, ())


@pytest.mark.parametrize(
    ("prompt_id", "name"),
    [(ASKED, ASKED), ("odd/../id", key("odd/../id")), (None, key(PROMPT))],
)
def test_blocks_are_counted_by_prompt(prompt_id, name, tmp_path):
    folder = session(prompt_id=prompt_id)
    path = job(folder, "x", tmp_path, prompt_id=prompt_id)
    assert read_event(path).blocks == 0
    (folder / f"{name}.blocks").write_bytes(b"++")
    assert read_event(path).blocks == 2


def test_places_that_are_no_sessions(tmp_path, home):
    folder = session()
    good = job(folder, "x", tmp_path)
    elsewhere = tmp_path / key(SESSION)
    elsewhere.mkdir()
    for path in (
        elsewhere / good.name,
        folder.parent / good.name,
        folder / "prompt.json",
        folder / "stop-../../x.json",
        home / "sessions" / "x" / good.name,
    ):
        if not path.exists() and path.parent.is_dir():
            path.write_bytes(good.read_bytes())
        with pytest.raises(UsageError, match="no job of a session"):
            read_event(path)


def test_a_session_folder_that_is_a_link_is_not_followed(tmp_path):
    folder = session()
    good = job(folder, "x", tmp_path)
    away = tmp_path / "away"
    folder.rename(away)
    folder.symlink_to(away)
    with pytest.raises(UsageError):
        read_event(folder / good.name)


# What stands in the job; a part of what is said of it.
BAD = [
    (b"", "not JSON"),
    (b"[1]", "no JSON object"),
    (b"{" * 100_000, "not JSON"),
    (b'{"event": 3}', "no event"),
    (b'{"event": {"session_id": 7}}', "no event"),
    (b'{"event": {"session_id": "another"}}', "another session"),
]


@pytest.mark.parametrize(("data", "said"), BAD)
def test_jobs_that_cannot_be_read(data, said, tmp_path):
    path = job(session(), "x", tmp_path)
    path.write_bytes(data)
    with pytest.raises(UnreadableError, match=said):
        read_event(path)


def test_what_is_no_plain_file(tmp_path, monkeypatch):
    path = job(session(), "x", tmp_path)
    data = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(stop_event, "MOST_BYTES", 10)
        with pytest.raises(UnreadableError, match="at most 10 bytes"):
            read_event(path)
    path.unlink()
    with pytest.raises(UnreadableError, match="cannot be read"):
        read_event(path)
    (tmp_path / "other").write_bytes(data)
    path.symlink_to(tmp_path / "other")
    with pytest.raises(UnreadableError):
        read_event(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UnreadableError, match="no plain file"):
        read_event(path)


def test_odd_values_are_left_out(tmp_path):
    path = job(session(), "x", tmp_path)
    facts = json.loads(path.read_text())
    facts["event"] |= {"cwd": "relative", "prompt_id": 5, "last_assistant_message": "a\ud800b"}
    path.write_text(json.dumps({**facts, "plugin": "/nowhere/at/all", "enforce": []}))
    (path.parent / "prompt.json").write_text('{"prompt": 1, "skills": [1, "a"], "prompt_id": {}}')
    event = read_event(path)
    assert (event.cwd, event.plugin, event.prompt_id, event.enforce) == (None, None, None, "advise")
    assert event.answer == "a?b"
    assert (event.prompt.text, event.prompt.skills) == (None, ("a",))
    (path.parent / "prompt.json").unlink()
    assert read_event(path).prompt == stop_event.Prompt()


def test_a_subagents_end(tmp_path):
    folder = session()
    assert read_event(job(folder, "x", tmp_path, hook_event_name="SubagentStop")).is_subagent
    assert read_event(job(folder, "x", tmp_path, agent_id="a1")).is_subagent
