"""What earlier audits saw."""

import importlib.util
from pathlib import Path

from skills2_nb.audit import ledger
from skills2_nb.audit.auditor import audit, audit_journal
from skills2_nb.audit.integrity import examine, inspect

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
    (line,) = ledger.sound(honest.id)
    assert line["strict"]["verdict"] != "tampered"
    assert inspect(honest.path, earlier=ledger.sound(honest.id)).holds
