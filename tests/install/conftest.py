"""A machine with a home and a project, and a package to install there."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from skills2_nb.cli.starter import notebook
from skills2_nb.convert.exporter import export
from skills2_nb.install.clients import CLIENTS, Machine
from skills2_nb.install.plan import Plan, carry_out, installing, removing
from skills2_nb.install.source import source_of
from skills2_nb.library import installed
from skills2_nb.library.discovery import Target

NAME = "weekly-numbers"


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package; to copy, not to change."""
    folder = tmp_path_factory.mktemp("exported")
    (folder / f"{NAME}.ipynb").write_bytes(notebook(NAME))
    return export(folder / f"{NAME}.ipynb").folder


@pytest.fixture
def package(exported: Path, tmp_path: Path) -> Path:
    """A package of one's own."""
    shutil.copytree(exported, tmp_path / "source" / NAME)
    return tmp_path / "source" / NAME


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """The test's home, a project, and a command in a folder of its own."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "skills2").touch()
    (tmp_path / "project").mkdir()
    return Machine(Path.home(), tmp_path / "project", "linux", {}, tmp_path / "bin", "/usr/python")


@pytest.fixture
def put_in(package: Path, machine: Machine) -> Callable[..., Plan]:
    """`put_in("claude", "user", folder=None, force=False, hooks=None)`: install, give the plan."""

    def call(client="claude", scope="user", folder=None, force=False, hooks=None):
        place = folder or package
        source = source_of(Target(place.name, "package", place), force=force)

        def make(record):
            return installing(
                source, CLIENTS[client], scope, machine, record, hooks=hooks, force=force
            )

        return carry_out(make, [CLIENTS[client].skills(scope, machine) / source.name])

    return call


@pytest.fixture
def take_out(machine: Machine) -> Callable[..., Plan]:
    """`take_out("claude", "user", force=False)`: undo, and give the plan."""

    def call(client=None, scope=None, force=False):
        record = installed.read()
        rows = [
            (path, place)
            for path, row in record.entries.items()
            if client in (None, row.client) and scope in (None, row.scope)
            for place in row.skills
        ]
        places = [Path(place) for _, place in rows]
        return carry_out(lambda record: removing(NAME, rows, record, machine, force=force), places)

    return call
