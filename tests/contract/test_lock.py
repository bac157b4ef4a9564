"""Locks on systems that are not here, by stand-ins for what they offer."""

import json
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from skills2_nb.contract import ledger
from skills2_nb.contract.home import elsewhere, folder, home

#: What Windows has, in place of what it has not: kept by a real lock, so that order shows.
WINDOWS = """
    import asyncio, errno, json, os, sys, types
    from pathlib import Path
    import pydantic.main  # asks the real system about itself

    calls, busy = [], [2]
    msvcrt = types.ModuleType("msvcrt")
    msvcrt.LK_LOCK, msvcrt.LK_UNLCK = 1, 0

    seek, place = os.lseek, {}

    def lseek(fd, at, how):  # file systems here end before 2**62
        place[fd] = at
        return at if at > 2**60 else seek(fd, at, how)

    os.lseek = lseek

    def locking(fd, mode, count):
        if mode == msvcrt.LK_LOCK and busy[0]:
            busy[0] -= 1
            calls.append(["busy"])
            raise OSError(errno.EDEADLK, "Resource deadlock avoided")
        calls.append([mode, place[fd], count])

    msvcrt.locking = locking
    sys.modules["msvcrt"] = msvcrt
    sys.modules["fcntl"] = None
    write = os.write
    os.write = lambda fd, data: (calls.append(["write", len(data)]), write(fd, data))[1]
    sys.platform = "win32"
    for name in ("pread", "register_at_fork", "geteuid", "fork"):
        delattr(os, name)
    from skills2_nb.contract import chain, journal, ledger
    from skills2_nb.contract.run import Run
    from skills2_nb.contract.skill import Skill
    path = Path(sys.argv[1])
    log = journal.Journal(path, "r1", "w")
    log.append("note", {"text": "one"})
    first = list(calls)
    with path.open("ab") as file:
        file.write(b'{"torn":')
    other = journal.Journal(path, "r1", "w2")
    other.append("note", {"text": "two"})
    log.append("note", {"text": "three"})
    ledger.append("trial", {"n": 1})
    run = Run.start(Skill("windows", ()), {"n": 1})
    run.end()
    state = Run.resume(Skill("windows", ()), run.id).state
    told = [chain.verify(path), [r["kind"] for r in journal.read(path)], state.count]
    print(json.dumps([first, calls, told, list(ledger.read("trial"))[0]["n"]]))
"""


def run(code: str, *args: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_windows_locks_one_byte_far_out_and_lets_go(tmp_path: Path) -> None:
    first, calls, (faults, kinds, count), n = json.loads(run(WINDOWS, tmp_path / "a b ü.jsonl"))
    far = 2**62
    assert first == [["busy"], ["busy"], [1, far, 1], first[3], [0, far, 1]]
    assert first[3][0] == "write"
    held = False
    for call in calls[2:]:
        if call[0] == "write":
            assert held
        else:
            assert call[1:] == [far, 1]
            assert held is (call[0] == 0)
            held = not held
    assert not held
    assert (faults, kinds, count, n) == ([], ["note", "healed", "note", "note"], 2, 1)


def test_windows_tells_other_faults_of_a_lock(tmp_path: Path) -> None:
    code = WINDOWS.replace("errno.EDEADLK", "errno.EBADF").partition("    ledger.append")[0]
    code = code.replace(
        '    log.append("note", {"text": "one"})\n',
        """
    from skills2_nb.contract.errors import JournalError
    try:
        log.append("note", {"text": "one"})
    except JournalError as error:
        print(error)
    raise SystemExit
""",
    )
    assert "cannot write to the journal" in run(code, tmp_path / "run.jsonl")


SERIAL = """
    import os, sys, time
    from skills2_nb.contract.lock import locked
    fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
    for _ in range(50):
        with locked(fd):
            count = int(os.pread(fd, 20, 0) or b"0")
            time.sleep(0.0005)
            os.pwrite(fd, str(count + 1).encode(), 0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="flock is POSIX's")
def test_no_two_processes_are_within_a_lock(tmp_path: Path) -> None:
    place = tmp_path / "count"
    threads = [threading.Thread(target=run, args=(SERIAL, place)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert place.read_text() == "150"


@pytest.mark.skipif(sys.platform == "win32", reason="HOME is POSIX's")
def test_home_is_absolute_and_knows_the_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SKILLS2_HOME", "~/kit")
    assert home() == tmp_path / "kit"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLS2_HOME", "kit")
    assert home() == tmp_path / "kit"
    monkeypatch.delenv("SKILLS2_HOME")
    assert home() == tmp_path / ".claude" / "skills2"
    with elsewhere(tmp_path / "aside"):
        assert home() == tmp_path / "aside"
        assert folder("runs", "x").stat().st_mode & 0o777 == 0o700


def test_a_torn_ledger_line_costs_no_other(home: Path) -> None:
    ledger.append("trial", {"n": 1})
    with ledger.place("trial").open("ab") as file:
        file.write(b'{"n": 2, "to')
    ledger.append("trial", {"n": 3})
    with ledger.place("trial").open("ab") as file:
        file.write(b"[" * 100_000 + b"\n")
    ledger.append("trial", {"n": 4})
    assert [line["n"] for line in ledger.read("trial")] == [1, 3, 4]
