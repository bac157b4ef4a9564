"""A program behind each of the two walls."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.sandbox import wall as walls
from skills2_nb.sandbox.wall import Outcome, Wall, run, run_python, standing

#: Long enough for a slow machine, for programs that end by themselves.
AMPLE = Wall(seconds=60.0)
HEAD = "import ctypes, os, socket, subprocess, sys, time\nfrom pathlib import Path\n"


@pytest.fixture
def bubblewrap() -> None:
    if standing() != "bubblewrap":
        pytest.skip("bubblewrap is not here, or user namespaces are denied")


@pytest.fixture(params=["bubblewrap", "hooks"])
def stands(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "hooks":
        monkeypatch.setattr(walls, "_bubblewrap", lambda: None)
    else:
        request.getfixturevalue("bubblewrap")
    return str(request.param)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run the body of a ``main`` behind a wall."""
    (tmp_path / "modules").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))

    def go(body: str, wall: Wall = AMPLE, given: bytes = b"", **options: Any) -> Outcome:
        lines = "\n".join(f"    {line}" for line in body.split("\n"))
        text = f"{HEAD}\ndef main():\n{lines}\n"
        (tmp_path / "modules" / "behind_trial.py").write_text(text)
        return run_python("behind_trial", given, wall, **options)

    return go


def test_a_program_talks(program: Callable[..., Outcome], stands: str) -> None:
    done = program(
        "data = sys.stdin.buffer.read()\nprint(len(data))\nprint('aside', file=sys.stderr)\n"
        "return 3",
        given=b"x" * 3_000_000,
    )
    assert (done.ended, done.returncode, done.wall) == ("exit", 3, stands)
    assert (done.stdout, done.stderr) == (b"3000000\n", b"aside\n")


@pytest.mark.parametrize(
    ("body", "wall", "ended"),
    [
        ("while True: pass", Wall(seconds=1.0), "timeout"),
        ("time.sleep(60)", Wall(seconds=1.0), "timeout"),
        ("os.close(1); os.close(2); time.sleep(60)", Wall(seconds=1.0), "timeout"),
        ("bytearray(4_000_000_000)", Wall(memory_mb=64, seconds=60.0), "memory"),
        ("print('x' * 10_000_000)", Wall(output_bytes=1_000_000, seconds=60.0), "output"),
        ("os.abort()", AMPLE, "killed"),
        ("ctypes.string_at(0)", AMPLE, "killed"),
    ],
)
def test_each_bound_is_told(
    program: Callable[..., Outcome], stands: str, body: str, wall: Wall, ended: str
) -> None:
    done = program(body, wall)
    assert (done.ended, done.returncode, done.wall) == (ended, None, stands)
    assert len(done.stdout) <= wall.output_bytes


def test_stderr_is_cut_and_never_ends_a_program(program: Callable[..., Outcome]) -> None:
    done = program("sys.stderr.write('x' * 10_000_000)\nprint('done')")
    assert (done.ended, done.stdout, len(done.stderr)) == ("exit", b"done\n", 64 * 1024)


def test_a_program_that_does_not_listen(program: Callable[..., Outcome]) -> None:
    assert program("return 0", given=b"x" * 10_000_000).ended == "exit"


def test_only_what_is_needed_of_the_environment_is_there(
    program: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, stands: str
) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    body = "print(sorted(os.environ))\nprint(sys.flags.hash_randomization, hash('a'))"
    first = program(body, env={"PYTHONHASHSEED": "7", "MINE": "1"})
    names = eval(first.stdout.split(b"\n")[0])
    assert {"PATH", "HOME", "MINE"} <= set(names)
    assert not {"API_KEY", "PYTHONSTARTUP"} & set(names)
    assert program(body, env={"PYTHONHASHSEED": "7", "MINE": "1"}).stdout == first.stdout


