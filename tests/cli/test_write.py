"""new, lint, export."""

import json

import pytest


def fault(desk, old, new):
    path = desk / "weekly-numbers.ipynb"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def cell_of(desk, text):
    """The number of the notebook's first cell that holds a text."""
    cells = json.loads((desk / "weekly-numbers.ipynb").read_text())["cells"]
    return next(n for n, cell in enumerate(cells, 1) if text in "".join(cell["source"]))


def test_new_says_what_to_do_next(bare, skills2):
    done = skills2("new", "weekly-numbers")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Wrote weekly-numbers.ipynb.",
        "Next:",
        "  jupyter lab weekly-numbers.ipynb",
        "  skills2 run weekly-numbers.ipynb",
        "  skills2 export weekly-numbers.ipynb",
    ]


def test_new_finds_its_place(bare, skills2):
    (bare / "notebooks").mkdir()
    assert "Wrote notebooks/a.ipynb" in skills2("new", "a").out
    assert "Wrote deep/er/b.ipynb" in skills2("new", "b", "-o", "deep/er").out
    assert (bare / "deep" / "er" / "b.ipynb").is_file()
    done = skills2("new", "c", "-o", ".", "--json")
    assert done.json["notebook"] == "c.ipynb"
    assert len(done.json["next"]) == 3


def test_new_never_overwrites(desk, skills2):
    before = (desk / "weekly-numbers.ipynb").read_bytes()
    done = skills2("new", "weekly-numbers")
    assert (done.code, done.out) == (1, "")
    assert (desk / "weekly-numbers.ipynb").read_bytes() == before


@pytest.mark.parametrize("target", ["elsewhere.ipynb", "weekly-numbers.ipynb"])
def test_new_never_follows_a_link_that_leads_nowhere(bare, skills2, target):
    (bare / "weekly-numbers.ipynb").symlink_to(target)
    assert skills2("new", "weekly-numbers").code == 1
    assert [path.name for path in bare.iterdir()] == ["weekly-numbers.ipynb"]


