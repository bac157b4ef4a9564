"""pull."""

import json
import re

import pytest

CODE = "skills/weekly-numbers/runtime/skill.py"
NOTEBOOK = "weekly-numbers.ipynb"


def edit(desk, path=CODE, old='"""', new='"""Note: '):
    text = (desk / path).read_text()
    assert old in text
    (desk / path).write_text(text.replace(old, new, 1))


def test_pull_of_an_unedited_package_has_nothing_to_do(desk, skills2):
    before = (desk / NOTEBOOK).read_bytes()
    for words in ([], ["--check"], ["--yes"], ["--dry-run"]):
        done = skills2("pull", "weekly-numbers", *words)
        assert (done.code, done.err) == (0, "")
        assert done.out.strip() == "skills/weekly-numbers: nothing to pull"
    assert (desk / NOTEBOOK).read_bytes() == before


def test_pull_shows_writes_and_says_how_to_go_back(desk, skills2):
    before = (desk / NOTEBOOK).read_bytes()
    edit(desk)
    done = skills2("pull", "weekly-numbers", "--yes")
    assert done.code == 0
    assert "1 cell to change" in done.out and "+" in done.out
    assert "reload it there" in done.out
    assert "Next: skills2 export weekly-numbers.ipynb (schemas.json is made anew there)" in done.out
    backup = re.search(r"Undo: \w+ (\S+) weekly-numbers.ipynb", done.out)[1]
    with open(backup, "rb") as file:  # noqa: PTH123 - the path is what a reader would paste
        assert file.read() == before
    assert skills2("export", NOTEBOOK).code == 0
    assert skills2("pull", "weekly-numbers", "--check").code == 0


def test_check_names_what_is_edited_and_writes_nothing(desk, skills2):
    edit(desk)
    before = (desk / NOTEBOOK).read_bytes()
    done = skills2("pull", "weekly-numbers", "--check")
    assert done.code == 1
    assert "  edited: runtime/skill.py\nMend: skills2 pull skills/weekly-numbers" in done.out
    done = skills2("pull", "weekly-numbers", "--check", "--json")
    assert done.code == 1 and done.json["edited"] == ["runtime/skill.py"]
    assert done.json["clean"] is False and done.json["changed"] is False
    assert (desk / NOTEBOOK).read_bytes() == before


def test_without_a_terminal_pull_asks_for_yes(desk, skills2):
    edit(desk)
    before = (desk / NOTEBOOK).read_bytes()
    done = skills2("pull", "weekly-numbers")
    assert done.code == 2 and "--yes" in done.err
    assert skills2("pull", "weekly-numbers", "--dry-run").code == 0
    assert (desk / NOTEBOOK).read_bytes() == before


def test_a_no_changes_nothing(desk, skills2, monkeypatch):
    monkeypatch.setattr("skills2_nb.cli.screen._can_ask", lambda: True)
    edit(desk)
    before = (desk / NOTEBOOK).read_bytes()
    assert skills2("pull", "weekly-numbers", input="n\n").code == 1
    assert (desk / NOTEBOOK).read_bytes() == before
    assert skills2("pull", "weekly-numbers", input="y\n").code == 0
    assert (desk / NOTEBOOK).read_bytes() != before


@pytest.mark.parametrize(
    "words",
    [
        ["weekly-numbers"],
        ["skills/weekly-numbers"],
        ["skills/weekly-numbers/SKILL.md"],
        [NOTEBOOK],
        ["skills/weekly-numbers", "--notebook", NOTEBOOK],
        [NOTEBOOK, "--notebook", NOTEBOOK],
    ],
)
def test_a_skill_is_a_name_a_folder_or_a_notebook(desk, skills2, words):
    edit(desk)
    done = skills2("pull", *words, "--yes", "--json")
    assert done.code == 0 and done.json["changed"] and len(done.json["cells"]) == 1
    assert done.json["written"] and done.json["removed"] == ["schemas.json"]


def test_the_notebook_is_sought_in_notebooks_too(desk, skills2):
    (desk / "notebooks/deep").mkdir(parents=True)
    (desk / NOTEBOOK).rename(desk / "notebooks/deep" / NOTEBOOK)
    edit(desk)
    assert skills2("pull", "weekly-numbers", "--yes").code == 0
    (desk / NOTEBOOK).write_bytes((desk / "notebooks/deep" / NOTEBOOK).read_bytes())
    done = skills2("pull", "weekly-numbers")
    assert done.code == 2 and "notebooks/deep" in done.err and "--notebook FILE" in done.err


