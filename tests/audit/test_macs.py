"""Lines signed, stripped, forged and of keys that are gone."""

import importlib.util
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skills2_nb.audit.auditor import audit_journal
from skills2_nb.audit.integrity import inspect
from skills2_nb.audit.macs import Macs
from skills2_nb.contract import chain, keys
from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.journal import GENESIS, sealed
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)
posix = pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")


def codes(integrity):
    return [item.code for item in integrity.findings]


def rewrite(path, change):
    """Chain the lines anew, each as `change` leaves its record; MACs stay what they say."""
    prev, lines = GENESIS, []
    for record in change(kit.records_of(path)):
        head = {k: v for k, v in record.items() if k not in ("mac", "prev", "hash")}
        if head["kind"] == "run_ended":
            head |= {"head": prev}
        body = ",".join(f"{encode_plain(k)}:{encode_plain(v)}" for k, v in head.items())
        mac = encode_plain(record["mac"])
        line, prev = sealed(f'{{{body},"mac":{mac},"prev":"{prev}"'.encode("ascii"))
        lines.append(line)
    path.write_bytes(b"".join(lines))


def one(number, **facts):
    """A change of one record."""

    def change(found):
        found[number] |= facts
        return found

    return change


def every(**facts):
    return lambda found: [record | facts for record in found]


def key_of(run):
    return keys.named(kit.records_of(run.path)[0]["writer"])


def test_a_run_as_written_is_level_one(honest):
    result = inspect(honest.path)
    count = honest.state.count
    assert (result.level, result.held, result.findings) == ("L1", ("L0", "L1"), ())
    assert (result.records, result.verified) == (count, count)
    assert result.to_dict()["verified"] == count


def test_rewriting_without_a_change_changes_nothing(honest):
    before = honest.path.read_bytes()
    rewrite(honest.path, lambda found: found)
    assert honest.path.read_bytes() == before


OUTPUT = {"implied": 999, "residual": 0}


@pytest.mark.parametrize(
    ("number", "facts"),
    [
        (0, {"skill": "other"}),
        (0, {"vouched": "hook"}),
        (0, {"inputs": {}}),
        (0, {"prompt": "Another question?"}),
        (0, {"session": "s1"}),
        (0, {"prompt_id": "p1"}),
        (0, {"digest": "a" * 64}),
        (1, {"ts": "2026-01-01T00:00:00.000000Z"}),
        (1, {"args": {}}),
        (1, {"bound": {}}),
        (1, {"output": OUTPUT}),
        (1, {"invariants": []}),
        (1, {"us": 7}),
        (1, {"step": "close_identity"}),
        (1, {"kind": "note", "text": "x"}),
        (1, {"v": 2}),
        (1, {"seq": 9}),
        (1, {"run": "20260101-000000-00000000"}),
        (1, {"writer": "kernel:0123456789abcdef"}),
        (1, {"writer": "kernel:77"}),
        (1, {"mac": "0" * 64}),
        (1, {"mac": "A" * 64}),
        (1, {"mac": "short"}),
        (1, {"mac": None}),
        (1, {"mac": 7}),
        (1, {"extra": 1}),
        (-1, {"text": "Another answer."}),
        (-2, {"by": "stop"}),
    ],
)
def test_each_field_of_a_line_is_signed(honest, number, facts):
    """The chain is made anew, so that nothing but the MACs tells."""
    rewrite(honest.path, one(number, **facts))
    result = inspect(honest.path)
    if facts == {"writer": "kernel:0123456789abcdef"}:
        assert "KEY_UNKNOWN" in codes(result), "nobody has that key: proves nothing"
    assert result.holds is False
    assert {"MAC_WRONG", "CHAIN_BROKEN"} & set(codes(result))
    assert "L1" not in result.held


def test_a_wrong_line_is_named(honest, basis):
    rewrite(honest.path, one(2, output=OUTPUT))
    result = audit_journal(basis, honest.path)
    assert (result.classic.verdict, result.strict.verdict) == ("tampered", "tampered")
    first = result.strict.findings[0]
    assert (first.code, first.axis) == ("MAC_WRONG", "integrity")
    assert first.message.startswith("line 3 of the journal: its MAC is not the one")


def test_many_wrong_lines_are_counted(honest):
    for _ in range(20):
        honest.note("seen")
    rewrite(honest.path, every(extra=1))
    told = [item.message for item in inspect(honest.path).findings if item.code == "MAC_WRONG"]
    assert len(told) == 9
    assert told[-1].startswith(f"{len(kit.records_of(honest.path)) - 8} more lines")


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_cut_tail_leaves_macs_that_verify(honest, cut):
    """A prefix is signed as it stands: what finds the cut is the ledger, not the key."""
    lines = honest.path.read_bytes().splitlines(keepends=True)
    honest.path.write_bytes(b"".join(lines[:-cut]))
    result = inspect(honest.path)
    assert (result.holds, result.level) == (True, "L1")


def test_lines_of_another_run_are_found(skill):
    run, other = kit.begin(skill, period="1998-04"), kit.begin(skill)
    walk(other)
    run.close()
    with run.path.open("ab") as file:
        file.writelines(other.path.read_bytes().splitlines(keepends=True)[1:])
    rewrite(run.path, every(run=run.id))
    assert set(codes(inspect(run.path))) == {"MAC_WRONG"}


