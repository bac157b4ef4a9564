"""Runs on disks that fill, behind links, under odd names."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract import blobs, chain, journal
from skills2_nb.contract.errors import (
    InputError,
    UnknownRunError,
)
from skills2_nb.contract.run import Run, find
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step
from skills2_nb.contract.table import Table
from skills2_nb.contract.walk import walk

from .conftest import collected


def records(run: Run) -> list[dict[str, Any]]:
    return list(journal.read(run.path))


@step
def plain_step(n: int) -> dict[str, int]:
    return {"n": n}


@step
def big(n: int) -> dict[str, Any]:
    return {"rows": list(range(40_000)), "n": n}


@step
def frame(n: int) -> Table:
    import pandas as pd

    return pd.DataFrame({"n": range(n)})


@step
def of_frame(log: Table) -> int:
    return len(log)


@step
def failing(rows: list[int]) -> int:
    raise LookupError("as it should")


def full(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


def denied(*_: Any, **__: Any) -> Any:
    raise PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("name", ["plain_step", "big", "frame"])
@pytest.mark.parametrize("fault", [full, denied])
def test_a_result_reaches_its_caller_whatever_the_disk_says(
    monkeypatch: pytest.MonkeyPatch, name: str, fault: Any
) -> None:
    if name == "frame":
        pytest.importorskip("pandas", reason="Tables need pandas")
    run = Run.start(collected([plain_step, big, frame]), {"n": 3})
    for before in ("plain_step", "big"):
        run.call(before)
    run.close()
    for call in ("write", "open"):
        monkeypatch.setattr(os, call, fault)
    monkeypatch.setattr(blobs, "_write", fault)
    with pytest.warns(RuntimeWarning, match="is not in the journal"):
        result = run.call(name)
    monkeypatch.undo()
    assert len(result) >= 1
    assert run.notices[0].startswith(f"{name} is not in the journal")
    run.call(name)
    assert chain.verify(run.path) == []


def test_a_table_that_cannot_be_kept_keeps_no_step_from_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pd = pytest.importorskip("pandas", reason="Tables need pandas")
    run = Run.start(collected([of_frame]))
    monkeypatch.setattr(blobs, "_write", full)
    with pytest.warns(RuntimeWarning, match="cannot keep a value"):
        assert run.call("of_frame", {"log": pd.DataFrame({"a": [1, 2]})}) == 2
    monkeypatch.undo()
    assert run.state.calls == []
    assert run.call("of_frame", {"log": pd.DataFrame({"a": [1, 2]})}) == 2


def test_a_full_disk_hides_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.start(collected([failing]))
    monkeypatch.setattr(blobs, "_write", full)
    with pytest.warns(RuntimeWarning), pytest.raises(LookupError, match="as it should"):
        run.call("failing", {"rows": list(range(40_000))})
    with pytest.warns(RuntimeWarning), pytest.raises(InputError, match="valid integer"):
        run.call("failing", {"rows": ["x" * 100_000]})


def test_withheld_values_of_a_lost_record_go_to_no_other() -> None:
    from skills2_nb.contract.skill import Runtime

    @step
    def echo(n: int) -> dict[str, int]:
        return {"n": n}

    run = Run.start(collected([echo], runtime=Runtime(capture="digest")), {"n": 1})
    run.call("echo")
    with pytest.MonkeyPatch.context() as patch, pytest.warns(RuntimeWarning):
        patch.setattr(os, "write", full)
        run.call("echo", {"n": 2})
    assert run.state.last["echo"].output == {"n": 1}


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be removed there")
def test_a_journal_that_was_erased_meanwhile(skill: Skill) -> None:
    run = Run.start(skill, {"rows": [1, 2]})
    run.path.unlink()
    with pytest.warns(RuntimeWarning, match="removed or replaced"):
        assert run.call("count").current == 3
    assert not run.path.exists()


def test_runs_behind_a_link_and_under_odd_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skill: Skill
) -> None:
    place = tmp_path / "a b" / "Zoë 数据 'x'"
    (tmp_path / "elsewhere").mkdir()
    place.mkdir(parents=True)
    (place / "runs").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    monkeypatch.setenv("SKILLS2_HOME", str(place))
    run = Run.start(skill, {"rows": [1, 2], "lost": 0})
    assert walk(run).error is None
    assert list((tmp_path / "elsewhere").glob("*/*.jsonl"))
    assert Run.resume(skill, run.id).state.count == run.state.count


def test_a_step_that_changes_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @step
    def wander(n: int) -> int:
        os.chdir(tmp_path / "there")
        return n

    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLS2_HOME", "records")
    run = Run.start(collected([wander]), {"n": 1})
    run.call("wander")
    run.close()
    run.note("after")
    assert len(records(run)) == 3
    assert not (tmp_path / "there" / "records").exists()


@pytest.mark.parametrize("change", [str.upper, lambda id_: f"{id_}\n", lambda id_: f"{id_}.jsonl"])
def test_an_id_is_exact_whatever_the_file_system_thinks(skill: Skill, change: Any) -> None:
    ids = []
    while not ids or ids[-1] == ids[-1].upper():  # a digit alone has no case
        ids.append(Run.start(skill, {}).id)
    assert find(ids[-1]).is_file()
    with pytest.raises(UnknownRunError):
        find(change(ids[-1]))
