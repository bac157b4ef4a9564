"""What earlier audits saw."""

import importlib.util
from pathlib import Path

import pytest

from skills2_nb.audit import ledger
from skills2_nb.audit.auditor import audit, audit_journal
from skills2_nb.audit.integrity import examine, inspect
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk
from skills2_nb.errors import ContractError

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)


def codes(integrity):
    return [item.code for item in integrity.findings]


def test_the_ledger_binds_later_audits(basis, honest):
    result = audit_journal(basis, honest.path)
    ledger.append(ledger.entry(result, honest.state, "2026-01-01T00:00:00.000000Z"))
    (line,) = ledger.lines(honest.id)
    assert (line["count"], line["head"]) == (honest.state.count, honest.state.head)
    assert line["strict"] == {"score": 1.0, "verdict": "unproven"}
    honest.answer(kit.GOOD)
    assert inspect(honest.path, earlier=[line]).holds
    kit.forge(honest.path, lambda records: [r | {"writer": "other:1"} for r in records])
    result = inspect(honest.path, earlier=[line])
    assert (result.holds, codes(result)) == (False, ["LEDGER_MISMATCH"])


def test_the_ledger_reads_past_what_is_no_line(basis, honest, home):
    assert ledger.lines() == ()
    ledger.append(ledger.entry(audit_journal(basis, honest.path), honest.state, "t"))
    path = home / "ledger" / "audits.jsonl"
    path.write_text("torn\n[]\n" + path.read_text())
    assert len(ledger.lines()) == 1
    assert ledger.lines("another") == ()
    assert path.stat().st_mode & 0o077 == 0


def test_what_was_seen_of_a_broken_journal_is_no_yardstick(honest, basis):
    whole = honest.path.read_bytes()
    ledger.append(ledger.entry(audit_journal(basis, honest.path), honest.state, "t"))
    honest.path.write_bytes(whole.replace(b'"implied":231', b'"implied":232'))
    broken, state = examine(honest.path)
    judged = audit(basis, state, integrity=broken)
    ledger.append(ledger.entry(judged, state, "t"))
    honest.path.write_bytes(whole)
    assert len(ledger.lines(honest.id)) == 2
    head, line = ledger.sound(honest.id)
    assert head["by"] == "tool"
    assert line["strict"]["verdict"] != "tampered"
    assert inspect(honest.path, earlier=ledger.sound(honest.id)).holds


def end_anew(run):
    """Cut the tail off and end the run again, with this process's own key."""
    lines = run.path.read_bytes().splitlines(keepends=True)
    run.close()
    run.path.write_bytes(b"".join(lines[:-3]))
    again = Run.resume(run.skill, run.id)
    again.end(answer=kit.GOOD)
    again.close()


def cut(run):
    lines = run.path.read_bytes().splitlines(keepends=True)
    run.path.write_bytes(b"".join(lines[:-2]))


def write_anew(run):
    kit.forge(run.path, lambda records: records)


@pytest.mark.parametrize("touch", [cut, end_anew, write_anew])
def test_a_journal_touched_before_its_first_audit_is_found(honest, basis, touch):
    touch(honest)
    assert inspect(honest.path).holds, "by itself it is whole"
    result = audit_journal(basis, honest.path, earlier=ledger.sound(honest.id))
    assert "LEDGER_MISMATCH" in [item.code for item in result.strict.findings]
    assert result.strict.verdict == "tampered"
    (said,) = {item.message for item in result.strict.findings if item.code == "LEDGER_MISMATCH"}
    assert said.startswith("the run ended with 6 records")


def test_what_honestly_follows_the_end_is_no_mismatch(honest):
    honest.answer("Again.", prompt_id="p2")
    honest.note("seen")
    with pytest.raises(ContractError):
        honest.call("quick")
    assert inspect(honest.path, earlier=ledger.sound(honest.id)).holds


def test_the_end_is_in_the_ledger(honest):
    (line,) = ledger.heads(honest.id)
    (end,) = [record for record in kit.records_of(honest.path) if record["kind"] == "run_ended"]
    assert line.pop("ts")
    assert line == {
        "run": honest.id,
        "count": end["seq"],
        "head": end["hash"],
        "writer": end["writer"],
        "by": "tool",
    }


def test_a_ledger_that_cannot_be_written_disturbs_no_run(skill, home):
    run = kit.begin(skill)
    walk(run)
    (home / "ledger").write_text("a file where the folder should be")
    run.end(answer=kit.GOOD)
    assert run.state.answer == kit.GOOD
    assert inspect(run.path).holds


def test_lines_of_one_run_are_sought_among_many(honest, home):
    other = home / "ledger" / "heads.jsonl"
    other.write_text('{"run":"another"}\n' * 1000 + other.read_text() + f'["{honest.id}"]\n')
    assert len(ledger.heads(honest.id)) == 1
    assert len(ledger.heads()) == 1001
