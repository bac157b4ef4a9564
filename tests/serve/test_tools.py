"""Names, texts and schemas of tools."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.library.activation import Card, contract
from skills2_nb.serve import schemas, tools
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
    given_back = schemas.step_output(made, "odd")
    assert given_back is not None and given_back["required"] == ["result"]
    items = given_back["properties"]["result"]["items"]
    assert items["type"] == ["number", "null"]
    whole = schemas.step_output(made, "add")
    assert whole is not None and set(whole["required"]) == {"total", "label"} - {"label"}
    assert {"total", "next", "run_id"} <= set(whole["properties"])


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
