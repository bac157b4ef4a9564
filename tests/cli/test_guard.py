"""Errors, interrupts and readers that went away."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from skills2_nb import errors
from skills2_nb.cli import guard
from skills2_nb.formats.problem import found

LINTED = tuple(
    found(code, "it is wrong", "mend it", file="nb.ipynb", cell=1)
    for code in ("C401", "N101", "C402")
)


def raising(error):
    def work():
        raise error

    return work


def chained(outer, inner):
    outer.__cause__ = inner
    return outer


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (errors.UsageError("no"), 2, "no"),
        (errors.UnreadableError("no"), 2, "no"),
        (errors.PackageError("no"), 2, "no"),
        (errors.UnknownRunError("no"), 2, "no"),
        (errors.RefusedError("no"), 1, "no"),
        (errors.OrderError("no"), 1, "no"),
        (errors.SetupError("no"), 4, "no"),
        (errors.JournalError("no"), 4, "no"),
        (errors.UsageError("two\nlines"), 2, "two lines"),
        (
            ModuleNotFoundError("No module named 'pandas'", name="pandas"),
            4,
            "The library 'pandas' is not installed. Mend: pip install 'skills2-nb[lab]'",
        ),
        (
            ModuleNotFoundError("No module named 'yaml'", name="yaml"),
            4,
            "The library 'yaml' is not installed. Mend: pip install skills2-nb",
        ),
        (
            chained(
                errors.PackageError("x does not import."),
                ModuleNotFoundError("No module named 'numpy.linalg'", name="numpy.linalg"),
            ),
            4,
            "x does not import. Mend: pip install 'skills2-nb[lab]'",
        ),
        (
            chained(errors.PackageError("x does not import"),
                    ModuleNotFoundError("No module named 'shapely'", name="shapely")),
            4,
            "x does not import. Mend: pip install shapely",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device", "/x/y"),
            4,
            "/x/y: No space left on device. Mend: free some space and try again.",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "/x"),
            4,
            "/x: Permission denied. Mend: check the path and its permissions, or choose another "
            "folder.",
        ),
        (
            KeyError("x"),
            4,
            "skills2 met a fault of its own (KeyError: 'x'). Mend: run the command again with "
            "--debug and report what it shows.",
        ),
        (click.UsageError("no\n  way"), 2, "no way."),
        (errors.UsageError("a\x1b[31mb\u202e is none."), 2, "a\\x1b[31mb\\u202e is none."),
    ],
)  # fmt: skip
def test_sentence_and_code(error, code, says, capsys):
    assert guard.guarded(raising(error)) == code
    assert capsys.readouterr() == ("", says + "\n")


def test_several_problems_stand_each_on_a_line_and_notes_do_not(capsys):
    refused = errors.RefusedError("2 errors stand in the way. First: nb.ipynb: no", LINTED)
    assert guard.guarded(raising(refused)) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[2].split()[0] for line in lines[:2]] == ["C401", "C402"]
    assert lines[2:] == ["2 errors stand in the way."]


def test_one_problem_is_said_once(capsys):
    guard.guarded(raising(errors.RefusedError("1 error. First: nb.ipynb: no", LINTED[:2])))
    assert capsys.readouterr().err == "1 error. First: nb.ipynb: no\n"


@pytest.mark.parametrize(("result", "code"), [(None, 0), (3, 3), ("x", 0), (True, 0)])
def test_results_are_exit_codes_where_they_are_numbers(result, code):
    assert guard.guarded(lambda: result) == code


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_is_quiet(error, capsys):
    assert guard.guarded(raising(error)) == 130
    assert capsys.readouterr() == ("", "")


CALL = "from skills2_nb.cli.main import main; main()"
#: A job in the background ignores Ctrl-C, and so would all that it starts.
HEEDING = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {CALL}"
SLOW = '''
import time
from pathlib import Path
from pydantic import BaseModel
from skills2_nb import step

class Done(BaseModel):
    at: float

@step
def wait() -> Done:
    """Wait."""
    print("waiting", flush=True)
    time.sleep(60)
    return Done(at=0.0)
'''


def waiting(words, place, **environ):
    """A command whose step waits, once it does."""
    child = subprocess.Popen(
        [sys.executable, "-c", HEEDING, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=place,
        env=os.environ | environ,
    )
    assert child.stderr.readline() == "waiting\n"
    time.sleep(0.1)
    return child


@pytest.fixture
def slow(make_notebook):
    front = "---\nname: slow\ndescription: It waits.\n---"
    return make_notebook([("front", front), ("step", SLOW)])


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_without_a_word_and_leaves_no_folder(number, code, slow, tmp_path):
    spare = tmp_path / "spare"
    spare.mkdir()
    child = waiting(["run", str(slow)], tmp_path, TMPDIR=str(spare))
    assert [path.name[:8] for path in spare.iterdir()] == ["skills2-"]
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err.strip(), list(spare.iterdir())) == (code, "", [])


def test_a_handler_of_the_caller_is_left_alone_and_ours_is_taken_back():
    before = signal.getsignal(signal.SIGTERM)
    heard = []
    try:
        signal.signal(signal.SIGTERM, lambda *_: heard.append("mine"))
        assert guard.guarded(lambda: signal.raise_signal(signal.SIGTERM)) == 0
        assert heard == ["mine"]
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        assert guard.guarded(lambda: signal.raise_signal(signal.SIGTERM)) == 143
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_child_that_the_work_forked_ends_by_the_signal_itself():
    def work():
        child = os.fork()
        if not child:
            signal.raise_signal(signal.SIGTERM)
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM and 7

    assert guard.guarded(work) == 7


def test_a_reader_that_went_away_is_no_error(desk):
    child = subprocess.Popen(
        [sys.executable, "-c", CALL, "show", "weekly-numbers", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    child.stdout.close()
    assert child.stderr.read() == ""
    child.stderr.close()
    assert child.wait(timeout=60) == 141


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_a_full_disk_is_4_and_says_so(desk):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", CALL, "show", "weekly-numbers"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 4
    assert done.stderr == "No space left on device. Mend: free some space and try again.\n"


CLOSED = """
import os, sys
for stream in {closed}:
    os.close(stream)
os.execv(sys.executable, [sys.executable, "-c", '''
import os, sys
from skills2_nb.cli.guard import guarded
def work():
    print("said")
    fd = os.open("file.txt", os.O_RDWR | os.O_CREAT)
    assert fd > 2, fd
    os.write(fd, b"kept")
sys.exit(guarded(work))
'''])
"""


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_a_closed_stream_is_not_taken_for_a_file(closed, tmp_path):
    script = CLOSED.format(closed=closed)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "file.txt").read_bytes() == b"kept"
