"""Small notebooks for the tests of the conversion."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.convert.plan import Plan, plan_path

FRONT = ("front", "---\nname: trial-skill\ndescription: Counts things. Use when counting.\n---")
PROSE = ("prose", "# Trial skill\n\nIt counts **things**.")
SETUP = ("setup", "from pydantic import BaseModel\n\nfrom skills2_nb import step")
STEP = (
    "step",
    '''class Count(BaseModel):
    total: int


def total_is_sum(a, b, total):
    return total == a + b


@step(invariants=[total_is_sum], report=["total"])
def count(a: int, b: int) -> Count:
    """Add two numbers."""
    return Count(total=a + b)''',
)
GOOD = (FRONT, PROSE, SETUP, STEP)


@pytest.fixture
def good() -> tuple[tuple[str, str], ...]:
    """The cells of a small skill without a fault."""
    return GOOD


@pytest.fixture
def planned(make_notebook: Callable[..., Path]) -> Callable[..., Plan]:
    """Plan a notebook of the pairs: `planned(pairs, **meta)`."""

    def plan(pairs: Any, **meta: Any) -> Plan:
        return plan_path(make_notebook(pairs, **meta))

    return plan


@pytest.fixture
def edit() -> Callable[[Path, Callable[[dict[str, Any]], None]], Path]:
    """Change the JSON of a notebook in place: `edit(path, change)`."""

    def apply(path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
        raw = json.loads(path.read_text(encoding="utf-8"))
        change(raw)
        path.write_text(json.dumps(raw, indent=1, ensure_ascii=False), encoding="utf-8")
        return path

    return apply
