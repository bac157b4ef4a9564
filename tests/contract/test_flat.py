"""Values that need no walk have the plain form that a walk gives."""

import enum
from datetime import date
from functools import cached_property
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    RootModel,
    TypeAdapter,
    computed_field,
    field_serializer,
    model_serializer,
    model_validator,
)

from skills2_nb.contract.canonical import plain
from skills2_nb.contract.flat import flat, flat_reader, is_scalar

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


class Colour(enum.Enum):
    RED = "red"


class Bare(BaseModel):
    count: int = Field(ge=0)
    share: float | None = None
    word: Literal["a", "b"] = "a"
    named: str = Field("x", validation_alias=AliasChoices("named", "n"))


class Judged(Bare):
    @model_validator(mode="after")
    def fits(self) -> "Judged":
        return self


class Cached(Bare):
    @cached_property
    def double(self) -> int:
        return 2 * self.count


class Nested(BaseModel):
    inner: Bare


class Dated(BaseModel):
    day: date


class Coloured(BaseModel):
    colour: Literal[Colour.RED]


class More(BaseModel):
    model_config = ConfigDict(extra="allow")
    count: int


class Computed(Bare):
    @computed_field
    def double(self) -> int:
        return 2 * self.count


class Rounded(BaseModel):
    share: Annotated[float, PlainSerializer(lambda value: round(value, 1))]


class Shown(BaseModel):
    count: int

    @field_serializer("count")
    def as_text(self, value: int) -> str:
        return str(value)


class Whole(BaseModel):
    count: int

    @model_serializer
    def as_list(self) -> list[int]:
        return [self.count]


class Hidden(BaseModel):
    count: int
    secret: int = Field(1, exclude=True)


class Root(RootModel[int]):
    pass


def walked(value: Any) -> Any:
    return plain(TypeAdapter(type(value)).serializer.to_python(value, warnings=False))


def read(value: Any) -> Any:
    return flat_reader(type(value), TypeAdapter(type(value)).core_schema)(value)


@given(st.dictionaries(st.text(st.characters(categories=["Ll"]), min_size=1), SCALARS))
def test_a_flat_mapping_is_its_own_plain_form(values: dict[str, Any]) -> None:
    made = flat(values)
    assert made is None or (made == plain(values) and made is not values)


@pytest.mark.parametrize(
    "value", [float("nan"), float("-inf"), 10**4_000, [1], {}, Colour.RED, b"x", (1,), 1 + 0j]
)
def test_what_has_to_be_walked_is_not_flat(value: object) -> None:
    assert flat({"n": 1, "value": value}) is None


@pytest.mark.parametrize(
    "value", [Bare(count=1), Bare(count=2, share=0.5), Judged(count=3), Cached(count=4)]
)
def test_a_flat_model_is_read_as_it_is_serialized(value: BaseModel) -> None:
    assert read(value) == walked(value)


@pytest.mark.parametrize(
    "value",
    [
        Bare(count=1, share=float("inf")),
        Nested(inner=Bare(count=1)),
        Dated(day=date(1997, 3, 1)),
        Coloured(colour=Colour.RED),
        More(count=1, other=2),
        Computed(count=1),
        Rounded(share=0.123),
        Shown(count=1),
        Whole(count=1),
        Hidden(count=1),
        Root(1),
        7,
    ],
)
def test_any_other_is_left_to_the_serializer(value: object) -> None:
    assert read(value) is None


def test_a_model_that_holds_more_than_its_fields_is_left_too() -> None:
    value = Cached(count=1)
    assert (value.double, read(value)) == (2, None)


def test_another_class_than_the_type_is_left_too() -> None:
    assert flat_reader(Bare, TypeAdapter(Bare).core_schema)(Judged(count=1)) is None


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (int, True),
        (float | None, True),
        (Annotated[int, Field(ge=0)], True),
        (Annotated[float, PlainSerializer(str)], False),
        (list[int], False),
        (date, False),
        (Any, False),
        (Bare, False),
    ],
)
def test_scalars(kind: Any, answer: bool) -> None:
    assert is_scalar(TypeAdapter(kind).core_schema) is answer
