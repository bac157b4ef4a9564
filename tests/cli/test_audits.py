"""``skills2 audits``."""

import json

import pytest

from skills2_nb.contract import ledger
from skills2_nb.library.audits import AUDITS, listed
from skills2_nb.library.runs import journals


@pytest.fixture
def audited(desk, skills2):
    """Two audits of one run of the small skill; the second of another answer."""
    assert skills2("run", "weekly-numbers").code == 0
    (desk / "answer.md").write_text("The week came to a total of 151.")
    assert skills2("audit", journals()[0].stem, "--answer", desk / "answer.md").code == 1
    return journals()[0]


def test_a_list(audited, skills2):
    done = skills2("audits", "list")
    assert done.code == 0
    head, newest, first = done.out.splitlines()
    assert head.split() == ["no", "when", "(UTC)", "skill", "verdict", "score", "level", "run"]
    assert newest.split()[0] == "2" and newest.split()[3:5] == ["weekly-numbers", "fail"]
    assert first.split()[3:6] == ["weekly-numbers", "pass", "1.00"]
    assert first.endswith(audited.stem) and len(head) <= 80
    facts = skills2("audits", "list", "--skill", "weekly-numbers", "--limit", "1", "--json").json
    assert [item["number"] for item in facts["audits"]] == [2]
    assert {"run", "count", "head", "strict", "classic", "codes"} <= set(facts["audits"][0])


def test_nothing_to_list(bare, skills2):
    assert "No such audits" in skills2("audits", "list").out
    assert skills2("audits", "list", "--since", "1d", "--json").json == {"audits": []}
    assert skills2("audits", "show", "1").code == 2


def test_one_audit(audited, skills2):
    done = skills2("audits", "show", audited.stem[:12])
    assert done.code == 0
    assert "audit     2\n" in done.out and "the journal holds what this audit saw" in done.out
    assert "CONTRADICTED: Beside a report field's name" in done.out
    assert "\nweekly-numbers: fail, score " in done.out and "the answer says 151" in done.out
    facts = skills2("audits", "show", "1", "--json").json
    assert (facts["number"], facts["journal"]) == (1, "matches")


def test_a_journal_that_was_rewritten(audited, skills2):
    audited.write_bytes(audited.read_bytes().replace(b"115", b"151"))
    done = skills2("audits", "show", "2")
    assert done.code == 1 and "another one now" in done.out
    audited.unlink()
    assert skills2("audits", "show", "2", "--json").json["journal"] == "gone"


def test_a_name_in_the_ledger_moves_no_cursor(home, skills2):
    facts = {"run": "\x1b[2J", "skill": "a\nb\x1b[31m", "level": "\r", "session": "\x07"}
    ledger.append(AUDITS, {**facts, "strict": {"verdict": "\x1b[1m", "score": 1}})
    for words in (("list",), ("show", "1")):
        out = skills2("audits", *words).out
        assert not set("\x1b\r\x07") & set(out)


def test_a_time_that_is_none(skills2):
    done = skills2("audits", "list", "--since", "soon")
    assert done.code == 2 and "is no time" in done.err


def test_a_long_ledger(home, skills2):
    line = {"ts": "2026-01-01T00:00:00.000000Z", "run": "r", "skill": "a", "head": "f" * 64,
            "session": "s" * 36, "strict": {"score": 1.0, "verdict": "pass"}}  # fmt: skip
    ledger.append(AUDITS, line)
    path = ledger.place(AUDITS)
    path.write_text((json.dumps(line) + "\n") * 10_000)
    assert len(listed()) == 10_000
    assert skills2("audits", "list", "--limit", "3").out.splitlines()[1].split()[0] == "10000"
