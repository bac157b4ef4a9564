"""What a run shows when its code is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skills2_nb.audit.replay import Replayed, replay
from skills2_nb.audit.strength import Strength, merge, open_steps
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.evals.strength import cached
from skills2_nb.formats.cases import Case


def gathered(
    skill: Skill,
    state: RunState,
    journal: Path,
    cases: Sequence[Case] = (),
    folders: tuple[Path, ...] = (),
) -> tuple[Replayed, Strength | None]:
    """Run a run's steps again and ask its invariants about changed values, behind one wall.

    Where the run leaves an invariant or a report field in doubt, the skill's cases are asked too.

    Args:
        state: the run as its journal tells it.
        journal: the run's file.
        cases: the skill's eval rows.
        folders: where relative paths among their inputs are sought.

    Returns:
        What came of the steps, and what the invariants notice; None where that could not be asked.
    """
    if not state.last:
        return Replayed(), Strength()
    seen = replay(skill, state, also=({"kind": "strength", "journal": str(journal)},))
    strength = _told(seen)
    if strength is None:
        return seen, None
    doubtful = [step for step in open_steps(strength, skill) if step in state.last]
    if doubtful and cases:
        strength = merge(strength, cached(skill, cases, folders))
    return seen, strength


def _told(seen: Replayed) -> Strength | None:
    if not seen.also or seen.also[0]["outcome"] != "value":
        return None
    return Strength.from_dict(seen.also[0]["strength"])
