"""Journals as written, and journals that were touched."""

import importlib.util
import json
from pathlib import Path

import pytest

from skills2_nb.audit.auditor import audit_journal
from skills2_nb.audit.integrity import inspect
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
    assert (result.holds, result.level, result.held, result.findings) == (True, "L0", ("L0",), ())


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
        return [*records, records[1]]

    kit.forge(honest.path, add)
    result = inspect(honest.path)
    assert codes(result) == ["RECORD_AFTER_END"]
    assert result.findings[0].step == "load_flows"
    assert result.holds is False


@pytest.mark.parametrize(("key", "lie"), [("count", 3), ("head", "f" * 64)])
def test_an_end_that_counts_otherwise_is_broken(honest, key, lie):
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
    result = inspect(honest.path, digest=now, installed=installed)
    assert codes(result) == expected
    assert result.holds is ("PACKAGE_TAMPERED" not in expected)


def test_a_live_kernel_s_sources_may_change_too(honest):
    kit.forge(honest.path, lambda rs: [r | ({"live": "a"} if "live" in r else {}) for r in rs])
    assert codes(inspect(honest.path, live="b")) == ["PACKAGE_CHANGED"]
    assert codes(inspect(honest.path, live="a")) == []


def test_level_two_is_held_but_not_reached_without_a_key(skill):
    run = kit.begin(skill, vouched="hook")
    walk(run)
    run.end(answer=kit.GOOD)
    line = {"count": run.state.count, "head": run.state.head}
    result = inspect(run.path, earlier=[line])
    assert (result.level, result.held) == ("L0", ("L0", "L2"))