def test_fields_behind_the_mac_are_no_way_in(honest):
    """JSON takes the last of two equal keys: nothing but prev and hash may follow a MAC."""
    lines, prev = [], GENESIS
    for number, line in enumerate(honest.path.read_bytes().splitlines()):
        body = line[: line.index(b',"prev":')]
        more = b',"step":"close_identity"' if number == 1 else b""
        made, prev = sealed(body + more + f',"prev":"{prev}"'.encode())
        lines.append(made)
    honest.path.write_bytes(b"".join(lines))
    assert "MAC_WRONG" in codes(inspect(honest.path))


def test_stripped_of_every_mac_it_is_a_chain_and_no_more(honest):
    """Whoever rewrites all of it and says that there was no key is left to replay: L0."""
    rewrite(honest.path, every(writer="kernel:4265", mac=None))
    result = inspect(honest.path)
    assert (result.holds, result.level, result.held) == (True, "L0", ("L0",))
    assert (codes(result), result.verified) == ([], 0)


def test_a_mac_taken_off_and_the_writer_left_is_wrong(honest):
    rewrite(honest.path, every(mac=None))
    assert set(codes(inspect(honest.path))) == {"MAC_WRONG"}


def test_a_key_of_the_forger_s_own_has_to_be_in_the_home(honest, home):
    """Same-uid code can put its key there: L1 says which key, not who held it."""
    key = keys.Key(b"f" * 32)
    rewrite(honest.path, every(writer=f"kernel:{key.id}"))
    assert inspect(honest.path).holds
    assert "KEY_UNKNOWN" in codes(inspect(honest.path))
    keys.place(home, key.id).write_bytes(b"f" * 32)
    keys.place(home, key.id).chmod(0o600)
    assert set(codes(inspect(honest.path))) == {"MAC_WRONG"}


def test_another_run_s_key_does_not_sign_this_one(honest, home):
    other = keys._made(home)
    rewrite(honest.path, one(1, writer=f"kernel:{other.id}"))
    assert codes(inspect(honest.path))[0] == "MAC_WRONG"


def test_a_key_that_is_gone_proves_nothing_and_breaks_nothing(honest, home, basis):
    keys.place(home, key_of(honest)).unlink()
    result = inspect(honest.path)
    assert (result.holds, result.level, codes(result)) == (True, "L0", ["KEY_UNKNOWN"])
    assert not result.findings[0].counts
    assert f"the key {key_of(honest)} of {honest.state.count} records" in result.findings[0].message
    assert audit_journal(basis, honest.path).classic.verdict == "pass"


@posix
def test_a_key_that_others_can_read_is_not_trusted(honest, home):
    place = keys.place(home, key_of(honest))
    place.chmod(0o644)
    result = inspect(honest.path)
    assert (result.holds, result.level, codes(result)) == (True, "L0", ["KEY_EXPOSED"])
    assert str(place) in result.findings[0].mend
    rewrite(honest.path, one(1, output=OUTPUT))
    assert inspect(honest.path).holds is False, "it still tells what it did not sign"


def test_writers_with_and_without_a_key_are_level_zero_and_honest(skill, home, monkeypatch):
    run = kit.begin(skill)
    run.call("load_flows")
    monkeypatch.setattr(keys, "own", lambda home: None)
    worker = Run.resume(skill, run.id, writer="worker")
    worker.call("close_identity")
    run.end(answer=kit.GOOD)
    result = inspect(run.path)
    assert (result.holds, result.level, codes(result)) == (True, "L0", ["MAC_ABSENT"])
    assert "1 of 5 records bear no MAC" in result.findings[0].message
    assert not result.findings[0].counts


def test_two_processes_of_one_run_reach_level_one(skill, home):
    run = kit.begin(skill)
    run.call("load_flows")
    keys._RING.reset()
    other = Run.resume(skill, run.id, writer="worker")
    other.call("close_identity")
    other.end(answer=kit.GOOD)
    assert len(list((home / "keys").iterdir())) == 2
    assert inspect(run.path).level == "L1"


def test_a_torn_tail_leaves_level_one(honest):
    with honest.path.open("a") as file:
        file.write('{"v":1,"run"')
    assert inspect(honest.path).level == "L1"
    Run.resume(honest.skill, honest.id).note("go on")
    assert inspect(honest.path).level == "L1"


@pytest.mark.parametrize("writer", [None, 7, {}, ["cli:0123456789abcdef"]])
def test_a_writer_that_is_no_text_is_no_key(honest, writer):
    rewrite(honest.path, one(1, writer=writer))
    assert inspect(honest.path).holds is False


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.data())
def test_any_changed_byte_of_any_line_is_found_though_the_chain_is_made_anew(honest, data):
    """Whatever the byte: the line is refused, or its MAC is not its own."""
    whole = honest.path.read_bytes()
    lines = whole.splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    body = bytearray(lines[number][: lines[number].index(b',"prev":"')])
    place = data.draw(st.integers(0, len(body) - 1))
    body[place] = data.draw(st.integers(32, 126).filter(lambda byte: byte != body[place]))
    made, prev = [], GENESIS
    for at, line in enumerate(lines):
        kept = bytes(body) if at == number else line[: line.index(b',"prev":"')]
        text, prev = sealed(kept + f',"prev":"{prev}"'.encode())
        made.append(text)
    try:
        honest.path.write_bytes(b"".join(made))
        result = inspect(honest.path)
        assert result.level != "L1"
        assert not result.holds or "KEY_UNKNOWN" in codes(result)
    finally:
        honest.path.write_bytes(whole)


def test_macs_are_counted_as_lines_come(honest):
    macs = Macs()
    assert not macs.all_verified
    assert chain.verify(honest.path, macs.see) == []
    assert (macs.lines, macs.verified, macs.all_verified) == (7, 7, True)
    assert json.loads(honest.path.read_text().splitlines()[0])["mac"]
