"""A long run is gone on with from its snapshot, or from its journal where that is no use."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract import chain, journal, snapshot
from skills2_nb.contract.errors import JournalError, OrderError
from skills2_nb.contract.home import home
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Runtime, Skill
from skills2_nb.contract.state import RunState, fold

from .conftest import balance, collected, count, tell


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "EVERY", 4)
    monkeypatch.setattr("skills2_nb.contract.run.AT_LAST", 1)


@pytest.fixture
def run(skill: Skill) -> Run:
    """A run with calls of every kind, let go."""
    run = Run.start(skill, {"rows": [157, 22, 156]}, prompt="How many?")
    run.note("begun")
    with pytest.raises(OrderError):
        run.call("balance")
    for lost in (1, 102):
        run.call("count", {"lost": lost})
    run.call("balance")
    run.call("tell")
    run.answer("233")
    run.close()
    return run


def place(run: Run) -> Path:
    return home() / "index" / f"{run.id}.json"


def facts(run: Run) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(place(run).read_text())
    return made


def lines(run: Run) -> list[bytes]:
    return run.path.read_bytes().splitlines(True)


def whole(run: Run) -> RunState:
    return fold(journal.read(run.path))


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the lines that are read from now on without a snapshot's help."""
    seen: list[int] = []
    parsed = journal.parsed
    monkeypatch.setattr(
        journal,
        "parsed",
        lambda line, path, number: seen.append(number) or parsed(line, path, number),
    )
    return seen


def test_a_resumed_run_is_what_its_journal_says(run, skill, monkeypatch):
    seen = looked_at(monkeypatch)
    again = Run.resume(skill, run.id)
    assert seen == []
    assert again.state == run.state == whole(run)
    assert list(again.state.last.items()) == list(run.state.last.items())
    assert again.state.by_seq[3].status == "rejected"
    assert [call.seq for call in again.state.attempts("count")] == [4, 5]


def test_only_the_tail_is_read(run, skill, monkeypatch):
    other = Run.resume(skill, run.id)
    other.note("more")
    seen = looked_at(monkeypatch)
    again = Run.resume(skill, run.id)
    assert seen == [9]
    assert again.state == whole(run)


def test_what_was_consumed_is_compared_without_reading_all(run, skill, monkeypatch):
    run.call("count", {"lost": 2})
    run.close()
    again = Run.resume(skill, run.id)
    monkeypatch.setattr(type(again.state.calls), "_all", lambda self: pytest.fail("read whole"))
    assert again.state.stale_sources("balance") == whole(run).stale_sources("balance") != []


def test_it_goes_on_as_one_run(run, skill):
    again = Run.resume(skill, run.id)
    again.call("count", {"lost": 3})
    again.end(answer="234")
    assert again.state == whole(run)
    assert chain.verify(run.path) == []
    assert Run.resume(skill, run.id).state == whole(run)


def test_it_is_private_and_holds_no_value(run):
    assert oct(place(run).stat().st_mode & 0o777) == "0o600"
    assert oct(place(run).parent.stat().st_mode & 0o777) == "0o700"
    assert facts(run) == {
        "v": 1,
        "run": run.id,
        "end": run.path.stat().st_size,
        "head": run.state.head,
        "newest": [8, run.path.read_bytes().index(lines(run)[-1])],
        "last": [[n, sum(map(len, lines(run)[: n - 1]))] for n in (5, 6, 7)],
        "others": [[n, sum(map(len, lines(run)[: n - 1]))] for n in (1, 2, 8)],
    }


def test_what_a_skill_withholds_is_not_in_it():
    skill = collected([count, balance, tell], runtime=Runtime(capture="digest"))
    most = 157_157_157_157  # no run of digits in a hash is as long
    run = Run.start(skill, {"rows": [most, 22, 156]})
    run.call("count", {"lost": 102})
    run.call("balance")
    run.close()
    assert str(most) not in place(run).read_text()
    again = Run.resume(skill, run.id)
    assert again.state.last["count"].output == whole(run).last["count"].output
    assert run.state.last["count"].output["current"] == most + 76


def _changed(**fresh: Any) -> Any:
    return lambda told: json.dumps(json.loads(told) | fresh)


