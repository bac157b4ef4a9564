"""The record of what was installed."""

import json
import stat
import threading
from dataclasses import replace

import pytest

from skills2_nb.errors import SetupError, UnreadableError
from skills2_nb.library import installed
from skills2_nb.library.installed import Entered, Hooked, Placed, Record, installed_digest

PLACED = Placed("adds", "0.1.0", "d" * 64, {"SKILL.md": "e" * 64}, True, ("/a/b", "/a"))
ENTERED = Entered(
    "claude", "user", {"args": ["serve"]}, "entry", ",\r\n x", '"é"', ("/a",), "f" * 64, ("/s",)
)
HOOKED = Hooked(
    "local", "block", False, {"Stop": ("event", ",\r\n ", "\t"), "A": ("hooks", "{", "}")},
    ("/b",), None, True, ("/s",),
)  # fmt: skip


def test_what_is_written_is_read_and_nobody_else_may(home):
    assert installed.read() == Record()
    record = Record({"/s": PLACED}, {"/m.json": ENTERED}, {"/h.json": HOOKED})
    installed.write(record)
    assert installed.read() == record
    assert list(installed.read().hooks["/h.json"].groups) == ["Stop", "A"]
    assert stat.S_IMODE((home / installed.FILE).stat().st_mode) == 0o600


def test_the_digest_of_what_was_put_there(tmp_path, home):
    folder = tmp_path / "adds"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    assert installed_digest(folder) is None
    installed.write(Record({str(folder.resolve()): PLACED}))
    assert installed_digest(folder) == installed_digest(tmp_path / "link") == "d" * 64
    installed.write(Record({str(folder.resolve()): replace(PLACED, copied=False)}))
    assert installed_digest(folder) is None


def test_what_was_written_before_there_were_hooks_is_read(home):
    """The very text of then: a home outlives the kit's versions."""
    home.mkdir()
    row = '{"skill": "s", "version": "1", "digest": "d", "files": {}, "copied": true, "made": []}'
    (home / installed.FILE).write_text(
        f'{{"schema": 1, "packages": {{"/s": {row}}}, "entries": {{}}}}'
    )
    record = installed.read()
    assert record == Record({"/s": Placed("s", "1", "d", {}, True)})
    installed.write(record)
    assert json.loads((home / installed.FILE).read_text())["schema"] == 2
    assert installed.read() == record


DAMAGED = [
    "",
    "[]",
    "{}",
    '{"schema": 3, "packages": {}, "entries": {}}',
    '{"schema": 1, "packages": {"/s": {"skill": "x"}}, "entries": {}}',
    '{"schema": 1, "packages": {"/s": 7}, "entries": {}}',
    json.dumps({"schema": 1, "packages": {}, "entries": []}),
    '{"schema": 2, "packages": {}, "entries": {}, "hooks": {"/h": {"groups": {"Stop": 1}}}}',
    '{"schema": 2, "packages": {}, "entries": {}, "hooks": {"/h": {"groups": {}}}}',
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_record_is_said_and_no_digest(text, home, tmp_path):
    home.mkdir()
    (home / installed.FILE).write_text(text)
    with pytest.raises(UnreadableError, match="move it away"):
        installed.read()
    assert installed_digest(tmp_path) is None


def test_one_at_a_time():
    held, order = threading.Event(), []

    def second():
        held.wait()
        with installed.alone():
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with installed.alone():
        held.set()
        thread.join(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_home_that_is_a_file(home):
    home.write_text("x")
    with pytest.raises(SetupError, match="a file stands where a folder must be"), installed.alone():
        pass
