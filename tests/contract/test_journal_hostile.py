"""The journal against killers, forgers, full disks and people who tidy up."""

import json
import os
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.cli.main import main
from skills2_nb.contract import chain, journal
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.journal import Journal, sealed
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState, fold

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork and SIGKILL are POSIX's")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def note(log: Journal, text: str = "x") -> dict[str, Any]:
    return log.append("note", {"text": text})


def script(code: str, *args: object) -> str:
    """Run ``code`` in a process of its own; what it prints."""
    head = "import os, sys, threading\nfrom pathlib import Path\n"
    head += "from skills2_nb.contract.journal import Journal\npath = Path(sys.argv[1])\n"
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(code), *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Four writers at once, fifty times: each tells the pipe what is safely in the journal.
KILLER = """
    import random, select, signal, time
    choose = random.Random(int(sys.argv[2]))

    def write(number, pipe):
        log = Journal(path, "r1", f"w{number}")
        for count in range(10**6):
            text = f"{number}-{count}"
            log.append("note", {"text": text + "." * choose.choice([0, 50, 30_000])})
            os.write(pipe, text.encode() + b"\\n")

    told, number = [], 0
    for _ in range(50):
        out, pipe = os.pipe()
        children = []
        for _ in range(4):
            number += 1
            child = os.fork()
            if child == 0:
                try:
                    write(number, pipe)
                finally:
                    os._exit(1)
            children.append(child)
        os.close(pipe)
        choose.shuffle(children)
        select.select([out], [], [])
        for child in children:
            time.sleep(choose.random() * 0.008)
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
        with os.fdopen(out) as lines:
            told += lines.read().split()
    Journal(path, "r1", "last").append("note", {"text": "end"})
    print(*told)
"""


@posix
def test_two_hundred_killed_writers_lose_no_completed_record(path: Path) -> None:
    told = script(KILLER, path, 7).split()
    records = list(journal.read(path))
    texts = [r["text"].rstrip(".") for r in records if r["kind"] == "note"]
    assert chain.verify(path) == []
    assert len(told) > 200
    assert set(told) <= set(texts)
    assert len(texts) == len(set(texts))
    healed = [record for record in records if record["kind"] == "healed"]
    torn = path.with_suffix(".torn")
    assert sum(record["bytes"] for record in healed) == (torn.stat().st_size if healed else 0)
    assert fold(records).count == len(records)


MANY = """
    from skills2_nb.contract.run import Run
    from skills2_nb.contract.skill import Skill
    log = Journal(path, "r1", sys.argv[2])
    for number in range(1000):
        log.append("note", {"text": f"{sys.argv[2]}-{number}"})
    for number in range(250):
        run = Run.start(Skill("many", ()), {"n": number})
        run.end(answer=sys.argv[2])
        run.close()
"""


