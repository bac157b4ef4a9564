"""One line a fault, no secret, no end of growth."""

import os
from pathlib import Path

import pytest

from skills2_nb.hooks import log


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:
        return caught


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("my secret prompt"), "ValueError"),
        (
            PermissionError(13, "Permission denied", "/h/x"),
            "PermissionError: Permission denied /h/x",
        ),
        (OSError(28, "No space\nleft"), "OSError: No space left"),
        (OSError("my secret prompt"), "OSError"),
        (KeyError("my secret prompt"), "KeyError"),
        (ModuleNotFoundError("no", name="skills2_nb.x"), "ModuleNotFoundError: skills2_nb.x"),
    ],
)
def test_a_fault_is_one_line(home: Path, error: BaseException, told: str) -> None:
    log.fault(str(home), "Stop", raised(error))
    (line,) = (home / log.NAME).read_text().splitlines()
    assert line[20:].startswith(f" Stop: {told} (test_log.py:") and "secret" not in line
    if os.name == "posix":
        assert (home / log.NAME).stat().st_mode & 0o777 == 0o600


def test_a_log_keeps_its_newest_half(home: Path) -> None:
    home.mkdir()
    path = home / log.NAME
    path.write_bytes(b"".join(b"%06d an old fault\n" % number for number in range(13_100)))
    assert path.stat().st_size > log.MOST_BYTES - 400
    for number in range(100):
        log.append(str(path), b"%06d a new fault\n" % number)
    lines = path.read_bytes().splitlines()
    assert log.MOST_BYTES // 2 - 100 < path.stat().st_size <= log.MOST_BYTES // 2 + 2000
    assert lines[-1] == b"000099 a new fault"
    assert all(len(line) > 15 for line in lines), "no line is cut"
    assert not [other for other in home.iterdir() if other != path]


def test_a_log_that_cannot_be_kept_is_no_fault(home: Path) -> None:
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file in the folder's place")
    log.fault(str(home), "Stop", raised(ValueError()))
    assert home.is_file()
