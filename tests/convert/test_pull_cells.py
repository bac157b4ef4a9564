"""Edits of runtime/skill.py, back in the code cells."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skills2_nb.convert.exporter import export
from skills2_nb.convert.markers import cut_edited, pieces_of, written
from skills2_nb.convert.module import header
from skills2_nb.convert.plan import plan_path
from skills2_nb.errors import RefusedError
from tests.conftest import ADD, CASES, CELLS, FRONT, PROSE, SETUP, TELL
from tests.convert.pulling import Desk

CODE = "runtime/skill.py"


@pytest.fixture
def desk(skill_notebook):
    return Desk(skill_notebook)


def tags(cell):
    return cell["metadata"].get("tags", [])


def test_an_edit_changes_its_cell_and_no_other_byte(desk):
    before = desk.notebook.read_bytes()
    desk.edit(CODE, '"""Add up."""', '"""Add them all up."""')
    planned, done = desk.pull()
    assert desk.notebook.read_bytes() == before.replace(b"Add up.", b"Add them all up.")
    assert [slot.number for slot in planned.slots] == [5]
    assert done.backup.read_bytes() == before


def test_an_unedited_package_changes_nothing(desk):
    before, code = desk.notebook.read_bytes(), (desk.folder / CODE).stat().st_mtime_ns
    planned, done = desk.pull()
    assert planned.is_clean and not planned.changes and done.export is None
    assert desk.notebook.read_bytes() == before
    assert (desk.folder / CODE).stat().st_mtime_ns == code


def test_line_ends_of_a_checkout_are_no_edit(desk):
    file = desk.folder / CODE
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert desk.look().is_clean
    file.write_bytes(file.read_bytes().replace(b"Add up.", b"Sum up."))
    before = desk.notebook.read_bytes()
    desk.pull()
    assert desk.notebook.read_bytes() == before.replace(b"Add up.", b"Sum up.")


def test_outputs_of_a_changed_cell_go_and_all_others_stay(skill_notebook):
    raw = json.loads(skill_notebook.read_text())
    for cell in raw["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]
            cell["execution_count"] = 3
    skill_notebook.write_text(json.dumps(raw, indent=1) + "\n")
    desk = Desk(skill_notebook)
    desk.edit(CODE, "Say it.", "Tell it.")
    desk.pull()
    kept = {n: len(c["outputs"]) for n, c in enumerate(desk.cells(), 1) if "outputs" in c}
    assert kept == {4: 1, 5: 1, 6: 0, 7: 1}
    assert desk.cells()[5]["execution_count"] is None


NEW = """# %% helper rounded
def rounded(value):
    return round(value, 2)


