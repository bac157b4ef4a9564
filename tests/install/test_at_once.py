"""Installs that are killed half way, and two at once."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.hooks.starter import EVENTS
from skills2_nb.install import file
from skills2_nb.install.hook_plan import hooks_coming, hooks_going
from skills2_nb.install.hook_rows import spots
from skills2_nb.install.plan import Hooks, carry_out
from skills2_nb.library import installed

BEFORE = '{\n  "numStartups": 7\n}\n'
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed by a fork")


def killed_at(step, work):
    """Do the work in a child that dies before its n-th move, link or deletion; whether it died."""
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    left = [step]

    def counted(real):
        def call(*args, **settings):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **settings)

        return call

    for name in ("replace", "rename", "unlink"):
        setattr(Path, name, counted(getattr(Path, name)))
    try:
        work()
    finally:
        os._exit(0)


@pytest.mark.parametrize("step", range(12))
def test_a_kill_leaves_the_old_or_the_new_and_the_next_call_goes_on(step, put_in, take_out):
    path = Path.home() / ".claude.json"
    path.write_text(BEFORE)
    killed_at(step, put_in)
    value = json.loads(path.read_text())
    assert path.read_text() == BEFORE or set(value["mcpServers"]) == {"skills2"}
    assert value["numStartups"] == 7
    copy = file.backup_of(path)
    assert not copy.exists() or copy.read_text() == BEFORE
    put_in()
    assert "skills2" in json.loads(path.read_text())["mcpServers"]
    killed_at(step, take_out)
    assert json.loads(path.read_text())["numStartups"] == 7
    take_out()
    assert path.read_text() == BEFORE
    assert installed.read() == installed.Record()
    assert not [place for place in Path.home().glob(".claude/skills/*") if place.is_dir()]


@pytest.mark.parametrize("step", range(16))
def test_the_same_with_hooks(step, put_in, take_out):
    """Three files and a folder: each is the old one or the new one."""
    paths = [Path.home() / ".claude.json", Path.home() / ".claude/settings.json"]
    paths[1].parent.mkdir()
    for path in paths:
        path.write_text(BEFORE)
    killed_at(step, lambda: put_in(hooks=Hooks()))
    for path, key in zip(paths, ("mcpServers", "hooks"), strict=True):
        assert path.read_text() == BEFORE or key in json.loads(path.read_text())
    put_in(hooks=Hooks("block"))
    killed_at(step, take_out)
    take_out()
    assert [path.read_text() for path in paths] == [BEFORE, BEFORE]
    assert installed.read() == installed.Record()


@pytest.mark.parametrize("step", range(6))
def test_a_kill_while_hooks_change_and_go(step, machine):
    path = Path.home() / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(BEFORE)
    (spot, *_) = spots(machine)

    def put(mode):
        carry_out(lambda record: hooks_coming(spot, machine, record, mode), [])

    put("advise")
    killed_at(step, lambda: put("block"))
    assert len(json.loads(path.read_text())["hooks"]) == len(EVENTS)
    put("block")
    killed_at(step, lambda: carry_out(lambda record: hooks_going([spot], record), []))
    assert path.read_text() == BEFORE or len(json.loads(path.read_text())["hooks"]) == len(EVENTS)
    carry_out(lambda record: hooks_going([spot], record), [])
    assert path.read_text() == BEFORE
    assert installed.read() == installed.Record()


def test_the_kills_reach_every_move(put_in):
    Path.home().joinpath(".claude.json").write_text(BEFORE)
    died = [killed_at(step, put_in) for step in (0, 1)]
    assert died == [True, True]
    assert killed_at(11, put_in) is False


def test_the_kills_reach_every_move_of_hooks(machine, put_in, take_out):
    spot, *_ = spots(machine)
    spot.path.parent.mkdir()
    for path in (Path.home() / ".claude.json", spot.path):
        path.write_text(BEFORE)

    def put() -> None:
        put_in(hooks=Hooks())

    def put_alone() -> None:
        carry_out(lambda record: hooks_coming(spot, machine, record, "block"), [])

    def undo() -> None:
        take_out()
        carry_out(lambda record: hooks_going([spot], record), [])

    for work, least, most in ((put, 5, 15), (put_alone, 3, 5)):
        for step in range(least):
            assert killed_at(step, work), (work, step)
            undo()
        assert not killed_at(most, work), work
        undo()


def test_two_at_once_lose_nothing(package, tmp_path):
    """Eight processes, two scopes, two clients: every entry and every skill is there."""
    (tmp_path / "project").mkdir()
    jobs = [
        subprocess.Popen(
            [sys.executable, "-m", "skills2_nb.cli.main", "install", str(package), "--yes",
             "--client", client, "--scope", scope],
            cwd=tmp_path / "project", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for client in ("claude", "cursor") for scope in ("user", "project") for _ in "12"
    ]  # fmt: skip
    told = [job.communicate()[0] for job in jobs]
    assert [job.returncode for job in jobs] == [0] * len(jobs), told
    assert sum("nothing to do" in text for text in told) == 4
    record = installed.read()
    assert (len(record.entries), len(record.packages), len(record.hooks)) == (4, 2, 2)
    for path in record.hooks:
        assert list(json.loads(Path(path).read_text())["hooks"]) == list(EVENTS)
    for path, row in record.entries.items():
        assert json.loads(Path(path).read_text())["mcpServers"]["skills2"] == row.value
