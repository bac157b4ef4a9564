"""Invariants: what they may read, when they hold, what is refused."""

from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from skills2_nb.contract.errors import DefinitionError
from skills2_nb.contract.invariants import Fields, RunView, check, invariant


class Sum(BaseModel):
    total: int


def says(result):
    return lambda total: result


def asserts(total):
    assert total > 0, "total is small"


def raises(total):
    if total <= 0:
        raise ValueError("too small")


def forgets(total):
    total > 0  # noqa: B015 - the fault under test


def forgets_on_a_path(total):  # noqa: RET503 - the fault under test
    if total > 100:
        return True


def hands_on(total):
    asserts(total)


async def waits(total):
    return True


def yields(total):
    yield True


@pytest.mark.parametrize(
    ("result", "ok"),
    [
        (True, True),
        (1, True),
        ("text", False),
        ("", False),
        (0, False),
        (False, False),
        ([], False),
        ([0], True),
        (None, False),
    ],
    ids=repr,
)
def test_it_holds_if_its_result_is_true(result: object, ok: bool) -> None:
    (seen,) = check([invariant(says(result))], {}, Sum(total=1))
    assert seen.ok is ok


@pytest.mark.parametrize(
    ("fn", "total", "ok", "message"),
    [
        (asserts, 1, True, None),
        (asserts, 0, False, "total is small"),
        (raises, 1, True, None),
        (raises, 0, False, "ValueError: too small"),
        (forgets_on_a_path, 101, True, None),
        (forgets_on_a_path, 1, False, "`return` is missing"),
    ],
)
def test_none_holds_only_where_the_body_can_object(fn, total, ok, message) -> None:
    (seen,) = check([invariant(fn)], {}, Sum(total=total))
    assert seen.ok is ok
    assert (message or "") in (seen.message or "")


@pytest.mark.parametrize(
    ("fn", "why"),
    [
        (forgets, "`return` is missing"),
        (hands_on, "`return` is missing"),
        (waits, "async or a generator"),
        (yields, "async or a generator"),
        (lambda *values: True, "name each"),
        (lambda **values: True, "name each"),
        (3, "plain function"),
        (len, "plain function"),
    ],
)
def test_what_can_never_say_no_is_refused(fn: object, why: str) -> None:
    with pytest.raises(DefinitionError, match=why):
        invariant(fn)  # type: ignore[arg-type]


def test_parameters_are_found_by_name() -> None:
    run = RunView(Fields({"goal": 3}), {"earlier": SimpleNamespace(total=2)})

    def uses_all(total, start, inputs, output, run, extra=5):
        return (total, start, inputs.start, output.total, run.inputs.goal) == (1, 0, 0, 1, 3) and (
            run.outputs["earlier"].total == 2 and extra == 5
        )

    assert check([invariant(uses_all)], {"start": 0}, Sum(total=1), run)[0].ok


def test_an_output_field_stands_before_an_input() -> None:
    assert check([invariant(lambda total: total == 1)], {"total": 9}, Sum(total=1))[0].ok


def test_an_unknown_name_is_a_definition_error() -> None:
    with pytest.raises(DefinitionError, match="reads 'sum', which is neither"):
        check([invariant(lambda sum: True)], {"start": 0}, Sum(total=1))


def test_one_that_needs_a_run_is_left_out_where_there_is_none() -> None:
    assert check([invariant(lambda run: False)], {}, Sum(total=1)) == ()


def test_fields_tell_what_there_is() -> None:
    with pytest.raises(AttributeError, match="there is a, b"):
        Fields({"a": 1, "b": 2}).c  # noqa: B018 - the look is the test
