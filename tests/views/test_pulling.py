"""What pull prints."""

import json

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.convert.pull import look
from skills2_nb.views.pulling import diff, planned, tally


@pytest.fixture
def edited(skill_notebook):
    """A pull of a package whose file was edited: `edited(path, old, new)`."""
    folder = export(skill_notebook, verify=False).folder

    def make(path="runtime/skill.py", old="Add up.", new="Sum up.", cell=None):
        text = (folder / path).read_text()
        (folder / path).write_text(text.replace(old, new, 1) if old else new)
        if cell:
            raw = skill_notebook.read_text().replace(old, cell)
            skill_notebook.write_text(raw)
        return look(folder, skill_notebook)

    return make


def test_a_cell_is_shown_as_a_diff(edited):
    pull = edited()
    assert tally(pull) == "1 cell to change"
    lines = planned(pull).splitlines()
    assert lines[0] == "cell 5 (step): changed  runtime/skill.py"
    assert '  -    """Add up."""' in lines and '  +    """Sum up."""' in lines


def test_colours_are_for_terminals(edited):
    pull = edited()
    assert "\x1b" not in planned(pull) and "\x1b[32m" in planned(pull, color=True)


def test_what_would_move_a_cursor_is_shown_by_its_code(edited):
    assert "\\x1b[2J" in planned(edited(new="Sum\x1b[2J."))


def test_a_new_cell_and_one_that_is_gone(edited, skill_notebook):
    assert "new cell (helper): new  runtime/skill.py\n  +X = 1" in planned(
        edited(old="# %% step tell", new="# %% helper\nX = 1\n# %% step tell")
    )
    code = (skill_notebook.parent.parent / "skills/trial-skill/runtime/skill.py").read_text()
    gone = edited(old=code[code.index("# %% step tell") :], new="")
    assert "(step): gone from the package; tagged skip" in planned(gone)
    assert json.loads(skill_notebook.read_text())["cells"]


def test_a_conflict_says_how_to_decide_it(edited):
    pull = edited(cell="Add it.")
    assert tally(pull) == "1 conflict"
    assert "Decide: --take package:5 or --take notebook:5" in planned(pull)


def test_what_is_not_carried_says_where_to_edit(edited):
    pull = edited("runtime/steps.py", "", "X = 1\n")
    assert tally(pull) == "1 edit that no cell can hold"
    assert planned(pull) == (
        "runtime/steps.py: not carried, for it is generated. Mend: edit runtime/skill.py.\n"
    )


def test_files_that_no_export_wrote_are_offered(edited, skill_notebook):
    extra = skill_notebook.parent.parent / "skills/trial-skill/references/a.md"
    extra.parent.mkdir()
    extra.write_text("a")
    assert "references/a.md: no export wrote it; --files" in planned(edited())


def test_layout_alone_is_said(edited):
    pull = edited(old="\n\n\n# %%", new="\n# %%")
    assert tally(pull).startswith("nothing in the cells to change")


def test_a_diff_has_no_heading():
    assert diff("a\nb", "a\nc") == ["@@ -1,2 +1,2 @@", " a", "-b", "+c"] and diff("a", "a") == []
