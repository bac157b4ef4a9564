import json
import os
import time

import pytest

from skills2_nb.contract import blobs, keys
from skills2_nb.contract.canonical import encode
from skills2_nb.contract.run import Run
from skills2_nb.errors import JournalError, UnknownRunError, UsageError
from skills2_nb.library import runs

BIG = [3000, 3000]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_no_home_is_no_runs(home):
    assert runs.journals() == []
    assert runs.listed() == []
    assert runs.newest("toy") is None
    assert not home.exists(), "looking makes nothing"


def test_newest_first_and_told(make_run):
    first, second = make_run(), make_run([13], answer="14")
    assert [item.run for item in runs.listed()] == [second.id, first.id], "in one second, too"
    told = runs.entry(second.path)
    assert (told.skill, told.version, told.ok, told.failed) == ("toy", "0.1.0", 0, 1)
    assert (told.ended, told.answered, told.faulty) == (True, True, False)
    assert (told.count, told.head) == (second.state.count, second.state.head)


def test_listed_by_skill_and_limit(make_run, toy):
    made = {make_run().id for _ in range(3)}
    other = Run.start(type(toy)("other", toy.steps))
    other.close()
    assert {item.run for item in runs.listed("toy")} == made
    assert len(runs.listed(limit=2)) == 2
    assert runs.newest("other").run == other.id


def test_strangers_in_the_folder_are_no_runs(home, make_run):
    run = make_run()
    (run.path.parent / "notes.txt").write_text("x")
    (home / "runs" / "readme").mkdir()
    (home / "runs" / "readme" / "x.jsonl").write_text("{}\n")
    assert runs.journals() == [run.path]


def test_find(make_run):
    first, second = make_run(), make_run()
    assert runs.find(first.id) == first.path
    assert runs.find(first.id[:-1]) == first.path
    with pytest.raises(UsageError, match="2 runs begin with '20'"):
        runs.find("20")
    for word in ("", "nothing", "../../etc/passwd", f"{second.id}0"):
        with pytest.raises(UnknownRunError, match="there is no run"):
            runs.find(word)


@pytest.mark.parametrize(
    ("damage", "count"),
    [
        (lambda data: data[:-20], 3),  # the last line is torn
        (lambda data: data.replace(b'"kind":"step_ok"', b'"kind":step_ok', 1), 3),
        (lambda data: b"", 0),
        (lambda data: b"[1]\n" + data, 4),
        (lambda data: b"\xff\xfe\n" + data, 4),
    ],
)
def test_a_damaged_journal_is_listed_as_such(damage, count, make_run):
    run = make_run()
    run.path.write_bytes(damage(run.path.read_bytes()))
    told = runs.entry(run.path)
    assert told.faulty
    assert told.count == count


def test_state_of_a_forged_record_says_where_to_look(make_run):
    run = make_run()
    run.path.write_bytes(run.path.read_bytes().replace(b'"kind":"step_ok"', b'"kind":"answer"', 1))
    assert runs.state(run.path).run == run.id  # an answer without text is no crash
    run.path.write_bytes(run.path.read_bytes().replace(b'"kind":"answer"', b'"kind":"note"', 1))
    with pytest.raises(JournalError, match=f"skills2 runs verify {run.id}"):
        runs.state(run.path)


AT = "2026-03-10T12:00:00.000000Z"


@pytest.mark.parametrize(
    ("days", "old"), [(0, "abc"), (1, "ab"), (8.9, "a"), (9, ""), (100, ""), (1e9, "")]
)
def test_older_than(days, old, tmp_path):
    stamps = {"a": "2026-03-01T12:00:00.000000Z", "b": "2026-03-08T00:00:00.000000Z",
              "c": "2026-03-10T00:00:00.000000Z"}  # fmt: skip
    found = [runs.Entry(name, tmp_path, started=ts) for name, ts in stamps.items()]
    assert "".join(item.run for item in runs.older_than(found, days, AT)) == old


def test_older_than_goes_by_the_id_where_the_start_is_lost(tmp_path):
    lost = runs.Entry("20260301-120000-00000000", tmp_path)
    assert runs.older_than([lost], 8.9, AT) == [lost]
    assert runs.older_than([lost], 9.1, AT) == []


@pytest.mark.parametrize(("keep", "gone"), [(0, "cba"), (1, "ba"), (3, ""), (9, "")])
def test_beyond(keep, gone, tmp_path):
    found = [runs.Entry(name, tmp_path) for name in "bca"]
    assert "".join(item.run for item in runs.beyond(found, keep)) == gone


def test_blobs_are_found_through_blobs(make_run):
    run = make_run(BIG)
    table = blobs.put(b"rows of a table")
    outer = blobs.put(encode({"rows": {"$table": table, "rows": 1}}).encode())
    big = runs.blobs_of(run.path)
    assert len(big) == 1
    run.note("")
    run.close()
    record = run.path.read_text().replace('"text":""', f'"text":{{"$blob":"{outer}","bytes":9}}')
    run.path.write_text(record)
    assert runs.blobs_of(run.path) == big | {outer, table}


