"""What other readers of SKILL.md refuse, told of the notebook that an import makes."""

import os

import pytest

from skills2_nb.convert import gathering
from skills2_nb.convert.arranging import planned
from skills2_nb.convert.importer import bring
from skills2_nb.convert.prose_cells import prose_cells
from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.codes import CODES
from skills2_nb.formats.skill_md import split

BODY = "\n\n# Weekly\n\nText.\n"


def codes(front: str, body: str = BODY) -> set[str]:
    return {p.code for p in problems(f"---\n{front}\n---{body}")}


def problems(text: str):
    return planned(prose_cells(split(text.encode())), "weekly.ipynb").problems


GOOD = "name: weekly\ndescription: Counts the week. Use when counting."
FRONTS = {
    GOOD: set(),
    f"{GOOD}\nlicense: MIT\ncompatibility: Linux\nallowed-tools: Bash(git:*) Read": set(),
    f'{GOOD}\nmetadata:\n  author: me\n  version: "1.0"': set(),
    f"{GOOD}\nallowed-tools: [Read, Grep]": {"F318"},
    f"{GOOD}\nallowed-tools:\n  - Read\n  - Grep": {"F318"},
    f"{GOOD}\nmetadata: {{author: me}}": {"F318"},
    f"{GOOD}\nmetadata:\n  a:\n    b: c": {"F324"},
    f"{GOOD}\nmetadata: text": {"F324"},
    f"{GOOD}\nlicense: 3": {"F324"},
    f"{GOOD}\ncompatibility: {'x' * 501}": {"F324"},
    f"{GOOD}\ncompatibility: {'x' * 500}": set(),
    f"{GOOD}\nmodel: opus\nargument-hint: '[file]'": {"F323"},
    f"{GOOD}\nversion: 1.0.0\nauthor: me": {"F322"},
    "name: weekly\ndescription: Counts --- and tells.": {"F319"},
    "name: weekly\ndescription: fixes issue #123 at once": {"F320"},
    'name: weekly\ndescription: "fixes issue #123 at once"': set(),
    "name: weekly\ndescription: C#-like": set(),
    "name: claude-helper\ndescription: Helps.": {"F321"},
    "name: my-Anthropic\ndescription: Helps.": {"F321", "F305"},
    "name: café\ndescription: Serves.": {"F305"},
    f"name: {'a' * 65}\ndescription: Serves.": {"F305"},
    "name: weekly\ndescription: Makes <b> bold.": {"F308"},
    f"name: weekly\ndescription: {'x' * 1025}": {"F307"},
    "name: weekly": {"F306"},
    "description: Counts.": {"F303"},
    "name: weekly\ndescription: Use when: always": {"F315"},
    "name: weekly\nname: other\ndescription: a": {"F315"},
    "name: [weekly": {"F315"},
    "# nothing": {"F315"},
}


@pytest.mark.parametrize(("front", "wanted"), FRONTS.items())
def test_front_matter_that_others_refuse_is_told_and_blocks_nothing(front, wanted):
    assert codes(front) == wanted
    assert not any(problem.blocks for problem in problems(f"---\n{front}\n---{BODY}"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# Weekly\n", {"F316"}),
        ("", {"F316"}),
        ("---\n\n# Weekly\n", {"F316"}),
        ("---\nname: weekly\n\n# Weekly\n", {"F315"}),
        (f"\ufeff---\n{GOOD}\n---{BODY}", {"F317"}),
        (f"---\n{GOOD}\n---\n\n---\n\n# A\n\n---\n", set()),
    ],
)
def test_what_stands_around_front_matter_is_told(text, wanted):
    assert {p.code for p in problems(text)} == wanted


def test_findings_have_their_line_and_mend():
    text = f"---\n{GOOD}\nallowed-tools: [Read, Grep]\nowner: me\n---{BODY}"
    told = {p.code: (p.cell, p.line, p.mend) for p in problems(text)}
    assert told["F318"] == (1, 4, "write allowed-tools: Read Grep")
    assert told["F322"][:2] == (1, 5)
    (broken,) = problems(f"---\nname: a\ndescription: Use when: always\n---{BODY}")
    assert broken.cell == 1
    assert broken.mend.startswith('put the value in quotes: key: "value: more"; then move')


