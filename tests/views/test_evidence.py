"""What was asked again, in one line."""

from dataclasses import replace

import pytest

from skills2_nb.audit.replay import Replay, Replayed
from skills2_nb.audit.strength import Strength
from skills2_nb.evals.strength import of_run
from skills2_nb.views import evidence


@pytest.mark.parametrize(
    ("results", "wall", "told"),
    [
        (["same"], "hooks", "1 call run again behind audit hooks: 1 the same."),
        (
            ["differs", "same", "same"],
            "bubblewrap",
            "3 calls run again behind bubblewrap: 2 the same, 1 different.",
        ),
        (
            ["declared", "tripped", "unsteady", "raised", "changed", "not checked"],
            None,
            "6 calls run again: 1 with another input file, 1 left out for declared effects, "
            "1 unsteady, 1 stopped at the wall, 1 raised, 1 not checked.",
        ),
    ],
)
def test_results_are_counted(results, wall, told, honest):
    calls = tuple(Replay(seq, "a", result) for seq, result in enumerate(results, 2))
    audit = replace(honest.audit, replayed=Replayed(calls, wall))
    assert evidence.line(audit) == told


def test_invariants_that_can_fail_are_counted(honest):
    audit = replace(honest.audit, strength=of_run(honest.skill, honest.state))
    declared = sum(len(spec.invariants) for spec in honest.skill.steps)
    assert evidence.line(audit, honest.skill) == f"{declared} of {declared} invariants can fail."


def test_invariants_of_steps_that_were_not_called_are_no_weak_ones(honest):
    declared = sum(len(spec.invariants) for spec in honest.skill.steps)
    nothing = replace(honest.audit, strength=Strength())
    assert evidence.line(nothing, honest.skill) == "No invariant was tried."
    whole = of_run(honest.skill, honest.state)
    called = {key: tally for key, tally in whole.tallies.items() if tally.step != "tell"}
    part = replace(honest.audit, strength=replace(whole, tallies=called))
    assert evidence.line(part, honest.skill) == (
        f"{declared - 1} of {declared} invariants can fail, 1 was not tried."
    )


def test_nothing_asked_is_nothing_told(honest):
    assert evidence.line(honest.audit, honest.skill) is None