def test_text_that_looks_like_a_reference_is_text(make_run):
    sha = blobs.put(b"innocent")
    run = make_run(answer=f'"$blob":"{sha}"')
    assert runs.blobs_of(run.path) == set()


def test_erase_takes_what_no_other_run_uses(home, make_run):
    first, second, third = make_run(BIG), make_run(BIG), make_run([2000, 5000])
    shared, alone = runs.blobs_of(first.path), runs.blobs_of(third.path)
    assert shared == runs.blobs_of(second.path) != alone
    (home / "pages").mkdir()
    page = home / "pages" / f"{first.id}.html"
    page.write_text("x")
    torn = first.path.with_suffix(".torn")
    torn.write_text("x")
    index = home / "index" / f"{first.id}.json"
    index.parent.mkdir()
    index.write_text("{}")

    runs.remove(runs.removal([runs.entry(first.path)]), "erase")
    assert not any(file.exists() for file in (first.path, page, torn, index))
    assert {file.name for file in (home / "blobs").iterdir()} == shared | alone

    runs.remove(runs.removal(runs.listed()), "prune")
    assert list((home / "blobs").iterdir()) == []
    assert list((home / "runs").iterdir()) == [], "an empty day goes too"


def test_the_ledger_keeps_the_head_and_no_value(home, make_run):
    run = make_run(answer="a secret")
    runs.remove(runs.removal([runs.entry(run.path)]), "erase")
    (line,) = lines(home / "ledger" / "erased.jsonl")
    assert line.pop("ts")
    assert line == {
        "run": run.id,
        "skill": "toy",
        "count": run.state.count,
        "head": run.state.head,
        "by": "erase",
    }
    assert oct((home / "ledger" / "erased.jsonl").stat().st_mode & 0o777) == "0o600"


def test_a_run_at_work_is_spared(make_run):
    run = make_run(open=True)
    entry = runs.entry(run.path)
    plan = runs.removal([entry])
    assert (plan.runs, plan.busy, plan.files) == ((), (entry,), ())
    assert runs.removal([entry], spare_busy=False).runs == (entry,)
    old = time.time() - runs.BUSY_SECONDS - 1
    os.utime(run.path, (old, old))
    assert runs.removal([entry]).runs == (entry,)


def test_planning_touches_nothing(home, make_run):
    make_run(BIG)
    before = sorted(path.name for path in home.rglob("*"))
    plan = runs.removal(runs.listed())
    assert plan.bytes == sum(file.stat().st_size for file in plan.files)
    assert sorted(path.name for path in home.rglob("*")) == before


def anew(run):
    """From now on the process has another key, as after a restart."""
    keys._RING.reset()
    return run


def key_files(home):
    return {file.name for file in (home / "keys").iterdir()}


def test_keys_go_with_the_last_run_that_names_them(home, make_run):
    first, second = make_run(), anew(make_run())
    third = make_run()
    shared, alone = (keys.named(run._journal.writer) for run in (second, third))
    assert key_files(home) == {shared, alone}
    runs.remove(runs.removal([runs.entry(first.path)]), "erase")
    assert key_files(home) == {shared, alone}
    runs.remove(runs.removal([runs.entry(third.path)]), "erase")
    assert key_files(home) == {shared}
    runs.remove(runs.removal(runs.listed()), "prune")
    assert key_files(home) == set()
    assert (home / "ledger" / "heads.jsonl").read_text().count("\n") == 3, "the heads stay"


def test_a_key_that_no_run_names_goes_when_it_is_old(home, make_run):
    make_run()
    stray, young = home / "keys" / ("0" * 16), home / "keys" / ".half"
    stray.write_bytes(b"x")
    young.write_bytes(b"x")
    old = time.time() - runs.BUSY_SECONDS - 1
    os.utime(stray, (old, old))
    plan = runs.removal([])
    assert plan.files == (stray,)


def test_a_run_of_two_processes_keeps_both_keys(home, make_run, toy):
    run = anew(make_run())
    other = Run.resume(toy, run.id, writer="worker")
    other.note("seen")
    other.close()
    assert len(key_files(home)) == 2
    make_run()
    runs.remove(runs.removal([runs.entry(run.path)]), "erase")
    assert key_files(home) == {keys.named(other._journal.writer)}


def test_a_run_after_its_key_was_taken_has_a_new_one(home, make_run):
    gone = make_run()
    runs.remove(runs.removal([runs.entry(gone.path)]), "erase")
    run = make_run()
    assert key_files(home) == {keys.named(run._journal.writer)}
    assert keys.named(run._journal.writer) != keys.named(gone._journal.writer)
