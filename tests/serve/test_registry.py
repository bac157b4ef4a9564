"""Registrations of running servers."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.serve import registry
from skills2_nb.serve.registry import register, registered, remove

URL = "http://127.0.0.1:4321/mcp"


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A runtime folder that is not there yet."""
    folder = tmp_path / "deep" / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


def test_what_is_registered_is_found_and_removed(runtime: Path) -> None:
    assert registered() == []
    one = register(URL, "secret", ("a",), "/n/a.ipynb", kernel="k")
    two = register(URL.replace("4321", "4322"), "other", ("b", "c"), None)
    assert registered() == [two, one]
    assert one.path == runtime / f"skills2-{os.getpid()}-4321.json"
    if os.name == "posix":
        assert one.path.stat().st_mode & 0o777 == 0o600
    again = register(URL, "secret", ("renamed",), None, started=one.started)
    assert registered() == [two, again]
    remove(again)
    remove(again)
    assert registered() == [two]


def test_what_has_gone_is_forgotten_and_its_file_removed(runtime: Path) -> None:
    entry = register(URL, "secret", ("a",), None)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    facts = json.loads(entry.path.read_text())
    stale = runtime / f"skills2-{gone.pid}-1.json"
    stale.write_text(json.dumps(facts | {"pid": gone.pid}))
    assert registered() == [entry]
    assert not stale.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"pid": "1"},
        {"pid": -1},
        {"pid": True},
        {"url": None},
        {"token": 3},
        {"skills": "a"},
        {"skills": [1]},
        {"notebook": 1},
        {"started": None},
        {"v": 2},
    ],
)
def test_a_file_that_is_none_is_passed_over(change: dict[str, object], runtime: Path) -> None:
    entry = register(URL, "secret", ("a",), None)
    facts = json.loads(entry.path.read_text()) | change
    (runtime / "skills2-7-7.json").write_text(json.dumps(facts))
    (runtime / "skills2-8-8.json").write_text("{")
    (runtime / "skills2-9-9.json").write_text("[" * 100_000)
    (runtime / "kernel-7.json").write_text("{}")
    assert registered() == [entry]
    assert (runtime / "skills2-7-7.json").exists()


def test_another_machines_registration_is_left_alone(runtime: Path) -> None:
    entry = register(URL, "secret", ("a",), None)
    facts = json.loads(entry.path.read_text())
    theirs = runtime / "skills2-1-1.json"
    theirs.write_text(json.dumps(facts | {"host": f"not-{socket.gethostname()}", "pid": 2**30}))
    assert registered() == [entry]
    assert theirs.exists()


def test_a_fork_takes_nothing_back() -> None:
    entry = register(URL, "secret", ("a",), None)
    other = registry.Entry(entry.pid + 1, *(getattr(entry, n) for n in _REST))
    remove(other)
    assert registered() == [entry]


_REST = ("url", "token", "skills", "notebook", "started", "path")


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ({"JUPYTER_RUNTIME_DIR": "/r"}, "/r"),
        ({"JUPYTER_DATA_DIR": "/d"}, "/d/runtime"),
        ({"XDG_DATA_HOME": "/x"}, "/x/jupyter/runtime"),
        ({}, "/.local/share/jupyter/runtime"),
    ],
)
def test_the_folder_is_jupyters_own_without_jupyter_too(
    given: dict[str, str], ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "linux":
        pytest.skip("the rule of Linux")
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    folder = registry.runtime_folder()
    assert folder.as_posix().endswith(ends)
    monkeypatch.setattr(registry, "_JUPYTERS", None)
    assert registry.runtime_folder() == folder
