"""What a terminal gets and a pipe does not."""

import subprocess
import sys

import pytest

from skills2_nb.cli import screen


@pytest.fixture
def terminal(monkeypatch):
    """Both streams say that they are terminals."""
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_a_pipe_is_plain_and_80_wide(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert not screen.has_color()
    assert screen.width() == 80


@pytest.mark.parametrize(("columns", "width"), [("20", 40), ("60", 60), ("300", 120)])
def test_the_width_stays_within_bounds(columns, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    assert screen.width() == width


@pytest.mark.parametrize(
    ("name", "place", "typed"),
    [
        ("a.ipynb", "a.ipynb", "a.ipynb"),
        ("my a.ipynb", "my a.ipynb", "'my a.ipynb'"),
        ("a\x1b[31m.ipynb", "a\\x1b[31m.ipynb", "'a\\x1b[31m.ipynb'"),
        ("a\nb.ipynb", "a b.ipynb", "'a b.ipynb'"),
    ],
)
def test_a_path_is_on_one_line_and_moves_no_cursor(name, place, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert screen.place(tmp_path.resolve() / name) == place
    assert screen.typed(tmp_path.resolve() / name) == typed


def test_no_color_is_honoured(terminal, monkeypatch):
    assert screen.has_color()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not screen.has_color()


def test_progress_is_for_whoever_watches(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    screen.progress("count_flows")
    assert "count_flows …" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    screen.progress("count_flows")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", '"−ü"'), ("ascii", '"\\u2212\\u00fc"'), (None, '"\\u2212')]
)
def test_json_is_whole_on_any_terminal(encoding, shown, capsys, monkeypatch):
    class Stream:
        def __init__(self):
            self.text = ""

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    stream = Stream()
    stream.encoding = encoding
    monkeypatch.setattr(sys, "stdout", stream)
    screen.put_json("−ü")
    assert shown in stream.text


NOISY = """
import os, subprocess, sys
from skills2_nb.cli.screen import aside
with aside():
    print("python")
    os.write(1, b"c\\n")
    subprocess.run([sys.executable, "-c", "print('child')"], check=True)
print("result")
"""


def test_what_a_step_prints_is_kept_off_stdout_however_it_prints(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", NOISY], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "result\n"
    assert sorted(done.stderr.split()) == ["c", "child", "python"]
