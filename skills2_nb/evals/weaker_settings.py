"""What a pass asks for, and asked for before."""

from __future__ import annotations

from collections.abc import Iterator

from skills2_nb.evals.change import Change, listed
from skills2_nb.evals.kept import Kept

_AXES = "coverage, consistency and anchoring"


def weaker_settings(before: Kept, now: Kept) -> Iterator[Change]:
    """What a pass asks for, where it asks for less."""
    for name, about, old, new in (
        ("the threshold", "threshold", before.threshold, now.threshold),
        ("the F1 floor", "f1_floor", before.f1_floor, now.f1_floor),
    ):
        if new < old:
            told = f"{name} was lowered: it is {new:.2f}, {old:.2f} before"
            yield Change("fail", about, told, f"{old:.2f}", f"{new:.2f}")
        elif new > old:
            told = f"{name} was raised: it is {new:.2f}, {old:.2f} before"
            yield Change("note", about, told, f"{old:.2f}", f"{new:.2f}")
    if before.profile == "strict" != now.profile:
        told = f"the profile that judges is {now.profile}, strict before"
        yield Change("fail", "profile", told, before.profile, now.profile)
    if before.weights != now.weights:
        was, are = (", ".join(f"{w:.2f}" for w in each.weights) for each in (before, now))
        told = f"the weights of {_AXES} are {are}, {was} before, so scores are not compared"
        yield Change("fail", "weights", told, was, are)
    lost = tuple(repr(term) for term in before.anchors if term not in now.anchors)
    if lost:
        told = f"the anchor terms no longer hold {listed(lost)}"
        yield Change("fail", "anchors", told, ", ".join(lost), "gone")
    if before.runner != now.runner:
        told = f"the cases were played by {now.runner}, those of the baseline by {before.runner}"
        yield Change("inconclusive", "runner", told, before.runner, now.runner)
