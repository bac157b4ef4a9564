"""The steps in order: by position, by number, by what they require."""

from typing import Any

import pytest

from skills2_nb.contract.errors import DefinitionError, UnknownStepError
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step


def made(name: str, order: float | None = None, **options: Any) -> Any:
    def body(a: int = 1) -> int:
        return a

    body.__name__ = name
    body.__qualname__ = name
    return step(order, **options)(body)


def collected(*functions: Any, **facts: Any) -> Skill:
    names = [f.__step__.id for f in functions]
    return Skill.collect(dict(zip(names, functions, strict=True)), "t", sequence=names, **facts)


@pytest.mark.parametrize(
    ("orders", "ids", "ranks"),
    [
        ((None, None, None), "abc", (1, 2, 3)),
        ((3, 2, 1), "cba", (3, 2, 1)),
        ((4, None, 1), "cab", (2, 3, 1)),
        ((None, 1, None), "abc", (1, 2, 3)),
        ((1, 1, 2), "abc", (1, 1, 2)),
        ((1, 1.5, None), "abc", (1, 2, 3)),
    ],
)
def test_numbers_lead_and_the_rest_follow_their_cell(orders, ids, ranks) -> None:
    skill = collected(*(made(name, order) for name, order in zip("abc", orders, strict=True)))
    assert skill.ids == tuple(ids)
    assert tuple(skill.rank(name) for name in "abc") == ranks


def test_steps_of_one_number_do_not_wait_for_each_other() -> None:
    skill = collected(made("a", 1), made("b", 1), made("c", 2))
    run = Run.start(skill)
    assert skill.ready(run.state) == ["a", "b"]
    run.call("b")
    run.call("a")
    assert skill.ready(run.state) == ["c"]


def test_a_step_that_requires_nothing_still_waits_for_owed_lower_steps() -> None:
    skill = collected(made("a"), made("b", requires=[]), made("c", requires=["a"]))
    assert skill.ancestors("b") == []
    assert skill.ancestors("c") == ["a"]
    run = Run.start(skill)
    assert skill.missing(skill.step("b"), run.state) == ["a"]


def test_an_optional_step_is_not_waited_for() -> None:
    skill = collected(made("a", required=False), made("b"))
    run = Run.start(skill)
    assert [s.id for s in skill.owed(run.state)] == ["b"]
    assert run.call("b") == 1


def test_distance_is_along_requires() -> None:
    skill = collected(
        made("a"), made("b", requires=["a"]), made("c", requires=["b"]), made("d", requires=["c"])
    )
    assert skill.distances("d") == {"c": 1, "b": 2, "a": 3}


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ((made("a", requires=["b"]), made("b", requires=["a"])), "requires itself"),
        ((made("a", requires=["z"]),), "no step has that id"),
    ],
)
def test_requirements_that_cannot_be_met_are_refused(steps, says) -> None:
    skill = collected(*steps)
    with pytest.raises(DefinitionError, match=says):
        skill.ancestors("a")


def test_two_steps_of_one_id_are_refused() -> None:
    with pytest.raises(DefinitionError, match="two steps of 't' have the id 'a'"):
        Skill.collect({"x": made("a"), "y": made("a")}, "t")


def test_one_function_under_two_names_is_one_step() -> None:
    a = made("a")
    assert Skill.collect({"x": a, "y": a}, "t").ids == ("a",)


def test_an_unknown_step_lists_the_known() -> None:
    with pytest.raises(UnknownStepError, match="its steps are a, b"):
        collected(made("a"), made("b")).step("c")


def test_stubs_are_marked() -> None:
    skill = collected(made("a"), made("b"), stubs=["b"])
    assert [s.stub for s in skill.steps] == [False, True]
    assert [s.substantive for s in skill.steps] == [True, False]
