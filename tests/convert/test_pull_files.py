"""Edits of skill.toml, references, scripts and assets."""

import os

import pytest

from skills2_nb.convert import pull
from skills2_nb.errors import RefusedError, SetupError, UsageError
from tests.conftest import CELLS
from tests.convert.pulling import Desk

MANIFEST = "skill.toml"


@pytest.fixture
def desk(make_notebook):
    path = make_notebook(
        [
            *CELLS,
            ("reference:more.md", "# More\n\nText."),
            ("reference:two.md", "First part."),
            ("reference:two.md", "Second part."),
            ("script:go.py", "print(1)"),
        ]
    )
    own = path.with_suffix("") / "assets"
    own.mkdir(parents=True)
    (own / "data.csv").write_bytes(b"a,b\n1,2\n")
    (own / "pixel.png").write_bytes(b"\0png\r\n")
    return Desk(path)


@pytest.mark.parametrize(
    ("path", "old", "new", "cell"),
    [
        ("references/more.md", "Text.", "Texts.\n\n## And", 8),
        ("references/two.md", "First", "1st", 9),
        ("references/two.md", "Second part.", "Second.\n\nPart.", 10),
        ("scripts/go.py", "print(1)", "print(2)", 11),
    ],
)
def test_a_file_from_a_cell_goes_back_there(desk, path, old, new, cell):
    desk.edit(path, old, new)
    wanted = (desk.folder / path).read_bytes()
    assert list(desk.changed(desk.pull)) == [cell]
    assert (desk.folder / path).read_bytes() == wanted


def test_a_file_whose_cells_both_changed_is_left(desk):
    desk.edit("references/two.md", "First", "1st")
    desk.edit("references/two.md", "Second", "2nd")
    planned, _ = desk.pull()
    assert "cells 9, 10" in planned.left[0].message


@pytest.mark.parametrize(("path", "data"), [("data.csv", b"a\r\n2\n"), ("pixel.png", b"\0new\r\n")])
def test_a_file_from_the_folder_goes_back_there(desk, path, data):
    (desk.folder / "assets" / path).write_bytes(data)
    before = desk.notebook.read_bytes()
    planned, done = desk.pull()
    own = desk.notebook.with_suffix("") / "assets" / path
    assert own.read_bytes().replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n")
    assert desk.notebook.read_bytes() == before and done.backup is None
    assert list(planned.writes) == [f"assets/{path}"]


def test_a_file_that_is_gone_is_told_and_stays(desk):
    (desk.folder / "assets/data.csv").unlink()
    planned, done = desk.pull()
    assert "gone from the package" in planned.left[0].message and done.export is None


def test_new_files_go_along_only_when_asked(desk):
    (desk.folder / "references/new.md").write_text("New.\n")
    (desk.folder / "notes.txt").write_text("mine")
    planned, _ = desk.pull()
    assert planned.extra == ("notes.txt", "references/new.md") and planned.is_clean
    desk.pull(files=True)
    own = desk.notebook.with_suffix("")
    assert (own / "references/new.md").read_text() == "New.\n" and not (own / "notes.txt").exists()


@pytest.mark.skipif(os.name == "nt", reason="no such name can be made there")
def test_a_new_file_whose_name_no_other_system_can_have_stays(desk):
    for name in ("a:b.md", "new.md", "NEW.md", "x\ny.md"):
        (desk.folder / "references" / name).write_text("New.\n")
    planned, done = desk.pull(files=True)
    assert {each.file for each in planned.left} == {
        "references/a:b.md", "references/new.md", "references/x y.md",
    }  # fmt: skip
    assert list(planned.writes) == ["references/NEW.md"] and done.export is None


@pytest.mark.parametrize(
    ("old", "new", "cell"),
    [
        ('version = "0.1.0"', 'version = "0.2.0"', '\n\n[skill]\nversion = "0.2.0"'),
        ("timeout = 60", "timeout = 90.5", "\n\n[runtime]\ntimeout = 90.5"),
        ("threshold = 0.8", "threshold = 0.9", "\n\n[audit]\nthreshold = 0.9"),
        ("not = []", 'not = ["no"]', '\n\n[triggers]\nnot = [\n    "no",\n]'),
    ],
)
def test_a_new_value_goes_into_the_manifest_cell(desk, old, new, cell):
    desk.edit(MANIFEST, old, new)
    changed = desk.changed(desk.pull)
    assert changed == {3: (CELLS[2][1], CELLS[2][1] + cell)}


