"""`skills2 import`: what it prints, what it writes, how it ends."""

import json
from pathlib import Path

import pytest

TEXT = "---\nname: {name}\ndescription: Counts.\n---\n\n# {name}\n"


@pytest.fixture
def skill(bare: Path):
    """`skill("weekly", owner="me")`: a skill folder under `in/` of the working folder."""

    def make(name: str, data: bytes | None = None) -> Path:
        folder = bare / "in" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(data or TEXT.format(name=name).encode())
        return folder

    return make


def test_a_skill_becomes_a_notebook_that_exports_it_again(skills2, skill, bare):
    folder = skill("weekly")
    (folder / "LICENSE").write_text("free")
    done = skills2("import", "in/weekly", "-o", "nb.ipynb")
    assert done.code == 0
    assert done.out.splitlines() == [
        *("nb.ipynb: 2 cells", "nb/: 1 file", "Next:", "  jupyter lab nb.ipynb"),
        "  skills2 export nb.ipynb",
    ]
    assert skills2("export", "nb.ipynb", "-o", "out", "--no-verify").code == 0
    assert (bare / "out/weekly/SKILL.md").read_bytes() == (folder / "SKILL.md").read_bytes()
    assert (bare / "out/weekly/LICENSE").read_text() == "free"


@pytest.mark.parametrize("notebooks", [False, True])
def test_where_it_goes_by_default(skills2, skill, bare, notebooks):
    skill("weekly")
    if notebooks:
        (bare / "notebooks").mkdir()
    assert skills2("import", "in/weekly/SKILL.md").code == 0
    assert (bare / ("notebooks" if notebooks else ".") / "weekly.ipynb").is_file()


def test_findings_are_told(skills2, skill):
    skill("weekly", b"---\nname: weekly\ndescription: a\nowner: me\n---\n\n# A\n")
    done = skills2("import", "in/weekly")
    assert done.code == 0
    assert "weekly.ipynb: cell 1" in done.out
    assert "F322 warning" in done.out
    assert "F322 warning" in skills2("lint", "weekly.ipynb").out


def test_json_has_the_fixed_shape(skills2, skill):
    folder = skill("weekly")
    (folder / "a.txt").write_text("a")
    done = skills2("import", "in/weekly", "--json")
    assert done.json == {
        "notebooks": [
            {
                "skill": "weekly",
                "notebook": "weekly.ipynb",
                "folder": "weekly",
                "cells": 2,
                "files": ["a.txt"],
                "backups": [],
                "findings": [],
            }
        ],
        "failed": [],
    }


def test_a_notebook_that_is_there_is_kept(skills2, skill, bare):
    skill("weekly")
    (bare / "weekly.ipynb").write_text("mine")
    done = skills2("import", "in/weekly")
    assert done.code == 1
    assert done.err.startswith("weekly.ipynb is there already; nothing was written.")
    forced = skills2("import", "in/weekly", "--force")
    assert "kept what was there: weekly.ipynb.bak" in forced.out
    assert (bare / "weekly.ipynb.bak").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["in/none"], 2, "in/none is no skill folder and no SKILL.md"),
        (["in"], 2, "in is no skill: there is no SKILL.md in it."),
        (["in/bad", "-o", "b.ipynb"], 2, "bad/SKILL.md is not UTF-8 (byte offset 3)"),
        (["in/weekly", "-o", "in/weekly.ipynb"], 2, "which is the skill folder itself"),
        (["in/weekly", "in/bad", "-o", "b.ipynb"], 2, "b.ipynb is one notebook for 2 skills"),
        (["in/weekly", "in/weekly"], 2, "would both become weekly.ipynb"),
        (["in/weekly", "-o", ".ipynb"], 2, ".ipynb is no notebook's name"),
        (["in/weekly", "-o", "file/x.ipynb"], 4, "a file stands where a folder must be"),
    ],
)
def test_each_refusal_is_one_sentence_and_its_exit_code(skills2, skill, bare, words, code, said):
    skill("weekly")
    skill("bad", b"# A\xff")
    (bare / "file").write_text("x")
    before = sorted(path.name for path in bare.iterdir())
    done = skills2("import", *words)
    assert done.code == code
    assert said in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in bare.iterdir()) == before


def test_of_several_skills_the_good_ones_are_imported(skills2, skill, bare):
    for name in ("one", "three"):
        skill(name)
    skill("two", b"\xff")
    done = skills2("import", "in/one", "in/two", "in/three", "-o", "nb")
    assert done.code == 2
    assert done.out.splitlines() == [
        *("nb/one.ipynb: 2 cells, 0 files, no problems",),
        *("nb/three.ipynb: 2 cells, 0 files, no problems",),
    ]
    assert "two/SKILL.md is not UTF-8 (byte offset 0)" in done.err
    again = skills2("import", "in/one", "in/two", "in/three", "-o", "more/", "--json")
    assert again.code == 2
    assert [item["skill"] for item in again.json["notebooks"]] == ["one", "three"]
    [failed] = again.json["failed"]
    assert Path(failed["folder"]) == Path("in/two") and failed["message"] in again.err
    assert json.loads((bare / "more/one.ipynb").read_text())["nbformat"] == 4
