"""The whole process against whatever a client may send."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.client import CHECKLIST, MAIN, PROMPT, SESSION, Answer, event

GOOD = json.dumps(event("UserPromptSubmit", prompt=PROMPT))
HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \n\t ",
    "a word": b"hello",
    "a half": GOOD[:-20].encode(),
    "a list": f"[{GOOD}]".encode(),
    "a number": b"7",
    "null": b"null",
    "text": b'"UserPromptSubmit"',
    "deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep lists": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "not UTF-8": GOOD.replace("March", "\xff").encode("latin-1"),
    "UTF-16": GOOD.encode("utf-16"),
    "a raw NUL": GOOD.replace("March", "\0").encode(),
    "a number of 5,000 digits": b'{"a":' + b"9" * 5000 + b"}",
    "single quotes": GOOD.replace('"', "'").encode(),
    "no fields": b"{}",
    "no session": json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": PROMPT}).encode(),
    "no event": json.dumps({"session_id": SESSION}).encode(),
    "an unknown event": json.dumps(event("TeammateIdle", prompt=PROMPT)).encode(),
    "a session of another kind": json.dumps({**event("Stop"), "session_id": [SESSION]}).encode(),
    "a session like a path": json.dumps({**event("Stop"), "session_id": "a\0b c"}).encode(),
}
ODD: dict[str, dict[str, Any]] = {
    "unknown fields": {"zebra": [{}], "model": {"id": 1}},
    "numbers for texts": {"cwd": 7, "transcript_path": None, "permission_mode": []},
    "escaped NULs": {"cwd": "/a\0b"},
    "half a character": {"cwd": "/\ud800"},
    "no prompt id": {"prompt_id": None},
    "a path as a prompt id": {"prompt_id": "../../x"},
    "numbers that are none": {"context_tokens": float("nan"), "other": float("inf")},
    "a wakened user": {"source": "user"},
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_event_is_passed_over(
    hook: Callable[..., Answer], indexed: Path, data: bytes, home: Path
) -> None:
    assert hook(data) == Answer(0, b"", b"")
    assert not (home / "hooks.log").exists(), "the client's fault is none of ours"


@pytest.mark.parametrize("changes", ODD.values(), ids=ODD)
def test_what_is_odd_about_an_event_does_not_keep_it_from_being_answered(
    hook: Callable[..., Answer], indexed: Path, changes: dict[str, Any]
) -> None:
    answer = hook({**event("UserPromptSubmit", prompt=PROMPT), **changes})
    assert answer.context == CHECKLIST


@pytest.mark.parametrize(
    "around", [("\ufeff", ""), ("\r\n ", " \n"), ("", "\n{}"), ("", " \0 what is this")], ids=repr
)
def test_the_first_object_counts(
    hook: Callable[..., Answer], indexed: Path, around: tuple[str, str]
) -> None:
    before, after = around
    assert hook(f"{before}{GOOD}{after}".encode()).context == CHECKLIST


@pytest.mark.parametrize("size", [70_000, 3_000_000])
def test_a_big_event_is_read_whole(hook: Callable[..., Answer], indexed: Path, size: int) -> None:
    long = PROMPT + " and so on" * (size // 10)
    assert hook(event("UserPromptSubmit", prompt=long)).context == CHECKLIST


def opened(**how: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(MAIN), "advise"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **how,
    )


def test_of_an_event_beyond_the_cap_every_byte_is_taken(indexed: Path) -> None:
    data = GOOD[:-1].encode() + b',"tail":"' + b"x" * 9_000_000 + b'"}'
    with opened() as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(data)  # a reader that stops would break the pipe
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(20) == 0


def test_a_client_that_never_closes_its_end_is_answered(indexed: Path) -> None:
    with opened() as process:
        assert process.stdin is not None and process.stdout is not None
        for part in (GOOD[:30], GOOD[30:]):  # in two writes, and no end
            process.stdin.write(part.encode())
            process.stdin.flush()
            time.sleep(0.05)
        assert CHECKLIST.splitlines()[0].encode() in process.stdout.read()
        assert process.wait(20) == 0


@pytest.mark.parametrize("sent", [b"", b'{"session_id": "a'], ids=["nothing", "a half"])
def test_a_client_that_says_no_more_is_not_waited_for_long(sent: bytes) -> None:
    with opened() as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(sent)
        process.stdin.flush()
        assert process.stdout.read() == b""
        assert process.wait(20) == 0


@pytest.mark.skipif(os.name != "posix", reason="a shell's redirections")
@pytest.mark.parametrize("how", [">&-", ">/dev/full", "<&-", "<&- >&- 2>&-", "2>&-"])
def test_streams_that_lead_nowhere(
    how: str, indexed: Path, hook: Callable[..., Answer], home: Path
) -> None:
    if "full" in how and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    command = f'exec "$0" -I -S "$1" advise {how}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, str(MAIN)],
        input=GOOD.encode() if "<" not in how else None,
        capture_output=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert bool(done.stdout) == (how == "2>&-")


def test_a_reader_that_has_gone(indexed: Path) -> None:
    with opened() as process:
        assert process.stdin is not None and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write(GOOD.encode())
        process.stdin.close()
        assert (process.wait(20), process.stderr.read()) == (0, b"")


DEAR = {"json", "re", "pathlib", "subprocess", "typing", "dataclasses", "os", "hashlib", "enum"}


@pytest.mark.parametrize("name", ["UserPromptSubmit", "PreToolUse", "Stop"])
def test_what_a_start_loads(name: str, indexed: Path) -> None:
    """Each module costs a fraction of a millisecond, at every prompt."""
    sent = event(name, prompt=PROMPT, tool_name="mcp__skills2__a__b", tool_use_id="t1")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", str(MAIN), "advise"],
        input=json.dumps(sent).encode(),
        capture_output=True,
        timeout=30,
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.decode().splitlines()}
    ours = {module for module in loaded if module.startswith("skills2_nb")}
    assert ours, "nothing was imported"
    assert not DEAR & loaded
    assert len(ours) <= 10, sorted(ours)
    assert "skills2_nb" not in loaded, "the face was run"
    assert bool(done.stdout) == (name == "UserPromptSubmit")


def test_a_part_that_is_broken_is_noted(plugin: Any, hook: Callable[..., Answer]) -> None:
    (plugin.root / "hooks" / "prompts.py").write_text("1 / 0\n", encoding="utf-8")
    sent = event("UserPromptSubmit", prompt="my secret")
    assert hook(sent, *plugin.words(), main=plugin.main) == Answer(0, b"", b"")
    log = (plugin.data / "hooks.log").read_text()
    assert "UserPromptSubmit: ZeroDivisionError (prompts.py:1)" in log and "secret" not in log


def test_a_dispatcher_that_is_not_there_is_silent(plugin: Any, hook: Callable[..., Answer]) -> None:
    (plugin.root / "hooks" / "dispatch.py").unlink()
    assert hook(event("Stop"), *plugin.words(), main=plugin.main) == Answer(0, b"", b"")


def test_a_client_that_writes_without_end() -> None:
    with opened() as process:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            for _ in range(2_000):
                process.stdin.write(b"x" * 100_000)
        assert process.wait(20) == 0