def test_a_value_that_is_there_changes_in_its_place(make_notebook):
    text = '# Mine.\n[audit]\nthreshold = 0.7 # low\nf1_floor = 0.5\n\n[skill]\nversion = "1.0.0"'
    desk = Desk(make_notebook([*CELLS[:2], ("manifest", text), *CELLS[3:]]))
    desk.edit(MANIFEST, "threshold = 0.7", "threshold = 0.75")
    desk.edit(MANIFEST, 'version = "1.0.0"', 'version = "1.0.1"')
    desk.edit(MANIFEST, 'profile = "strict"', 'profile = "classic"')
    desk.pull()
    assert desk.cells()[2]["source"] == (
        '# Mine.\n[audit]\nthreshold = 0.75 # low\nf1_floor = 0.5\nprofile = "classic"\n\n'
        '[skill]\nversion = "1.0.1"'
    )


def test_without_a_manifest_cell_there_is_a_new_one(make_notebook):
    desk = Desk(make_notebook([*CELLS[:2], *CELLS[3:]]))
    desk.edit(MANIFEST, 'version = "0.1.0"', 'version = "0.2.0"')
    desk.edit(MANIFEST, "timeout = 60", "timeout = 9")
    desk.pull()
    cell = desk.cells()[1]
    assert (cell["cell_type"], cell["metadata"]) == ("raw", {"tags": ["manifest"]})
    assert cell["source"] == '[skill]\nversion = "0.2.0"\n\n[runtime]\ntimeout = 9'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("required = true", "required = false", "made from the code"),
        ('name = "trial-skill"', 'name = "other"', "front matter"),
        ('version = "0.1.0"', 'version = "one"', "version"),
        ("[audit]", "[audit", "not TOML"),
        ("[audit]", "# Why.\n[audit]", "comments"),
    ],
)
def test_what_no_manifest_cell_can_say_is_left(desk, old, new, said):
    desk.edit(MANIFEST, old, new)
    before = desk.notebook.read_bytes()
    planned, done = desk.pull()
    assert said in planned.left[0].message and done.export is None
    assert desk.notebook.read_bytes() == before


def test_a_value_is_carried_and_the_comment_beside_it_is_told(desk):
    desk.edit(MANIFEST, "timeout = 60", "# The shop is slow.\ntimeout = 90")
    planned, done = desk.pull()
    assert [left.message for left in planned.left] == ["export does not keep its comments"]
    assert "timeout = 90" in desk.cells()[2]["source"]
    assert done.export is None  # the package keeps the comment until it stands elsewhere


def test_a_choice_that_decides_nothing_is_wrong_use(desk):
    with pytest.raises(UsageError, match="no such conflict"):
        desk.look("package:99")


def test_where_the_package_cannot_be_written_nothing_changes(desk, monkeypatch):
    desk.edit("runtime/skill.py", '"""Add up."""', '"""Add them up."""')
    (desk.folder / "references/new.md").write_text("New.\n")
    before, own = desk.notebook.read_bytes(), desk.notebook.with_suffix("")
    planned = desk.look(files=True)
    for error in (SetupError("the disk is full"), KeyboardInterrupt()):

        def fail(*_, error=error, **__):
            assert desk.notebook.read_bytes() == planned.after
            raise error

        monkeypatch.setattr(pull, "export", fail)
        with pytest.raises(type(error)):
            pull.carry_out(planned)
        assert desk.notebook.read_bytes() == before
        assert not (own / "references/new.md").exists()


def test_an_edit_made_while_it_asks_is_not_lost(desk):
    desk.edit("runtime/skill.py", '"""Add up."""', '"""Add them up."""')
    before, planned = desk.notebook.read_bytes(), desk.look()
    desk.edit("SKILL.md", "description: ", "description: Newer. ")
    with pytest.raises(RefusedError, match="was edited in the meantime; nothing was changed"):
        pull.carry_out(planned)
    assert desk.notebook.read_bytes() == before
    assert "Newer." in (desk.folder / "SKILL.md").read_text()
    desk.pull()
    assert b"Newer." in desk.notebook.read_bytes() and b"Add them up." in desk.notebook.read_bytes()
