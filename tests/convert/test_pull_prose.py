"""Edits of SKILL.md, back in the prose cells."""

import base64
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skills2_nb.convert.prose_blocks import blocks, shared_out
from tests.conftest import ADD, FRONT, SETUP, notebook_dict
from tests.convert.pulling import Desk

PROSE = "SKILL.md"
CELLS = [
    ("front", FRONT),
    ("prose", "# Adding\n\nThe **total**.\n\nMore of it, said at length."),
    ("setup", SETUP),
    ("prose", "## Steps\n\n1. Add.\n\n```text\na\n\nb\n```"),
    ("step", ADD),
    ("prose", "A paragraph without a heading, in a cell of its own."),
    ("prose", "## Limits\n\nNone are known."),
]


@pytest.fixture
def desk(make_notebook):
    return Desk(make_notebook(CELLS))


def bytes_after(desk, edited=None):
    """The package's SKILL.md stays what it was edited to, whatever writes it."""
    wanted = (desk.folder / PROSE).read_bytes() if edited is None else edited
    desk.pull()
    assert (desk.folder / PROSE).read_bytes() == wanted
    return desk.cells()


@pytest.mark.parametrize(
    ("old", "new", "cell"),
    [
        ("The **total**.", "The **sum**.", 2),
        ("1. Add.", "1. Add up.\n2. Say it.", 4),
        ("a\n\nb", "a\n\nc\n\nb", 4),
        ("in a cell of its own.", "in a cell.\n\nIts own.", 6),
        ("None are known.", "None are known.\n\nBut one may be found.", 7),
        ("## Limits", "## What it cannot do", 7),
        ("# Adding\n\n", "", 2),
        ("name: trial-skill", 'name: trial-skill\nlicense: "MIT"', 1),
        ("A paragraph without", "## At last a heading\n\nA paragraph without", 6),
    ],
)
def test_an_edit_lands_in_its_cell_alone(desk, old, new, cell):
    desk.edit(PROSE, old, new)
    changed = desk.changed(lambda: bytes_after(desk))
    assert list(changed) == [cell]
    assert changed[cell][1] == changed[cell][0].replace(old, new)


@pytest.mark.parametrize(("before", "at"), [("## Steps", 2), ("## Limits", 6), ("# Adding", 1)])
def test_a_new_section_is_a_new_cell(desk, before, at):
    desk.edit(PROSE, before, f"## New\n\nText.\n\n{before}")
    cells = bytes_after(desk)
    assert len(cells) == 8 and cells[at]["source"] == "## New\n\nText."
    assert cells[at]["cell_type"] == "markdown" and cells[at]["metadata"] == {}


def test_a_new_section_at_the_end(desk):
    (desk.folder / PROSE).write_text((desk.folder / PROSE).read_text() + "\n## End\n\nOf it.\n")
    assert bytes_after(desk)[7]["source"] == "## End\n\nOf it."


def test_a_section_that_is_gone_is_tagged_skip(desk):
    desk.edit(PROSE, "\n\n## Limits\n\nNone are known.", "")
    cells = bytes_after(desk)
    assert cells[6]["metadata"]["tags"] == ["skip"]
    assert cells[6]["source"] == "## Limits\n\nNone are known."


def test_a_section_that_moved_moves_its_cell(desk):
    limits = "## Limits\n\nNone are known."
    desk.edit(PROSE, f"\n\n{limits}", "")
    desk.edit(PROSE, "## Steps", f"{limits}\n\n## Steps")
    cells = bytes_after(desk)
    assert len(cells) == 7 and cells[2]["id"] == "cell-07" and cells[2]["source"] == limits


def test_a_page_written_anew_keeps_its_bytes(desk):
    page = f"{FRONT}\n\n\n# All\n\n\n\nnew\n\n```\n# no heading\n\n## nor this\n```\n\n## and\n\n\n"
    (desk.folder / PROSE).write_text(page)
    cells = bytes_after(desk, page.encode())
    assert [c["metadata"].get("tags") for c in cells if c["cell_type"] == "markdown"].count(None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("known.\n", "known."),
        ("known.\n", "known.\n\n\n"),
        ("---\n\n# Adding", "---\n# Adding"),
        ("---\n\n# Adding", "---\n\n\n\n# Adding"),
        ("---\nname", "---  \nname"),
    ],
)
def test_layout_of_the_file_is_kept_in_the_first_cell(desk, old, new):
    desk.edit(PROSE, old, new)
    changed = desk.changed(lambda: bytes_after(desk))
    assert list(changed) == [1] and changed[1][0] == changed[1][1]
    desk.edit(PROSE, new, old)
    bytes_after(desk)
    assert desk.cells()[0]["metadata"]["skills2"] == {}


def test_line_ends_of_a_checkout_stay_out_of_the_notebook(desk):
    desk.edit(PROSE, "None are", "Few are")
    (desk.folder / PROSE).write_bytes((desk.folder / PROSE).read_bytes().replace(b"\n", b"\r\n"))
    before = desk.notebook.read_bytes()
    desk.pull()
    assert desk.notebook.read_bytes() == before.replace(b"None are", b"Few are")


def test_front_matter_that_does_not_parse_stays_front_matter(desk):
    desk.edit(PROSE, 'description: "Adds', "description: it: Adds")
    desk.edit(PROSE, 'for a sum."', "for a sum.")
    planned, _ = desk.pull()
    assert "description: it: Adds" in desk.cells()[0]["source"]
    assert planned.plan.blocking[0].code == "F302"


