"""The worker as a process: alone on a session, bounded, killed, and left without room."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest

from skills2_nb.audit import ledger
from skills2_nb.audit.integrity import inspect
from skills2_nb.contract import chain
from skills2_nb.contract.journal import read
from skills2_nb.errors import SetupError, UnreadableError, UsageError
from skills2_nb.evals import worker
from skills2_nb.evals.session_text import HEAD
from skills2_nb.evals.worker import again, work
from tests.evals.small_skill import packaged
from tests.evals.stops import job, run, session

GOOD = "Adding up gives a total of 91."
WORDS = [sys.executable, "-I", "-m", "skills2_nb.cli.main", "hooks", "after"]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return packaged(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def stopped(package):
    """A session's folder, its run and its job."""
    folder = session()
    made = run(folder, package)
    return folder, made, job(folder, GOOD, package.parents[1])


def started(path, **settings):
    """As a dispatcher starts it."""
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    return subprocess.Popen([*WORDS, str(path)], **quiet, start_new_session=True, **settings)


def log(home):
    path = home / "hooks.log"
    return path.read_text() if path.exists() else ""


def old(path, seconds=60):
    at = time.time() - seconds
    os.utime(path, (at, at))


def test_a_job_is_done_and_gone(stopped, home):
    folder, made, path = stopped
    assert started(path).wait(60) == 0
    assert (folder / "audit.txt").read_text() == (
        f"{HEAD}\ntrial-skill: pass, score 1.00, evidence L2."
    )
    assert sorted(p.name.partition("-")[0] for p in folder.iterdir()) == [
        *("audit.of", "audit.txt", "prompt.json", "run", "worker.lock")
    ]
    assert not log(home) and not (folder / "audit.txt").stat().st_mode & 0o077
    assert "pass, score 1.00" in (home / "pages" / f"{made.id}.txt").read_text()


def test_two_workers_on_one_session(stopped, package):
    folder, made, path = stopped
    other = job(folder, "Adding up gives a total of 97.", package.parents[1])
    running = [started(each) for each in (path, other, path)]
    assert [each.wait(60) for each in running] == [0, 0, 0]
    assert not list(folder.glob("stop-*"))
    assert len(ledger.lines(made.id)) == 2
    assert inspect(made.path, earlier=ledger.sound(made.id)).holds
    assert [record["kind"] for record in read(made.path)][-3:] == ["run_ended", "answer", "answer"]


def test_killed_at_random_moments(stopped, package):
    folder, made, path = stopped
    killed = 0
    begun = time.monotonic()
    assert started(path).wait(60) == 0
    whole = time.monotonic() - begun
    chance = random.Random(7)
    for share in (0.4, 0.65, 0.85):
        (folder / "audit.txt").unlink(missing_ok=True)
        path = job(folder, f"{GOOD} ({share})", package.parents[1])
        running = started(path)
        time.sleep(whole * (share + chance.uniform(-0.1, 0.1)))
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            killed += 1
        running.wait(10)
        assert not [fault for fault in chain.verify(made.path) if not fault.torn]
        text = (folder / "audit.txt").read_text() if (folder / "audit.txt").exists() else HEAD
        assert text.startswith(HEAD)
        assert path.exists() or text != HEAD  # done, or a trace of it
    left = list(folder.glob("stop-*.json"))
    for stale in left:
        old(stale)
    assert killed > 0
    last = job(folder, GOOD, package.parents[1])
    assert started(last).wait(60) == 0
    assert not list(folder.glob("stop-*"))
    assert inspect(made.path, earlier=ledger.sound(made.id)).holds


def test_a_job_is_begun_twice_at_most(stopped, home, monkeypatch):
    folder, made, path = stopped
    (folder / f"{path.name}{worker.TRIES}").write_bytes(b"..")
    work(path)
    assert path.exists() and not ledger.lines(made.id)
    (folder / f"{path.name}{worker.TRIES}").write_bytes(b".")
    work(path)
    assert not list(folder.glob("stop-*")) and ledger.lines(made.id)


def test_by_hand_a_job_is_begun_whatever_was_tried(stopped, home):
    folder, made, path = stopped
    tries = folder / f"{path.name}{worker.TRIES}"
    tries.write_bytes(b"..")
    (home / "ledger").write_text("in the way")
    with pytest.raises(SetupError, match="not audited to the end"):
        again(path)
    assert path.exists() and tries.read_bytes() == b"." and "worker, audit of run" in log(home)
    (home / "ledger").unlink()
    tries.write_bytes(b"..")
    again(path)
    assert not list(folder.glob("stop-*")) and ledger.lines(made.id)
    with pytest.raises(UnreadableError, match="is not there"):
        again(path)


def test_a_young_job_of_the_session_is_its_own_workers(stopped, package):
    folder, _, path = stopped
    young = job(folder, "Another.", package.parents[1])
    work(path)
    assert young.exists() and not path.exists()


def test_a_stale_job_of_an_earlier_prompt(package):
    folder = session(prompt_id="p0")
    made = run(folder, package, prompt_id="p0")
    stale = job(folder, GOOD, package.parents[1], prompt_id="p0")
    old(stale)
    asked = "And of 1 and 2?"
    session(prompt_id="p1", prompt=asked)
    second = run(folder, package, inputs={"values": [1, 2]}, prompt=asked, prompt_id="p1")
    work(job(folder, "Adding up gives a total of 3.", package.parents[1], prompt_id="p1"))
    assert not list(folder.glob("stop-*"))
    text = (folder / "audit.txt").read_text()
    assert text.count("trial-skill: pass") == 2 and len(text) <= 2_000
    for each in (made, second):
        assert [record["kind"] for record in read(each.path)][-2:] == ["run_ended", "answer"]


