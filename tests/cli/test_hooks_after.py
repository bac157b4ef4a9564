"""``hooks after`` and ``hooks verdict``, as a dispatcher starts them."""

import json
import subprocess
import sys

import pytest

from skills2_nb.contract import blobs
from skills2_nb.contract.state import RunState
from skills2_nb.convert.exporter import export
from skills2_nb.evals.live_skill import live_skill
from tests.conftest import ADD, SETUP, TELL, notebook_dict
from tests.evals.small_skill import GUARDED, cells, packaged
from tests.evals.stops import SKILL, job, run, run_of, session

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


NOISE = """import atexit, os, sys
if "verdict" in sys.argv:
    print("at import")
    os.system("echo by a child")
    atexit.register(print, "at exit")
"""


@pytest.mark.parametrize(("limit", "is_owed"), [(50, True), (500, False)])
def test_what_code_prints_is_no_reason(limit, is_owed, tmp_path):
    setup = f"{SETUP}\n\n{NOISE}\nLIMIT = {limit}"
    roles = [
        (role, setup if source == SETUP else source)
        for role, source in cells(tell=GUARDED.replace("50", "LIMIT"))
    ]
    path = tmp_path / "notebooks" / "trial-skill.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps(notebook_dict(roles)))
    folder, package = session(), export(path, tmp_path / "skills", verify=False).folder
    run(folder, package, ["add"])
    done = started("verdict", job(folder, "The total is 91.", tmp_path, "block"))
    said = "Owed and not called: mcp__skills2__trial-skill__tell." in done.stdout
    assert (done.returncode, said, bool(done.stdout)) == (0, is_owed, is_owed)
    assert done.stdout.count("\n") == is_owed
    for words in ("at import", "by a child", "at exit"):
        assert words in done.stderr and words not in done.stdout


def test_what_the_cells_of_a_live_run_print_is_no_reason(tmp_path):
    folder, package = session(), packaged(tmp_path)
    texts = [SETUP, NOISE, ADD, TELL]
    live = blobs.put(json.dumps({"cells": texts}).encode())
    skill = live_skill(RunState(skill=SKILL, live=live))
    run_of(folder, skill, ["add"], writer="kernel")
    done = started("verdict", job(folder, "The total is 91.", package.parents[1], "block"))
    assert done.stdout.startswith("The journal of this session's run of trial-skill")
    assert done.stdout.count("\n") == 1 and "at exit" in done.stderr


def test_a_job_that_stayed_is_taken_up_by_hand(stopped, home):
    stopped.with_name(f"{stopped.name}.tries").write_bytes(b"..")
    assert started("after", stopped).returncode == 0 and stopped.exists()
    done = started("after", "--again", stopped)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "") and not stopped.exists()
    done = started("after", "--again", stopped)
    assert done.returncode == 2 and "is not there" in done.stderr


@pytest.mark.parametrize("verb", ["after", "verdict"])
def test_a_job_that_lies_elsewhere_is_refused(verb, tmp_path):
    path = tmp_path / "stop-0123456789abcdef.json"
    path.write_text("{}")
    done = started(verb, path)
    assert done.returncode == 2 and "no job of a session" in done.stderr and not done.stdout


def test_nobody_is_offered_them(skills2):
    offered = skills2("hooks", "--help").out.split()
    for verb in ("after", "verdict"):
        assert verb not in offered
        assert skills2("hooks", verb, "--help").code == 0