REFUSED = [
    "open({file!r}, 'w')",
    "open({file!r}, 'a')",
    "open({file!r}, 'r+')",
    "os.open({file!r}, os.O_WRONLY)",
    "os.remove({file!r})",
    "os.rename({file!r}, {file!r} + '2')",
    "os.truncate({file!r}, 0)",
    "os.chmod({file!r}, 0o777)",
    "os.mkdir({file!r} + '.d')",
    "os.symlink('/etc', {file!r} + '.l')",
    "socket.create_connection(('127.0.0.1', {port}))",
    "subprocess.run(['true'])",
    "os.execv('/bin/true', ['true'])",
    "os.posix_spawn('/bin/true', ['true'], {{}})",
]


@pytest.mark.parametrize("deed", REFUSED)
def test_what_is_not_allowed_is_refused(
    program: Callable[..., Outcome], tmp_path: Path, stands: str, deed: str
) -> None:
    from socket import create_server

    file = tmp_path / "file"
    file.write_text("whole")
    with create_server(("127.0.0.1", 0)) as server:
        expression = deed.format(file=str(file), port=server.getsockname()[1])
        done = program(f"try:\n    {expression}\nexcept PermissionError as e:\n    print(e)")
    assert done.stdout.startswith(b"behind the wall nothing "), done
    assert file.read_text() == "whole"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "modules"]


def test_a_library_call_past_the_hooks_meets_the_kernel(
    program: Callable[..., Outcome], tmp_path: Path, bubblewrap: None
) -> None:
    """Native code, which no hook sees: a library that was opened before the hooks were up."""
    file = tmp_path / "file"
    file.write_text("whole")
    (tmp_path / "modules" / "early.py").write_text("import ctypes\nC = ctypes.CDLL(None)\n")
    done = program(
        f"import early\nprint(early.C.unlink({str(file).encode()!r}),"
        "early.C.socket(2, 1, 0) >= 0)\n",
    )
    del done
    text = HEAD + f"C = ctypes.CDLL(None)\ndef main():\n    print(C.unlink({bytes(file)!r}))\n"
    text += "    print(os.listdir('/proc/self/ns') != [], len(os.listdir('/sys/class/net')))\n"
    (tmp_path / "modules" / "behind_early.py").write_text(text)
    told = run_python("behind_early", b"", AMPLE)
    assert told.stdout.startswith(b"-1\n"), told
    assert file.read_text() == "whole"


def test_a_folder_that_may_be_written(
    program: Callable[..., Outcome], tmp_path: Path, stands: str
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (tmp_path / "out").symlink_to(tmp_path)
    done = program(
        f"import tempfile\nPath({str(place / 'a')!r}).write_text('x')\n"
        "print(tempfile.mkdtemp())\n"
        f"try: Path({str(place / '..' / 'b')!r}).write_text('x')\n"
        "except PermissionError: print('refused')",
        Wall(write=(place,), seconds=60.0),
    )
    assert done.stdout.split(b"\n")[0].startswith(bytes(place)), done
    assert done.stdout.split(b"\n")[1] == b"refused"
    assert (place / "a").read_text() == "x" and not (tmp_path / "b").exists()


def test_libraries_have_a_place_for_their_caches(
    program: Callable[..., Outcome], bubblewrap: None
) -> None:
    """Some refuse to be imported without one."""
    body = "place = Path(os.environ['MPLCONFIGDIR'], 'fonts.json')\nprint(place.exists())\n"
    body += "place.write_text('x')\nprint(place)"
    for _ in range(2):
        done = program(body)
        assert done.stdout.startswith(b"False\n"), done
    assert not Path(done.stdout.decode().split()[1]).exists()


def test_what_may_not_be_read_is_out_of_sight(
    program: Callable[..., Outcome], tmp_path: Path, bubblewrap: None
) -> None:
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / "file").write_text("seen")
    (tmp_path / "hidden").write_text("hidden")
    done = program(
        f"print(Path({str(tmp_path / 'seen' / 'file')!r}).read_text())\n"
        f"print(Path({str(tmp_path / 'hidden')!r}).exists())",
        Wall(read=(tmp_path / "seen", tmp_path / "modules"), seconds=60.0),
        cwd=tmp_path / "seen",
    )
    assert done.stdout == b"seen\nFalse\n", done


def test_hooks_alone_do_not_bound_what_is_read(
    program: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walls, "_bubblewrap", lambda: None)
    done = program("print('ran')", Wall(read=(tmp_path,)))
    assert (done.ended, done.stdout, done.wall) == ("no wall", b"", None)


