"""Runs of a small skill, made without a package."""

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk

SOURCE = '''
from pydantic import BaseModel
from skills2_nb import step

class Sum(BaseModel):
    total: int

class Long(BaseModel):
    words: list[str]

def is_the_sum(daily, total):
    return total == sum(daily)

@step(invariants=[is_the_sum], report=["total"])
def add(daily: list[int]) -> Sum:
    """Add up."""
    return Sum(total=sum(daily) + (1 if 13 in daily else 0))

@step
def spread(total: int) -> Long:
    """Write a word for each; many words leave the journal's line."""
    return Long(words=[f"word-{number}" for number in range(total)])
'''


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Skill:
    """`add` and `spread`: 13 breaks the first one's invariant, totals over 5,000 need a blob."""
    module = ModuleType("toy_of_library_tests")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(SOURCE, "toy.py", "exec"), module.__dict__)
    return Skill.collect(vars(module), "toy")


@pytest.fixture
def make_run(toy: Skill) -> Iterator[Callable[..., Run]]:
    """`make_run([1, 2], answer=None, open=False)`: a run by the chain, ended unless `open`."""
    made: list[Run] = []

    def make(daily: Any = (1, 2), answer: str | None = None, *, open: bool = False) -> Run:
        run = Run.start(toy, {"daily": list(daily)}, prompt="Add up.", vouched="cli", writer="cli")
        made.append(run)
        walk(run)
        if not open:
            run.end(by="cli", answer=answer)
        run.close()
        return run

    yield make
    for run in made:
        run.close()