@pytest.mark.parametrize(
    "name", ["../x", "/x", "a b", "A", "", "con", "nul", "x" * 99, "a--b", "-a", "é", "a\nb", "a\0"]
)
def test_new_refuses_what_no_skill_can_be_called(bare, skills2, name):
    done = skills2("new", "--", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert list(bare.iterdir()) == []


def test_new_into_a_file_is_refused(bare, skills2):
    (bare / "file").write_text("x")
    done = skills2("new", "weekly-numbers", "-o", "file")
    assert (done.code, done.out) == (4, "")
    assert "a file stands where a folder must be" in done.err


def test_what_new_starts_runs_and_scores_as_it_is(bare, skills2):
    skills2("new", "weekly-numbers")
    done = skills2("run", "weekly-numbers.ipynb", "--json")
    assert done.code == 0
    assert done.json["audit"]["classic"]["score"] == 1.0


def test_lint_names_cell_line_and_mend(desk, skills2):
    fault(desk, '"import re\\n"', '"%matplotlib inline\\n"')
    done = skills2("lint", "weekly-numbers.ipynb", "--json")
    assert done.code == 1
    first = done.json["findings"][0]
    assert list(first) == ["code", "level", "file", "cell", "line", "message", "mend"]
    assert (first["code"], first["level"], first["file"], first["cell"], first["line"]) == (
        "C402", "error", "weekly-numbers.ipynb", cell_of(desk, "%matplotlib"), 1,
    )  # fmt: skip
    text = skills2("lint", "weekly-numbers.ipynb")
    assert text.code == 1
    assert f"weekly-numbers.ipynb: cell {cell_of(desk, '%matplotlib')}" in text.out
    assert "Mend:" in text.out


def test_lint_of_several_notebooks_counts_once(desk, skills2):
    skills2("new", "other")
    fault(desk, '"import re\\n"', '"from math import *\\n"')
    done = skills2("lint", "other.ipynb", "weekly-numbers.ipynb")
    assert done.code == 1
    assert "error" in done.out.splitlines()[-1]
    assert "no problems" not in done.out
    assert skills2("lint", "other.ipynb").out == "other.ipynb: no problems\n"


def test_lint_warnings_are_no_failure(desk, skills2):
    fault(desk, '"name: weekly-numbers\\n",\n', "")
    done = skills2("lint", "weekly-numbers.ipynb", "--json")
    assert [item["level"] for item in done.json["findings"]] == ["warning"]
    assert done.code == 0


def test_lint_fix_mends_and_says_what(desk, skills2):
    fault(desk, '"import re\\n"', '"import re\\r\\n"')
    assert skills2("lint", "weekly-numbers.ipynb").code == 1
    done = skills2("lint", "weekly-numbers.ipynb", "--fix")
    assert done.code == 0, done.out
    assert f"mended: weekly-numbers.ipynb: cell {cell_of(desk, 'import re')}" in done.out
    assert done.out.endswith("weekly-numbers.ipynb: no problems\n")
    again = skills2("lint", "weekly-numbers.ipynb", "--fix", "--json")
    assert again.json == {"findings": [], "fixed": []}


def test_export_writes_once_and_then_only_what_changed(bare, skills2):
    skills2("new", "weekly-numbers")
    first = skills2("export", "weekly-numbers.ipynb", "-o", "out", "--json")
    assert first.code == 0
    (made,) = first.json["packages"]
    assert made["folder"] == "out/weekly-numbers"
    assert "schemas.json" in made["written"]
    again = skills2("export", "weekly-numbers.ipynb", "-o", "out")
    assert again.out == "out/weekly-numbers: 0 files written, 10 unchanged\n"


def test_export_check_writes_nothing_and_tells(desk, skills2):
    assert skills2("export", "weekly-numbers.ipynb", "--check").code == 0
    fault(desk, "Seven daily counts say little", "Seven daily counts say nothing")
    before = {path: path.read_bytes() for path in desk.rglob("*") if path.is_file()}
    done = skills2("export", "weekly-numbers.ipynb", "--check")
    assert done.code == 1
    assert done.out.splitlines() == [
        "skills/weekly-numbers: not what the notebook makes",
        "  would write SKILL.md",
        "  would write export.lock",
        "Mend: skills2 export weekly-numbers.ipynb",
    ]
    assert {path: path.read_bytes() for path in desk.rglob("*") if path.is_file()} == before
    (facts,) = skills2("export", "weekly-numbers.ipynb", "--check", "--json").json["packages"]
    assert (facts["current"], facts["written"]) == (False, ["SKILL.md", "export.lock"])


def test_export_refuses_an_edited_file_unless_forced(desk, skills2):
    path = desk / "skills" / "weekly-numbers" / "SKILL.md"
    path.write_text(path.read_text() + "\nby hand\n")
    done = skills2("export", "weekly-numbers.ipynb")
    assert done.code == 1
    assert "SKILL.md" in done.err
    assert "--force" in done.err
    assert "by hand" in path.read_text()
    assert skills2("export", "weekly-numbers.ipynb", "--check").code == 1
    assert skills2("export", "weekly-numbers.ipynb", "--force").code == 0
    assert "by hand" not in path.read_text()


def test_export_without_verification_leaves_the_schemas_out(bare, skills2):
    skills2("new", "weekly-numbers")
    done = skills2("export", "weekly-numbers.ipynb", "--no-verify", "--json")
    assert "schemas.json" not in done.json["packages"][0]["written"]


def test_export_of_a_faulty_notebook_names_every_error(desk, skills2):
    fault(desk, '"import re\\n"', '"from math import *\\n"')
    fault(desk, '"class Readout(BaseModel):\\n"', '"class Readout(BaseModel)\\n"')
    done = skills2("export", "weekly-numbers.ipynb")
    assert (done.code, done.out) == (1, "")
    assert "C406" in done.err
    assert "C401" in done.err
    assert done.err.splitlines()[-1].endswith("nothing was written.")


@pytest.mark.parametrize("words", [("lint",), ("export", "--check")])
def test_a_notebook_with_a_step_that_no_tag_exports(words, make_notebook, skills2):
    source = "from skills2_nb import step\n\n@step\ndef f(a: int) -> int:\n    return a"
    front = "---\nname: trial-skill\ndescription: It tries.\n---"
    path = make_notebook([("front", front), ("code", source)])
    done = skills2(*words, str(path))
    assert done.code == 1
    assert "S501" in done.out + done.err


def test_json_is_json_and_text_is_no_json(desk, skills2):
    for words in (["lint"], ["export", "--check"]):
        text = skills2(*words, "weekly-numbers.ipynb").out
        with pytest.raises(ValueError, match="Expecting"):
            json.loads(text)


def test_export_of_several_tells_each_as_it_is_done(desk, skills2):
    (desk / "broken.ipynb").write_text("{")
    done = skills2("export", "weekly-numbers.ipynb", "broken.ipynb")
    assert done.code == 2
    assert done.out == "skills/weekly-numbers: 0 files written, 10 unchanged\n"
    assert done.err.startswith("broken.ipynb is not JSON")
