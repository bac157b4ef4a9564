"""Whose call it is, and who vouches for its prompt."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.serve.sessions import SESSION, TOOL_USE, Runs, Session, Transport, session_of

USED = "toolu_01ABC"
ALONE = Transport("process-1-ab", "process")
CLAUDE = Transport("claude-1", "environment")
SHARED = Transport()


def hook(home: Path, session: str, prompt: str | None, prompt_id: str | None = "p1") -> None:
    """The records that hooks leave of a prompt and of a call."""
    key = hashlib.sha256(session.encode()).hexdigest()[:16]
    if prompt is not None:
        place = home / "sessions" / key / "prompt.json"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps({"prompt": prompt, "prompt_id": prompt_id}))
    (home / "calls").mkdir(parents=True, exist_ok=True)
    record = {"session": session, "prompt_id": "p1"}
    (home / "calls" / USED).write_text(json.dumps(record))


#: `_meta`, header, transport; the session's id and what said so. The hook knows `hooked`.
WHO = [
    ({TOOL_USE: USED, SESSION: "bridged"}, "header", CLAUDE, "hooked", "hook"),
    ({TOOL_USE: "toolu_other", SESSION: "bridged"}, "header", CLAUDE, "bridged", "bridge"),
    ({SESSION: "bridged"}, None, SHARED, "bridged", "bridge"),
    ({}, "header", CLAUDE, "claude-1", "environment"),
    ({}, "header", ALONE, "header", "header"),
    ({}, "header", SHARED, "header", "header"),
    ({}, None, ALONE, "process-1-ab", "process"),
    ({}, None, SHARED, None, None),
    ({TOOL_USE: "../../secret"}, None, SHARED, None, None),
    ({TOOL_USE: 3, SESSION: ""}, "", SHARED, None, None),
    ({SESSION: "x" * 300}, None, SHARED, None, None),
    ({SESSION: ["a"]}, "with blank", SHARED, None, None),
]


@pytest.mark.parametrize(("meta", "header", "transport", "id", "by"), WHO)
def test_the_first_that_says_so_says_whose_call_it_is(
    meta: dict[str, Any],
    header: str | None,
    transport: Transport,
    id: str | None,
    by: str | None,
    home: Path,
) -> None:
    hook(home, "hooked", "What?")
    found = session_of(meta, header, transport)
    assert (found.id, found.by) == (id, by)


#: What the hook saw, its prompt's id, what start_run is given; who vouches.
VOUCHED = [
    ("Add 1 and 2.", "p1", "Add 1 and 2.", "hook"),
    ("Add 1 and 2.", "p1", " Add 1\n and 2.", "hook"),
    ("Add 1 and 2.", "p1", None, "hook"),
    ("Add 1 and 2.", "p1", "Add 1 and 3.", "client"),
    ("Add 1 and 2.", "p2", "Add 1 and 2.", "client"),
    (None, "p1", "Add 1 and 2.", "client"),
    (None, "p1", None, "client"),
]


@pytest.mark.parametrize(("seen", "seen_id", "given", "by"), VOUCHED)
def test_a_hook_vouches_for_the_prompt_it_saw(
    seen: str | None, seen_id: str, given: str | None, by: str, home: Path
) -> None:
    hook(home, "hooked", seen, seen_id)
    session = session_of({TOOL_USE: USED}, None, SHARED)
    assert session.vouched(given) == by
    assert session.prompt_id == "p1"


@pytest.mark.parametrize("text", ["", "[]", '{"session": 3}', "{" * 50, '{"session": "a b"}'])
def test_a_record_that_is_none_says_nothing(text: str, home: Path) -> None:
    (home / "calls").mkdir(parents=True)
    (home / "calls" / USED).write_text(text)
    assert session_of({TOOL_USE: USED}, None, SHARED) == Session()


def test_stdio_names_its_client_by_the_environment() -> None:
    named = Transport.stdio({"CLAUDE_CODE_SESSION_ID": "abc"})
    assert (named.session, named.by) == ("abc", "environment")
    first, second = Transport.stdio({}), Transport.stdio({})
    assert first.by == "process" and first.session != second.session


def test_a_session_that_outlives_the_server_finds_its_run(home: Path) -> None:
    session, other = Session("abc", "hook"), Session("abc", "process")
    Runs().note(session, "sums", "20260301-000000-00000000")
    again = Runs().place(session, "sums")
    assert (again.run, again.is_open) == ("20260301-000000-00000000", True)
    assert Runs().place(session, "other").run is None
    assert Runs().place(other, "sums").run is None
    (kept,) = (home / "sessions").rglob("run-*")
    assert kept.stat().st_mode & 0o777 == 0o600
