"""A runner, and a skill made by the commands themselves."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from skills2_nb.cli.main import main

NAME = "weekly-numbers"


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `weekly-numbers.ipynb` and `skills/weekly-numbers/`; to copy, not to change."""
    folder = tmp_path_factory.mktemp("exported")
    runner = CliRunner()
    notebook = folder / f"{NAME}.ipynb"
    assert runner.invoke(main, ["new", NAME, "-o", str(folder)]).exit_code == 0
    done = runner.invoke(main, ["export", str(notebook), "-o", str(folder / "skills")])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def desk(exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of one's own with the notebook and its package."""
    folder = tmp_path / "desk"
    shutil.copytree(exported, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with nothing in it."""
    folder = tmp_path / "bare"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def skills2() -> Callable[..., SimpleNamespace]:
    """`skills2("runs", "list", input=None)`: its `code`, `out`, `err`, and `json` of stdout."""

    def call(*words: str, **settings: object) -> SimpleNamespace:
        done: Result = CliRunner().invoke(main, list(map(str, words)), **settings)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return SimpleNamespace(
            code=done.exit_code,
            out=done.stdout,
            err=done.stderr,
            json=json.loads(done.stdout) if "--json" in words and done.stdout else None,
        )

    return call
