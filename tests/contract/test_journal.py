"""The journal: whole, chained, and of one mind between writers."""

import json
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.contract import chain, journal
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.journal import GENESIS, Journal
from skills2_nb.contract.state import fold


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def note(log: Journal, text: str) -> None:
    log.append("note", {"text": text})


def test_a_line_is_as_the_format_says(path: Path) -> None:
    log = Journal(path, "r1", "cli:7")
    note(log, "one")
    note(log, "two")
    lines = path.read_bytes().splitlines(keepends=True)
    first, second = (json.loads(line) for line in lines)
    assert list(first) == ["v", "run", "seq", "ts", "kind", "text", "writer", "mac", "prev", "hash"]
    assert first["prev"] == GENESIS
    assert second["prev"] == first["hash"]
    assert (first["v"], first["run"], first["seq"], first["writer"]) == (1, "r1", 1, "cli:7")
    assert first["mac"] is None
    assert all(line.endswith(b'"}\n') and b" " not in line for line in lines)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_only_the_owner_can_read_it(path: Path) -> None:
    note(Journal(path, "r1", "cli:7"), "one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_record_cannot_carry_the_journals_own_keys(path: Path) -> None:
    with pytest.raises(JournalError, match="hash, seq"):
        Journal(path, "r1", "w").append("note", {"text": "x", "seq": 9, "hash": "0"})


@pytest.fixture
def five(path: Path) -> list[bytes]:
    log = Journal(path, "r1", "w")
    for text in "abcde":
        note(log, text)
    return path.read_bytes().splitlines(keepends=True)


def edit(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2].replace(b'"c"', b'"C"'), *lines[3:]]


def cut_inside(lines: list[bytes]) -> list[bytes]:
    return [*lines[:1], *lines[2:]]


def swap(lines: list[bytes]) -> list[bytes]:
    return [lines[0], lines[2], lines[1], *lines[3:]]


def tear(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], lines[4][:-10]]


def double(lines: list[bytes]) -> list[bytes]:
    return [*lines[:3], lines[2], *lines[3:]]


@pytest.mark.parametrize(
    ("damage", "line"),
    [(edit, 3), (cut_inside, 2), (swap, 2), (tear, 5), (double, 4)],
)
def test_damage_is_found_with_its_line(path: Path, five: list[bytes], damage, line: int) -> None:
    assert chain.verify(path) == []
    path.write_bytes(b"".join(damage(five)))
    faults = chain.verify(path)
    assert faults[0].line == line, faults


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_any_changed_byte_is_found(position: int, change: int) -> None:
    data = bytearray(_sample())
    position %= len(data)
    data[position] ^= change
    path = Path(os.environ["SKILLS2_HOME"]).with_name("flip.jsonl")
    path.write_bytes(bytes(data))
    try:
        assert chain.verify(path) != []
    finally:
        path.unlink()


def _sample(cache: list[bytes] = []) -> bytes:  # noqa: B006 - made once
    if not cache:
        path = Path(os.environ["SKILLS2_HOME"]).with_name("sample.jsonl")
        log = Journal(path, "r1", "w")
        for text in "abc":
            note(log, text)
        cache.append(path.read_bytes())
    return cache[0]


def test_every_prefix_of_lines_is_a_valid_state(five: list[bytes]) -> None:
    for count in range(len(five) + 1):
        state = fold(json.loads(line) for line in five[:count])
        assert state.count == count
        assert len(state.notes) == count


def test_a_torn_tail_is_kept_aside_and_noted(path: Path, five: list[bytes]) -> None:
    with path.open("ab") as file:
        file.write(b'{"v":1,"run":"r1","seq":6')
    note(Journal(path, "r1", "w"), "f")
    records = list(journal.read(path))
    assert [r["kind"] for r in records[-2:]] == ["healed", "note"]
    assert records[-2]["bytes"] == 25
    assert path.with_suffix(".torn").read_bytes() == b'{"v":1,"run":"r1","seq":6'
    assert chain.verify(path) == []


