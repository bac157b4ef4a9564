"""Where an import writes: both places or neither, and nothing is lost."""

import errno
from pathlib import Path

import pytest

from skills2_nb.convert import landing
from skills2_nb.convert.importer import bring
from skills2_nb.errors import RefusedError, SetupError, UsageError

TEXT = "---\nname: weekly\ndescription: Counts.\n---\n\n# Weekly\n"


@pytest.fixture
def skill(tmp_path) -> Path:
    folder = tmp_path / "in" / "weekly"
    (folder / "assets").mkdir(parents=True)
    (folder / "SKILL.md").write_text(TEXT)
    (folder / "assets" / "a.csv").write_text("a,b\n")
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_notebook_that_is_there_is_refused(skill, tmp_path):
    notebook = tmp_path / "weekly.ipynb"
    notebook.write_text("mine")
    with pytest.raises(RefusedError, match=r"weekly.ipynb is there already.*--force.*ipynb.bak"):
        bring(skill, notebook)
    assert notebook.read_text() == "mine"
    assert not (tmp_path / "weekly").exists()


def test_a_folder_with_files_in_it_is_refused(skill, tmp_path):
    (tmp_path / "weekly").mkdir()
    (tmp_path / "weekly" / "mine.txt").write_text("mine")
    with pytest.raises(RefusedError, match="weekly is there already"):
        bring(skill, tmp_path / "weekly.ipynb")
    assert not (tmp_path / "weekly.ipynb").exists()


@pytest.mark.parametrize("there", ["nothing in it", "the same files"])
def test_a_folder_that_loses_nothing_is_taken(skill, tmp_path, there):
    (tmp_path / "weekly" / "assets").mkdir(parents=True)
    if there == "the same files":
        (tmp_path / "weekly" / "assets" / "a.csv").write_text("a,b\n")
    brought = bring(skill, tmp_path / "weekly.ipynb", force=there != "the same files")
    assert tree(brought.folder) == {"assets/a.csv": b"a,b\n"}


def test_force_keeps_what_was_there_and_never_overwrites_a_backup(skill, tmp_path):
    place = tmp_path / "nb"
    for number in range(3):
        (place / "weekly").mkdir(parents=True, exist_ok=True)
        (place / "weekly.ipynb").write_text(f"mine {number}")
        (place / "weekly" / "mine.txt").write_text(f"mine {number}")
        brought = bring(skill, place / "weekly.ipynb", force=True)
        assert [path.name for path in brought.backups] == [
            f"weekly.ipynb.bak{number + 1 if number else ''}",
            f"weekly.bak{number + 1 if number else ''}",
        ]
    kept = {
        name: data for name, data in tree(place).items() if ".bak" in name and "mine" in str(data)
    }
    assert kept == {
        f"{name}.bak{n + 1 if n else ''}{rest}": f"mine {n}".encode()
        for n in range(3)
        for name, rest in (("weekly.ipynb", ""), ("weekly", "/mine.txt"))
    }
    assert tree(place / "weekly") == {"assets/a.csv": b"a,b\n"}


def test_force_over_the_same_changes_nothing(skill, tmp_path):
    first = bring(skill, tmp_path / "nb" / "weekly.ipynb")
    before = tree(tmp_path / "nb")
    again = bring(skill, tmp_path / "nb" / "weekly.ipynb", force=True)
    assert (first.backups, again.backups) == ((), ())
    assert tree(tmp_path / "nb") == before


@pytest.mark.parametrize("name", ["in/weekly.ipynb", "in/weekly/nb.ipynb", "in.ipynb"])
def test_the_skill_folder_is_never_written_to(skill, tmp_path, name):
    before = tree(tmp_path)
    with pytest.raises(UsageError, match="skill folder itself"):
        bring(skill, tmp_path / name, force=True)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", ["weekly", "weekly.json", "...ipynb"])
def test_a_notebook_is_called_ipynb(skill, tmp_path, name):
    with pytest.raises(UsageError):
        bring(skill, tmp_path / name)


FAILING = ["swap", "write_atomic", "rename"]


@pytest.mark.parametrize("failing", FAILING)
@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_all_as_it_was(skill, tmp_path, monkeypatch, failing, there):
    place = tmp_path / "nb"
    place.mkdir()
    if there:
        (place / "weekly").mkdir()
        (place / "weekly.ipynb").write_text("mine")
        (place / "weekly" / "mine.txt").write_text("mine")
    before = tree(place)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if failing == "swap":
            patch.setattr("skills2_nb.convert.swap._stage", full)
        elif failing == "write_atomic":
            patch.setattr("skills2_nb.formats.files.tempfile.mkstemp", full)
        else:
            real = Path.replace

            def replace(self: Path, target: Path) -> Path:
                return full() if Path(target).name == "weekly.ipynb" else real(self, target)

            patch.setattr(Path, "replace", replace)
        with pytest.raises(SetupError, match="the disk is full"):
            bring(skill, place / "weekly.ipynb", force=True)
    assert tree(place) == before
    assert sorted(p.name for p in place.iterdir()) == (["weekly", "weekly.ipynb"] if there else [])


def test_a_place_that_cannot_be_is_refused(skill, tmp_path):
    (tmp_path / "nb").write_text("a file")
    with pytest.raises(SetupError, match="a file stands where a folder must be"):
        bring(skill, tmp_path / "nb" / "weekly.ipynb")


def test_an_interrupt_leaves_all_as_it_was(skill, tmp_path, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(landing, "swap", interrupted)
    (tmp_path / "weekly").mkdir()
    (tmp_path / "weekly" / "mine.txt").write_text("mine")
    with pytest.raises(KeyboardInterrupt):
        bring(skill, tmp_path / "weekly.ipynb", force=True)
    assert tree(tmp_path / "weekly") == {"mine.txt": b"mine"}
    assert not (tmp_path / "weekly.ipynb").exists()
