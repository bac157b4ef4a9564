"""Package and notebook both moved."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skills2_nb.convert.back import choices
from skills2_nb.convert.merge import Part, align, steady, verdicts
from skills2_nb.errors import RefusedError, UsageError
from tests.conftest import CELLS, FRONT, PROSE, notebook_dict
from tests.convert.pulling import Desk

CODE, TEXT, CASES = "runtime/skill.py", "SKILL.md", "evals/cases.jsonl"


@pytest.fixture
def desk(skill_notebook):
    return Desk(skill_notebook)


def test_other_cells_moved_on_each_side_are_told_apart_by_the_lock(desk):
    desk.edit(CODE, "Add up.", "Add it up.")
    desk.edit_cell("Say it.", "Say so.")
    planned, _ = desk.pull()
    assert [slot.number for slot in planned.slots] == [5] and not planned.conflicts
    code = (desk.folder / CODE).read_text()
    assert "Add it up." in code and "Say so." in code


def test_a_new_cell_on_one_side_and_an_edit_on_the_other(desk):
    desk.edit(CODE, "# %% step tell", "# %% helper h\ndef h():\n    return 1\n\n\n# %% step tell")
    desk.edit_cell("Add up.", "Add it up.")
    desk.pull()
    assert len(desk.cells()) == 8
    assert "Add it up." in (desk.folder / CODE).read_text()


def test_one_cell_moved_on_both_sides_is_shown_and_not_guessed(desk):
    desk.edit(CODE, "Add up.", "Add it up.")
    desk.edit_cell("Add up.", "Sum up.")
    before = desk.notebook.read_bytes()
    planned = desk.look()
    (conflict,) = planned.conflicts
    assert (conflict.file, conflict.label) == (CODE, "5")
    assert "Sum up." in conflict.notebook and "Add it up." in conflict.package
    with pytest.raises(RefusedError, match="to be decided"):
        desk.pull()
    assert desk.notebook.read_bytes() == before


@pytest.mark.parametrize(
    ("take", "docstring"),
    [("package", "Add it up."), ("notebook", "Sum up."), ("package:5", "Add it up.")],
)
def test_a_side_is_taken(desk, take, docstring):
    desk.edit(CODE, "Add up.", "Add it up.")
    desk.edit_cell("Add up.", "Sum up.")
    desk.pull(take)
    assert docstring in desk.cells()[4]["source"]
    assert docstring in (desk.folder / CODE).read_text()


def test_each_conflict_can_be_decided_by_itself(desk):
    for old, package, notebook in (("Add up.", "A1.", "A2."), ("Say it.", "S1.", "S2.")):
        desk.edit(CODE, old, package)
        desk.edit_cell(old, notebook)
    assert {conflict.label for conflict in desk.look("package:5").conflicts} == {"6"}
    desk.pull("notebook", "package:5")
    assert "A1." in desk.cells()[4]["source"] and "S2." in desk.cells()[5]["source"]


def test_another_order_on_one_side_and_an_edit_on_the_other_is_one_conflict(desk):
    text = (desk.folder / CODE).read_text()
    head, add, tell = text.replace("# %% step", "\0# %% step").split("\0")
    (desk.folder / CODE).write_text(head + tell + "\n\n" + add)
    desk.edit_cell("Add up.", "Sum up.")
    assert [conflict.label for conflict in desk.look().conflicts] == [CODE]
    desk.pull("notebook")
    assert "Sum up." in (desk.folder / CODE).read_text()


@pytest.mark.parametrize(
    ("old", "package", "moved", "notebook", "labels"),
    [
        ("of a list", "of a row", "Adds up", "Sums up", []),
        ("Adds up", "Sums up", "of a list", "of a row", []),
        ("sum.\n", "sum.\n\n## More\n\nOf it.\n", "Adds up", "Sums up", []),
        ("sum.\n", "sum.\n\n\n", "Adds up", "Sums up", []),
        ("of a list", "of a row", "of a list", "of a file", ["2"]),
        ("Adds up", "Sums up", "Adds up", "Totals", ["front"]),
    ],
)
def test_prose_is_told_apart_likewise(desk, old, package, moved, notebook, labels):
    desk.edit(TEXT, old, package)
    desk.edit_cell(moved, notebook)
    assert [conflict.label for conflict in desk.look().conflicts] == labels
    desk.pull("package") if labels else desk.pull()
    text = (desk.folder / TEXT).read_text()
    assert package in text and (notebook in text) == (not labels)


def test_cases_are_told_apart_likewise(desk):
    desk.edit(CASES, '"total": 3', '"total": 4')
    desk.edit_cell("What is the sum", "What's the sum")
    desk.pull()
    text = (desk.folder / CASES).read_text()
    assert '"total": 4' in text and "What's the sum" in text
    desk.edit(CASES, '"total": 4', '"total": 5')
    desk.edit_cell('{"total": 4}', '{"total": 6}')
    assert [conflict.label for conflict in desk.look().conflicts] == ["add-1"]
    desk.pull("notebook:add-1")
    assert '"total": 6' in (desk.folder / CASES).read_text()


def test_a_value_of_the_manifest_is_a_conflict_by_its_key(desk):
    desk.edit("skill.toml", "timeout = 60", "timeout = 70")
    desk.edit_cell("[anchors]", "[runtime]\nmemory_mb = 99\n\n[anchors]")
    labels = [conflict.label for conflict in desk.look().conflicts]
    assert labels == ["runtime.timeout", "runtime.memory_mb"]
    desk.pull("package:runtime.timeout", "notebook")
    text = (desk.folder / "skill.toml").read_text()
    assert "timeout = 70" in text and "memory_mb = 99" in text


def test_a_file_that_both_have_and_no_export_wrote_is_a_conflict(desk):
    (desk.folder / "references").mkdir()
    (desk.folder / "references/a.md").write_text("Theirs.\n")
    own = desk.notebook.with_suffix("") / "references"
    own.mkdir(parents=True)
    (own / "a.md").write_text("Ours.\n")
    assert [conflict.label for conflict in desk.look().conflicts] == ["references/a.md"]
    desk.pull("package:references/a.md")
    assert (own / "a.md").read_text() == "Theirs.\n"


MOVES = st.lists(st.sampled_from(["none", "package", "notebook", "both"]), min_size=5, max_size=5)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(MOVES, st.booleans())
def test_edits_of_other_parts_meet_and_those_of_one_part_are_asked_about(
    tmp_path_factory, moves, is_prose
):
    folder = tmp_path_factory.mktemp("desk") / "notebooks"
    folder.mkdir()
    parts = [f"## Part {n}\n\nX{n} = 0." if is_prose else f"X{n} = 0." for n in range(5)]
    cells = [("front", FRONT), *(("prose" if is_prose else "setup", part) for part in parts)]
    (folder / "a.ipynb").write_text(json.dumps(notebook_dict(cells), indent=1))
    desk = Desk(folder / "a.ipynb")
    for n, move in enumerate(moves):
        if move in ("package", "both"):
            desk.edit(TEXT if is_prose else CODE, f"X{n} = 0.", f"X{n} = 1.")
        if move in ("notebook", "both"):
            desk.edit_cell(f"X{n} = 0.", f"X{n} = 2.")
    planned = desk.look()
    if "both" not in moves:
        assert not planned.conflicts
        desk.pull()
        ends = {"none": 0, "package": 1, "notebook": 2}
        for n, move in enumerate(moves):
            assert desk.cells()[n + 1]["source"].endswith(f"X{n} = {ends[move]}.")
    else:
        differ = {str(n) for n, move in enumerate(moves, 2) if move != "none"}
        assert {conflict.label for conflict in planned.conflicts} == differ
        before = desk.cells()
        desk.pull("notebook")
        assert desk.cells() == before


def test_what_both_sides_say_alike_is_no_edit(desk):
    desk.edit(CODE, "Add up.", "Sum up.")
    desk.edit_cell("Add up.", "Sum up.")
    assert desk.look().is_clean


@pytest.mark.parametrize(
    "words", [["both"], ["package:"], ["package", "notebook"], ["package:1", "notebook:1"]]
)
def test_choices_that_make_no_sense_are_wrong_use(words):
    with pytest.raises(UsageError):
        choices(words)


def test_rows_are_woven_in_the_order_of_theirs():
    ours = [Part("a", "1"), Part("b", "2"), Part("c", "3")]
    theirs = [Part("c", "3"), Part("x", "no"), Part("a", "1")]
    assert [tuple(row) for row in align(ours, theirs)] == [(2, 0), (None, 1), (0, 2), (1, None)]


def test_doubles_go_to_the_likest():
    ours = [Part("imports", "import a"), Part("imports", "import bbbbbb")]
    theirs = [Part("imports", "import bbbbbc")]
    assert [tuple(row) for row in align(ours, theirs)] == [(0, None), (1, 0)]


@pytest.mark.parametrize(
    ("places", "kept"), [([], set()), ([0, 1, 2], {0, 1, 2}), ([2, 0, 1], {1, 2}), ([3, 1], {0})]
)
def test_the_longest_rising_run_stays(places, kept):
    assert steady(places) == kept


def test_a_base_is_proved_or_there_is_none():
    pairs = [("a", "a"), ("b", "B"), (None, "c")]
    assert verdicts(pairs, None) == ["same", "take", "take"]
    assert verdicts(pairs, lambda sides: list(sides) == [0, 1, 0]) == ["same", "keep", "take"]
    assert verdicts(pairs, lambda sides: False) == ["same", "conflict", "conflict"]
    many = [(str(n), f"{n}!") for n in range(40)]
    assert set(verdicts(many, lambda sides: True)) == {"conflict"}


def test_the_notebook_saved_in_the_meantime_is_not_overwritten(desk):
    from skills2_nb.convert.pull import carry_out

    desk.edit(CODE, "Add up.", "Sum up.")
    planned = desk.look()
    desk.edit_cell(PROSE.split("\n", maxsplit=1)[0], "# Another title")
    saved = desk.notebook.read_bytes()
    with pytest.raises(RefusedError, match="in the meantime"):
        carry_out(planned)
    assert desk.notebook.read_bytes() == saved and CELLS
