"""A process's key: made once, kept apart, never shown."""

import hashlib
import hmac
import json
import multiprocessing
import os
import pickle
import stat
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.contract import chain, keys
from skills2_nb.contract.home import elsewhere
from skills2_nb.contract.journal import Journal
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill

posix = pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")


def records(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def start():
    run = Run.start(Skill("toy", ()), {"n": 1})
    run.close()
    return run


@given(st.binary(min_size=32, max_size=32), st.binary(), st.binary())
def test_a_mac_is_the_hmac_of_the_standard_library(secret, head, prev):
    assert keys.Key(secret).mac(head, prev) == hmac.digest(secret, head + prev, "sha256").hex()


def test_a_line_bears_the_mac_of_its_head_and_of_the_line_before(home):
    run = start()
    run.note("one")
    (file,) = (home / "keys").iterdir()
    prev = "0" * 64
    for line, record in zip(run.path.read_bytes().splitlines(), records(run.path), strict=True):
        head = line[: line.index(b',"mac":')]
        assert record["writer"] == f"kernel:{file.name}"
        assert (
            record["mac"]
            == hmac.digest(file.read_bytes(), head + prev.encode(), hashlib.sha256).hex()
        )
        prev = record["hash"]
    assert chain.verify(run.path) == []


@posix
def test_a_key_is_private_and_lies_apart_from_the_journals(home):
    assert not home.exists(), "no key before the first record"
    run = start()
    (file,) = (home / "keys").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert file.stat().st_size == 32
    assert file.parent not in run.path.parents


def test_one_key_a_process_and_home(home, tmp_path):
    writers = {records(start().path)[0]["writer"] for _ in range(3)}
    assert len(writers) == 1
    with elsewhere(tmp_path / "trial"):
        other = records(start().path)[0]["writer"]
    assert other not in writers
    assert records(start().path)[0]["writer"] in writers
    assert len(list((home / "keys").iterdir())) == 1


def test_many_threads_make_one_key(home):
    found = []
    barrier = threading.Barrier(8)

    def ask():
        barrier.wait()
        found.append(keys.own(home).id)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert [file.name for file in (home / "keys").iterdir()] == [found[0]]


def test_a_key_that_is_gone_is_made_anew(home):
    first = keys.own(home)
    keys.place(home, first.id).unlink()
    second = keys.own(home)
    assert second.id != first.id
    assert keys.kept(home, second.id) is not None


def test_a_process_forgets_homes_that_are_long_gone(tmp_path):
    first = keys.own(tmp_path / "0").id
    for number in range(1, 40):
        keys.own(tmp_path / str(number))
    assert keys.own(tmp_path / "0").id != first


def test_where_no_key_can_be_kept_the_run_goes_on(home):
    home.mkdir(parents=True)
    (home / "keys").write_text("a file where the folder should be")
    run = start()
    run.note("one")
    for record in records(run.path):
        assert (record["writer"], record["mac"]) == (f"kernel:{os.getpid()}", None)
    assert chain.verify(run.path) == []


def test_a_disk_that_is_full_leaves_no_half_key(home, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert keys.own(home) is None
    assert list((home / "keys").iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_a_key_of_its_own(home):
    run = start()
    child = os.fork()
    if child == 0:
        try:
            run.note("child")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    run.note("parent")
    writers = [record["writer"] for record in records(run.path)]
    assert writers[0] == writers[2] != writers[1]
    assert all(keys.kept(home, keys.named(writer)) for writer in writers)


def _write(path: Path, home: Path, count: int) -> None:
    log = Journal(path, "r1", "worker", home=home)
    for number in range(count):
        log.append("note", {"text": str(number)})


def test_four_processes_sign_one_run_each_with_its_own_key(home, tmp_path):
    path = tmp_path / "run.jsonl"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(path, home, 50)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert chain.verify(path) == []
    found = records(path)
    assert len(found) == 200
    writers = {record["writer"] for record in found}
    assert {keys.named(writer) for writer in writers} == {
        file.name for file in (home / "keys").iterdir()
    }
    assert len(writers) == 4


@pytest.mark.parametrize(
    ("writer", "id_"),
    [
        ("cli:0123456789abcdef", "0123456789abcdef"),
        ("cli:4265", None),
        ("cli:4294967295", None),
        ("cli:0123456789ABCDEF", None),
        ("cli:../../../etc/passwd", None),
        ("w", None),
        ("", None),
    ],
)
def test_what_a_writer_names(writer, id_):
    assert keys.named(writer) == id_


def swap(file):
    file.write_bytes(bytes(32))


def cut(file):
    file.write_bytes(file.read_bytes()[:31])


def lengthen(file):
    file.write_bytes(file.read_bytes() + b"\n")


def link(file):
    aside = file.with_name("aside")
    file.rename(aside)
    file.symlink_to(aside)


def fold(file):
    file.unlink()
    file.mkdir()


@posix
@pytest.mark.parametrize("touch", [swap, cut, lengthen, link, fold, Path.unlink])
def test_a_file_that_is_not_the_key_is_none(touch, home):
    id_ = keys.own(home).id
    touch(keys.place(home, id_))
    assert keys.kept(home, id_) is None


@posix
@pytest.mark.parametrize(
    ("mode", "private"), [(0o600, True), (0o400, True), (0o640, False), (0o604, False)]
)
def test_a_key_that_others_can_read_is_not_private(mode, private, home):
    id_ = keys.own(home).id
    keys.place(home, id_).chmod(mode)
    assert keys.kept(home, id_).private is private


@posix
def test_a_key_of_another_user_is_not_private(home, monkeypatch):
    id_ = keys.own(home).id
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert keys.kept(home, id_).private is False


def test_an_id_is_no_path(home):
    keys.own(home)
    assert keys.kept(home, "../keys") is None


def test_a_secret_is_never_shown(home, capsys):
    key = keys.own(home)
    secret = keys.place(home, key.id).read_bytes()
    shown = (
        f"{key!r} {key!s} {[getattr(key, name) for name in key.__slots__]} {keys._RING.__dict__}"
    )
    assert secret.hex() not in shown
    assert repr(secret) not in shown
    with pytest.raises(TypeError):
        pickle.dumps(key)
    assert sys.getsizeof(key) < 200, "the bytes are not kept"
