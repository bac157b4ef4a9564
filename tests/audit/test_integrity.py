"""Journals as written, and journals that were touched."""

import importlib.util
import json
from pathlib import Path

import pytest

from skills2_nb.audit import ledger
from skills2_nb.audit.auditor import audit_journal
from skills2_nb.audit.integrity import examine, inspect
from skills2_nb.contract.errors import ContractError, JournalError
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)


def codes(integrity):
    return [item.code for item in integrity.findings]


def test_a_journal_as_written_is_whole(honest):
    result = inspect(honest.path)
    held = ("L0", "L1")
    assert (result.holds, result.level, result.held, result.findings) == (True, "L1", held, ())


def test_answers_notes_and_rejections_may_follow_the_end(honest):
    honest.answer("again")
    honest.note("seen")
    with pytest.raises(ContractError):
        honest.call("quick")
    assert inspect(honest.path).holds


@pytest.mark.parametrize(
    "touch",
    [
        lambda text: text.replace('"implied":231', '"implied":232'),
        lambda text: "".join(text.splitlines(keepends=True)[1:]),
        lambda text: "".join(reversed(text.splitlines(keepends=True))),
        lambda text: text + text.splitlines(keepends=True)[-1],
        lambda text: text.replace('"case"', '"hook"'),
        lambda text: "",
        lambda text: "no record\n",
    ],
    ids=["edited", "cut", "turned", "doubled", "vouched", "emptied", "replaced"],
)
def test_a_touched_journal_is_broken(honest, touch):
    honest.path.write_text(touch(honest.path.read_text()))
    result = inspect(honest.path)
    assert result.holds is False
    assert "CHAIN_BROKEN" in codes(result)
    assert (result.level, result.held) == ("none", ())


def test_a_record_that_lacks_what_its_kind_holds_is_broken(honest, basis):
    def strip(records):
        del records[2]["step"]
        return records

    kit.forge(honest.path, strip)
    result = audit_journal(basis, honest.path)
    assert result.classic.verdict == "tampered"
    assert "record 3" in result.classic.findings[0].message


def test_a_value_kept_aside_and_changed_is_broken(basis, skill, home):
    run = kit.begin(skill)
    walk(run)
    run.end(answer=kit.GOOD)
    from skills2_nb.contract.blobs import put

    sha = put(b'{"implied":231,"residual":0}')

    def aside(records):
        (record,) = [r for r in records if r.get("step") == "close_identity"]
        record["output"] = {"$blob": sha, "bytes": 28}
        return records

    kit.forge(run.path, aside)
    assert audit_journal(basis, run.path).classic.verdict == "pass"
    (home / "blobs" / sha).write_bytes(b'{"implied":999,"residual":0}')
    result = audit_journal(basis, run.path)
    assert result.classic.verdict == "tampered"
    assert "was changed on disk" in result.classic.findings[0].message


def test_a_step_after_the_end_is_broken(honest):
    def add(records):
        return [*records, records[1] | {"ts": records[-1]["ts"]}]

    kit.forge(honest.path, add)
    result = inspect(honest.path)
    assert codes(result) == ["RECORD_AFTER_END"]
    assert result.findings[0].step == "load_flows"
    assert result.holds is False


@pytest.mark.parametrize(("key", "lie"), [("count", 3), ("head", "f" * 64)])
def test_an_end_that_counts_otherwise_is_broken(honest, key, lie):
    kit.forge(honest.path, lambda records: records)
    text = honest.path.read_text()
    (end,) = [r for r in kit.records_of(honest.path) if r["kind"] == "run_ended"]
    old, new = (f'"{key}":{json.dumps(value)}' for value in (end[key], lie))
    assert text.count(old) == 1
    honest.path.write_text(text.replace(old, new))
    reseal(honest.path)
    assert codes(inspect(honest.path)) == ["END_MISMATCH"]


def reseal(path):
    """Chain the lines anew without touching what they say."""
    from skills2_nb.contract.journal import GENESIS, sealed

    prev, lines = GENESIS, []
    for line in path.read_text().splitlines():
        body = line[: line.index(',"prev":"')]
        made, prev = sealed(f'{body},"prev":"{prev}"'.encode())
        lines.append(made)
    path.write_bytes(b"".join(lines))


def test_a_torn_tail_is_a_dead_writer_s_not_a_fraud(honest):
    with honest.path.open("a") as file:
        file.write('{"v":1,"run"')
    result = inspect(honest.path)
    assert (result.holds, codes(result)) == (True, ["JOURNAL_HEALED"])
    Run.resume(honest.skill, honest.id).note("go on")
    again = inspect(honest.path)
    assert (again.holds, codes(again)) == (True, ["JOURNAL_HEALED"])


def test_no_journal_is_an_error(tmp_path):
    with pytest.raises(JournalError):
        inspect(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("ran", "now", "installed", "expected"),
    [
        ("a", "a", None, []),
        ("a", "a", "a", []),
        ("a", "b", "b", ["PACKAGE_CHANGED"]),
        ("a", "b", None, ["PACKAGE_CHANGED"]),
        ("a", "a", "b", []),
        ("a", "b", "a", ["PACKAGE_TAMPERED"]),
        ("a", "c", "b", ["PACKAGE_TAMPERED"]),
        (None, "b", None, []),
    ],
)
def test_the_package_then_and_now(honest, ran, now, installed, expected):
    kit.forge(honest.path, lambda rs: [r | ({"digest": ran} if "digest" in r else {}) for r in rs])
    result, _ = examine(honest.path, digest=now, installed=installed)
    assert codes(result) == expected
    assert result.holds is ("PACKAGE_TAMPERED" not in expected)


