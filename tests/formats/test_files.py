import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from skills2_nb.errors import SetupError, UnreadableError
from skills2_nb.formats.files import cannot_write, is_text, over_lf, read_bytes, write_atomic


def test_a_file_is_replaced_whole_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "a"
    write_atomic(path, b"one")
    path.chmod(0o640)
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_told(tmp_path):
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(SetupError, match="permission denied"):
            write_atomic(tmp_path / "a", b"")
    finally:
        tmp_path.chmod(0o755)


def test_what_stands_in_the_way_keeps_the_old_file(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(SetupError, match="cannot be written"):
        write_atomic(tmp_path / "a", b"x")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "read-only"), (errno.EIO, "Input/output")],
)
def test_the_reason_is_said_in_words(tmp_path, number, words):
    error = cannot_write(tmp_path, OSError(number, os.strerror(number)))
    assert words in str(error)
    assert error.exit_code == 4


def test_reading_what_is_not_there(tmp_path):
    with pytest.raises(UnreadableError, match="no such file"):
        read_bytes(tmp_path / "a")
    with pytest.raises(UnreadableError, match="is a folder"):
        read_bytes(tmp_path)


@pytest.mark.parametrize(
    ("data", "text", "lf"),
    [
        (b"a\r\nb\rc\n", True, b"a\nb\nc\n"),
        (b"\x00\r\n", False, b"\x00\r\n"),
        (b"\xff\r\n", False, b"\xff\r\n"),
        (b"", True, b""),
    ],
)
def test_text_and_its_line_ends(data, text, lf):
    assert (is_text(data), over_lf(data)) == (text, lf)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes of that kind")
def test_a_pipe_a_device_and_a_loop_are_no_place_for_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "loop", "link"):
        with pytest.raises(SetupError, match="no plain file"):
            write_atomic(tmp_path / name, b"x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode) and (tmp_path / "loop").is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX's")
def test_a_pipe_with_a_name_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableError, match="is a pipe; name a plain file"):
        read_bytes(tmp_path / "pipe")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd")
def test_a_pipe_of_the_shell_is_read():
    out, into = os.pipe()
    os.write(into, b"x")
    os.close(into)
    try:
        assert read_bytes(Path(f"/dev/fd/{out}")) == b"x"
    finally:
        os.close(out)
