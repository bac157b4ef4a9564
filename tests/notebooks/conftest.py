"""The growth-accounting notebook as its tests share it."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from skills2_nb.contract.skill import Skill

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "growth-accounting.ipynb"
DEFINING = {"setup", "helper", "step"}


@pytest.fixture(scope="session")
def skill_module() -> ModuleType:
    """The steps as a kernel would hold them, without the cases."""
    module = ModuleType("growth_accounting_under_test")
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if DEFINING & set(cell["metadata"].get("tags", [])):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), module.__dict__)
    return module


@pytest.fixture(scope="session")
def skill(skill_module: ModuleType) -> Skill:
    return Skill.collect(vars(skill_module), "growth-accounting")


@pytest.fixture
def write_log(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "log.csv"
        path.write_bytes(text.encode("utf-8"))
        return path

    return write
