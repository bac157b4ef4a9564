"""runs prune, runs erase."""

import json

import pytest

from skills2_nb.cli import screen
from skills2_nb.library import runs


@pytest.fixture
def three(desk, skills2):
    """Three runs, the oldest first."""
    return [skills2("run", "weekly-numbers", "--json").json["run"] for _ in range(3)]


def left():
    return [path.stem for path in runs.journals()]


@pytest.fixture
def at_a_terminal(monkeypatch):
    """A terminal at which the user types `answer`."""

    def typed(answer):
        monkeypatch.setattr(screen, "_can_ask", lambda: True)
        return {"input": answer + "\n"}

    return typed


def test_a_dry_run_names_and_keeps(three, skills2):
    done = skills2("runs", "prune", "--keep", "1", "--dry-run")
    assert done.code == 0
    assert done.out.startswith("Would remove 2 runs (4 files, ")
    assert all(run in done.err for run in three[:2])
    assert left() == three[::-1]


def test_without_a_terminal_yes_has_to_be_said(three, skills2):
    done = skills2("runs", "prune", "--keep", "1")
    assert done.code == 2
    assert "--yes" in done.err
    done = skills2("runs", "erase", three[0])
    assert done.code == 2
    assert left() == three[::-1]
    done = skills2("runs", "prune", "--keep", "1", "--yes")
    assert (done.code, left()) == (0, three[2:])
    assert done.out.startswith("Removed 2 runs (4 files, ")


@pytest.mark.parametrize("answer", ["n", ""])
def test_at_a_terminal_no_is_the_default(answer, three, at_a_terminal, skills2):
    done = skills2("runs", "erase", three[0], **at_a_terminal(answer))
    assert done.code == 1
    assert done.err.endswith("nothing was removed.\n")
    assert len(left()) == 3


def test_at_a_terminal_yes_is_yes(three, at_a_terminal, skills2):
    done = skills2("runs", "erase", three[0], **at_a_terminal("y"))
    assert done.code == 0
    assert "Remove 1 run (2 files, " in done.err
    assert left() == [three[2], three[1]]


def test_erase_takes_page_and_leaves_the_head(three, skills2, home):
    skills2("audit", three[0])
    head = runs.entry(runs.find(three[0])).head
    (home / "pages").mkdir(exist_ok=True)
    (home / "pages" / f"{three[0]}.html").write_text("x")
    done = skills2("runs", "erase", three[0], "--yes", "--json")
    assert done.json["runs"] == [three[0]]
    assert (done.json["removed"], done.json["files"]) == (True, 3)
    assert {path.stem for path in (home / "pages").iterdir()} == set(three[1:])
    line = json.loads((home / "ledger" / "erased.jsonl").read_text())
    assert (line["run"], line["head"], line["by"]) == (three[0], head, "erase")
    assert skills2("audit", three[0]).code == 2


def test_both_conditions_have_to_hold(three, skills2):
    both = ["--older-than", "1", "--keep", "0", "--yes", "--json"]
    done = skills2("runs", "prune", *both)
    assert (done.code, done.json["runs"], done.json["removed"]) == (0, [], False)
    assert skills2("runs", "prune", "--older-than", "9999", "--yes").out == "No run is to go.\n"
    done = skills2("runs", "prune", "--older-than", "0", "--keep", "2", "--yes", "--json")
    assert done.json["runs"] == three[:1]


def test_an_open_run_at_work_is_spared_and_told(desk, skills2):
    from skills2_nb.contract.loader import load
    from skills2_nb.contract.run import Run

    run = Run.start(load(desk / "skills" / "weekly-numbers"), {})
    run.close()
    done = skills2("runs", "prune", "--keep", "0", "--yes")
    assert done.out == ("No run is to go. 1 open run was written to within the hour and stays.\n")
    assert left() == [run.id]
    assert skills2("runs", "erase", run.id, "--yes").code == 0
