"""``hooks after`` and ``hooks verdict``, as a dispatcher starts them."""

import json
import subprocess
import sys

import pytest

from tests.evals.small_skill import packaged
from tests.evals.stops import job, run, session

WORDS = [sys.executable, "-I", "-m", "skills2_nb.cli.main", "hooks"]


def started(*words):
    return subprocess.run([*WORDS, *map(str, words)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def stopped(tmp_path):
    folder, package = session(), packaged(tmp_path)
    run(folder, package, ["add"])
    return job(folder, "Adding up gives a total of 91.", tmp_path, "block")


def test_a_verdict_is_printed_and_nothing_written(stopped, home):
    before = sorted(home.rglob("*"))
    done = started("verdict", stopped)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Owed and not called: mcp__skills2__trial-skill__tell." in done.stdout
    assert sorted(home.rglob("*")) == before


def test_no_reason_no_word(stopped, tmp_path):
    facts = json.loads(stopped.read_text())
    facts["event"]["last_assistant_message"] = "Shall I go on?"
    stopped.write_text(json.dumps(facts))
    done = started("verdict", stopped)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_worker_says_nothing(stopped):
    done = started("after", stopped)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "Owed and not called: tell." in (stopped.parent / "audit.txt").read_text()
    assert not stopped.exists()


@pytest.mark.parametrize("verb", ["after", "verdict"])
def test_a_job_that_lies_elsewhere_is_refused(verb, tmp_path):
    path = tmp_path / "stop-0123456789abcdef.json"
    path.write_text("{}")
    done = started(verb, path)
    assert done.returncode == 2 and "no job of a session" in done.stderr and not done.stdout


def test_nobody_is_offered_them(skills2):
    assert "after" not in skills2("hooks", "--help").out.split()
    assert skills2("hooks", "after", "--help").code == 0