@pytest.mark.parametrize(
    "harm",
    [
        lambda told: told[: len(told) // 2],
        lambda told: "",
        lambda told: "[" * 100_000,
        lambda told: "[]",
        lambda told: '"\\ud800"',
        lambda told: told.replace(",", ", ").replace("last", "lost"),
        _changed(v=2),
        _changed(run="20260101-000000-00000000"),
        _changed(head="0" * 64),
        _changed(end=10),
        _changed(end=10**12),
        _changed(end=None),
        _changed(newest=[1, 0]),
        _changed(newest=[8, 10**12]),
        _changed(newest=[8, -1]),
        _changed(newest=None),
        _changed(others=[]),
        _changed(others=[[2, 5]]),
        _changed(others=[["1", 0]]),
        _changed(last=[[1, 0]]),
        _changed(last=[[9, 9]]),
        _changed(last={"count": 1}),
    ],
)
def test_a_snapshot_that_is_wrong_is_passed_over_and_made_anew(run, skill, harm):
    right = facts(run)
    place(run).write_text(harm(place(run).read_text()))
    assert Run.resume(skill, run.id).state == whole(run)
    assert facts(run) == right


def test_one_of_two_successes_of_a_step_is_not_enough(run, skill):
    told = facts(run)
    second = [4, sum(map(len, lines(run)[:3]))]
    place(run).write_text(json.dumps(told | {"last": [*told["last"], second]}))
    assert Run.resume(skill, run.id).state == whole(run)


def test_another_runs_snapshot_is_passed_over(run, skill):
    other = Run.start(skill, {"rows": [1]})
    for _ in range(6):
        other.call("count")
    other.close()
    shutil.copy(place(other), place(run))
    assert Run.resume(skill, run.id).state == whole(run)
    told = json.dumps(facts(other) | {"run": run.id})
    place(run).write_text(told)
    assert Run.resume(skill, run.id).state == whole(run)


@pytest.mark.parametrize("cut", [1, 20, 3_000])
def test_a_journal_cut_behind_its_snapshot_is_read_whole(run, skill, cut):
    os.truncate(run.path, run.path.stat().st_size - cut)
    again = Run.resume(skill, run.id)
    assert again.state == whole(run)
    assert again.state.count <= 8


def test_a_journal_cut_while_the_run_is_open_is_told(run, skill):
    again = Run.resume(skill, run.id)
    os.truncate(run.path, run.path.stat().st_size - 20)
    with pytest.raises(JournalError, match="was cut from"):
        again.call("count")


def test_a_line_that_a_snapshot_leads_to_and_was_edited_is_not_believed(run, skill):
    edited = run.path.read_bytes().replace(b'"implied":233', b'"implied":999')
    run.path.write_bytes(edited)
    assert Run.resume(skill, run.id).state == whole(run)


def test_older_calls_that_changed_since_are_told_when_they_are_looked_at(run, skill):
    again = Run.resume(skill, run.id)
    run.path.write_bytes(run.path.read_bytes().replace(b'"lost":1,', b'"lost":9,'))
    assert again.state.newest("count") is not None
    with pytest.raises(JournalError, match="line 4 is not what it was"):
        list(again.state.calls)


def test_a_journal_that_was_torn_is_healed(run, skill):
    with run.path.open("ab") as file:
        file.write(b'{"v":1,"run"')
    again = Run.resume(skill, run.id)
    assert (len(again.state.healed), again.state) == (1, whole(run))


def test_nothing_is_left_of_a_run_that_was_erased_while_open(skill):
    run = Run.start(skill, {"rows": [1]})
    run.path.unlink()
    run.close()
    assert not place(run).exists()


def test_where_it_cannot_be_kept_the_run_goes_on(run, skill, monkeypatch):
    shutil.rmtree(home() / "index")
    (home() / "index").write_text("in the way")
    again = Run.resume(skill, run.id)
    again.call("count", {"lost": 4})
    again.close()
    assert (again.notices, again.state) == ([], whole(run))


def test_many_notes_are_too_many(run, skill, monkeypatch):
    monkeypatch.setattr(snapshot, "MOST_OTHERS", 5)
    before = facts(run)
    for _ in range(9):
        run.note("again")
    run.close()
    assert facts(run) == before
    assert Run.resume(skill, run.id).state == whole(run)


WRITER = """
import sys
from skills2_nb.contract import snapshot
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step

snapshot.EVERY = 3

@step
def count(rows: list[int], lost: int = 0) -> dict[str, int]:
    return {"lost": lost}

skill = Skill.collect({"count": count}, "trial")
for number in range(20):
    run = Run.resume(skill, sys.argv[1])
    run.call("count", {"lost": number})
    run.close()
"""


def test_processes_that_go_on_at_once_leave_a_usable_snapshot(run, skill):
    words = [sys.executable, "-c", WRITER, run.id]
    writers = [subprocess.Popen(words) for _ in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert chain.verify(run.path) == []
    again = Run.resume(skill, run.id)
    assert again.state == whole(run)
    assert (again.state.count, len(again.state.calls)) == (68, 65)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks where there is one")
def test_a_forked_child_and_its_parent_both_keep_one(run, skill):
    again = Run.resume(skill, run.id)
    child = os.fork()
    if child == 0:
        for number in range(6):
            again.call("count", {"lost": number})
        again.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert facts(run)["newest"][0] == 14
    for number in range(6):
        again.call("count", {"lost": number})
    assert again.state == whole(run)
    assert Run.resume(skill, run.id).state == whole(run)
