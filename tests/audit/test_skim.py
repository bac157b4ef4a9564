"""A long journal is audited in little room, with the outcome of a whole fold."""

import contextlib
from pathlib import Path

import pytest

from skills2_nb.audit import skim
from skills2_nb.audit.auditor import Basis, audit
from skills2_nb.audit.integrity import examine
from skills2_nb.audit.reading import Reading
from skills2_nb.contract import journal
from skills2_nb.contract.blobs import path as blob_path
from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.errors import ContractError, JournalError
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import fold
from skills2_nb.contract.step import step


@step
def first(n: int, note: str = "") -> dict[str, int]:
    """Give a number."""
    return {"seen": n}


@step(invariants=["is_small"])
def second(seen: int) -> dict[str, int]:
    """Double it."""
    return {"twice": 2 * seen}


def is_small(twice: int) -> bool:
    """Whether it is."""
    return twice < 100


@pytest.fixture
def skill() -> Skill:
    return Skill.collect({"first": first, "second": second}, "trial")


@pytest.fixture
def run(skill: Skill) -> Run:
    """Calls of every kind, sources that moved, and a big value kept aside."""
    run = Run.start(skill, {"n": 5}, vouched="cli")
    for step_, args in [
        ("second", {}),
        ("first", {}),
        ("second", {}),
        ("first", {"n": 70}),
        ("second", {}),
        ("nothing", {}),
        ("first", {"n": "no number"}),
        ("first", {"n": 5, "note": "x" * 70_000}),
        ("second", {"seen": 70}),
        ("first", {"n": 6}),
        ("second", {"seen": 5}),
        ("first", {"n": 7}),
    ]:
        with contextlib.suppress(ContractError):
            run.call(step_, args)
    run.note("by hand")
    run.end(answer="14")
    return run


@pytest.fixture(params=[0, 1, 4, 1_000])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many records are kept whole."""
    monkeypatch.setattr(skim, "KEPT", request.param)
    return int(request.param)


def test_the_state_is_that_of_a_whole_fold(run, kept):
    state = Reading(run.path).state
    assert state == fold(journal.read(run.path))
    assert list(state.by_seq) == [call.seq for call in state.calls]


def test_the_audit_is_that_of_a_whole_fold(run, skill, kept):
    intact, state = examine(run.path)
    basis = Basis(skill, anchors=("14",))
    ours = audit(basis, state, answer="14", integrity=intact)
    theirs = audit(basis, fold(journal.read(run.path)), answer="14", integrity=intact)
    assert ours.to_dict() == theirs.to_dict()
    assert {item.code for item in ours.strict.findings} >= {"ORDER_REJECTED", "INVARIANT_FAILED"}


def rewritten(run: Run, change) -> None:
    """Each record changed, and the chain made anew: what only its shape gives away."""
    prev, made = journal.GENESIS, []
    for record in journal.read(run.path):
        change(record)
        inner = {k: v for k, v in record.items() if k not in ("prev", "hash")}
        line, prev = journal.sealed(f'{encode_plain(inner)[:-1]},"prev":"{prev}"'.encode("ascii"))
        made.append(line)
    run.path.write_bytes(b"".join(made))


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("step_ok", "args", [1]),
        ("step_ok", "bound", {"n": 1}),
        ("step_ok", "bound", {"n": {"from": "a#/b", "seq": "1"}}),
        ("step_ok", "invariants", [{"name": "a", "ok": 1}]),
        ("step_ok", "invariants", {}),
        ("step_ok", "us", True),
        ("step_ok", "step", 5),
        ("step_ok", "files", []),
        ("step_failed", "us", -1),
        ("rejected", "invariants", [1]),
    ],
)
def test_a_forged_shape_stops_the_reading(run, kept, kind, key, value):
    rewritten(run, lambda record: record.update({key: value} if record["kind"] == kind else {}))
    read = Reading(run.path)
    at = next(at for at, r in enumerate(journal.read(run.path), 1) if r["kind"] == kind)
    assert f"record {at}" in str(read.stopped)
    assert (read.count, read.state) == (at - 1, fold(list(journal.read(run.path))[: at - 1]))


@pytest.mark.parametrize(("kind", "count"), [([], 3), ({}, 3), (None, 16), (5, 16)])
def test_a_kind_that_is_none_is_told(run, kept, kind, count):
    rewritten(run, lambda record: record.update({"kind": kind} if record["seq"] == 4 else {}))
    read = Reading(run.path)
    assert ([fault.line for fault in read.faults], read.count) == ([4], count)


def test_records_that_claim_other_numbers_are_told_and_kept(run, kept):
    rewritten(run, lambda record: record.update(seq=record["seq"] + 2))
    read = Reading(run.path)
    assert read.faults
    assert read.state == fold(journal.read(run.path))


def test_a_value_that_is_gone_stops_the_reading(run, kept):
    (big,) = (r for r in journal.read(run.path) if "$blob" in encode_plain(r.get("args")))
    blob_path(big["args"]["note"]["$blob"]).unlink()
    read = Reading(run.path)
    assert "is not in" in str(read.stopped)
    assert read.count == big["seq"] - 1


def test_a_success_behind_the_end_is_told(run, skill, kept):
    line = next(r for r in journal.read(run.path) if r["kind"] == "step_ok")
    *_, last = journal.read(run.path)
    forged = {k: v for k, v in line.items() if k not in ("prev", "hash")}
    forged |= {"seq": last["seq"] + 1, "ts": last["ts"]}
    body = f'{encode_plain(forged)[:-1]},"prev":"{last["hash"]}"'.encode("ascii")
    with run.path.open("ab") as file:
        file.write(journal.sealed(body)[0])
    read = Reading(run.path)
    assert ([r["seq"] for r in read.late], read.faults) == ([last["seq"] + 1], [])


def test_a_journal_changed_between_two_looks_is_told(run, monkeypatch):
    monkeypatch.setattr(skim, "KEPT", 0)
    state = Reading(run.path).state
    data = run.path.read_bytes()
    run.path.write_bytes(data.replace(b'"n":70', b'"n":71'))
    assert state.newest("first").args["n"] == 7  # kept
    with pytest.raises(JournalError, match="is not what it was"):
        list(state.calls)


def test_a_long_journal_takes_little_room(tmp_path: Path, run):
    """Of calls beyond the first, a few numbers are kept: the state holds no record of them."""
    start, *_ = journal.read(run.path)
    call = next(r for r in journal.read(run.path) if r["kind"] == "step_ok")
    prev, made = journal.GENESIS, []
    for number, record in enumerate([start, *[call] * 3_000], 1):
        fields = {k: v for k, v in record.items() if k not in ("prev", "hash")} | {"seq": number}
        line, prev = journal.sealed(f'{encode_plain(fields)[:-1]},"prev":"{prev}"'.encode("ascii"))
        made.append(line)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"".join(made))
    state = Reading(path).state
    assert len(state.calls) == 3_000
    assert len(state.calls._kept) == skim.KEPT
