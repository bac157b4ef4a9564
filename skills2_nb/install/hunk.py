"""Where two texts differ, in whole lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

#: Lines shown around a change.
_AROUND = 1
#: Lines between two changes that keep them apart, and lines up to which they are sought.
_APART, _MOST = 3, 2000
#: A neighbour's key and value; the value may be a secret, and is nobody's business here.
_VALUE = re.compile(r'(\s*"(?:[^"\\]|\\.)*"\s*:).*[^{\[\s]\s*')


@dataclass(frozen=True)
class Hunk:
    """A place at which two texts differ, in whole lines.

    Attributes:
        line: 1-based number of the first line that differs.
        old: lines that go.
        new: lines that come.
        above: the line before it, if there is one; values are left out.
        below: the line after it, likewise.
        ahead: by how many lines the new text is longer before it.
    """

    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    ahead: int = 0

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """What goes and what comes, each line with its sign."""
        return (*(("-", line) for line in self.old), *(("+", line) for line in self.new))

    def unified(self) -> str:
        """The hunk as ``diff -u`` writes it, heading and all."""
        above, below = len(self.above), len(self.below)
        old, new = (
            f"{line - above if count else line - 1},{count}"
            for line, count in (
                (self.line, above + len(self.old) + below),
                (self.line + self.ahead, above + len(self.new) + below),
            )
        )
        body = [f" {line}" for line in self.above]
        body += [sign + line for sign, line in self.lines]
        body += [f" {line}" for line in self.below]
        return "\n".join([f"@@ -{old} +{new} @@", *body]) + "\n"


def hunks(before: bytes | None, after: bytes | None) -> list[Hunk]:
    """Where two texts differ, each place by itself; what lies between is nobody's business."""
    whole = hunk(before, after)
    old, new = whole.old, whole.new
    if min(len(old), len(new)) < _APART or max(len(old), len(new)) > _MOST:
        return [whole]
    parts = list[tuple[int, int, int, int]]()
    for tag, *span in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if parts and span[0] - parts[-1][1] < _APART:
            span = [parts[-1][0], span[1], parts[-1][2], span[3]]
            parts.pop()
        parts.append((span[0], span[1], span[2], span[3]))
    return [_part(whole, *span) for span in parts] or [whole]


def _part(whole: Hunk, start: int, end: int, start_new: int, end_new: int) -> Hunk:
    above = _neighbours(whole.old[max(start - _AROUND, 0) : start]) or whole.above
    below = _neighbours(whole.old[end : end + _AROUND]) or whole.below
    old, new = whole.old[start:end], whole.new[start_new:end_new]
    return Hunk(whole.line + start, old, new, above, below, start_new - start)


def hunk(before: bytes | None, after: bytes | None) -> Hunk:
    """From where to where two texts differ; what is not UTF-8 in them shows as a sign for it."""
    old, new = (
        (data or b"").decode("utf-8", errors="replace").removeprefix("\ufeff")
        for data in (before, after)
    )
    start, end_old, end_new = _span_of_lines(old, new) or _span(old, new)
    head, tail = old[:start], old[end_old:]
    return Hunk(
        head.count("\n") + 1,
        _lines(old[start:end_old]),
        _lines(new[start:end_new]),
        _neighbours(_lines(head)[-_AROUND:]),
        _neighbours(_lines(tail)[:_AROUND]),
    )


def _span(old: str, new: str) -> tuple[int, int, int]:
    """Start of the difference and its ends in both, all at line edges."""
    same = shared(old, new)
    start = old.rfind("\n", 0, same) + 1
    most = min(len(old), len(new)) - same
    tail = shared(old[len(old) - most :][::-1], new[len(new) - most :][::-1])
    end_old, end_new = len(old) - tail, len(new) - tail
    if not (_is_edge(old, start, end_old) and _is_edge(new, start, end_new)):
        rest = old.find("\n", end_old)
        more = (len(old) if rest < 0 else rest + 1) - end_old
        end_old, end_new = end_old + more, end_new + more
    return start, end_old, end_new


def _span_of_lines(old: str, new: str) -> tuple[int, int, int] | None:
    """The same where whole lines come or go that are a member each; else None."""
    same = shared(old, new)
    start = old.rfind("\n", 0, same) + 1
    short = min(len(old), len(new)) - start
    tail = shared(old[len(old) - short :][::-1], new[len(new) - short :][::-1])
    end_old, end_new = len(old) - tail, len(new) - tail
    if tail < short or not (_is_edge(old, start, end_old) and _is_edge(new, start, end_new)):
        return None
    return (start, end_old, end_new) if _is_whole(old[start:end_old] + new[start:end_new]) else None


def _is_whole(text: str) -> bool:
    """Whether every bracket that is closed was opened, and the other way round."""
    depth = 0
    for sign in text:
        depth += (sign in "{[") - (sign in "}]")
        if depth < 0:
            return False
    return not depth


def shared(one: str, other: str) -> int:
    """How many characters both begin with; halving, since settings may have megabytes."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        half = (low + high + 1) // 2
        if one[low:half] == other[low:half]:
            low = half
        else:
            high = half - 1
    return low


def _is_edge(text: str, start: int, end: int) -> bool:
    return end == start or text[end - 1] == "\n"


def _neighbours(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_VALUE.sub(r"\1 …", line) for line in lines)


def _lines(text: str) -> tuple[str, ...]:
    parts = [line.removesuffix("\r") for line in text.split("\n")]
    return tuple(parts if parts[-1] else parts[:-1])
