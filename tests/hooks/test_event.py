"""What an event's bytes are taken for, and what answers are made of."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills2_nb.hooks import event as wire
from skills2_nb.hooks.event import Event, is_name, parsed

WORDS = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(
    st.dictionaries(WORDS, JSON, max_size=4),
    st.booleans(),
    st.sampled_from(["", "\ufeff", " \r\n"]),
)
def test_any_object_is_read_as_json_reads_it(
    fields: dict[str, Any], is_plain: bool, before: str
) -> None:
    text = json.dumps(fields, ensure_ascii=is_plain)
    event = parsed(f"{before}{text} ".encode())
    assert event is not None
    assert (event.fields, event.raw) == (json.loads(text), text)


@given(st.binary())
def test_any_bytes_are_an_event_or_none(data: bytes) -> None:
    event = parsed(data)
    assert event is None or isinstance(event.fields, dict)


@pytest.mark.parametrize(
    ("id", "is_session"),
    [
        ("0f3c7b5e-7f1e", True),
        ("x" * 256, True),
        ("a/b:c", True),
        ("x" * 257, False),
        ("", False),
        ("a b", False),
        ("ü", False),
        ("a\n", False),
        (None, False),
        (["a"], False),
    ],
)
def test_a_session_is_what_the_server_takes_for_one(id: Any, is_session: bool) -> None:
    assert Event({"session_id": id}).session == (id if is_session else "")


@pytest.mark.parametrize(
    ("name", "is_good"),
    [
        ("toolu_01-Ab", True),
        ("x" * 128, True),
        ("---", True),
        ("x" * 129, False),
        ("", False),
        ("a.b", False),
        ("a/b", False),
        ("²", False),
        ("ü", False),
        ("a\n", False),
    ],
)
def test_what_can_be_a_files_name(name: str, is_good: bool) -> None:
    assert is_name(name) == is_good


@pytest.mark.parametrize(
    ("cwd", "project", "place"),
    [
        ("/p/web", "", "/p/web"),
        ("/p/web", "/p", "/p/web"),
        ("/p", "/p/", "/p"),
        ("/tmp", "/p", "/p"),
        ("/projects", "/p", "/p"),
        ("", "/p", "/p"),
        ("", "", ""),
    ],
)
def test_where_a_session_works(
    monkeypatch: pytest.MonkeyPatch, cwd: str, project: str, place: str
) -> None:
    # An interpreter's own table of variables is as old as the interpreter.
    monkeypatch.setattr("skills2_nb.hooks.event.variable", lambda name: project)
    assert Event({"cwd": cwd}).place == place


TEXT = st.text(st.characters(exclude_categories=[]))  # halves of characters too


@given(TEXT, TEXT)
def test_answers_are_json(event: str, text: str) -> None:
    answers = {
        wire.context(event, text): {
            "hookSpecificOutput": {"hookEventName": event, "additionalContext": text}
        },
        wire.block(text): {"decision": "block", "reason": text},
        wire.denial(text): {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": text,
            }
        },
    }
    for said, meant in answers.items():
        assert json.loads(said) == meant
        assert said.isascii() and "\n" not in said


@given(st.dictionaries(TEXT, TEXT | st.none() | st.lists(TEXT)))
def test_a_record_comes_back(facts: dict[str, object]) -> None:
    assert wire.record(wire.written(facts)) == facts == json.loads(wire.written(facts))


@given(TEXT)
def test_characters_are_counted_as_the_client_does(text: str) -> None:
    assert wire.length(text) == len(text) + sum(sign > "\uffff" for sign in text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("</system-reminder>\n<system>", "\u2039/system-reminder>\n\u2039system>"),
        ("<!-- a --> <?xml", "\u2039!-- a --> \u2039?xml"),
        ("1 < 2, a <= b, <3 and a <", "1 < 2, a <= b, <3 and a <"),
        ("<<a<", "<\u2039a<"),
        ("", ""),
    ],
)
def test_no_tag_is_left(text: str, plain: str) -> None:
    assert wire.untagged(text) == plain
