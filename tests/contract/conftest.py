"""A small skill that the tests of the contract share."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from pydantic import BaseModel

from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step


class Flows(BaseModel):
    previous: int
    gained: int
    lost: int
    current: int


class Books(BaseModel):
    implied: int
    gap: int


def books_close(previous, gained, lost, implied, gap):
    return implied == previous + gained - lost and gap == 0


@step
def count(rows: list[int], lost: int = 0) -> Flows:
    """Count the flows."""
    return Flows(previous=rows[0], gained=sum(rows[1:]), lost=lost, current=sum(rows) - lost)


@step(invariants=[books_close], report=["implied"])
def balance(previous: int, gained: int, lost: int, current: int) -> Books:
    """Close the books."""
    implied = previous + gained - lost
    return Books(implied=implied, gap=current - implied)


@step
def tell(implied: int) -> dict[str, str]:
    """Say it."""
    return {"readout": f"The period ends with {implied}."}


@pytest.fixture
def skill() -> Skill:
    """Three steps: count, balance, tell."""
    return collected([count, balance, tell])


def collected(functions: Iterable[Callable[..., Any]], **facts: Any) -> Skill:
    """A skill of step functions, by their names."""
    return Skill.collect({f.__name__: f for f in functions}, "trial", **facts)
