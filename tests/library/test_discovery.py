"""Which skill a word means, and what is said where it means none."""

from pathlib import Path

import pytest

from skills2_nb.errors import UsageError
from skills2_nb.library.discovery import find, listed


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def package(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\n---\n")
    (folder / "skill.toml").write_text("schema = 1\n")
    return folder.resolve()


def test_a_folder_a_file_in_it_and_a_notebook(here: Path) -> None:
    place = package(here / "some/where/adds-up")
    (here / "adds.ipynb").write_text("{}")
    for text in ("some/where/adds-up", "some/where/adds-up/SKILL.md", str(place)):
        assert (find(text).kind, find(text).path, find(text).name) == ("package", place, "adds-up")
    target = find("adds.ipynb")
    assert (target.kind, target.name) == ("notebook", "adds")


def test_claudes_own_folder_may_lie_elsewhere(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = package(Path.home() / ".claude/skills/adds-up")
    other = package(Path.home() / ".claude/skills/other")
    moved = package(tmp_path / "config/skills/adds-up")
    assert find("adds-up").path == home
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    assert find("adds-up").path == moved
    assert find("other").path == other


def test_a_name_is_sought_in_three_places_in_order(here: Path) -> None:
    home = package(Path.home() / ".claude/skills/adds-up")
    assert find("adds-up").path == home
    project = package(here / ".claude/skills/adds-up")
    assert find("adds-up").path == project
    skills = package(here / "skills/adds-up")
    assert find("adds-up").path == skills
    package(here / "skills/other")
    (here / "skills/prose").mkdir()
    assert [target.name for target in listed()] == ["adds-up", "other"]
    assert listed()[0].path == skills


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nope", "no skill 'nope'.*./skills, ./.claude/skills"),
        ("prose", "prose alone"),
        ("note.txt", "neither a skill package nor a notebook"),
        ("../escape", "no skill '../escape'"),
        ("", "neither|no skill"),
    ],
)
def test_what_is_nowhere_says_where_it_was_sought(here: Path, text: str, says: str) -> None:
    (here / "prose").mkdir()
    (here / "prose/SKILL.md").write_text("x")
    (here / "note.txt").write_text("x")
    with pytest.raises(UsageError, match=says):
        find(text)


def test_the_known_skills_are_named(here: Path) -> None:
    package(here / "skills/adds-up")
    with pytest.raises(UsageError, match="there is adds-up"):
        find("add-up")
