"""Names, texts and schemas of tools."""

from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.library.activation import Card, contract
from skills2_nb.serve import schemas, tools
from skills2_nb.serve.replies import refused
from tests.serve.packages import SUMS

NAME = st.text(min_size=1, max_size=60)


@given(NAME, NAME)
def test_every_name_fits_every_client(skill: str, verb: str) -> None:
    name = tools.named(skill, verb)
    assert len(f"mcp__skills2__{name}") <= 64
    assert name.isascii() and all(sign.isalnum() or sign in "_-" for sign in name)


def test_long_names_stay_apart() -> None:
    first, second = (tools.named("s" * 32, "v" * 40 + end) for end in "ab")
    assert first != second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a__b", "c"), ("a", "b__c")),
        (("a_", "b"), ("a", "_b")),
        (("sums", "größe"), ("sums", "grüße")),
        (("sums", "说"), ("sums", "_")),
        (("s" * 60, "größe"), ("s" * 60, "grüße")),
    ],
)
def test_no_name_is_two_steps(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert tools.named(*one) != tools.named(*other)


@given(*[st.text("ab_ü", min_size=1, max_size=4)] * 4)
def test_names_tell_steps_apart(skill: str, verb: str, other: str, another: str) -> None:
    assert (tools.named(skill, verb) == tools.named(other, another)) == (
        (skill, verb) == (other, another)
    )


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("number", [0, 1, 30, 5_000])
def test_instructions_stay_within_two_kilobytes(number: int, lazy: bool) -> None:
    cards = [Card(f"skill-{n}", "Ünïcode says what it does. " * 20, Path()) for n in range(number)]
    text = tools.instructions(cards, lazy=lazy)
    assert len(text.encode()) <= 2_048
    assert (number < 100) == ("more: list_skills" not in text)


def test_what_a_step_takes_and_gives(package: Callable[..., Path]) -> None:
    code = (
        SUMS + "\n@step\ndef odd(run_id: str, share: float) -> list[float]:\n    return [share]\n"
    )
    made = contract(package("sums", code))
    taken = schemas.step_input(made, "odd")
    assert set(taken["properties"]) == {"run_id", "share", "refs", "skills2_run_id"}
    assert "required" not in taken and taken["additionalProperties"] is False
    assert (
        schemas.own_name("run_id", {"run_id": 1, "skills2_run_id": 1}) == "skills2_skills2_run_id"
    )
    given_back = schemas.step_output(made, "odd")
    assert given_back is not None and given_back["anyOf"][0]["required"] == ["result"]
    items = given_back["anyOf"][0]["properties"]["result"]["items"]
    assert items["type"] == ["number", "null"]
    given_back = schemas.step_output(made, "add")
    assert given_back is not None
    whole = given_back["anyOf"][0]
    assert set(whole["required"]) == {"total"}
    assert {"total", "next", "run_id"} <= set(whole["properties"])


def test_an_error_fits_the_schema_of_its_tool_too(package: Callable[..., Path]) -> None:
    code = SUMS + "\n@step\ndef odd(step: int, values: list[int]) -> list[Sum]:\n    return []\n"
    made = contract(package("sums", code))
    for step in ("add", "odd"):
        schema = schemas.step_output(made, step)
        assert schema is not None
        jsonschema.validate(refused("invalid", "no", values={"n": 1}, run_id="r").body, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"next": []}, schema)
    given = {"result": [{"total": 1, "label": "sum"}], "next": []}
    jsonschema.validate(given, schemas.step_output(made, "odd"))


def test_a_package_without_schemas_has_open_ones(package: Callable[..., Path]) -> None:
    made = contract(package("sums", SUMS, schemas=False))
    assert schemas.step_input(made, "add")["additionalProperties"] is True
    assert schemas.step_output(made, "add") is None
    assert [facts.verb for facts in tools.of_skill(made)] == [
        "start_run",
        "add",
        "tell",
        "end_run",
        "audit_run",
    ]
