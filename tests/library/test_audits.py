"""The ledger of audits, read."""

import datetime as dt
import json

import pytest

from skills2_nb.contract import ledger
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.errors import UsageError
from skills2_nb.library.audits import AUDITS, find, listed, match, moment, place_of, text_of
from skills2_nb.library.runs import entry, removal, remove


def audited(run=None, skill="a", session=None, verdict="pass", **facts):
    """A line of the ledger; of a run that is one, with its count and head."""
    if run is not None and "head" not in facts:
        made = entry(run.path)
        facts |= {"count": made.count, "head": made.head}
    profile = {"score": 1.0, "verdict": verdict}
    facts = {"count": 0, "head": "", "level": "L1", "codes": ["NO_RUN"], **facts}
    line = {"run": run and run.id, "skill": skill, "session": session, "strict": profile}
    ledger.append(AUDITS, {**line, **facts})


@pytest.fixture
def made():
    run = Run.start(Skill("a", ()), writer="cli")
    run.end("cli", "It is 3.")
    run.close()
    return run


def test_the_newest_comes_first_and_numbers_stay(made):
    for number in range(4):
        audited(skill="ab"[number % 2], session=f"s{number}")
    assert [item.number for item in listed()] == [4, 3, 2, 1]
    assert [item.number for item in listed("b")] == [4, 2]
    assert [item.number for item in listed(session="s2")] == [3]
    assert [item.number for item in listed(limit=2)] == [4, 3]
    assert not listed(since=moment("2999-01-01"))
    assert len(listed(since=moment("1m"))) == 4
    assert (find("2").skill, find("2").verdict, find("2").score) == ("b", "pass", 1.0)


def test_lines_that_others_wrote(home):
    audited()
    with ledger.place(AUDITS).open("a") as file:
        file.write('[1]\n{"run": 5, "strict": 7, "level": [], "codes": {}}\nnot json\n')
    audited(profile="classic", classic={"score": 0.5, "verdict": "fail"})
    newest, odd, first = listed()
    assert (newest.number, newest.verdict, newest.score) == (3, "fail", 0.5)
    assert (odd.run, odd.verdict, odd.score, odd.level, odd.codes) == (None, "?", None, "none", ())
    assert first.number == 1


def test_nothing_was_ever_audited(home):
    assert listed() == []
    for word in ("1", "2026", ""):
        with pytest.raises(UsageError, match="there is no audit"):
            find(word)


def test_an_audit_by_its_run(made):
    other = Run.start(Skill("a", ()), writer="cli")
    audited(made), audited(other), audited(made, verdict="fail")
    assert find(made.id).verdict == "fail"
    with pytest.raises(UsageError, match="audits of 2 runs begin with"):
        find(made.id[:9])


def test_whether_the_journal_is_still_that_one(made):
    audited(made)
    item = find("1")
    whole = made.path.read_bytes()
    assert match(item) == "matches"
    made.note("more")
    assert match(item) == "matches"
    lines = whole.splitlines(keepends=True)
    for data in (
        b"".join(lines[:-1]),
        whole.replace(b"It is 3.", b"It is 4."),
        b"".join([lines[0], *lines[2:]]),
        b"",
    ):
        made.path.write_bytes(data)
        assert match(item) == "differs"
    made.path.write_bytes(whole + b'{"torn')
    assert match(item) == "matches"
    audited(made, count=2, head="0" * 64)
    assert match(find("2")) == "differs"
    made.path.unlink()
    assert match(item) == "gone"


def test_a_run_that_was_erased_takes_its_text_along(made):
    audited(made)
    place_of(made.id).parent.mkdir(parents=True)
    place_of(made.id).write_text("a: pass.")
    assert text_of(find("1")) == "a: pass."
    remove(removal([entry(made.path)]), "erase")
    assert match(find("1")) == "erased" and text_of(find("1")) == ""


def test_an_answer_alone():
    audited()
    assert (match(find("1")), text_of(find("1"))) == ("no run", "")


def test_a_run_that_is_no_runs_name(home):
    audited()
    line = json.loads(ledger.place(AUDITS).read_text()) | {"run": "../../../etc/passwd"}
    ledger.place(AUDITS).write_text(json.dumps(line) + "\n")
    assert (match(find("1")), text_of(find("1"))) == ("gone", "")


NOW = dt.datetime(2026, 3, 10, 12, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("word", "time"),
    [
        ("2026-03-01", "2026-03-01T00:00:00.000000Z"),
        ("2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00.000000Z"),
        ("7d", "2026-03-03T12:00:00.000000Z"),
        ("12h", "2026-03-10T00:00:00.000000Z"),
        ("30m", "2026-03-10T11:30:00.000000Z"),
    ],
)
def test_times(word, time):
    assert moment(word, NOW) == time


@pytest.mark.parametrize("word", ["", "d", "-3d", "soon", "9" * 30 + "d", "2026-13-01"])
def test_what_is_no_time(word):
    with pytest.raises(UsageError, match="is no time"):
        moment(word, NOW)
