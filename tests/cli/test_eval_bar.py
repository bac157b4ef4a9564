"""The line on the terminal."""

import io
import json
import sys
from pathlib import Path

import pytest

from skills2_nb.cli.eval_bar import Bar
from skills2_nb.evals.suite import Job


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def jobs(place: Path) -> list[Job]:
    return [Job(name, place, place, progress=place / f"{name}.jsonl") for name in ("one", "two")]


def said(place: Path, name: str, at: int) -> None:
    line = {"version": "contract", "case": "x", "at": at, "of": 9}
    (place / f"{name}.jsonl").write_text(json.dumps(line), "utf-8")


def test_it_says_where_each_skill_is(tmp_path):
    listed = jobs(tmp_path)
    bar = Bar(listed)
    assert bar.line() == "0/2 done"
    said(tmp_path, "one", 3)
    said(tmp_path, "two", 5)
    assert bar.line() == "0/2 done; one 3/9, two 5/9"
    bar.ended(listed[0])
    assert bar.line() == "1/2 done; two 5/9"


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_it_is_written_on_a_terminal_alone_and_taken_away(tmp_path, monkeypatch, stream):
    terminal = stream()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Bar(jobs(tmp_path)) as bar:
        bar.tell()
        bar.tell()
    text = terminal.getvalue()
    assert text.count("0/2 done") == (1 if stream is Terminal else 0)
    assert text.endswith("\x1b[K") is (stream is Terminal)