def test_any_command_behind_bubblewrap(tmp_path: Path, bubblewrap: None) -> None:
    done = run(["/bin/sh", "-c", f"cat; echo x > {tmp_path}/x"], b"given", AMPLE)
    assert (done.ended, done.stdout, done.wall) == ("exit", b"given", "bubblewrap")
    assert done.returncode != 0 and not (tmp_path / "x").exists()
    inside = run(["/bin/sh", "-c", "ls /proc | grep -c '^[0-9]'"], b"", AMPLE)
    assert int(inside.stdout) < 10
    assert run(["/no/such/program"], b"", AMPLE).ended == "no wall"


@pytest.mark.parametrize("system", ["none", "hooks"])
def test_where_no_wall_stands_nothing_runs(
    program: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    monkeypatch.setattr(walls, "_bubblewrap", lambda: None)
    if system == "none":
        monkeypatch.setattr(walls, "standing", lambda: None)
        done = program("print('ran')")
    else:
        done = run(["/bin/sh", "-c", "echo ran"], b"", AMPLE)
    assert (done.ended, done.stdout, done.wall, done.returncode) == ("no wall", b"", None, None)
    assert b"bubblewrap" in done.stderr


def test_a_module_that_is_not_there(program: Callable[..., Outcome]) -> None:
    assert run_python("no_such_module_here", b"", AMPLE).ended == "no wall"


def test_nothing_outlives_its_wall(tmp_path: Path, bubblewrap: None) -> None:
    """A child in a session of its own, which no signal to the group reaches."""
    mark = f"skills2-{os.getpid()}-{time.monotonic_ns()}"
    script = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n"
        "print('up', flush=True)\ntime.sleep(600)\n"
    )
    done = run([sys.executable, "-c", script, mark], b"", Wall(seconds=2.0))
    assert (done.ended, done.stdout) == ("timeout", b"up\n")
    assert not _named(mark)


def test_a_child_that_holds_the_pipes(bubblewrap: None) -> None:
    script = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nprint('up')\n"
    done = run([sys.executable, "-c", script], b"", Wall(seconds=60.0))
    assert (done.ended, done.stdout) == ("exit", b"up\n")


def _named(mark: str) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def test_the_group_is_gone(
    program: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, stands: str
) -> None:
    started = []
    popen = walls.subprocess.Popen

    def noted(*args: Any, **options: Any) -> Any:
        process = popen(*args, **options)
        started.append(process.pid)
        return process

    monkeypatch.setattr(walls.subprocess, "Popen", noted)
    program("time.sleep(60)", Wall(seconds=0.5))
    assert len(started) == 1
    with pytest.raises(ProcessLookupError):
        os.killpg(started[0], signal.SIGCONT)


def test_what_is_done_meanwhile_is_done_while_the_program_runs(
    program: Callable[..., Outcome], stands: str, tmp_path: Path
) -> None:
    """It has its input by then, all that a pipe takes, and its time counts from then on."""
    place = tmp_path / "shared"
    place.mkdir()
    body = f"Path({str(place / 'begun')!r}).write_text(sys.stdin.read()); time.sleep(0.5); return 0"

    def meanwhile() -> None:
        until = time.monotonic() + 50
        while not (place / "begun").exists():
            assert time.monotonic() < until, "it waits for the end of its input"
            time.sleep(0.05)
        time.sleep(2.5)

    wall = Wall(write=(place,), seconds=2.0)
    done = program(body, wall, b"all of it", meanwhile=meanwhile)
    assert (place / "begun").read_text() == "all of it"
    assert (done.ended, done.returncode, done.wall) == ("exit", 0, stands)


def test_what_fails_meanwhile_ends_the_program(
    program: Callable[..., Outcome], stands: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    popen = subprocess.Popen

    def noted(*args: Any, **options: Any) -> Any:
        started.append(popen(*args, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    with pytest.raises(ZeroDivisionError):
        program("time.sleep(60)", given=b"x" * 3_000_000, meanwhile=lambda: 1 // 0)
    assert started[-1].returncode is not None
