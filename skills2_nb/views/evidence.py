"""What was asked again of a run, in one line."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit
    from skills2_nb.audit.strength import Strength
    from skills2_nb.contract.skill import Skill

_WALLS = {"bubblewrap": "behind bubblewrap", "hooks": "behind audit hooks"}
_SAID = {
    "same": "the same",
    "differs": "different",
    "changed": "with another input file",
    "declared": "left out for declared effects",
    "unsteady": "unsteady",
    "tripped": "stopped at the wall",
    "raised": "raised",
    "not checked": "not checked",
}


def line(audit: Audit, skill: Skill | None = None) -> str | None:
    """How many calls were run again and how many invariants can fail.

    For example ``10 calls run again behind bubblewrap: 10 the same. 26 of 26 invariants can fail.``

    Args:
        skill: the skill as judged; without it the invariants are left out.

    Returns:
        None where nothing was asked again.
    """
    told = [part for part in (_replayed(audit), _strength(audit, skill)) if part]
    return " ".join(told) or None


def _replayed(audit: Audit) -> str | None:
    seen = audit.replayed
    if seen is None or not seen.calls:
        return None
    counts = Counter[str](call.result for call in seen.calls)
    results = ", ".join(f"{counts[key]} {said}" for key, said in _SAID.items() if key in counts)
    wall = f" {_WALLS[seen.wall]}" if seen.wall in _WALLS else ""
    many = len(seen.calls)
    return f"{many} {'call' if many == 1 else 'calls'} run again{wall}: {results}."


def _strength(audit: Audit, skill: Skill | None) -> str | None:
    if audit.strength is None or skill is None:
        return None
    declared = {v.step: len(skill.step(v.step).invariants) for v in audit.steps if v.owed}
    able = sum(_able(audit.strength, step) for step in declared)
    idle = sum(many for step, many in declared.items() if not audit.strength.of(step))
    many = sum(declared.values())
    if idle == many:
        return "No invariant was tried." if many else None
    untried = f", {idle} {'was' if idle == 1 else 'were'} not tried" if idle else ""
    return f"{able} of {many} invariants can fail{untried}."


def _able(strength: Strength, step: str) -> int:
    return len({name for tally in strength.of(step) for name in tally.effective})
