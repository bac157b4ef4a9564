"""The choices that a type allows."""

import enum
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

import pytest
from pydantic import BaseModel

from skills2_nb.audit.choices import choices

Grain = Literal["week", "month"]


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Inner(BaseModel):
    grain: Grain
    again: "Inner | None" = None


@dataclass
class Data:
    size: Size


class Typed(TypedDict):
    grain: Grain


WEEK = {(str, "week"): ("month",), (str, "month"): ("week",)}
SIZES = {(str, "small"): ("large",), (str, "large"): ("small",)}


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        (Grain, WEEK),
        (Grain | None, WEEK),
        (Annotated[Grain, "a note"], WEEK),
        (list[Grain], WEEK),
        (dict[str, Inner], WEEK),
        (Typed, WEEK),
        (Data, SIZES),
        (int, {}),
        (Literal[1], {(int, 1): ()}),
        (Literal[1, True], {(int, 1): (True,), (bool, True): (1,)}),
    ],
    ids=str,
)
def test_every_choice_has_the_others(annotation, wanted):
    assert choices([annotation]) == wanted


def test_a_choice_of_two_kinds_has_the_others_of_both():
    found = choices([Grain, Literal["week", "quarter"]])
    assert found[str, "week"] == ("month", "quarter")
