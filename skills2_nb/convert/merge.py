"""Two versions of a row of texts, and the one both came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import product
from typing import Literal, NamedTuple

Verdict = Literal["same", "take", "keep", "conflict"]
#: How alike two texts must be to be one text edited, from 0 to 1.
ALIKE = 0.5
#: Parts that differ up to which every base is tried: 2 to that power digests.
MOST_DIFFERING = 12
#: Pairs of texts up to which each is compared with each.
_MOST_PAIRS = 900
#: Product of the lengths of two texts up to which they are compared letter by letter.
_LONG = 250_000


class Part(NamedTuple):
    """A text with what it is known by."""

    label: str
    text: str


class Row(NamedTuple):
    """A part of the one side beside its version on the other; None where a side has none."""

    ours: int | None
    theirs: int | None


def align(ours: Sequence[Part], theirs: Sequence[Part]) -> list[Row]:
    """Each part of one side beside its version on the other, in the order of ``theirs``.

    Parts belong together by label and text, else by label, by text, or by likeness. What only
    ``ours`` has follows what it follows there.
    """
    partner: dict[int, int] = {}
    free = [list(range(len(ours))), list(range(len(theirs)))]
    for key in (lambda part: part, lambda part: part.label, lambda part: part.text):
        _pair_equal(ours, theirs, free, partner, key)
    _pair_alike(ours, theirs, free, partner, ALIKE)
    return _woven(len(ours), len(theirs), partner)


def is_reordered(rows: Iterable[Row]) -> bool:
    """Whether parts that both sides have stand in another order."""
    places = [row.ours for row in rows if row.ours is not None and row.theirs is not None]
    return places != sorted(places)


def verdicts(
    pairs: Sequence[tuple[str | None, str | None]],
    fits: Callable[[Sequence[int]], bool] | None,
) -> list[Verdict]:
    """What becomes of each pair of versions (ours, theirs); None stands for an absent one.

    Where only ``theirs`` moved it is taken. Where both did, no base was kept but its digest: the
    base is made of the two versions, for whoever left a part alone still has it. Each choice is
    tried until the digest fits, which proves it. If none fits, some part moved on both sides, and
    nothing is guessed.

    Args:
        fits: told 0 (ours) or 1 (theirs) a pair, says whether that is the base; None where ours
            is known to be the base.
    """
    differing = [at for at, (one, other) in enumerate(pairs) if one != other]
    made: list[Verdict] = ["same"] * len(pairs)
    if fits is None:
        for at in differing:
            made[at] = "take"
        return made
    for at in differing:
        made[at] = "conflict"
    if len(differing) > MOST_DIFFERING:
        return made
    for choice in product((0, 1), repeat=len(differing)):
        picked = [0] * len(pairs)
        for at, side in zip(differing, choice, strict=True):
            picked[at] = side
        if fits(picked):
            for at in differing:
                made[at] = "keep" if picked[at] else "take"
            return made
    return made


def steady(places: Sequence[int]) -> set[int]:
    """Indices of the longest rising run in a row of places: what need not move."""
    best: list[tuple[int, int]] = []  # length so far and the index before, by index
    for at, place in enumerate(places):
        before = [(best[k][0], k) for k in range(at) if places[k] < place]
        length, last = max(before, default=(0, -1))
        best.append((length + 1, last))
    at = max(range(len(best)), key=lambda k: best[k][0], default=-1)
    kept = set()
    while at >= 0:
        kept.add(at)
        at = best[at][1]
    return kept


def alike(one: str, other: str, least: float = ALIKE) -> float:
    """How alike two texts are, from 0 to 1; 0 where they are less so than ``least``.

    Long texts are compared by their rarer words, for letters would take too long.
    """
    long = len(one) * len(other) > _LONG
    matcher: SequenceMatcher[str] = (
        SequenceMatcher(None, one.split(), other.split())
        if long
        else SequenceMatcher(None, one, other, autojunk=False)
    )
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    found = matcher.ratio()
    return found if found >= least else 0.0


def _pair_equal(
    ours: Sequence[Part],
    theirs: Sequence[Part],
    free: list[list[int]],
    partner: dict[int, int],
    key: Callable[[Part], object],
) -> None:
    """Pair what has the same key; where one side has more of them, the likest."""
    groups: dict[object, tuple[list[int], list[int]]] = {}
    for side, (parts, left) in enumerate(((ours, free[0]), (theirs, free[1]))):
        for at in left:
            groups.setdefault(key(parts[at]), ([], []))[side].append(at)
    for mine, others in groups.values():
        if len(mine) == len(others):
            for one, other in zip(mine, others, strict=True):
                _join(free, partner, one, other)
        elif mine and others:
            _greedy(ours, theirs, free, partner, [(a, b) for a in mine for b in others], 0.0)


def _pair_alike(
    ours: Sequence[Part],
    theirs: Sequence[Part],
    free: list[list[int]],
    partner: dict[int, int],
    least: float,
) -> None:
    pairs = [(a, b) for a in free[0] for b in free[1]]
    if len(pairs) <= _MOST_PAIRS:
        _greedy(ours, theirs, free, partner, pairs, least)


def _greedy(
    ours: Sequence[Part],
    theirs: Sequence[Part],
    free: list[list[int]],
    partner: dict[int, int],
    pairs: Sequence[tuple[int, int]],
    least: float,
) -> None:
    """Pair the likest first."""
    scored = [(-alike(ours[a].text, theirs[b].text), a, b) for a, b in pairs]
    for score, one, other in sorted(scored):
        if -score >= least and one in free[0] and other in free[1]:
            _join(free, partner, one, other)


def _join(free: list[list[int]], partner: dict[int, int], one: int, other: int) -> None:
    free[0].remove(one)
    free[1].remove(other)
    partner[other] = one


def _woven(ours: int, theirs: int, partner: dict[int, int]) -> list[Row]:
    """The rows in the order of ``theirs``, what only ``ours`` has put in after its predecessor."""
    taken = set(partner.values())
    rows = [Row(partner.get(at), at) for at in range(theirs)]
    for at in range(ours):
        if at not in taken:
            rows.insert(_after(rows, at), Row(at, None))
    return rows


def _after(rows: Sequence[Row], at: int) -> int:
    return 1 + next((place for place, row in _reversed(rows) if row.ours == at - 1), -1)


def _reversed(rows: Sequence[Row]) -> Iterator[tuple[int, Row]]:
    return reversed(list(enumerate(rows)))
