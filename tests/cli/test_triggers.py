"""`skills2 triggers`: what is told, and why."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import NAME

FILE = "prompts.jsonl"


@pytest.fixture
def known(desk, skills2):
    """The desk with its package in the index."""
    assert skills2("triggers", "refresh").code == 0
    return desk


def triggers_of(skills2, prompt, *words):
    done = skills2("triggers", "test", prompt, *words, "--json")
    assert done.code == 0
    return {item["skill"]: item for item in done.json["skills"]}


def test_an_export_makes_a_skill_known(desk, skills2, home):
    assert skills2("export", f"{NAME}.ipynb", "-o", "skills", "--no-verify").code == 0
    assert (home / "index" / "triggers.tsv").is_file()
    (row,) = skills2("triggers", "list", "--json").json["skills"]
    assert (row["skill"], row["here"], row["project"]) == (NAME, True, str(desk))
    assert triggers_of(skills2, "weekly numbers, please")[NAME]["told"] is True


def test_an_export_that_writes_nothing_indexes_nothing(desk, skills2, home):
    assert skills2("export", f"{NAME}.ipynb", "--check", "--no-verify").code == 0
    assert not (home / "index").exists()


def test_an_export_goes_through_where_the_index_cannot_be_written(desk, skills2, home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file")
    done = skills2("export", f"{NAME}.ipynb", "--no-verify")
    assert done.code == 0
    assert done.err.startswith("The index of triggers is as it was: ")
    assert done.err.count("\n") == 1


def test_each_score_is_explained(desk, skills2):
    manifest = desk / "skills" / NAME / "skill.toml"
    text = manifest.read_text()
    start, end = text.index("phrases = ["), text.index("threshold = ")
    table = (
        'phrases = ["why did active users move"]\nkeywords = ["MAU", "churn"]\n'
        'not = ["revenue forecast"]\n'
    )
    manifest.write_text(text[:start] + table + text[end:])
    found = triggers_of(skills2, "MAU: why did active users churn?", NAME)[NAME]
    gives = [(part["kind"], part["text"], part["gives"]) for part in found["evidence"]]
    assert gives == [
        ("phrase", "why did active users move", pytest.approx(1 / 3, abs=1e-6)),
        ("keyword", "MAU", 0.25),
        ("keyword", "churn", 0.25),
    ]
    assert found["score"] == pytest.approx(5 / 6, abs=1e-6)
    assert found["told"] is True
    told = skills2("triggers", "test", "MAU: why did active users churn?", NAME).out
    assert told.startswith(f"{NAME}  0.83 of 0.5: told\n")
    assert "  +0.33     phrase   'why did active users move' (2 of 3 words: activ user)\n" in told
    assert "  +0.25     keyword  'MAU' (occurs)\n" in told

    out = triggers_of(skills2, "MAU churn and a revenue forecast", NAME)[NAME]
    assert (out["told"], out["reason"]) == (False, "taken out by 'revenue forecast'")
    low = triggers_of(skills2, "MAU", NAME)[NAME]
    assert (low["told"], low["reason"]) == (False, "below its threshold of 0.5")
    none = triggers_of(skills2, "?", NAME)[NAME]
    assert (none["score"], none["reason"]) == (0, "nothing of it stands in the prompt")


def test_a_notebook_is_read_as_its_package_would_be(desk, skills2):
    (package,) = triggers_of(skills2, "weekly numbers", f"skills/{NAME}").values()
    (notebook,) = triggers_of(skills2, "weekly numbers", f"{NAME}.ipynb").values()
    assert notebook["evidence"] == package["evidence"]


def test_refresh_finds_what_came_by_other_ways(desk, skills2):
    done = skills2("triggers", "refresh", "--json")
    assert (done.json["skills"], done.json["changed"], done.json["faults"]) == ([NAME], True, [])
    broken = desk / "skills" / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text("# Broken\n")
    (broken / "skill.toml").write_text("[skill\n")
    done = skills2("triggers", "refresh")
    assert done.out.startswith("1 skill in ")
    assert done.err.startswith("broken has no triggers: ")


def test_a_skill_of_another_project_does_not_count(known, skills2, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert triggers_of(skills2, "weekly numbers") == {}
    told = skills2("triggers", "list").out
    assert "  no " in told and "  yes " not in told
    assert "no skill that counts" in skills2("triggers", "test", "weekly numbers").out


def test_list_says_that_the_index_is_behind(known, skills2):
    assert skills2("triggers", "list").err == ""
    with (known / "skills" / NAME / "SKILL.md").open("a") as file:
        file.write("\nMore.\n")
    assert "skills2 triggers refresh" in skills2("triggers", "list").err


LABELS = [
    {"skill": NAME, "prompt": "weekly numbers for March", "should": True, "split": "tune"},
    {"skill": NAME, "prompt": "something else", "should": True, "split": "tune"},
    {"skill": NAME, "prompt": "weekly numbers are what?", "should": False, "split": "held"},
    {"skill": NAME, "prompt": "bake a cake", "should": False, "split": "held"},
]


def labels(folder: Path, rows: list[dict]) -> Path:
    path = folder / FILE
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    return path


def test_labelled_prompts_are_scored(known, skills2):
    labels(known, LABELS)
    done = skills2("triggers", "test", "--prompts", FILE, "--json").json
    expected = {"right": 1, "wrong": 1, "missed": 1, "quiet": 1}
    assert done["all"] == done["skills"][NAME] == {"precision": 0.5, "recall": 0.5, **expected}
    assert [item["prompt"] for item in done["mistakes"]] == [
        "something else", "weekly numbers are what?",
    ]  # fmt: skip
    tuned = skills2("triggers", "test", NAME, "--prompts", FILE, "--split", "tune", "--json").json
    assert (tuned["all"]["precision"], tuned["all"]["recall"]) == (1.0, 0.5)
    told = skills2("triggers", "test", "--prompts", FILE).out
    assert f"\n{NAME}       0.50    0.50     2        4\n" in told
    assert f"  {NAME} not told: something else\n" in told
    held = skills2("triggers", "test", "--prompts", FILE, "--split", "held", "--json").json
    assert held["all"]["recall"] is None


# Words after `triggers test`; what stands in the file; what the sentence has to say.
WRONG = [
    (["--prompts", FILE], "[1]", f"{FILE}:1 is no labelled prompt"),
    (["--prompts", FILE], '{"skill": "a", "prompt": "x", "should": 1}', "is no labelled prompt"),
    (["--prompts", FILE], '{"skill": "a", "prompt": "x", "should": true}', "speaks of a"),
    (["--prompts", FILE, NAME], '{"skill": "a", "prompt": "x", "should": true}', "no prompt of"),
    (["--prompts", FILE], "", "holds no prompt"),
    (["--prompts", "none.jsonl"], "", "no such file"),
    (["x", "--split", "tune"], "", "--split belongs to --prompts"),
    ([], "", "give a PROMPT"),
    (["x", "nothing"], "", "there is no skill 'nothing'"),
]


@pytest.mark.parametrize(("words", "text", "sentence"), WRONG)
def test_wrong_use(known, skills2, words, text, sentence):
    (known / FILE).write_text(text)
    done = skills2("triggers", "test", *words)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


@pytest.mark.parametrize("words", [["test", "x"], ["list"]])
def test_without_an_index(desk, skills2, words):
    done = skills2("triggers", *words)
    assert done.code == 2
    assert "make it: skills2 triggers refresh" in done.err
