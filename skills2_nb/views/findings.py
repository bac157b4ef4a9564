"""What an audit found, put together by code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skills2_nb.audit.finding import Finding

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit


@dataclass(frozen=True)
class Group:
    """The findings of one code.

    Attributes:
        profiles: which profiles have them.
        counts: False where all of them are notes on what was overcome.
    """

    code: str
    axis: str
    findings: tuple[Finding, ...]
    profiles: tuple[str, ...]
    counts: bool

    @property
    def where(self) -> str:
        """What a reader has to know of the whole group: classic alone has it, or it is a note."""
        told = ", classic only" if self.profiles == ("classic",) else ""
        return told if self.counts else f"{told}, note"


def grouped(audit: Audit) -> tuple[Group, ...]:
    """The findings of both profiles by code: what counts first, then in the order found."""
    found: dict[str, dict[Finding, set[str]]] = {}
    for name, profile in (("strict", audit.strict), ("classic", audit.classic)):
        for finding in profile.findings:
            found.setdefault(finding.code, {}).setdefault(finding, set()).add(name)
    groups = [_group(code, items) for code, items in found.items()]
    return tuple(sorted(groups, key=lambda group: not group.counts))


def _group(code: str, items: dict[Finding, set[str]]) -> Group:
    inside = set().union(*items.values())
    return Group(
        code,
        next(iter(items)).axis,
        tuple(items),
        tuple(name for name in ("strict", "classic") if name in inside),
        any(finding.counts for finding in items),
    )