def test_front_matter_made_by_export_gets_a_cell_once_edited(make_notebook):
    desk = Desk(make_notebook(CELLS[1:]))
    desk.edit(PROSE, "name: trial-skill", "name: trial-skill\nlicense: MIT")
    cells = bytes_after(desk)
    assert cells[0]["cell_type"] == "raw" and "license: MIT" in cells[0]["source"]


def test_a_new_name_leaves_the_package_for_the_next_export(desk):
    desk.edit(PROSE, "name: trial-skill", "name: other-skill")
    planned, done = desk.pull()
    assert planned.plan.name == "other-skill" and done.export is None
    assert not (desk.folder.parent / "other-skill").exists()


@pytest.mark.parametrize(
    "text", ["<!-- skills2: skip -->\nSecret", "# skills2: prose", "![](attachment:no.png)"]
)
def test_prose_that_reads_as_a_directive_is_tagged_prose(desk, text):
    desk.edit(PROSE, "## Limits\n\nNone are known.", f"## Limits\n\nNone.\n\n## X\n\n{text}")
    bytes_after(desk)
    desk.edit(PROSE, "A paragraph without a heading, in a cell of its own.", text)
    bytes_after(desk)


@pytest.fixture
def pictured(make_notebook):
    path = make_notebook(
        [("front", FRONT), ("prose", "# See\n\n![a](attachment:a.png) here\n\nEnd.")]
    )
    raw = json.loads(path.read_text())
    raw["cells"][1]["attachments"] = {"a.png": {"image/png": base64.b64encode(b"png").decode()}}
    path.write_text(json.dumps(raw, indent=1))
    return Desk(path)


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("End.", "The end.", "![a](attachment:a.png) here"),
        (") here", ") there", "![a](attachment:a.png) there"),
        ("End.", "![b](assets/a.png)", "![a](attachment:a.png) here\n\n![b](attachment:a.png)"),
        ("End.", "`assets/a.png`", "![a](attachment:a.png) here\n\n`assets/a.png`"),
        ("![a](assets/a.png) here", "`assets/a.png`: ![a](assets/a.png)", "`assets/a.png`: ![a]("),
    ],
)  # fmt: skip
def test_links_to_attachments_stay_attachments(pictured, old, new, kept):
    pictured.edit(PROSE, old, new)
    cells = bytes_after(pictured)
    assert kept in cells[1]["source"]
    assert cells[1]["attachments"] and (pictured.folder / "assets/a.png").read_bytes() == b"png"


word = st.sampled_from(["# A", "## B", "one", "two words", "```", "# skills2: x", "", "", "- i"])
pages = st.lists(word, max_size=14).map("\n".join)


@pytest.mark.parametrize(("path", "rest"), [(PROSE, "SKILL.md"), ("runtime/skill.py", "runtime")])
def test_a_file_that_is_no_text_is_left(desk, path, rest):
    (desk.folder / path).write_bytes(b"\xff\xfe")
    before = desk.notebook.read_bytes()
    planned, done = desk.pull()
    assert planned.left[0].message.startswith("it is not UTF-8") and done.export is None
    assert desk.notebook.read_bytes() == before and rest in planned.left[0].file


def test_a_byte_order_mark_and_mixed_line_ends_are_kept(desk):
    data = (desk.folder / PROSE).read_bytes().replace(b"None", b"Few")
    edited = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n", 2)
    (desk.folder / PROSE).write_bytes(edited)
    bytes_after(desk, edited)


@given(st.lists(pages.map(lambda t: t.strip("\n")).filter(bool), max_size=4), pages)
def test_shared_out_prose_is_the_same_prose(pieces, page):
    body = page.strip("\n")
    parts = shared_out(pieces, body)
    assert "\n\n".join(part.text for part in parts) == body
    assert "\n\n".join(blocks(body)) == body
    labels = [part.label for part in parts]
    assert len(set(labels)) == len(labels)
    owned = [int(label) for label in labels if label.isdigit()]
    assert owned == sorted(owned)


@given(st.lists(pages.map(lambda t: t.strip("\n")).filter(bool), min_size=1, max_size=4))
def test_prose_that_did_not_change_stays_where_it_is(pieces):
    made = shared_out(pieces, "\n\n".join(pieces))
    if all("```" not in piece for piece in pieces):
        assert [(part.label, part.text) for part in made] == [
            (str(at), piece) for at, piece in enumerate(pieces)
        ]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pages, st.sampled_from(["", "\n", "\n\n\n"]))
def test_any_page_is_pulled_to_the_byte(tmp_path_factory, page, tail):
    folder = tmp_path_factory.mktemp("desk") / "notebooks"
    folder.mkdir()
    path = folder / "a.ipynb"
    path.write_text(json.dumps(notebook_dict(CELLS), indent=1) + "\n")
    desk = Desk(path)
    text = f"{FRONT}\n\n{page}{tail}"
    (desk.folder / PROSE).write_text(text)
    before = {c["id"]: c for c in desk.cells() if c["cell_type"] == "code"}
    bytes_after(desk, text.encode())
    assert before == {c["id"]: c for c in desk.cells() if c["cell_type"] == "code"}
