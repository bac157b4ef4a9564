"""SKILL.md to a notebook and back: the same bytes."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills2_nb.convert.arranging import planned
from skills2_nb.convert.exporter import export
from skills2_nb.convert.importer import bring, default_notebook
from skills2_nb.convert.prose_cells import prose_cells
from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.notebook import read_notebook
from skills2_nb.formats.skill_md import join, split

FRONT = "---\nname: weekly\ndescription: Counts the week.\n---\n"
HOSTILE = {
    "empty": "",
    "newlines alone": "\n\n\n",
    "no front matter": "# Weekly\n\nText.\n",
    "front matter alone": FRONT,
    "front matter without a newline": FRONT.rstrip("\n"),
    "no final newline": FRONT + "\n# A\n\nText.",
    "many final newlines": FRONT + "\n# A\n\n\n\n\n",
    "no gap": FRONT + "# A\n",
    "wide gap": FRONT + "\n\n\n\n# A\n",
    "crlf": (FRONT + "\n# A\n\n## B\n").replace("\n", "\r\n"),
    "cr": (FRONT + "\n# A\n\n## B\n").replace("\n", "\r"),
    "mixed": "---\r\nname: a\ndescription: b\r---\n\r\n# A\r\n\n# B\r\r# C",
    "bom": "\ufeff" + FRONT + "\n# A\n",
    "bom alone": "\ufeff",
    "nul": FRONT + "\n# A\x00\n\nb\x00\n",
    "tabs": FRONT + "\n#\tA\n\n\tcode\n\n# B\t\n",
    "tildes": FRONT + "\n# A\n\n~~~\n\n# no heading\n\n~~~\n\n# B\n",
    "a fence never closed": FRONT + "\n# A\n\n```\n\n# no heading\n",
    "a comment": FRONT + "\n# A\n\n<!--\n\n# no heading\n\n-->\n\n# B\n",
    "a comment never closed": FRONT + "\n# A\n\n<!--\n\n# no heading\n",
    "rules in the body": FRONT + "\n# A\n\n---\n\n# B\n\n---\nname: x\n---\n",
    "front matter twice": FRONT + "\n" + FRONT,
    "broken front matter": "---\nname: a\ndescription: Use when: always\n---\n\n# A\n",
    "brackets never closed": "---\nname: [a\n---\n\n# A\n",
    "a key twice": "---\nname: a\nname: b\ndescription: c\n---\n\n# A\n",
    "front matter never closed": "---\nname: a\n\n# A\n",
    "fences with blanks": "---  \nname: a\ndescription: b\n---\t\n\n# A\n",
    "dots close": "---\nname: a\ndescription: b\n...\n\n# A\n",
    "line separators": FRONT + "\n# A\u2028B\u2029C\x85D\x0bE\x0cF\n\n# G\n",
    "directives": FRONT + "\n# skills2: skip\n\n<!-- skills2: step -->\n\n# B\n",
    "a directive first": "# skills2: skip\n\ntext\n",
    "an attachment that is none": FRONT + "\n![](attachment:a.png)\n",
    "emoji and combining signs": FRONT + "\n# A\u0301 \U0001f600\n\n# B\n",
    "blank lines with blanks": FRONT + "\n# A\n \n# B\n\n \n\n# C\n",
    "a megabyte": FRONT + "\n" + ("# A\n\n" + "Text. " * 170 + "\n\n") * 1_000,
    "a megabyte of fences": FRONT + "\n" + ("```\n\n# A\n\n```\n" * 70 + "\n# B\n\n") * 1_000,
    "a megabyte on one line": FRONT + "\n" + "x" * 1_000_000,
}


def there_and_back(data: bytes) -> bytes:
    return planned(prose_cells(split(data)), "weekly.ipynb").files["SKILL.md"]


def on_disk(data: bytes, place: Path) -> bytes:
    skill = place / "in" / "weekly"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_bytes(data)
    brought = bring(skill, place / "weekly.ipynb")
    made = export(brought.notebook, place / "out", verify=False)
    return (made.folder / "SKILL.md").read_bytes()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_skill_md_comes_back_byte_for_byte(text, tmp_path):
    assert on_disk(text.encode(), tmp_path) == text.encode()


def test_every_public_skill_comes_back_and_nothing_keeps_it_from_export(shared, tmp_path):
    paths = sorted(shared.glob("corpus/*/SKILL.md"))
    assert len(paths) > 40
    for path in paths:
        brought = bring(path.parent, tmp_path / f"{path.parent.name}.ipynb")
        assert not any(problem.blocks for problem in brought.problems), path
        made = export(brought.notebook, tmp_path / "out", verify=False)
        assert (made.folder / "SKILL.md").read_bytes() == path.read_bytes(), path
        assert made.name == brought.skill


BITS = [
    *["---", "--- ", "...", "name: a", "description: b", "a: [", "name: b: c", "# H", "## H", "#"],
    *["```", "~~~", "````", "<!--", "-->", "<pre>", "</pre>", " ", "\t", "text", "\ufeff", "\x00"],
    *["# skills2: skip", "<!-- skills2: step -->", "![](attachment:x.png)", "\u2028", "\x85", "é"],
    *["\n", "\n", "\n\n", "\n\n", "\r", "\r\n", "\r\n\r\n"],
]


@settings(max_examples=400)
@given(st.one_of(st.lists(st.sampled_from(BITS), max_size=24).map("".join), st.text(max_size=60)))
def test_any_text_comes_back(text):
    data = text.encode("utf-8", errors="replace")
    assert there_and_back(data) == data


@settings(max_examples=60)
@given(st.lists(st.sampled_from(BITS), max_size=30).map("".join))
def test_any_text_comes_back_from_a_file(text):
    with tempfile.TemporaryDirectory() as place:
        skill = Path(place) / "weekly"
        skill.mkdir()
        (skill / "SKILL.md").write_bytes(text.encode())
        brought = bring(skill, Path(place) / "nb" / "weekly.ipynb")
        assert not any(problem.blocks for problem in brought.problems)
        made = export(brought.notebook, Path(place) / "out", verify=False)
        assert (made.folder / "SKILL.md").read_bytes() == text.encode()


@given(st.lists(st.sampled_from(BITS), max_size=24).map("".join))
def test_cells_that_feed_other_files_change_nothing(text):
    cells = prose_cells(split(text.encode()))
    others = [Draft("code", "X = 1", ("setup",)), Draft("raw", "aside", ("skip",))]
    mixed = [cells[0], *others, *cells[1:]]
    assert planned(mixed, "weekly.ipynb").files["SKILL.md"] == text.encode()


@pytest.mark.parametrize("unit", ["```\na\n```\n\n# H\n\n", "<!--\n", "~~~\n", "# H\n\n"])
def test_a_megabyte_of_anything_is_cut(unit):
    data = (unit * (1_000_000 // len(unit))).encode()
    assert join(split(data)) == data


def test_cells_are_cut_at_headings_and_the_first_keeps_the_layout():
    text = FRONT + "\n\n# A\n\ntext\n\n## B\n\n\n# C"
    assert prose_cells(split(text.encode())) == [
        Draft("raw", FRONT.rstrip("\n"), (), {"gap": 3, "tail": 0}),
        Draft("markdown", "# A\n\ntext"),
        Draft("markdown", "## B\n\n\n# C"),
    ]


@pytest.mark.parametrize(
    ("data", "offset"), [(b"---\nname: a\xff", 11), (b"\xff\xfe#\x00", 0), (b"ab\xc3", 2)]
)
def test_what_is_not_utf_8_is_refused_with_the_offset(data, offset, tmp_path):
    with pytest.raises(UnreadableError, match=rf"weekly/SKILL.md is not .* offset {offset}\)"):
        on_disk(data, tmp_path)
    assert not (tmp_path / "weekly.ipynb").exists()


def test_the_other_files_go_along_and_come_back(tmp_path):
    skill = tmp_path / "weekly"
    files = {
        "SKILL.md": FRONT.encode() + b"\n# A\n",
        "LICENSE.txt": b"free\r\n",
        "references/deep/er/notes.md": b"# Notes\n",
        "scripts/count.sh": b"#!/bin/sh\necho 1\n",
        "assets/logo.png": bytes(range(256)),
        "agents/writer.md": b"x",
        ".hidden/kept.txt": b"y",
        "evals/evals.json": b"{}",
        "empty.txt": b"",
    }
    noise = ["__pycache__/a.pyc", ".git/config", ".DS_Store", "node_modules/x/y.js", ".venv/bin/z"]
    for path, data in {**files, **dict.fromkeys(noise, b"noise")}.items():
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_bytes(data)
    brought = bring(skill, tmp_path / "nb" / "weekly.ipynb")
    assert brought.problems == ()
    made = export(brought.notebook, tmp_path / "out", verify=False)
    written = {
        path.relative_to(made.folder).as_posix(): path.read_bytes()
        for path in made.folder.rglob("*")
        if path.is_file()
    }
    assert written.pop("skill.toml")
    assert written.pop("export.lock")
    assert written == files
    if os.name == "posix":
        assert os.access(made.folder / "scripts/count.sh", os.X_OK)
        assert os.access(brought.folder / "scripts/count.sh", os.X_OK)


def test_same_skill_same_notebook(tmp_path):
    skill = tmp_path / "weekly"
    skill.mkdir()
    (skill / "SKILL.md").write_text(FRONT + "\n# A\n\n# A\n\n# A\n")
    one = bring(skill, tmp_path / "a" / "weekly.ipynb").notebook
    two = bring(skill / "SKILL.md", tmp_path / "b" / "weekly.ipynb").notebook
    assert one.read_bytes() == two.read_bytes()
    ids = [cell.id for cell in read_notebook(one).cells]
    assert len(set(ids)) == len(ids) == 4


def test_the_notebook_is_called_like_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weekly").mkdir()
    assert default_notebook(Path("weekly")) == Path("weekly.ipynb")
    (tmp_path / "notebooks").mkdir()
    assert default_notebook(Path("weekly")) == Path("notebooks/weekly.ipynb")
    assert default_notebook(tmp_path / "weekly", Path("x")) == Path("x/weekly.ipynb")
    monkeypatch.chdir(tmp_path / "weekly")
    assert default_notebook(Path()).name == "weekly.ipynb"
    with pytest.raises(UsageError):
        default_notebook(Path("/"))
