"""What a run shows when its code is asked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from skills2_nb.audit.replay import Replayed, replay
from skills2_nb.audit.strength import Strength, merge, open_steps
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.evals import apart
from skills2_nb.evals.strength import Measure, cached, of_cases
from skills2_nb.formats.cases import Case


def gathered(
    skill: Skill,
    state: RunState,
    journal: Path,
    cases: Sequence[Case] = (),
    folders: tuple[Path, ...] = (),
    meanwhile: Callable[[], object] | None = None,
) -> tuple[Replayed, Strength | None]:
    """Run a run's steps again and ask its invariants about changed values, behind one wall.

    Where the run leaves an invariant or a report field in doubt, the skill's cases are asked too.

    Args:
        state: the run as its journal tells it.
        journal: the run's file.
        cases: the skill's eval rows.
        folders: where relative paths among their inputs are sought.
        meanwhile: is called once while the process behind the wall starts, where there is one.

    Returns:
        What came of the steps, and what the invariants notice; None where that could not be asked.
    """
    if not state.last:
        return Replayed(), Strength()
    job = {"kind": "strength", "journal": str(journal)}
    seen = replay(skill, state, also=(job,), meanwhile=meanwhile)
    if not seen.also:
        return seen, None
    told = seen.also[0]
    if told["outcome"] != "value":
        asked = [step.id for step in skill.steps if step.invariants and step.id in state.last]
        return seen, Strength(unmeasured=dict.fromkeys(asked, str(told["why"])))
    strength = Strength.from_dict(told["strength"])
    doubtful = [step for step in open_steps(strength, skill) if step in state.last]
    if doubtful and cases:
        strength = merge(strength, cached(skill, cases, folders, _measured(skill)))
    return seen, strength


def _measured(skill: Skill) -> Measure:
    """How cases are measured: a package's behind the wall, a kernel's in the kernel."""
    return of_cases if skill.folder is None or skill.digest is None else apart.of_cases
