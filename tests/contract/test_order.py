"""Order and state, against a model that fits on a page."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.contract import journal
from skills2_nb.contract.errors import (
    ContractError,
    GuardError,
    JournalError,
    OrderError,
)
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import fold
from skills2_nb.contract.step import step

from .conftest import collected


class Model:
    """What may be called, by the words of the contract alone."""

    def __init__(self, plan: list[dict[str, Any]]) -> None:
        self.plan = plan
        self.done: set[int] = set()

    def guarded_off(self, at: int) -> bool:
        on = self.plan[at]["guard"]
        return on is not None and on in self.done and not self.plan[on]["opens"]

    def owed(self, at: int) -> bool:
        spec = self.plan[at]
        return not self.guarded_off(at) if spec["guard"] is not None else spec["required"]

    def rank(self, at: int) -> float:
        return self.plan[at]["order"]

    def allowed(self, at: int) -> bool:
        if self.guarded_off(at):
            return False
        lower = [k for k in range(len(self.plan)) if self.rank(k) < self.rank(at) and self.owed(k)]
        wanted = [k for k in self.plan[at]["requires"] or () if not self.guarded_off(k)]
        return self.done.issuperset(lower + wanted)


@st.composite
def plans(draw: st.DrawFn) -> list[dict[str, Any]]:
    plan: list[dict[str, Any]] = []
    for at in range(draw(st.integers(1, 5))):
        earlier = list(range(at))
        guard = draw(st.none() | st.sampled_from(earlier)) if earlier else None
        order = draw(st.sampled_from([1, 2, 2.5, 3]))
        sources = [k for k in earlier if plan[k]["order"] <= order]  # else the two wait for ever
        some = st.lists(st.sampled_from(sources), unique=True) if sources else st.just([])
        requires = draw(st.none() | some)
        plan.append(
            {
                "order": order,
                "requires": requires,
                "guard": guard,
                "required": draw(st.booleans()) if guard is None else False,
                "opens": draw(st.booleans()),
            }
        )
    return plan


def built(plan: list[dict[str, Any]]) -> Skill:
    functions = {}
    for at, spec in enumerate(plan):

        def body(fixed: bool = spec["opens"]) -> dict[str, bool]:
            return {"opens": fixed}

        body.__name__ = f"s{at}"
        options = {"required": spec["required"]}
        if spec["requires"] is not None:
            options["requires"] = [f"s{k}" for k in spec["requires"]]
        if spec["guard"] is not None:
            source = f"s{spec['guard']}"
            options["when"] = lambda run, source=source: run.outputs[source]["opens"]
        functions[body.__name__] = step(spec["order"], **options)(body)
    return Skill.collect(functions, "trial")


@given(plans(), st.lists(st.integers(0, 4), max_size=12))
def test_order_agrees_with_the_words_of_the_contract(
    plan: list[dict[str, Any]], moves: list[int]
) -> None:
    skill = built(plan)
    run = Run.start(skill)
    model = Model(plan)
    for move in moves:
        at = move % len(plan)
        ready = {f"s{k}" for k in range(len(plan)) if k not in model.done and model.allowed(k)}
        assert set(run.ready()) == ready
        allowed = model.allowed(at)
        try:
            run.call(f"s{at}")
            assert allowed
            model.done.add(at)
        except (OrderError, GuardError):
            assert not allowed
        assert {spec.id for spec in skill.owed(run.state)} == {
            f"s{k}" for k in range(len(plan)) if model.owed(k)
        }
    run.close()
    lines = list(journal.read(run.path))
    assert fold(lines) == run.state
    for size in range(len(lines) + 1):
        state = fold(lines[:size])
        assert state.count == size
        assert set(state.last) <= set(run.state.last)


MOVES = st.lists(
    st.sampled_from(["count", "balance", "tell", "bad", "nobody", "note", "answer", "end"]),
    max_size=10,
)


@given(MOVES)
def test_the_state_of_any_prefix_is_the_state_the_run_had_then(moves: list[str]) -> None:
    from .conftest import balance, count, tell

    run = Run.start(collected([count, balance, tell]), {"rows": [3, 4], "lost": 1})
    shots = [run.state.head]
    for move in moves:
        try:
            if move in ("note", "answer"):
                getattr(run, move)("x")
            elif move == "end":
                run.end()
            elif move == "bad":
                run.call("count", {"rows": "x"})
            else:
                run.call(move)
        except ContractError:
            pass
        shots.append(run.state.head)
    run.close()
    lines = list(journal.read(run.path))
    heads = [fold(lines[:size]).head for size in range(1, len(lines) + 1)]
    assert set(shots) <= set(heads)
    assert fold(lines) == run.state
    for size in range(len(lines) + 1):
        state = fold(lines[:size])
        assert fold(lines[size:], state) == run.state


def test_a_record_that_lacks_what_its_kind_carries_is_one_typed_error() -> None:
    state = fold([])
    for record in ({"kind": "step_ok", "hash": "x"}, {"kind": "note", "hash": "x"}, {"hash": "x"}):
        with pytest.raises(JournalError, match="record 1 of run"):
            state.apply(record)
        assert state.count == 0
