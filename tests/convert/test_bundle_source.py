"""Which skills may be handed on, and with which files."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from skills2_nb.convert import bundle_source
from skills2_nb.convert.bundle_source import source_of
from skills2_nb.convert.exporter import export
from skills2_nb.errors import RefusedError, Skills2Error
from tests.convert.bundles import write_notebook, write_prose


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    return export(write_notebook(folder), folder / "skills").folder


@pytest.fixture
def package(exported: Path, tmp_path: Path) -> Path:
    """A package of one's own."""
    return Path(shutil.copytree(exported, tmp_path / "skills" / exported.name))


def test_a_notebook_gives_what_its_package_gives(skill_notebook: Path, exported: Path) -> None:
    before = sorted(skill_notebook.parent.iterdir())
    made = source_of(skill_notebook)
    assert sorted(skill_notebook.parent.iterdir()) == before
    assert made == source_of(exported)
    assert (made.name, made.has_steps, made.is_exported) == ("trial-skill", True, True)
    assert "export.lock" not in made.files


def test_prose_alone_is_a_skill_too(tmp_path: Path) -> None:
    made = source_of(write_prose(tmp_path))
    assert (made.name, made.has_steps, made.is_exported) == ("weekly", False, False)
    assert made.description == "Counts the week. Use when counting."


def test_caches_are_passed_over_and_hidden_files_told(tmp_path: Path) -> None:
    place = write_prose(tmp_path)
    for path in (
        *(
            "__pycache__/a.pyc",
            ".git/config",
            "node_modules/a/b.js",
            ".DS_Store",
            "a/.ipynb_checkpoints/b",
        ),
        *(".env", "assets/.secret/key", "assets/data.csv"),
    ):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text("x")
    made = source_of(place)
    assert sorted(made.files) == ["SKILL.md", "assets/data.csv"]
    assert made.left_out == (".env", "assets/.secret")


def link_out(place: Path) -> None:
    (place.parent / "secret").write_text("key")
    (place / "assets").mkdir()
    (place / "assets" / "a.txt").symlink_to(place.parent / "secret")


def folder_out(place: Path) -> None:
    (place / "assets").symlink_to(place.parent)


def hidden(name: str, link: str = "notes.txt") -> Callable[[Path], None]:
    def make(place: Path) -> None:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("KEY=1")
        (place / link).symlink_to(place / name)

    return make


def dead_link(place: Path) -> None:
    (place / "a").symlink_to(place / "b")


def loop(place: Path) -> None:
    (place / "a").symlink_to(place / "a")


def pipe(place: Path) -> None:
    os.mkfifo(place / "pipe")


def slip(place: Path) -> None:
    (place / "a\\..\\..\\evil.txt").write_text("x")


def device(place: Path) -> None:
    (place / "con.txt").write_text("x")


def turned(place: Path) -> None:
    (place / "a\u202etxt.exe").write_text("x")


def twins(place: Path) -> None:
    (place / "Read.md").write_text("x")
    (place / "read.md").write_text("y")


ODD = [
    (link_out, "a link that leaves the skill"),
    (folder_out, "a link that leaves the skill"),
    *(
        (hidden(name), "notes.txt is a link to a file that stays behind")
        for name in (".env", ".aws/key", "a/.b/c", "__pycache__/a.py", "a.pyc", "node_modules/a")
    ),
    (dead_link, "a link to no file"),
    (loop, "a link to no file"),
    (pipe, "no plain file"),
    (slip, "a name that not every system can have"),
    (device, "a name that not every system can have"),
    (turned, "a name that not every system can have"),
    (twins, "cannot lie on one disk"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize(("make", "said"), ODD)
def test_what_cannot_be_handed_on_is_refused(
    make: Callable[[Path], None], said: str, tmp_path: Path
) -> None:
    place = write_prose(tmp_path)
    make(place)
    with pytest.raises(RefusedError, match="cannot be packaged") as caught:
        source_of(place)
    assert said in caught.value.message
    assert "\u202e" not in caught.value.message


def test_a_link_within_the_skill_becomes_a_file(tmp_path: Path) -> None:
    place = write_prose(tmp_path)
    (place / "a.txt").write_text("x")
    (place / "b.txt").symlink_to("a.txt")
    assert source_of(place).files["b.txt"] == b"x"


def test_names_in_every_script_go_along(tmp_path: Path) -> None:
    place = write_prose(tmp_path)
    (place / "größe 表.md").write_text("x")
    assert "größe 表.md" in source_of(place).files


def test_more_than_an_upload_takes_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_prose(tmp_path)
    with (place / "big.bin").open("wb") as file:
        file.truncate(bundle_source.MOST_BYTES)
    monkeypatch.setattr(bundle_source, "read_bytes", lambda path: pytest.fail("it was read"))
    with pytest.raises(RefusedError, match=r"30\.0 MB, and uploads take 30"):
        source_of(place)


NAMES = [("Weekly", False), ("a" * 64, True), ("a" * 65, False), ("café", False), ("a--b", False)]


@pytest.mark.parametrize(("name", "good"), NAMES)
def test_a_name_is_words_and_hyphens(name: str, good: bool, tmp_path: Path) -> None:
    place = write_prose(tmp_path, f"name: {name}\ndescription: x")
    if good:
        assert source_of(place).name == name
        return
    with pytest.raises(RefusedError, match="lower-case words joined by hyphens"):
        source_of(place)


def test_a_package_edited_since_its_export_needs_force(package: Path) -> None:
    code = package / "runtime" / "skill.py"
    code.write_text(code.read_text() + "\n# mine\n")
    with pytest.raises(RefusedError, match=r"runtime/skill\.py changed since the export.*pull"):
        source_of(package)
    assert source_of(package, force=True).files["runtime/skill.py"].endswith(b"# mine\n")


def test_a_manifest_with_errors_is_refused(package: Path) -> None:
    (package / "skill.toml").write_text("schema = 'no'\n[skill\n")
    with pytest.raises(Skills2Error, match=r"skill\.toml"):
        source_of(package, force=True)
