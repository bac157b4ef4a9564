"""Processes of the kit: left to themselves, or asked and killed."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from skills2_nb.hooks import spawn
from skills2_nb.hooks.system import calls

POSIX = os.name == "posix"
WAYS = ["posix_spawn", "subprocess"] if POSIX else ["subprocess"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to start a process; the second is what other systems have."""
    if request.param == "subprocess" and POSIX:

        def cannot(*_: object, **__: object) -> int:
            raise NotImplementedError

        monkeypatch.setattr(calls, "posix_spawn", cannot)
    return str(request.param)


def until(path: Path) -> str:
    limit = time.monotonic() + 20
    while not (path.is_file() and path.read_text().endswith("\n")):
        assert time.monotonic() < limit, "it never came"
        time.sleep(0.02)
    return path.read_text()


def test_one_that_is_left_to_itself(way: str, tmp_path: Path) -> None:
    note = tmp_path / "note"
    code = (
        "import os, sys; print('lost'); print('lost', file=sys.stderr); "
        "open(sys.argv[1], 'w').write(f'{os.environ[\"MORE\"]} {sys.stdin.read()!r} "
        "{os.getsid(0) == os.getpid()}\\n')"
    )
    spawn.detached(["-c", code, str(note)], {"MORE": "a word"})
    assert until(note) == "a word '' True\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('Step flows is missing.')", b"Step flows is missing.\n"),
        ("print('x'); raise SystemExit(1)", b"x\n"),
        ("pass", b""),
    ],
)
def test_one_that_is_asked(way: str, code: str, said: bytes) -> None:
    assert spawn.asked(["-I", "-S", "-c", code], {}, 20.0).replace(b"\r", b"") == said


KILLED = "-9" if POSIX else "9"


@pytest.mark.parametrize(
    ("code", "kind", "why"),
    [
        ("print('x'); raise SystemExit(2)", ChildProcessError, "it ended with 2"),
        ("import os; os.kill(os.getpid(), 9)", ChildProcessError, f"it ended with {KILLED}"),
        ("import time; print('x', flush=True); time.sleep(60)", TimeoutError, "it was late"),
    ],
)
def test_one_that_does_not_answer(way: str, code: str, kind: type[OSError], why: str) -> None:
    began = time.monotonic()
    with pytest.raises(kind) as caught:
        spawn.asked(["-I", "-S", "-c", code], {}, 0.5 if "sleep" in code else 20.0)
    assert caught.value.strerror == why
    assert time.monotonic() - began < 20


@pytest.mark.skipif(not POSIX, reason="groups of processes")
def test_one_that_is_late_goes_with_all_it_started(tmp_path: Path) -> None:
    note = tmp_path / "child"
    code = (
        "import subprocess, sys, time; "
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
        "open(sys.argv[1], 'w').write(f'{child.pid}\\n'); time.sleep(60)"
    )
    with pytest.raises(TimeoutError):
        spawn.asked(["-I", "-c", code, str(note)], {}, 1.5)
    child, limit = int(until(note)), time.monotonic() + 20
    while is_running(child):
        assert time.monotonic() < limit, "it was left behind"
        time.sleep(0.05)


def is_running(process: int) -> bool:
    """A zombie waits for whoever adopted it, and runs no more."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True)
    return bool(done.stdout.strip()) and not done.stdout.strip().startswith("Z")
