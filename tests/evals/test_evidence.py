"""What invariants show of a run when the skill's code is asked again."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from skills2_nb.audit.integrity import examine
from skills2_nb.audit.strength import Strength, effective_names
from skills2_nb.contract.loader import load
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.evals import apart
from skills2_nb.evals.evidence import gathered
from skills2_nb.formats.cases import RunCase

Make = Callable[[str], Skill]
CODE = """
import os
from skills2_nb import step
LEFT = {}
def checked(values, output):
    %s
@step(invariants=[checked])
def add(values: list[int]) -> int:
    LEFT["total"] = sum(values)
    return LEFT["total"]
"""
LOOPS = """if values:
        while output != sum(values):
            pass
    return True"""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A package of one step whose invariant has the body given, and three seconds."""

    def made(body: str) -> Skill:
        folder = tmp_path / "package"
        (folder / "runtime").mkdir(parents=True)
        manifest = '[skill]\nname = "trial"\n[runtime]\ntimeout = 3\n'
        (folder / "skill.toml").write_text(manifest)
        text = textwrap.dedent(CODE % body)
        (folder / "runtime" / "steps.py").write_text(text)
        return load(folder)

    return made


def found(skill: Skill, values: list[int], *cases: RunCase) -> Strength:
    run = Run.start(skill, {"values": values})
    run.call("add")
    run.close()
    strength = gathered(skill, examine(run.path)[1], run.path, cases)[1]
    assert strength is not None
    return strength


def test_an_invariant_does_not_stand_on_what_its_step_left(make: Make) -> None:
    assert not effective_names(found(make('return LEFT.get("total") == output'), [1, 2]), "add")


def test_an_invariant_of_the_inputs_is_effective(make: Make) -> None:
    assert effective_names(found(make("return sum(values) == output"), [1, 2]), "add")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (LOOPS, "takes longer than 3 s"),
        ("return output == sum(values) or os._exit(1)", "ends its process"),
    ],
)
def test_why_the_strength_is_not_known_is_told(make: Make, body: str, says: str) -> None:
    strength = found(make(body), [1, 2])
    assert strength.unmeasured == {"add": says} and not strength.tallies


def test_a_case_that_never_ends_is_bounded(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = make(LOOPS)
    case = RunCase("one", "Sum?", {"values": [1, 2]})
    assert apart.of_cases(skill, [case], (), seconds=3.0) == Strength()
    monkeypatch.setattr(apart, "SECONDS", 3.0)
    assert not effective_names(found(skill, [], case), "add")


def test_cases_measured_apart_are_those_measured_here(make: Make) -> None:
    skill = make("return not values or sum(values) == output")
    case = RunCase("one", "Sum?", {"values": [1, 2]})
    assert effective_names(found(skill, [], case), "add") == {"checked"}
