"""Edited prose shared out among the cells it came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from skills2_nb.convert.merge import Part, alike

_GAP = re.compile(r"(?<!\n)\n\n(?!\n)")
_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$|\n)")
#: How alike two blocks at the same place must be to be one, edited.
_ALIKE = 0.3
_MOST_PAIRS = 900


def shared_out(pieces: Sequence[str], body: str) -> list[Part]:
    """Edited prose cut into cells: each with the index of the cell it is, or with none if new.

    Joined by one blank line they are the body. What was written between two cells goes to the one
    above, and a heading begins a cell of its own.

    Args:
        pieces: the cells' texts.
        body: the edited prose, LF, no newline at either edge.
    """
    old = [(index, block) for index, piece in enumerate(pieces) for block in blocks(piece)]
    new = list(blocks(body))
    owners = _owners([block for _, block in old], new)
    cells = [old[at][0] if at is not None else None for at in owners]
    labels = list(_filled(cells, new))
    made = []
    for label, run in groupby(zip(labels, new, strict=True), key=lambda pair: pair[0]):
        made.append(Part(label, "\n\n".join(block for _, block in run)))
    return made


def blocks(text: str) -> Iterator[str]:
    """A text cut at each single blank line outside fenced code."""
    held: list[str] = []
    fence = ""
    for block in _GAP.split(text) if text else ():
        held.append(block)
        for match in _FENCE.finditer(block):
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence) and not match[2].strip():
                fence = ""
        if not fence:
            yield "\n\n".join(held)
            held = []
    if held:
        yield "\n\n".join(held)


def _owners(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """The index of the old block that each new one is, in order; None for one that is new."""
    owners: list[int | None] = [None] * len(new)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            owners[c:d] = range(a, b)
        elif tag == "replace":
            for one, other in _paired(old[a:b], new[c:d]):
                owners[c + other] = a + one
    return owners


def _paired(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of blocks that are alike, in order, as much likeness as can be had."""
    if len(old) * len(new) > _MOST_PAIRS:
        return [(at, at) for at in range(min(len(old), len(new)))]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    score = [[_likeness(one, other) for other in new] for one in old]
    for a in range(len(old) - 1, -1, -1):
        for b in range(len(new) - 1, -1, -1):
            joined = score[a][b] + best[a + 1][b + 1] if score[a][b] else 0.0
            best[a][b] = max(joined, best[a + 1][b], best[a][b + 1])
    pairs, a, b = [], 0, 0
    while a < len(old) and b < len(new):
        if score[a][b] and best[a][b] == score[a][b] + best[a + 1][b + 1]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            a += 1
        else:
            b += 1
    return pairs


def _likeness(one: str, other: str) -> float:
    """0 where two blocks cannot be one; headings are compared with headings alone."""
    if bool(_HEADING.match(one)) != bool(_HEADING.match(other)):
        return 0.0
    return alike(one, other, _ALIKE)


def _filled(cells: Sequence[int | None], new: Sequence[str]) -> Iterator[str]:
    """A label for each block: its cell's, or one of a new cell's own."""
    count, at = 0, 0
    before: str | None = None
    while at < len(cells):
        if cells[at] is not None:
            before = str(cells[at])
            yield before
            at += 1
            continue
        end = next((k for k in range(at, len(cells)) if cells[k] is not None), len(cells))
        after = str(cells[end]) if end < len(cells) else None
        yield from _run(new[at:end], before, after, new[end] if after else "", count)
        count += end - at
        at = end


def _run(
    fresh: Sequence[str], before: str | None, after: str | None, follows: str, count: int
) -> list[str]:
    """Labels of new blocks between two cells."""
    if before is not None and before == after:
        return [before] * len(fresh)
    labels: list[str] = []
    now = before
    for number, block in enumerate(fresh):
        if _HEADING.match(block) or now is None:
            now = f"new {count + number}"
        labels.append(now)
    if after is not None and not _HEADING.match(follows):
        if _HEADING.match(fresh[-1]):
            labels[-1] = after
        elif before is None and not any(_HEADING.match(block) for block in fresh):
            labels = [after] * len(fresh)
    return labels
