"""Files that are made whole, by one of many."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skills2_nb.hooks import system

WHOLE = b"x" * 8_000_000


def test_one_of_many_makes_it(tmp_path: Path) -> None:
    place = str(tmp_path / "made")
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: system.claim(place, b"%d" % n), range(40)))
    assert made.count(True) == 1
    assert (tmp_path / "made").read_bytes() == b"%d" % made.index(True)
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


@pytest.mark.parametrize("make", [system.claim, system.replace])
def test_whoever_finds_it_finds_it_whole(tmp_path: Path, make: object) -> None:
    place, seen = tmp_path / "made", list[int]()

    def look() -> None:
        while not seen:
            if place.exists():
                seen.append(place.stat().st_size)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        make(str(place), WHOLE)  # type: ignore[operator]
    finally:
        looking.join(20)
    assert seen == [len(WHOLE)]


def test_a_folder_that_another_one_made_in_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, place = system.calls.mkdir, tmp_path / "home" / "sessions"

    def parallel(path: str, mode: int) -> None:
        real(path, mode)
        if path == str(place.parent):  # the other dispatcher's turn
            real(str(place), mode)

    monkeypatch.setattr(system.calls, "mkdir", parallel)
    system.make_folder(str(place))
    assert place.is_dir()


def test_a_disk_without_second_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(system.calls, "link", refuse)
    place = str(tmp_path / "made")
    assert [system.claim(place, b"a"), system.claim(place, b"b")] == [True, False]
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    assert (tmp_path / "made").read_bytes() == b"a"


def test_a_folder_that_is_absent_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        system.claim(str(tmp_path / "no" / "made"), b"a")


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_links_and_pipes_are_no_records(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"there")
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(tmp_path / "there")
    os.mkfifo(pipe)
    assert system.claim(str(link), b"other") is False
    with pytest.raises(OSError):
        system.read(str(link), 9)
    assert system.read(str(link), 9, 0) == b"there"
    assert system.read(str(pipe), 9) == b""
    system.replace(str(link), b"new")
    assert (tmp_path / "there").read_bytes() == b"there" and link.read_bytes() == b"new"
