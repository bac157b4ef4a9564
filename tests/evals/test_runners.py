"""The chain: every owed step in order, and the answer at its end."""

from typing import Any

from skills2_nb.contract import journal
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step
from skills2_nb.evals.runners import chain


@step
def first(a: int) -> dict[str, int]:
    return {"b": a + 1}


@step
def last(b: int) -> dict[str, Any]:
    return {"readout": f"b is {b}"}


@step
def silent(b: int) -> dict[str, int]:
    return {"b": b}


def skill(*functions: Any) -> Skill:
    return Skill.collect({f.__name__: f for f in functions}, "trial")


def test_the_answer_is_the_readout_of_the_last_owed_step() -> None:
    told: list[str] = []
    outcome = chain(skill(first, last), {"a": 1}, prompt="Why?", on_step=told.append)
    assert (outcome.answer, outcome.error, told) == ("b is 2", None, ["first", "last"])
    assert outcome.outputs == {"first": {"b": 2}, "last": {"readout": "b is 2"}}
    kinds = [record["kind"] for record in journal.read(outcome.run.path)]
    assert kinds == ["run_started", "step_ok", "step_ok", "run_ended", "answer"]


def test_without_a_readout_the_answer_is_the_body() -> None:
    assert chain(skill(first, silent), {"a": 1}, body="# Prose").answer == "# Prose"


def test_a_step_that_fails_ends_the_run_without_an_answer() -> None:
    outcome = chain(skill(first, last), {"a": "x"})
    assert (outcome.answer, outcome.step) == (None, "first")
    assert not outcome.run.state.is_open


def test_an_answer_may_be_given() -> None:
    assert chain(skill(first, last), {"a": 1}, answer="Mine.").run.state.answer == "Mine."