def test_the_usual_fault_is_read_all_the_same():
    text = f"---\nname: daily\ndescription: Use when: days are counted\n---{BODY}"
    made = planned(prose_cells(split(text.encode())), "weekly.ipynb")
    assert made.name == "daily"
    assert "counted" in made.manifest.triggers.keywords
    other = text.replace("name: daily", "name: ../up")
    assert planned(prose_cells(split(other.encode())), "weekly.ipynb").name == "weekly"


def skill(folder, **files):
    folder.mkdir()
    (folder / "SKILL.md").write_text(f"---\n{GOOD}\n---{BODY}", encoding="utf-8")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def test_names_that_export_changes_are_noted(tmp_path):
    folder = skill(tmp_path / "other")
    (folder / "SKILL.md").rename(folder / "skill.md")
    brought = bring(folder, tmp_path / "nb" / "other.ipynb")
    assert [(p.code, p.file) for p in brought.problems] == [
        ("F325", "other"),
        ("F325", "other/skill.md"),
    ]
    assert brought.skill == "weekly"


@pytest.mark.skipif(os.name != "posix", reason="links and odd names are POSIX's")
def test_what_cannot_travel_is_left_where_it_is_and_told(tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    folder = skill(tmp_path / "weekly", **{"a:b.txt": b"1", "README": b"2", "readme": b"3"})
    (folder / "out").symlink_to(tmp_path / "secret.txt")
    (folder / "dir").symlink_to(tmp_path)
    (folder / "in").symlink_to("README")
    (folder / "loop").symlink_to("loop")
    (folder / "skill.md").write_text("other")
    os.mkfifo(folder / "pipe")
    brought = bring(folder, tmp_path / "nb" / "weekly.ipynb")
    assert brought.files == ("README", "in")
    assert (brought.folder / "in").read_bytes() == b"2"
    assert not (brought.folder / "in").is_symlink()
    assert {p.code for p in brought.problems} == {"F326"}
    assert sorted(p.file.removeprefix("weekly/") for p in brought.problems) == [
        *("a:b.txt", "dir", "loop", "out", "pipe", "readme", "skill.md")
    ]
    assert not any(p.blocks for p in brought.problems)
    said = {p.file.removeprefix("weekly/"): p.message for p in brought.problems}
    assert "leaves the folder" in said["out"] and "leads nowhere" in said["loop"]


def test_a_skill_md_that_is_a_link_out_is_refused(tmp_path):
    (tmp_path / "elsewhere.md").write_text("# A\n")
    (tmp_path / "weekly").mkdir()
    try:
        (tmp_path / "weekly" / "SKILL.md").symlink_to(tmp_path / "elsewhere.md")
    except OSError:
        pytest.skip("this system makes no links")
    with pytest.raises(UnreadableError, match="link that leaves"):
        bring(tmp_path / "weekly", tmp_path / "nb" / "weekly.ipynb")


@pytest.mark.parametrize(("name", "limit"), [("MOST_FILES", 2), ("MOST_BYTES", 100)])
def test_what_is_larger_than_a_skill_is_refused(tmp_path, monkeypatch, name, limit):
    monkeypatch.setattr(gathering, name, limit)
    folder = skill(tmp_path / "weekly", a=b"1" * 60, b=b"2", c=b"3")
    with pytest.raises(RefusedError, match=r"more than .* no skill; nothing was written"):
        bring(folder, tmp_path / "nb" / "weekly.ipynb")
    assert not (tmp_path / "nb").exists()


@pytest.mark.parametrize("make", ["nothing", "empty", "file", "folder in its place"])
def test_what_is_no_skill_folder_is_refused(tmp_path, make):
    folder = tmp_path / "weekly"
    if make != "nothing":
        folder.mkdir()
    if make == "file":
        folder = folder / "NOTES.md"
        folder.write_text("# A\n")
    if make == "folder in its place":
        (folder / "SKILL.md").mkdir()
    with pytest.raises(UnreadableError):
        bring(folder, tmp_path / "nb" / "weekly.ipynb")


def test_nothing_that_an_import_tells_of_front_matter_blocks():
    assert not any(CODES[f"F3{n}"].level == "error" and CODES[f"F3{n}"].blocks
                   for n in range(15, 29))  # fmt: skip