def test_a_notebook_that_is_not_there_is_wrong_use(desk, skills2):
    (desk / NOTEBOOK).rename(desk / "other.ipynb")
    done = skills2("pull", "weekly-numbers")
    assert done.code == 2 and "--notebook FILE" in done.err and NOTEBOOK in done.err
    done = skills2("pull", "other.ipynb", "--notebook", "x.ipynb")
    assert done.code == 2


def test_a_package_of_prose_is_found_by_its_skills_name(desk, skills2):
    raw = json.loads((desk / NOTEBOOK).read_text())
    raw["cells"] = [raw["cells"][0], {"cell_type": "markdown", "id": "p", "metadata": {},
                                      "source": ["# Prose\n", "\n", "Alone."]}]  # fmt: skip
    (desk / "prose.ipynb").write_text(json.dumps(raw).replace("weekly-numbers", "prose-alone"))
    assert skills2("export", "prose.ipynb").code == 0
    edit(desk, "skills/prose-alone/SKILL.md", "Alone.", "All alone.")
    done = skills2("pull", "prose-alone", "--yes")
    assert done.code == 0, done.err
    assert "All alone." in (desk / "prose.ipynb").read_text()


def test_a_folder_that_no_export_wrote_is_wrong_use(desk, skills2):
    (desk / "skills/weekly-numbers/export.lock").unlink()
    done = skills2("pull", "weekly-numbers")
    assert done.code == 2 and "export.lock" in done.err


def test_a_notebook_without_a_package_is_wrong_use(desk, skills2):
    (desk / "skills").rename(desk / "elsewhere")
    done = skills2("pull", NOTEBOOK)
    assert done.code == 2 and "has no package" in done.err


def both(desk):
    edit(desk, CODE, '"""', '"""Package: ')
    text = (desk / NOTEBOOK).read_text()
    first = next(line for line in (desk / CODE).read_text().splitlines() if "Package: " in line)
    old = json.dumps(first.replace("Package: ", ""))[1:-1]
    assert old in text
    new = json.dumps(first.replace("Package: ", "Notebook: "))[1:-1]
    (desk / NOTEBOOK).write_text(text.replace(old, new, 1))


def test_conflicts_are_shown_and_decided(desk, skills2):
    both(desk)
    before = (desk / NOTEBOOK).read_bytes()
    done = skills2("pull", "weekly-numbers", "--yes")
    assert done.code == 1 and (desk / NOTEBOOK).read_bytes() == before
    name = re.search(r"--take package:(\S+) or", done.out)[1]
    assert "Package: " in done.out and "Notebook: " in done.out
    assert skills2("pull", "weekly-numbers", "--take", "package:x").code == 2
    done = skills2("pull", "weekly-numbers", "--yes", "--take", f"package:{name}")
    assert done.code == 0 and "Package: " in (desk / NOTEBOOK).read_text()
    assert skills2("export", NOTEBOOK, "--check").code == 0


def test_what_cannot_be_carried_is_told(desk, skills2):
    (desk / "skills/weekly-numbers/runtime/steps.py").write_text("")
    done = skills2("pull", "weekly-numbers", "--yes")
    assert done.code == 1
    assert "runtime/steps.py: not carried, for it is generated" in done.out
    assert "--force" in done.out


def test_code_with_an_error_is_carried_and_told(desk, skills2):
    edit(desk, CODE, "\ndef ", "\ndef def ")
    done = skills2("pull", "weekly-numbers", "--yes")
    assert done.code == 1 and "C401 error" in done.out and "skills2 lint" in done.out
    assert "def def " in (desk / NOTEBOOK).read_text()


def test_export_names_pull_as_the_mend(desk, skills2):
    edit(desk)
    done = skills2("export", NOTEBOOK)
    assert done.code == 1 and "skills2 pull" in done.err


def test_a_notebook_of_format_3_is_not_written(desk, skills2):
    (desk / NOTEBOOK).write_text(json.dumps({"nbformat": 3, "worksheets": [], "metadata": {}}))
    done = skills2("pull", "weekly-numbers", "--notebook", NOTEBOOK)
    assert done.code == 2 and "save it in Jupyter" in done.err
