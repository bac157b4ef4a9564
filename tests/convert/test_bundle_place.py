"""A bundle lands whole, on what is its own, or not at all."""

import os
import sys
from pathlib import Path

import pytest

from skills2_nb.convert.bundle import Bundle
from skills2_nb.convert.bundle_place import as_file, as_folder
from skills2_nb.errors import RefusedError, SetupError, UsageError
from skills2_nb.formats.files import sha256
from skills2_nb.formats.package import LOCK, lock

FILES = {"SKILL.md": b"# A\n", "skills/a/scripts/run.sh": b"#!/bin/sh\n"}


def bundle(files: dict[str, bytes] = FILES) -> Bundle:
    return Bundle("a", {**files, LOCK: lock(files).encode()})


def test_a_file_is_named_for_its_skill_and_written_once(tmp_path: Path) -> None:
    first = as_file(bundle(), tmp_path / "dist")
    data = first.path.read_bytes()
    assert first.path == tmp_path / "dist" / "a.skill"
    assert (first.changed, first.size, first.sha256) == (True, len(data), sha256(data))
    stamp = first.path.stat().st_mtime_ns
    assert not as_file(bundle(), tmp_path / "dist").changed
    assert first.path.stat().st_mtime_ns == stamp
    again = as_file(bundle({**FILES, "new.md": b"x"}), tmp_path / "dist")
    assert again.changed


def test_a_file_of_somebody_else_stays(tmp_path: Path) -> None:
    (tmp_path / "a.skill").write_bytes(b"mine")
    with pytest.raises(RefusedError, match="did not make it; nothing was written"):
        as_file(bundle(), tmp_path)
    assert (tmp_path / "a.skill").read_bytes() == b"mine"
    assert as_file(bundle(), tmp_path, force=True).changed


def test_a_folder_in_the_files_place(tmp_path: Path) -> None:
    (tmp_path / "a.skill").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        as_file(bundle(), tmp_path)


def test_a_plugins_folder_holds_what_it_should_and_no_more(tmp_path: Path) -> None:
    assert as_folder(bundle(), tmp_path).changed
    assert not as_folder(bundle(), tmp_path).changed
    assert os.access(tmp_path / "a/skills/a/scripts/run.sh", os.X_OK) or os.name == "nt"
    as_folder(bundle({"SKILL.md": b"# B\n"}), tmp_path)
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["SKILL.md", LOCK]


def test_a_folder_of_somebody_else_stays(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    as_folder(bundle(), tmp_path / "b")
    (tmp_path / "a" / "mine.txt").write_text("x")
    with pytest.raises(RefusedError, match="did not make it; nothing was written"):
        as_folder(bundle(), tmp_path)
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["mine.txt"]
    as_folder(bundle(), tmp_path, force=True)
    assert (tmp_path / "a" / "mine.txt").read_text() == "x"


@pytest.mark.parametrize("files", [FILES | {"SKILL.md": b"# B\n"}, {"other.md": b"x"}])
def test_an_edited_file_needs_force(files: dict[str, bytes], tmp_path: Path) -> None:
    as_folder(bundle(), tmp_path)
    (tmp_path / "a" / "SKILL.md").write_text("mine")
    with pytest.raises(RefusedError, match=r"SKILL\.md changed since it was packaged"):
        as_folder(bundle(files), tmp_path)
    assert (tmp_path / "a" / "SKILL.md").read_text() == "mine"
    assert as_folder(bundle(files), tmp_path, force=True).changed


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize("make", ["link", "file"])
def test_what_is_no_folder_in_its_place(make: str, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    if make == "link":
        (tmp_path / "a").symlink_to(tmp_path / "else")
    else:
        (tmp_path / "a").write_text("x")
    with pytest.raises(UsageError, match="is no folder"):
        as_folder(bundle(), tmp_path)
    assert not list((tmp_path / "else").iterdir())


def test_a_place_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "dist").write_text("x")
    for write in (as_file, as_folder):
        with pytest.raises(SetupError, match="a file stands where a folder must be"):
            write(bundle(), tmp_path / "dist")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a place that nobody may fill")
@pytest.mark.parametrize("place", ["/proc", "/proc/skills2"])
def test_a_place_that_takes_nothing(place: str) -> None:
    for write in (as_file, as_folder):
        with pytest.raises(SetupError, match="cannot be written"):
            write(bundle(), Path(place))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_place_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    for write in (as_file, as_folder):
        with pytest.raises(SetupError, match="permission denied"):
            write(bundle(), tmp_path)
    tmp_path.chmod(0o700)
