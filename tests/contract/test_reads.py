"""Which files a call read, and nothing else."""

import asyncio
import hashlib
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract import reads
from skills2_nb.contract.home import home
from skills2_nb.contract.reads import Reads, look, named
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step


@pytest.fixture
def data(tmp_path: Path) -> Path:
    place = tmp_path / "data.csv"
    place.write_text("a,b\n1,2\n")
    return place


def facts(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def seen(work: Callable[[], Any]) -> dict[str, dict[str, Any]]:
    noted = Reads()
    with noted:
        work()
    return noted.files()


def by_os(path: Path) -> None:
    os.close(os.open(path, os.O_RDONLY))


def both_ways(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"A")


def by_pandas(path: Path) -> None:
    pd = pytest.importorskip("pandas", reason="the file is read by pandas")
    pd.read_csv(path)


@pytest.mark.parametrize(
    "read", [Path.read_text, by_os, both_ways, by_pandas, lambda p: bytes(p.read_bytes())]
)
def test_a_file_read_is_noted_with_its_digest(data: Path, read: Callable[[Path], Any]) -> None:
    assert seen(lambda: read(data)) == {str(data): facts(data)}


def test_what_is_no_data_of_a_step_is_not_noted(data: Path, tmp_path: Path) -> None:
    def work() -> None:
        Path("/proc/self/status").read_text()
        Path(os.devnull).read_text()
        Path(json.__file__).read_text()
        Path(pytest.__file__).read_text()
        Path(reads.__file__).read_text()
        (tmp_path / "new.txt").write_text("x")
        (tmp_path / "gone.txt").write_text("x")
        (tmp_path / "gone.txt").read_text()
        (tmp_path / "gone.txt").unlink()
        with pytest.raises(FileNotFoundError):
            (tmp_path / "none.txt").read_text()
        list(tmp_path.iterdir())
        with data.open("a") as file:
            file.write("")
        (home() / "blobs").mkdir(parents=True)
        (home() / "blobs" / "x").write_text("x")
        (home() / "blobs" / "x").read_text()

    assert seen(work) == {}


def test_code_read_as_data_is_data_and_a_module_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trial_module_read.py").write_text("X = 1\n")
    (tmp_path / "trial_text_read.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(tmp_path)

    def work() -> None:
        __import__("trial_module_read")
        (tmp_path / "trial_text_read.py").read_text()

    assert list(seen(work)) == [str(tmp_path / "trial_text_read.py")]


def test_a_relative_path_is_noted_absolute(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data.parent)
    assert list(seen(lambda: Path(data.name).read_text())) == [str(data)]


def test_the_digest_is_that_of_the_end_and_is_not_made_twice(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = Reads()
    with noted:
        data.read_text()
    data.write_text("longer than before\n")
    assert noted.files() == {str(data): facts(data)}
    monkeypatch.setattr(reads, "_facts", lambda *_: pytest.fail("read again"))
    assert noted.files()[str(data)]["bytes"] == 19


def test_a_big_file_is_known_by_its_head(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "WHOLE", 4)
    monkeypatch.setattr(reads, "HEAD", 2)
    told = look(str(data))
    assert told == {"sha256": hashlib.sha256(b"a,").hexdigest(), "bytes": 8, "head": 2}


@pytest.mark.parametrize("path", ["/nowhere/x", "/", "\0", "/dev/null"])
def test_no_regular_file_has_no_facts(path: str) -> None:
    assert look(path) is None


def test_thirty_two_at_once_do_not_mix(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.txt" for number in range(32)]
    for file in files:
        file.write_text(file.name)
    gate = threading.Barrier(32)

    def one(file: Path) -> dict[str, Any]:
        def work() -> None:
            gate.wait()
            file.read_text()
            gate.wait()

        return seen(work)

    with ThreadPoolExecutor(32) as pool:
        assert list(pool.map(one, files)) == [{str(f): facts(f)} for f in files]

    async def task(file: Path) -> dict[str, Any]:
        noted = Reads()
        with noted:
            await asyncio.sleep(0)
            await asyncio.to_thread(file.read_text)
            await asyncio.sleep(0)
        return noted.files()

    async def all_of() -> list[dict[str, Any]]:
        return await asyncio.gather(*map(task, files))

    assert asyncio.run(all_of()) == [{str(f): facts(f)} for f in files]


def test_a_thread_of_its_own_is_not_noted(data: Path) -> None:
    def work() -> None:
        thread = threading.Thread(target=data.read_text)
        thread.start()
        thread.join()

    assert seen(work) == {}


@step
def read(path: str) -> int:
    return len(Path(path).read_text())


@step
async def read_apart(path: str) -> int:
    return len(await asyncio.to_thread(Path(path).read_text))


@step
def fail(path: str) -> int:
    raise ValueError(Path(path).read_text())


@step
def idle(n: int = 1) -> int:
    return n


def test_a_record_has_the_files_of_its_call(data: Path) -> None:
    skill = Skill.collect({"r": read, "a": read_apart, "f": fail, "i": idle}, "trial")
    run = Run.start(skill)
    for id_ in ("read", "read_apart"):
        run.call(id_, {"path": str(data)})
    with pytest.raises(ValueError, match="a,b"):
        run.call("fail", {"path": str(data)})
    run.close()
    asyncio.run(Run.resume(skill, run.id).acall("read_apart", {"path": str(data)}))
    again = Run.resume(skill, run.id)
    again.close()
    assert [call.files for call in again.state.calls] == [{str(data): facts(data)}] * 4


@step
def given(path: str, other: str = "/nowhere/x", text: str = "a/b\n\0") -> int:
    return 1


def test_a_file_that_is_named_counts_however_it_was_read(data: Path) -> None:
    """Libraries that open it natively are not heard."""
    skill = Skill.collect({"g": given}, "trial")
    run = Run.start(skill)
    run.call("given", {"path": str(data)})
    run.call("given", {"path": str(data.parent)})
    run.call("given", {"path": data.name})
    run.close()
    files = [call.files for call in run.state.calls]
    assert files == [{str(data): facts(data)}, {}, {}]


def test_a_call_that_reads_nothing_says_nothing() -> None:
    skill = Skill.collect({"i": idle}, "trial")
    run = Run.start(skill)
    run.call("idle")
    run.close()
    assert b'"files"' not in run.path.read_bytes()


@pytest.mark.parametrize("runtime", [{"capture": "digest"}, {"redact": ("path",)}])
def test_a_path_is_withheld_where_values_are(data: Path, runtime: dict[str, Any]) -> None:
    from skills2_nb.contract.skill import Runtime

    skill = Skill.collect({"r": read}, "trial", runtime=Runtime(**runtime))
    run = Run.start(skill)
    run.call("read", {"path": str(data)})
    run.close()
    assert bytes(data) not in run.path.read_bytes()
    again = Run.resume(skill, run.id)
    again.close()
    assert again.state.last["read"].files == {named(str(data)): facts(data)}


def test_many_files_leave_the_line(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"{number}.txt").write_text("x")

    @step
    def read_all(folder: str) -> int:
        return sum(len(p.read_text()) for p in Path(folder).iterdir())

    skill = Skill.collect({"r": read_all}, "trial")
    run = Run.start(skill)
    run.call("read_all", {"folder": str(tmp_path)})
    run.close()
    assert max(map(len, run.path.read_bytes().splitlines())) < 64 * 1024
    again = Run.resume(skill, run.id)
    again.close()
    assert len(again.state.last["read_all"].files) == 600


def test_what_goes_wrong_disturbs_no_step(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(reads, "look", broken)
    assert seen(data.read_text) == {}
