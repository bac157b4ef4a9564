"""The other runs of a question among all those on record."""

import os
from pathlib import Path

import pytest

from skills2_nb.contract.journal import read
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import fold
from skills2_nb.evals import siblings as finder
from skills2_nb.evals.siblings import siblings_of

SKILL = Skill("toy", (), digest="a" * 64)


def ran(skill=SKILL, prompt="Add up.", **start):
    run = Run.start(skill, {"n": 1}, prompt=prompt, **{"vouched": "cli"} | start)
    run.end(by="cli")
    run.close()
    return run


def state(run):
    return fold(read(run.path))


def test_a_home_without_runs(home):
    made = state(ran())
    for path in (home / "runs").rglob("*.jsonl"):
        path.unlink()
    assert siblings_of(made) == ()


def test_only_those_of_the_question_the_oldest_first(home):
    first, mine, last = ran(), ran(), ran()
    ran(Skill("other", (), digest="a" * 64))
    ran(Skill("toy", (), digest="b" * 64))
    ran(prompt="Another question.")
    ran(prompt=None)
    found = siblings_of(state(mine))
    assert {item.run for item in found} == {first.id, last.id}
    assert [item.started for item in found] == sorted(item.started for item in found)
    assert all(item.ended for item in found)


def test_a_run_without_a_prompt_looks_at_nothing(home, monkeypatch):
    made = state(ran(prompt=None))
    monkeypatch.setattr(finder, "_near", lambda state: pytest.fail("looked"))
    assert siblings_of(made) == ()


def test_no_more_than_so_many_are_read_whole(home, monkeypatch):
    mine, *others = [ran() for _ in range(8)]
    read_whole = []
    monkeypatch.setattr(
        finder, "_read", lambda path, real=finder._read: read_whole.append(path) or real(path)
    )
    assert len(siblings_of(state(mine), most=3)) == 3
    assert len(read_whole) == 3
    for number in range(5):
        ran(prompt=f"Question {number}")
    read_whole.clear()
    assert len(siblings_of(state(mine))) == len(others)
    assert len(read_whole) == len(others), "of others the first line is enough"


def test_runs_of_other_days_are_not_opened(home, monkeypatch):
    mine, other = ran(), ran()
    far = home / "runs" / "2020-01-01"
    far.mkdir()
    other.path.rename(far / other.path.name)
    late = home / "runs" / other.path.parent.name / "20200101-000000-00000000.jsonl"
    late.write_bytes(mine.path.read_bytes())
    opened = []
    monkeypatch.setattr(
        Path, "open", lambda self, *rest, real=Path.open: opened.append(self) or real(self, *rest)
    )
    assert siblings_of(state(mine)) == ()
    assert set(opened) == {mine.path}


@pytest.mark.parametrize("damage", [b"", b"no json\n", b"[]\n", b'{"skill":"toy"}\n', b"\xff\n"])
def test_what_is_no_run_is_passed_over(damage, home):
    mine = ran()
    other = ran()
    other.path.write_bytes(damage)
    assert siblings_of(state(mine)) == ()


def test_a_damaged_run_gives_what_can_be_read(home):
    mine, other = ran(), ran()
    lines = other.path.read_bytes().splitlines(keepends=True)
    other.path.write_bytes(lines[0] + b"no record\n" + lines[1])
    (found,) = siblings_of(state(mine))
    assert (found.run, found.is_open) == (other.id, True)


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="modes are POSIX's")
def test_a_journal_that_is_a_folder_is_passed_over(home):
    mine = ran()
    (mine.path.parent / f"{mine.id[:-8]}00000000.jsonl").mkdir()
    assert siblings_of(state(mine)) == ()