def test_a_journal_cut_under_an_open_writer_stops_it(path: Path) -> None:
    log = Journal(path, "r1", "w")
    note(log, "one")
    note(log, "two")
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(JournalError, match="was cut"):
        note(log, "three")


def test_two_writers_see_each_other(path: Path) -> None:
    seen: list[int] = []
    one = Journal(path, "r1", "a", lambda record: seen.append(record["seq"]))
    two = Journal(path, "r1", "b")
    note(one, "1")
    note(two, "2")
    note(two, "3")
    note(one, "4")
    assert seen == [1, 2, 3, 4]
    assert chain.verify(path) == []


def test_what_fields_raise_stops_the_append(path: Path) -> None:
    log = Journal(path, "r1", "w")
    note(log, "one")

    def refuse() -> dict[str, str]:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        log.append("note", refuse)
    note(log, "two")
    assert [r["text"] for r in journal.read(path)] == ["one", "two"]


def test_time_does_not_go_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Journal(path, "r1", "w")
    times = iter(["2026-01-02T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z"])
    monkeypatch.setattr(journal, "now", lambda: next(times))
    note(log, "one")
    note(log, "two")
    assert len({record["ts"] for record in journal.read(path)}) == 1


def test_threads_append_to_one_chain(path: Path) -> None:
    log = Journal(path, "r1", "w")
    threads = [
        threading.Thread(target=lambda: [note(log, "x") for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert chain.verify(path) == []
    assert sum(1 for _ in journal.read(path)) == 400


def _append_many(path: Path, writer: str, count: int) -> None:
    log = Journal(path, "r1", writer)
    for number in range(count):
        log.append("note", {"text": f"{writer}-{number}" + "x" * 200})


def test_processes_append_to_one_chain(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append_many, args=(path, f"w{n}", 250)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert chain.verify(path) == []
    assert sum(1 for _ in journal.read(path)) == 1000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_opens_the_file_anew(path: Path) -> None:
    log = Journal(path, "r1", "parent")
    note(log, "before")
    child = os.fork()
    if child == 0:
        try:
            for _ in range(100):
                note(log, "child")
        finally:
            os._exit(0)
    for _ in range(100):
        note(log, "parent")
    os.waitpid(child, 0)
    note(log, "after")
    assert chain.verify(path) == []
    assert sum(1 for _ in journal.read(path)) == 202


KILLED = """
import sys
from pathlib import Path
from skills2_nb.contract.journal import Journal
log = Journal(Path(sys.argv[1]), "r1", "victim")
print("ready", flush=True)
number = 0
while True:
    log.append("note", {"text": "x" * 20_000})
    number += 1
    print(number, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX's")
def test_a_killed_writer_loses_no_completed_record(path: Path) -> None:
    told = 0
    for round_ in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.01 + 0.007 * round_)
        process.send_signal(signal.SIGKILL)
        told += len(process.stdout.read().split())
        process.stdout.close()
        process.wait()
    note(Journal(path, "r1", "after"), "end")
    assert chain.verify(path) == []
    whole = [r for r in journal.read(path) if r["writer"] == "victim" and r["kind"] == "note"]
    assert len(whole) >= told > 0


def test_a_full_disk_leaves_no_half_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Journal(path, "r1", "w")
    note(log, "one")
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:10]))
    with pytest.raises(JournalError, match="disk is full"):
        note(log, "two")
    monkeypatch.undo()
    assert chain.verify(path) == []
    note(log, "three")
    assert [r["text"] for r in journal.read(path)] == ["one", "three"]


@pytest.mark.parametrize("text", ["not json\n", "[]\n", '{"v":1}\n'])
def test_a_line_that_is_no_record_is_named(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(JournalError, match="line 1 is no record"):
        list(journal.read(path))
    assert chain.verify(path) != []


def test_an_absent_journal_says_so(path: Path) -> None:
    with pytest.raises(JournalError, match="cannot read"):
        list(journal.read(path))
    with pytest.raises(JournalError, match="cannot read"):
        chain.verify(path)