def test_a_package_that_hangs_is_given_up(stopped, package, home, tmp_path):
    folder, made, path = stopped
    path.unlink()
    copy = tmp_path / "skills" / "trial-skill"
    shutil.copytree(package, copy)
    code = copy / "runtime" / "skill.py"
    moved = f"import os\nos.environ['SKILLS2_HOME'] = {str(tmp_path / 'elsewhere')!r}\n"
    code.write_text(f"{moved}import time\ntime.sleep(60)\n{code.read_text()}")
    path = job(folder, GOOD, tmp_path)
    words = (
        "from pathlib import Path; from skills2_nb.evals.worker import work; "
        f"work(Path({str(path)!r}), 3)"
    )
    done = subprocess.run([sys.executable, "-c", words], timeout=30, start_new_session=True)
    assert done.returncode in (4, -signal.SIGKILL)
    assert f"worker, {path.name}, given up after 3 s" in log(home)
    assert path.exists() and [r["kind"] for r in read(made.path)][-1] == "answer"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_no_fault_of_the_skill(stopped, package, home, tmp_path, number):
    folder, made, path = stopped
    path.unlink()
    copy, begun = tmp_path / "skills" / "trial-skill", tmp_path / "begun"
    shutil.copytree(package, copy)
    code = copy / "runtime" / "skill.py"
    wait = f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(60)\n"
    code.write_text(wait + code.read_text())
    path = job(folder, GOOD, tmp_path)
    running = started(path)
    end = time.monotonic() + 60
    while not begun.exists() and time.monotonic() < end:
        time.sleep(0.05)
    running.send_signal(number)
    assert running.wait(30) in (130, 143)
    assert path.exists() and not ledger.lines(made.id)
    assert not (folder / "audit.txt").exists()


def test_a_package_that_moves_the_records_is_judged_by_those_that_are(
    stopped, package, home, tmp_path
):
    folder, _, path = stopped
    path.unlink()
    copy = tmp_path / "skills" / "trial-skill"
    shutil.copytree(package, copy)
    code = copy / "runtime" / "skill.py"
    moved = f"import os\nos.environ['SKILLS2_HOME'] = {str(tmp_path / 'elsewhere')!r}\n"
    code.write_text(moved + code.read_text())
    assert started(job(folder, GOOD, tmp_path)).wait(60) == 0
    told = (folder / "audit.txt").read_text()
    assert "trial-skill: unproven, score 1.00" in told  # by another package than ran
    assert not (tmp_path / "elsewhere").exists() and not log(home)


def test_a_pipe_among_the_journals_is_not_waited_for(stopped):
    folder, made, path = stopped
    os.mkfifo(made.path.with_name(f"{made.path.stem[:-8]}00000000.jsonl"))
    assert started(path).wait(30) == 0
    assert "pass" in (folder / "audit.txt").read_text()


def test_code_that_never_comes_back_is_ended_by_the_system(home):
    words = (
        "from skills2_nb.evals import worker; from pathlib import Path; import time\n"
        "worker._give_up = lambda *_: None\n"
        "with worker._bounded(Path('x'), -4.5): time.sleep(20)"
    )
    done = subprocess.run([sys.executable, "-c", words], timeout=15)
    assert done.returncode == -signal.SIGALRM


def test_a_full_disk(stopped, home):
    """A file that may not grow further: what is there stays whole, and the job with it."""
    folder, made, path = stopped
    size = made.path.stat().st_size

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, size + 20))

    assert started(path, preexec_fn=small).wait(60) == 0
    assert path.exists() and not chain.verify(made.path)
    assert "worker, journal of run" in log(home)
    old(path)
    assert started(path).wait(60) == 0
    assert not list(folder.glob("stop-*")) and inspect(made.path).holds


def test_a_file_in_place_of_a_folder(stopped, home):
    folder, made, path = stopped
    (home / "ledger").write_text("in the way")
    assert started(path).wait(60) == 0
    assert path.exists() and (home / "ledger").read_text() == "in the way"
    assert "worker, audit of run" in log(home)
    assert not chain.verify(made.path)
    (home / "ledger").unlink()
    (home / "hooks.log").unlink()
    (home / "hooks.log").mkdir()
    (folder / "audit.txt").unlink(missing_ok=True)
    (folder / "audit.txt").mkdir()
    assert started(path).wait(60) == 0
    assert not path.exists() and "pass" in (folder / "audit.txt").read_text()


def test_a_home_that_cannot_be_written(stopped, home):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    folder, made, path = stopped
    folder.chmod(0o500)
    try:
        assert started(path).wait(60) == 0
        assert path.exists() and not ledger.lines(made.id)
    finally:
        folder.chmod(0o700)


def test_a_job_that_cannot_be_read_stays(stopped, home):
    path = stopped[2]
    path.write_text("{")
    work(path)
    assert path.exists() and f"worker, {path.name}: UnreadableError" in log(home)


def test_a_job_outside_a_session_is_refused(tmp_path):
    path = tmp_path / "stop-0123456789abcdef.json"
    path.write_text("{}")
    with pytest.raises(UsageError):
        work(path)
    assert started(path).wait(30) == 2


def test_what_a_fault_says_holds_no_word_of_a_prompt(stopped, home, monkeypatch):
    from skills2_nb.evals import stopped as module

    def fails(event):
        raise ValueError(f"secret words: {event.question} {event.answer}")

    monkeypatch.setattr(module, "settle", fails)
    work(stopped[2])
    assert "ValueError (test_worker.py:" in log(home)
    assert "secret" not in log(home) and "91" not in log(home).partition(": ValueError")[2]
    assert not stopped[2].exists()  # another try would end as this one did
