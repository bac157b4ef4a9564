"""What a contract is worth: one row a skill and version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from skills2_nb.evals.result import Result, pass_rate, typical

#: The prose alone; stubs that a program read from it; the contract that an author wrote.
Version = Literal["v1", "stubs", "contract"]
#: Cases with this tag stand in the table of single cases.
CLASSIC = "classic"


@dataclass(frozen=True)
class Arm:
    """The cases of a skill, tried on one version of it.

    Attributes:
        version: ``v1``, ``stubs`` or ``contract``.
        results: one a case and trial.
        generated: whether the cases were read from the prose by a program; else they are the
            author's own, the same for every version.
    """

    version: Version
    results: tuple[Result, ...]
    generated: bool = False

    @property
    def runs(self) -> tuple[Result, ...]:
        """The results of run cases; a step case has no score."""
        return tuple(result for result in self.results if result.kind == "run")


def row(skill: str, version: Version, results: Sequence[Result]) -> dict[str, Any]:
    """One row: the share of cases that hold, and the median scores of those that expect `pass`."""
    return {
        "skill": skill,
        "version": version,
        "cases": len(results),
        "pass_rate": pass_rate(results),
        "classic": typical(results, "classic"),
        "strict": typical(results, "strict"),
    }


def table(skill: str, arms: Sequence[Arm]) -> list[dict[str, Any]]:
    """A row a version, all over the author's own cases."""
    return [row(skill, arm.version, arm.runs) for arm in arms if not arm.generated]


def case_rows(skill: str, arms: Sequence[Arm]) -> list[dict[str, Any]]:
    """Two rows for each case tagged ``classic``: the prose, and what came after it.

    Where the author tagged cases of their own, what came after is the contract; where there are
    the generated ones alone, it is the stubs.
    """
    for generated in (False, True):
        found = [arm for arm in arms if arm.generated is generated]
        rows = list(_classic(skill, found, "stubs" if generated else "contract"))
        if rows:
            return rows
    return []


def _classic(skill: str, arms: Sequence[Arm], after: Version) -> Iterator[dict[str, Any]]:
    by_version = {arm.version: arm for arm in arms}
    if "v1" not in by_version or after not in by_version:
        return
    versions: tuple[Version, ...] = ("v1", after)
    for first in by_version["v1"].runs:
        if CLASSIC not in first.tags:
            continue
        for version in versions:
            same = [r for r in by_version[version].runs if r.case == first.case]
            yield row(skill, version, same) | {"case": first.case}
