"""runs list, show, diff, verify."""

import json

import pytest

from skills2_nb.contract.journal import GENESIS, sealed
from skills2_nb.contract.run import Run
from skills2_nb.library import runs

WEEK = "daily=[12, 9, 14, 11, 20, 31, 18]"


@pytest.fixture
def two(desk, skills2):
    """A run that passes and, after it, one whose first step fails."""
    good = skills2("run", "weekly-numbers", "-i", WEEK, "--json").json["run"]
    bad = skills2("run", "weekly-numbers", "-i", "daily=[1, 2]", "--json").json["run"]
    return good, bad


def test_no_runs_say_where_they_would_be(home, bare, skills2):
    done = skills2("runs", "list")
    assert (done.code, done.out) == (0, f"No runs in {home / 'runs'}.\n")
    assert skills2("runs", "list", "--json").json == {"runs": []}
    assert skills2("runs", "verify", "--all").out == "No runs.\n"


def test_list(two, skills2):
    good, bad = two
    lines = skills2("runs", "list").out.splitlines()
    assert lines[0].split() == ["run", "skill", "ok", "failed", "rejected", "state"]
    assert lines[1].split() == [bad, "weekly-numbers", "0", "1", "0", "ended"]
    assert lines[2].split() == [good, "weekly-numbers", "3", "0", "0", "ended"]
    (only,) = skills2("runs", "list", "--limit", "1", "--json").json["runs"]
    assert (only["run"], only["failed"], only["whole"], only["answered"]) == (bad, 1, True, False)
    assert skills2("runs", "list", "--skill", "other").out.startswith("No runs of other in ")


def test_show_reads_like_a_story(two, skills2):
    good, bad = two
    text = skills2("runs", "show", good).out
    order = [
        f"weekly-numbers 0.1.0, run {good}",
        "vouched for by the command line",
        "daily  [12, 9",
        "add_up_week  ok, 2 of 2 checks held",
        "daily <- inputs#/daily",
        "=> total: 115",
        "average <- add_up_week#/average: 16.4",
        "run ended by the command line",
        "answer",
    ]
    places = [text.index(said) for said in order]
    assert places == sorted(places)
    answer = text[text.index("answer\n") :].splitlines()[1:]
    assert len(answer) > 1
    assert {len(line) - len(line.lstrip()) for line in answer} == {6}
    failed = skills2("runs", "show", bad).out
    assert "add_up_week  failed: exception" in failed
    assert "A week has seven daily counts" in failed


def test_show_json_is_the_journal(two, skills2):
    good, _ = two
    done = skills2("runs", "show", good, "--json").json
    lines = [json.loads(line) for line in runs.find(good).read_text().splitlines()]
    assert (done["run"], done["records"]) == (good, lines)


def test_show_is_bounded_and_tame(desk, skills2):
    from skills2_nb.contract.loader import load

    skill = load(desk / "skills" / "weekly-numbers")
    run = Run.start(skill, {"daily": list(range(9000)), "\x1b[31mred": "x\x1b]0;title\x07" * 50})
    run.note("n" * 300)
    run.close()
    text = skills2("runs", "show", run.id).out
    assert "\x1b" not in text
    assert "\x07" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert len(text) < 2000


def test_diff(two, skills2):
    good, bad = two
    same = skills2("runs", "diff", good, good)
    assert (same.code, "are the same" in same.out) == (0, True)
    done = skills2("runs", "diff", good, bad)
    assert done.code == 1
    assert "  inputs#/daily\n    a  [12, 9, 14, 11, 20, 31, 18]\n    b  [1, 2]\n" in done.out
    assert "  add_up_week status\n    a  ok\n    b  failed (exception)\n" in done.out
    facts = skills2("runs", "diff", good, bad, "--json")
    assert facts.code == 1
    assert (facts.json["a"], facts.json["b"], facts.json["same"]) == (good, bad, False)
    assert {"part", "where", "a", "b"} == set(facts.json["differences"][0])


def test_verify_names_faults_by_line(two, skills2):
    good, bad = two
    whole = f"{good}: whole; 6 of 6 lines bear a MAC that verifies\n"
    assert skills2("runs", "verify", good).out == whole
    path = runs.find(good)
    path.write_bytes(path.read_bytes().replace(b'"total":115', b'"total":116', 1))
    done = skills2("runs", "verify", good)
    assert done.code == 1
    assert "line 2: the line's bytes do not give its hash: it was changed" in done.out
    every = skills2("runs", "verify", "--all", "--json")
    assert every.code == 1
    found = {item["run"]: item["faults"] for item in every.json["runs"]}
    assert found[bad] == []
    assert found[good][0]["line"] == 2


def test_verify_knows_what_the_ledger_saw(two, skills2):
    good, _ = two
    path = runs.find(good)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))  # cut cleanly: the chain of what is left is whole
    done = skills2("runs", "verify", good, "--json")
    assert done.code == 1
    ended, audited = done.json["runs"][0]["faults"]
    assert ended["line"] is None
    assert "the run ended with 5 records" in ended["message"]
    assert "an earlier audit saw 6 records" in audited["message"]


def test_verify_counts_macs_and_names_the_wrong_ones(two, skills2, home):
    good, bad = two
    path = runs.find(good)
    lines = path.read_bytes().splitlines()
    lines[2] = lines[2].replace(b'"us":', b'"us":1')
    prev, made = GENESIS, []
    for line in lines:
        anew, prev = sealed(line[: line.index(b',"prev":')] + f',"prev":"{prev}"'.encode())
        made.append(anew)
    path.write_bytes(b"".join(made))
    done = skills2("runs", "verify", good)
    assert done.code == 1
    assert f"{good}: 7 faults; 2 of 6 lines bear a MAC that verifies" in done.out
    assert "line 3: its MAC is not the one that the key" in done.out
    keys = [key.name for key in (home / "keys").iterdir()]
    for name in keys:
        (home / "keys" / name).unlink()
    told = skills2("runs", "verify", bad)
    assert told.code == 0
    assert "0 of 3 lines bear a MAC that verifies\n  note: not in" in told.out
    (facts,) = skills2("runs", "verify", bad, "--json").json["runs"]
    assert (facts["lines"], facts["verified"], facts["faults"]) == (3, 0, [])
    assert len(facts["notes"]) == 1


@pytest.mark.parametrize("words", [("show",), ("diff", "20")])
def test_a_journal_that_is_damaged_says_where_to_look(words, two, skills2):
    good, bad = two
    runs.find(bad).unlink()
    path = runs.find(good)
    path.write_bytes(b"[]\n" + path.read_bytes())
    done = skills2("runs", *words, good)
    assert done.code == 4
    assert "skills2 runs verify" in done.err
    assert skills2("runs", "list").out.splitlines()[1].endswith("damaged")