def test_a_live_kernel_s_sources_may_change_too(honest):
    kit.forge(honest.path, lambda rs: [r | ({"live": "a"} if "live" in r else {}) for r in rs])
    assert codes(examine(honest.path, live="b")[0]) == ["PACKAGE_CHANGED"]
    assert codes(examine(honest.path, live="a")[0]) == []


@pytest.mark.parametrize(
    ("vouched", "session", "prompt_id", "keyed", "kept", "level", "held"),
    [
        ("hook", "s1", "p1", True, True, "L2", ("L0", "L1", "L2")),
        ("hook", "s1", "p1", False, True, "L0", ("L0", "L2")),
        ("hook", "s1", "p1", True, False, "L1", ("L0", "L1")),
        ("hook", None, "p1", True, True, "L1", ("L0", "L1")),
        ("hook", "s1", None, True, True, "L1", ("L0", "L1")),
        ("client", "s1", "p1", True, True, "L1", ("L0", "L1")),
        ("cli", None, None, False, True, "L0", ("L0",)),
    ],
)
def test_levels(skill, home, vouched, session, prompt_id, keyed, kept, level, held):
    if not keyed:
        home.mkdir(parents=True)
        (home / "keys").write_text("no folder")
    run = Run.start(skill, {}, prompt="Q", vouched=vouched, session=session, prompt_id=prompt_id)
    walk(run)
    run.end(answer=kit.GOOD)
    result = inspect(run.path, earlier=ledger.heads(run.id) if kept else ())
    assert (result.level, result.held) == (level, held)


def test_a_head_from_before_the_end_is_no_level_two(skill):
    run = Run.start(skill, {}, prompt="Q", vouched="hook", session="s1", prompt_id="p1")
    walk(run)
    early = {"count": run.state.count, "head": run.state.head}
    assert inspect(run.path, earlier=[early]).level == "L1"
    run.end(answer=kit.GOOD)
    assert inspect(run.path, earlier=[early]).level == "L1"
    assert inspect(run.path, earlier=[early, *ledger.heads(run.id)]).level == "L2"


def test_a_copy_under_another_run_s_name_is_broken(honest, home):
    copy = honest.path.with_name("20260101-000000-00000000.jsonl")
    copy.write_bytes(honest.path.read_bytes())
    result = inspect(copy)
    assert codes(result) == ["CHAIN_BROKEN"]
    assert f"is that of run {honest.id}" in result.findings[0].message
    aside = home / "kept aside.jsonl"
    aside.write_bytes(honest.path.read_bytes())
    assert inspect(aside).holds, "any other name says nothing"


@pytest.mark.parametrize("key", ["step", "args", "bound", "output", "invariants", "us"])
def test_a_forged_record_without_a_key_is_broken(honest, basis, key):
    def strip(records):
        del records[2][key]
        return records

    kit.forge(honest.path, strip)
    result = audit_journal(basis, honest.path)
    assert result.strict.verdict == "tampered"
    assert result.classic.findings[0].code == "CHAIN_BROKEN"
    assert "record 3 (step_ok) has no" in result.classic.findings[0].message


def test_a_second_start_is_broken(honest):
    kit.forge(honest.path, lambda records: [records[0], *records])
    assert codes(inspect(honest.path)) == ["CHAIN_BROKEN"]


def test_many_broken_lines_are_told_by_their_number(honest):
    for _ in range(20):
        honest.note("seen")
    honest.path.write_text(honest.path.read_text().replace('"kind"', '"kund"'))
    found = [f.message for f in inspect(honest.path).findings if f.code == "CHAIN_BROKEN"]
    count = len(honest.path.read_text().splitlines())
    assert len(found) == 9
    assert found[-1] == f"{count - 8} more lines of the journal are broken"


def test_a_journal_is_judged_as_far_as_it_can_be_read(honest):
    lines = honest.path.read_text().splitlines(keepends=True)
    honest.path.write_text("".join([*lines[:2], "no record\n", *lines[2:]]))
    whole, state = examine(honest.path)
    assert whole.holds is False
    assert [call.step for call in state.calls] == ["load_flows"]


@pytest.mark.parametrize(("data", "holds"), [(b"changed", False), (b"", False), (None, True)])
def test_a_table_changed_aside_is_broken_and_one_gone_is_not_recomputed(
    months, judged, data, holds
):
    place, _, journals = months
    (call,) = [r for r in kit.records_of(journals["1998-03"]) if r.get("step") == "count_flows"]
    blob = place / "blobs" / call["args"]["log"]["$table"]
    kept = blob.read_bytes()
    try:
        blob.unlink() if data is None else blob.write_bytes(data)
        found = judged("1998-03", "The quick ratio is 1.53.")
    finally:
        blob.write_bytes(kept)
    assert ("tampered" not in (found.classic.verdict, found.strict.verdict)) is holds
    told = [f.message for f in found.strict.findings if f.code == "NOT_RECOMPUTED"]
    assert len(told) == 3
    assert not any("validation error" in message for message in told)
