"""Both verdicts in one line, and why strict may stay open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills2_nb.audit.finding import NOT_YET

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit, Profile


def verdicts(audit: Audit) -> tuple[tuple[str, Profile], ...]:
    """Each profile with its name; first the one that the exit code goes by."""
    return (("classic", audit.classic), ("strict", audit.strict))


def plain(audit: Audit) -> str:
    """``classic pass 1.00 · strict unproven 1.00``."""
    return " · ".join(f"{name} {each.verdict} {each.score:.2f}" for name, each in verdicts(audit))


def reason(audit: Audit) -> str | None:
    """Why strict cannot say pass whatever the run, one sentence; None where it can."""
    checks = [check for check in audit.strict.not_checked if check in NOT_YET]
    if not checks:
        return None
    if len(checks) < len(audit.strict.not_checked):  # others stand beside them: name these
        subject = f"{' and '.join(checks)} {'are' if len(checks) > 1 else 'is'}"
    else:
        subject = "these two checks are" if len(checks) == 2 else "this check is"
    return (
        f"{subject[0].upper()}{subject[1:]} not made by this version, so strict cannot say pass; "
        "the exit code goes by classic."
    )
