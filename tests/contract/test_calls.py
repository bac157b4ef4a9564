"""Calls that are kept, and calls that are read again."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.contract import journal, snapshot
from skills2_nb.contract.call import call_of
from skills2_nb.contract.calls import Calls
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.lines import Lines, mark
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Runtime
from skills2_nb.contract.state import fold

from .conftest import collected, count

KINDS = st.sampled_from(["step_ok", "step_failed", "rejected", "note"])


def record(number: int, kind: str, step: str, seq: int | None = None) -> journal.Record:
    """A record of a kind that the calls know, and nothing that they do not look at."""
    made = {"seq": number if seq is None else seq, "ts": "t", "kind": kind, "step": step}
    return made | {"reason": None if kind == "step_ok" else "order", "output": {"n": number}}


@given(
    st.lists(st.tuples(KINDS, st.sampled_from("abc"), st.booleans())),
    st.integers(0, 12),
    st.integers(0, 12),
)
def test_kept_noted_and_loaded_calls_are_the_same(rows, split, cut):
    records = [record(at, kind, step) for at, (kind, step, _) in enumerate(rows, 1)]
    wanted = [call_of(item) for item in records if item["kind"] != "note"]

    def source(numbers):
        return (records[number - 1] for number in numbers)

    split = min(split, len(records))
    mixed, loaded = Calls(source), Calls(source, split)
    for number, item in enumerate(records, 1):
        if item["kind"] == "note":
            continue
        call = call_of(item)
        if rows[number - 1][2]:
            mixed.append(call, number)
        else:
            mixed.note(number, call.step, call.status, None if call.status == "ok" else "order")
        if number > split:
            loaded.append(call, number)
    for calls in (mixed, loaded):
        assert [calls.by_seq(number) for number in range(len(records) + 2)] == [
            next((c for c in wanted if c.seq == number), None) for number in range(len(records) + 2)
        ]
        assert (list(calls), len(calls), calls[1:]) == (wanted, len(wanted), wanted[1:])
        assert list(calls.where(lambda step, *_: step == "a")) == [
            call for call in wanted if call.step == "a"
        ]
        before = [call for call in wanted if call.seq < cut]
        assert calls.before(cut) == before
        assert calls.before(cut).newest() == {c.step: c for c in before if c.status == "ok"}
        assert calls.before(cut).by_seq(cut) is None


def test_a_record_that_claims_another_number_is_found_by_its_claim():
    calls = Calls()
    calls.append(call_of(record(1, "step_ok", "a")), 1)
    calls.append(call_of(record(2, "step_ok", "b", seq=1)), 2)
    calls.append(call_of(record(3, "step_ok", "c", seq=9)), 3)
    assert [getattr(calls.by_seq(seq), "step", None) for seq in (1, 2, 3, 9)] == [
        "b",
        None,
        None,
        "c",
    ]
    assert list(calls.seqs()) == [1, 1, 9]


def test_what_lacks_what_it_carries_is_told_when_it_is_looked_at():
    def source(numbers):
        return ({"kind": "step_ok", "run": "r1"} for _ in numbers)

    calls = Calls(source)
    calls.note(1, "a", "ok", None)
    with pytest.raises(JournalError, match="lacks what its kind carries"):
        calls[0]
    with pytest.raises(JournalError, match="lacks what its kind carries"):
        len(Calls(source, 1))


@pytest.fixture
def run(skill) -> Run:
    run = Run.start(skill)
    for _ in range(5):
        run.call("count", {"rows": [7, 3]})
    return run


def test_lines_are_read_in_any_order(run):
    records = list(journal.read(run.path))
    lines = Lines(run.path, [mark(item["hash"]) for item in records])
    assert list(lines([6, 1, 3, 3])) == [records[5], records[0], records[2], records[2]]


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data.replace(b'"lost":0', b'"lost":1'),
        lambda data: b"".join(data.splitlines(True)[:2]),
        lambda data: b"".join(data.splitlines(True)[::-1]),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"",
    ],
)
def test_a_line_that_changed_is_told(run, harm, marked):
    marks = [mark(item["hash"]) for item in journal.read(run.path)]
    run.path.write_bytes(harm(run.path.read_bytes()))
    with pytest.raises(JournalError, match="line 3 is not what it was"):
        list(Lines(run.path, marks if marked else None)([3]))


def test_a_line_forged_whole_is_told_by_its_mark(run):
    marks = [mark(item["hash"]) for item in journal.read(run.path)]
    line = run.path.read_bytes().splitlines(True)[2]
    forged = journal.sealed(line.replace(b'"lost":0', b'"lost":1')[: -journal.TAIL - 1])[0]
    run.path.write_bytes(run.path.read_bytes().replace(line, forged))
    with pytest.raises(JournalError, match="not what it was"):
        list(Lines(run.path, marks)([3]))


def test_a_journal_that_is_gone_is_told(tmp_path: Path):
    with pytest.raises(JournalError, match="cannot read the journal"):
        list(Lines(tmp_path / "none.jsonl")([1]))


def test_a_long_run_keeps_its_newest_calls_and_reads_the_others(skill, monkeypatch):
    monkeypatch.setattr(snapshot, "KEPT", 3)
    run = Run.start(skill)
    run.call("count", {"rows": [7, 3], "lost": 1})
    run.call("balance")
    for lost in range(20):
        run.call("count", {"rows": [7, 3], "lost": lost})
    calls = run.state.calls
    assert len(calls._kept) < 10 < len(calls) == 22
    assert 2 in calls._kept  # what the newest `balance` stands on
    assert list(calls) == list(fold(journal.read(run.path)).calls)
    run.path.unlink()
    assert run.state.is_stale("balance")
    assert run.state.newest("count").args["lost"] == 19
    with pytest.raises(JournalError):
        list(calls)


def test_values_that_a_record_lacks_are_kept(monkeypatch):
    monkeypatch.setattr(snapshot, "KEPT", 2)
    run = Run.start(collected([count], runtime=Runtime(capture="digest")))
    for lost in range(12):
        run.call("count", {"rows": [7, 3], "lost": lost})
    assert [call.args["lost"] for call in run.state.calls] == list(range(12))