def test_four_processes_share_a_run_and_keep_their_own(path: Path, home: Path) -> None:
    threads = [threading.Thread(target=script, args=(MANY, path, f"w{n}")) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert chain.verify(path) == []
    texts = [record["text"] for record in journal.read(path)]
    assert sorted(texts) == sorted(f"w{n}-{k}" for n in range(4) for k in range(1000))
    for n in range(4):
        assert [t for t in texts if t.startswith(f"w{n}-")] == [f"w{n}-{k}" for k in range(1000)]
    runs = sorted((home / "runs").glob("*/*.jsonl"))
    assert len(runs) == 1000
    assert not [run for run in runs if chain.verify(run)]


FORKS = """
    log = Journal(path, "r1", "parent")
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            log.append("note", {"text": "thread" + "x" * 5_000})

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(40):
        child = os.fork()
        if child == 0:
            for _ in range(5):
                log.append("note", {"text": "child"})
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    for thread in threads:
        thread.join()
    log.append("note", {"text": "end"})
    print(log._seq)
"""


@posix
def test_forks_while_threads_hold_the_lock(path: Path) -> None:
    count = int(script(FORKS, path))
    assert chain.verify(path) == []
    records = list(journal.read(path))
    assert len(records) == count
    assert sum(record["text"] == "child" for record in records) == 200


@posix
def test_a_forked_run_knows_all_that_its_parent_knew(skill: Skill) -> None:
    run = Run.start(skill, {"rows": [3, 4]})
    run.call("count")
    out, pipe = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            run.call("balance")
            os.write(pipe, str(run.state.count).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(out, 10) == b"3"
    os.close(out)
    os.close(pipe)
    assert run.call("tell") == {"readout": "The period ends with 7."}
    assert chain.verify(run.path) == []


# --- what a forger leaves ---------------------------------------------------------------


@pytest.fixture
def five(path: Path) -> list[bytes]:
    log = Journal(path, "r1", "w")
    for text in "abcde":
        note(log, text)
    return path.read_bytes().splitlines(keepends=True)


def resealed(line: bytes, old: bytes, new: bytes) -> bytes:
    """The line with other bytes and the hash that goes with them."""
    body = line[: line.rindex(b',"hash":')]
    assert old in body
    return sealed(body.replace(old, new, 1))[0]


def forged(old: bytes, new: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [*lines[:4], resealed(lines[4], old, new)]


def appended(lines: list[bytes]) -> list[bytes]:
    return [*lines, resealed(lines[4], b'"text":"e"', b'"text":"f"')]


DAMAGE = {
    "wrong seq": (forged(b'"seq":5', b'"seq":6'), 5, "number 6"),
    "seq as text": (forged(b'"seq":5', b'"seq":"5"'), 5, "number 5"),
    "seq as a float": (forged(b'"seq":5', b'"seq":5.0'), 5, "number 5.0"),
    "wrong prev": (forged(b'"prev":"', b'"prev":"0'), 5, "does not follow"),
    "another run": (forged(b'"run":"r1"', b'"run":"r2"'), 5, "another run"),
    "no run": (forged(b'"run":"r1"', b'"run":null'), 5, "another run"),
    "unknown kind": (forged(b'"kind":"note"', b'"kind":"step_okay"'), 5, "nobody writes"),
    "unknown version": (forged(b'"v":1', b'"v":9'), 5, "nobody writes"),
    "older": (forged(b'"ts":"2', b'"ts":"1'), 5, "older"),
    "no JSON": (forged(b'"text":', b'"text";'), 5, "no JSON"),
    "too deep": (forged(b'"e"', b"[" * 100_000 + b"]" * 100_000), 5, "no JSON"),
    "appended": (appended, 6, "does not follow"),
    "a list": (lambda lines: [*lines[:4], b"[1]\n"], 5, "does not end with its hash"),
    "an empty line": (lambda lines: [*lines[:2], b"\n", *lines[2:]], 3, "not end with its hash"),
    "first cut": (lambda lines: lines[1:], 1, "does not follow"),
    "byte order mark": (lambda lines: [b"\xef\xbb\xbf" + lines[0], *lines[1:]], 1, "changed"),
    "CRLF": (lambda lines: [line[:-1] + b"\r\n" for line in lines], 1, "CR LF"),
    "cut tail": (lambda lines: [*lines[:4], lines[4][:-1]], 5, "not complete"),
}


@pytest.mark.parametrize(("damage", "line", "says"), DAMAGE.values(), ids=DAMAGE)
def test_a_forgery_is_found_with_its_line(
    path: Path, five: list[bytes], damage: Any, line: int, says: str
) -> None:
    path.write_bytes(b"".join(damage(five)))
    fault = chain.verify(path)[0]
    assert fault.line == line
    assert says in fault.message


@pytest.mark.parametrize("damage", ["wrong seq", "no JSON", "another run", "appended"])
def test_the_command_says_the_line(
    skill: Skill, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    run = Run.start(skill, {"rows": [1]})
    for text in "bcde":
        run.note(text)
    lines = run.path.read_bytes().splitlines(keepends=True)
    made, line, says = DAMAGE[damage]
    if damage == "another run":
        made = forged(run.id.encode(), b"r2")
    run.path.write_bytes(b"".join(made(lines)))
    with pytest.raises(SystemExit) as ended:
        main(["runs", "verify", run.id, "--json"])
    assert ended.value.code == 1
    faults = json.loads(capsys.readouterr().out)["runs"][0]["faults"]
    assert [f for f in faults if f["line"] == line and says in f["message"]]


@given(st.data())
def test_no_line_can_be_cut_swapped_or_doubled(data: st.DataObject) -> None:
    lines = _lines()
    at = data.draw(st.integers(0, len(lines) - 2))
    how = data.draw(st.sampled_from(["cut", "swap", "double"]))
    changed = {
        "cut": [*lines[:at], *lines[at + 1 :]],
        "swap": [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
        "double": [*lines[: at + 1], *lines[at:]],
    }[how]
    path = Path(os.environ["SKILLS2_HOME"]).with_name("changed.jsonl")
    path.write_bytes(b"".join(changed))
    assert chain.verify(path)[0].line == at + (2 if how == "double" else 1)


def _lines(cache: list[bytes] = []) -> list[bytes]:  # noqa: B006 - made once
    if not cache:
        path = Path(os.environ["SKILLS2_HOME"]).with_name("lines.jsonl")
        log = Journal(path, "r1", "w")
        for number in range(8):
            note(log, str(number))
        cache.extend(path.read_bytes().splitlines(keepends=True))
    return cache


@pytest.mark.parametrize(
    "line", [b'{"hash":"x"}', b'{"hash":"x","seq":"1"}', b"[" * 100_000, b'{"hash":1}', b"1"]
)
def test_a_broken_journal_is_not_gone_on_with(path: Path, line: bytes) -> None:
    path.write_bytes(line + b"\n")
    with pytest.raises(JournalError, match="line 1"):
        note(Journal(path, "r1", "w"))
    assert path.read_bytes() == line + b"\n"


# --- heals -------------------------------------------------------------------------------


def test_what_was_torn_is_kept_beside_and_noted_once(path: Path, five: list[bytes]) -> None:
    torn = path.with_suffix(".torn")
    torn.write_bytes(b"of an earlier death")
    path.write_bytes(b"".join(five) + five[4][:40])
    logs = [Journal(path, "r1", f"w{n}") for n in range(2)]
    threads = [threading.Thread(target=note, args=(log,)) for log in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kinds = [record["kind"] for record in journal.read(path)]
    assert kinds[5:] == ["healed", "note", "note"]
    assert torn.read_bytes() == b"of an earlier death" + five[4][:40]
    assert chain.verify(path) == []


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_what_was_torn_is_no_more_public_than_the_rest(path: Path, five: list[bytes]) -> None:
    path.write_bytes(b"".join(five)[:-5])
    note(Journal(path, "r1", "w"))
    assert stat.S_IMODE(path.with_suffix(".torn").stat().st_mode) == 0o600


def test_a_tail_that_cannot_be_put_aside_stays(path: Path, five: list[bytes]) -> None:
    path.write_bytes(b"".join(five)[:-5])
    path.with_suffix(".torn").mkdir()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="cannot write"):
        note(Journal(path, "r1", "w"))
    assert path.read_bytes() == before


# --- people who tidy up, disks that fill -------------------------------------------------


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:30])


@posix
@pytest.mark.parametrize(
    ("change", "says"), [(removed, "removed"), (replaced, "replaced"), (cut, "was cut")]
)
def test_nothing_is_written_where_nobody_will_read_it(path: Path, change: Any, says: str) -> None:
    log = Journal(path, "r1", "w")
    note(log)
    change(path)
    after = path.read_bytes() if path.exists() else None
    with pytest.raises(JournalError, match=says):
        note(log)
    assert (path.read_bytes() if path.exists() else None) == after


@posix
def test_a_moved_journal_takes_its_writer_along(path: Path) -> None:
    log = Journal(path, "r1", "w")
    note(log)
    moved = path.rename(path.with_name("moved.jsonl"))
    note(log)
    assert not path.exists()
    assert len(list(journal.read(moved))) == 2
    assert chain.verify(moved) == []


def test_an_interrupt_at_any_moment_breaks_no_chain(skill: Skill) -> None:
    """A signal falls between any two steps of an append; the run goes on, and so does the chain."""
    for moment in range(1, 12):
        run = Run.start(skill, {"rows": [1]})
        seen = 0

        def trace(frame: Any, event: str, _: Any, at: int = moment) -> Any:
            nonlocal seen
            if frame.f_code.co_name in ("_write", "_put", "_accept", "_take") and event == "line":
                seen += 1
                if seen == at * 3:
                    raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            run.note("interrupted")
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        run.note("after")
        assert chain.verify(run.path) == [], moment
        records = list(journal.read(run.path))
        assert run.state.count == len(records)
        assert run.state.head == records[-1]["hash"]


def test_a_handler_does_not_write_into_a_half_done_line(path: Path) -> None:
    log = Journal(path, "r1", "w")

    def fields() -> dict[str, str]:
        with pytest.raises(JournalError, match="this very thread"):
            note(log, "inner")
        return {"text": "outer"}

    log.append("note", fields)
    note(log, "next")
    assert [record["text"] for record in journal.read(path)] == ["outer", "next"]
    assert chain.verify(path) == []


@pytest.mark.parametrize("call", ["fstat", "write", "open"])
def test_whatever_the_system_refuses_is_one_typed_error(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    log = Journal(path, "r1", "w")
    if call != "open":
        note(log)

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(JournalError, match="Permission denied"):
        note(log)
    monkeypatch.undo()
    note(log, "after")
    assert chain.verify(path) == []


# --- long runs ---------------------------------------------------------------------------


def test_a_long_run_is_read_once_and_no_line_twice(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Journal(path, "r1", "w")
    for number in range(10_000):
        note(log, str(number))
    bytes_read, lines = [], []
    pread, parsed = journal.pread, journal.parsed

    def counted(fd: int, count: int, offset: int) -> bytes:
        bytes_read.append(count)
        return pread(fd, count, offset)

    monkeypatch.setattr(journal, "pread", counted)
    monkeypatch.setattr(journal, "parsed", lambda *a: lines.append(1) or parsed(*a))
    state = RunState()
    other = Journal(path, "r1", "w2", state.apply)
    other.sync()
    assert (sum(bytes_read), len(lines)) == (path.stat().st_size, 10_000)
    assert state.count == 10_000
    other.sync()
    size = path.stat().st_size
    note(log, "one more")
    other.sync()
    assert (sum(bytes_read), len(lines)) == (path.stat().st_size, 10_001)
    assert bytes_read[-1] == path.stat().st_size - size
