"""Both verdicts, the one that counts first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit, Profile


def verdicts(audit: Audit) -> tuple[tuple[str, Profile], ...]:
    """Each profile with its name; first the one whose verdict counts."""
    both = (("strict", audit.strict), ("classic", audit.classic))
    return both if audit.by == "strict" else both[::-1]


def plain(audit: Audit) -> str:
    """``strict pass 1.00 · classic pass 1.00``."""
    return " · ".join(f"{name} {each.verdict} {each.score:.2f}" for name, each in verdicts(audit))