"""


@pytest.mark.parametrize(
    ("before", "order"),
    [
        ("# %% setup", ["rounded", "BaseModel", "class Sum", "class Report"]),
        ("# %% step add", ["BaseModel", "rounded", "class Sum", "class Report"]),
        ("# %% step tell", ["BaseModel", "class Sum", "rounded", "class Report"]),
    ],
)
def test_a_new_marker_is_a_new_cell_after_what_it_follows(desk, before, order):
    desk.edit(CODE, before, NEW + before)
    desk.pull()
    code = [c for c in desk.cells() if c["cell_type"] == "code" and tags(c) != ["cases"]]
    assert all(word in cell["source"] for word, cell in zip(order, code, strict=True))
    new = next(cell for cell in code if "rounded" in cell["source"])
    assert tags(new) == ["helper"] and new["source"].endswith("round(value, 2)")
    assert len({cell["id"] for cell in desk.cells()}) == 8


def test_a_marker_that_is_gone_leaves_its_cell_tagged_skip(desk):
    text = (desk.folder / CODE).read_text()
    (desk.folder / CODE).write_text(text[: text.index("# %% step tell")])
    desk.edit("evals/cases.jsonl", (desk.folder / "evals/cases.jsonl").read_text().split("\n")[2],
              "")  # fmt: skip
    planned, _ = desk.pull()
    assert desk.cells()[5]["source"] == TELL and tags(desk.cells()[5]) == ["skip"]
    assert [slot.skipped for slot in planned.slots] == [True, False]


def test_steps_in_another_order_are_cells_in_another_order(desk):
    text = (desk.folder / CODE).read_text()
    head, add, tell = text.replace("# %% step", "\0# %% step").split("\0")
    (desk.folder / CODE).write_text(head + tell + "\n\n" + add)
    desk.pull()
    assert [c["source"] for c in desk.cells()] == [
        FRONT, PROSE, CELLS[2][1], SETUP, TELL, ADD, CASES,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "marker", ["# %% step tell", "# %% step report_it", "#%% step", "# %%step x"]
)
def test_a_step_is_renamed_with_its_marker_or_without(desk, marker):
    desk.edit(CODE, "# %% step tell", marker)
    desk.edit(CODE, "def tell(", "def report_it(")
    desk.edit("evals/cases.jsonl", '"step": "tell"', '"step": "report_it"')
    changed = desk.changed(desk.pull)
    assert list(changed) == [6, 7]
    assert "# %% step report_it" in (desk.folder / CODE).read_text()
    assert "report_it" in (desk.folder / "runtime/steps.py").read_text()


def test_another_word_of_a_marker_is_another_tag(desk):
    desk.edit(CODE, "# %% setup", "# %% helper")
    desk.pull()
    assert tags(desk.cells()[3]) == ["helper"]


def test_foreign_tags_and_directives_keep_their_place(make_notebook):
    desk = Desk(
        make_notebook(
            [
                ("front", FRONT),
                ("code", "\n# skills2: setup\n\n" + SETUP),
                (["parameters", "step", "keep"], ADD),
            ]
        )
    )
    desk.edit(CODE, "import BaseModel", "import BaseModel, Field")
    desk.edit(CODE, "# %% setup", "# %% model")
    desk.edit(CODE, "Add up.", "Sum up.")
    desk.pull()
    cells = desk.cells()
    assert cells[1]["source"].startswith("\n# skills2: model\n\nfrom pydantic import BaseModel, F")
    assert tags(cells[1]) == [] and tags(cells[2]) == ["parameters", "step", "keep"]


TRICKY = '''NOTE = """
# %% step fake
not a marker
"""
# %% chapter two
# a comment like a cell's'''


def test_what_only_looks_like_a_marker_is_none(make_notebook):
    cells = [("front", FRONT), ("setup", SETUP + "\n" + TRICKY), ("step", ADD), ("step", TELL)]
    desk = Desk(make_notebook(cells))
    desk.edit(CODE, "not a marker", "no marker at all")
    assert list(desk.changed(desk.pull)) == [2]
    desk.edit(CODE, "# a comment like", "# %% step commented\n# like")
    desk.edit(CODE, "# %% step commented\n", "#  %% step commented\n")
    assert list(desk.changed(desk.pull)) == [2]


def test_a_comment_of_a_cell_that_reads_as_a_marker_stays_one(make_notebook):
    cells = [("front", FRONT), ("setup", SETUP + "\n# %% step later\nX = 1"), ("step", ADD)]
    desk = Desk(make_notebook(cells))
    desk.edit(CODE, "X = 1", "X = 2")
    assert list(desk.changed(desk.pull)) == [2]
    assert len(desk.cells()) == 3


def test_a_comment_that_is_a_marker_too_is_not_guessed(make_notebook):
    cells = [("front", FRONT), ("setup", SETUP + "\n# %% step add\nX = 1"), ("step", ADD)]
    desk = Desk(make_notebook(cells))
    desk.edit(CODE, "X = 1", "X = 2")
    before = desk.notebook.read_bytes()
    planned, _ = desk.pull()
    assert "marker too" in planned.left[0].message
    assert desk.notebook.read_bytes() == before


FUTURE = "from __future__ import annotations\n\n"


def test_hoisted_imports_stay_where_their_cell_has_them(make_notebook):
    desk = Desk(make_notebook([("front", FRONT), ("setup", FUTURE + SETUP), ("step", ADD)]))
    desk.edit(CODE, "import BaseModel", "import BaseModel, Field")
    desk.pull()
    expected = FUTURE + SETUP.replace("BaseModel", "BaseModel, Field")
    assert desk.cells()[1]["source"] == expected


def test_a_hoisted_import_that_is_gone_is_gone(make_notebook):
    desk = Desk(make_notebook([("front", FRONT), ("setup", FUTURE + SETUP), ("step", ADD)]))
    desk.edit(CODE, "\nfrom __future__ import annotations\n", "\n")
    desk.edit(CODE, "import BaseModel", "import BaseModel, Field")
    desk.pull()
    assert desk.cells()[1]["source"].startswith("# from __future__ import annotations\n\nfrom pyd")
    assert "\nfrom __future__" not in (desk.folder / CODE).read_text()


def test_imports_above_the_first_marker_are_a_setup_cell_in_front(desk):
    text = (desk.folder / CODE).read_text()
    head, rest = text.split("\n", 1)
    (desk.folder / CODE).write_text(
        f"{head}\nfrom __future__ import annotations\nimport re\n{rest}"
    )
    desk.pull()
    cell = desk.cells()[3]
    assert cell["source"] == "from __future__ import annotations\nimport re"
    assert tags(cell) == ["setup"]


def test_code_put_into_a_package_of_prose_becomes_cells(make_notebook):
    desk = Desk(make_notebook([("front", FRONT), ("prose", PROSE)]))
    (desk.folder / "runtime").mkdir()
    (desk.folder / CODE).write_text(f"{SETUP}\n\n# %% step add\n{ADD}\n")
    desk.pull()
    assert [(c["source"], tags(c)) for c in desk.cells()[2:]] == [
        (SETUP, ["setup"]),
        (ADD, ["step"]),
    ]


def test_what_a_link_leads_to_is_none_of_the_package(desk, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    (desk.folder / "references").mkdir()
    (desk.folder / "references/a.md").symlink_to(tmp_path / "secret.md")
    planned, _ = desk.pull(files=True)
    assert planned.extra == () and not planned.changes


def test_layout_alone_is_put_right_in_the_package(desk):
    text = (desk.folder / CODE).read_text()
    (desk.folder / CODE).write_text(text.replace("\n\n\n# %%", "\n# %%") + "\n\n")
    before = desk.notebook.read_bytes()
    planned, done = desk.pull()
    assert planned.edited == (CODE,) and not planned.changes
    assert (desk.folder / CODE).read_text() == text and done.backup is None
    assert desk.notebook.read_bytes() == before


def test_code_that_does_not_compile_is_carried_and_told(desk):
    desk.edit(CODE, "    return total == sum(values)", "    return total == == sum(values)")
    planned, done = desk.pull()
    assert "== ==" in desk.cells()[4]["source"]
    assert done.export is None and planned.plan.blocking[0].code == "C401"
    desk.edit_cell("== ==", "==")
    export(desk.notebook, verify=False, force=True)
    assert desk.look().is_clean


def test_an_edit_that_a_cell_would_not_give_back_is_refused(desk):
    desk.edit(CODE, "from pydantic import", "# skills2: setup\nfrom pydantic import")
    before = desk.notebook.read_bytes()
    with pytest.raises(RefusedError, match="cannot be kept as it is"):
        desk.look()
    assert desk.notebook.read_bytes() == before


@pytest.mark.parametrize(
    "path",
    ["runtime/steps.py", "runtime/models.py", "runtime/validators.py", "runtime/__init__.py"],
)
def test_generated_files_are_not_carried_and_the_rest_is(desk, path):
    (desk.folder / path).write_text("X = 1\n")
    desk.edit(CODE, "Add up.", "Sum up.")
    planned, done = desk.pull()
    assert [(left.file, left.mend) for left in planned.left] == [(path, "edit runtime/skill.py")]
    assert "Sum up." in desk.cells()[4]["source"]
    assert done.export is None and (desk.folder / path).read_text() == "X = 1\n"


def test_the_module_of_pieces_is_the_one_export_assembles(make_notebook, skill_notebook):
    for path in (
        skill_notebook,
        make_notebook([("front", FRONT), ("setup", FUTURE + TRICKY), ("step", ADD)], "n/b.ipynb"),
    ):
        plan = plan_path(path)
        text = plan.module.text
        made = cut_edited(text)
        assert made.loose == "" and made.pieces == pieces_of(plan.module)
        assert written(header(path.name), made.futures, made.pieces) == text


BROKEN = {
    "a text that is never closed": ("return", 'x = """\n    return'),
    "a bracket that is never closed": ("return", "x = (\n    return"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_code_that_does_not_compile_stays_within_its_cell(desk, name):
    """The markers below it are markers all the same: no other cell is skipped or changed."""
    desk.edit(CODE, *BROKEN[name])
    assert list(desk.changed(desk.pull)) == [5]


def test_a_marker_without_blanks_or_with_a_tab_is_one(desk):
    before = desk.notebook.read_bytes()
    text = (desk.folder / CODE).read_text()
    (desk.folder / CODE).write_text(text.replace("# %% step ", "#%%\tstep   "))
    desk.pull()
    assert desk.notebook.read_bytes() == before


NOTHING_LEFT = {
    "emptied": ("runtime/skill.py", lambda text: "\n", "nothing is left in it"),
    "prose emptied": ("SKILL.md", lambda text: "", "nothing is left in it"),
    "without markers": (CODE, lambda text: text.replace("# %%", "#"), "no `# %%` marker is left"),
}


@pytest.mark.parametrize("name", NOTHING_LEFT)
def test_a_file_in_which_nothing_tells_of_the_cells_skips_none(desk, name):
    path, edit, said = NOTHING_LEFT[name]
    before, file = desk.notebook.read_bytes(), desk.folder / path
    file.write_text(edit(file.read_text()))
    edited = file.read_bytes()
    planned, done = desk.pull()
    assert said in planned.left[0].message and done.export is None
    assert desk.notebook.read_bytes() == before and file.read_bytes() == edited


line = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\f"), max_size=12)
body = st.lists(line, min_size=1, max_size=4).map("\n".join).map(lambda t: f"X = 1\n{t}\nY = 2")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.none() | body, min_size=3, max_size=3))
def test_edited_bodies_are_the_cells_and_the_others_are_untouched(tmp_path_factory, bodies):
    from tests.conftest import notebook_dict

    folder = tmp_path_factory.mktemp("desk") / "notebooks"
    folder.mkdir()
    path = folder / "a.ipynb"
    path.write_text(json.dumps(notebook_dict(CELLS), indent=1) + "\n")
    desk = Desk(path)
    made = cut_edited((desk.folder / CODE).read_text())
    pieces = [
        piece if text is None else type(piece)(piece.word, piece.said, text)
        for piece, text in zip(made.pieces, bodies, strict=True)
    ]
    text = written(header(path.name), made.futures, pieces)
    if len(cut_edited(text).pieces) != 3 or any("skills2" in (b or "") for b in bodies):
        return  # a text that opens a string hides the markers behind it
    (desk.folder / CODE).write_bytes(text.encode())
    before = desk.cells()
    desk.pull()
    after = desk.cells()
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        wanted = bodies[number - 3] if 3 <= number <= 5 else None
        assert other == (one if wanted is None else {**one, "source": wanted})
