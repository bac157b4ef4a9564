"""An answer laid out: words, clauses, tables, names."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: How many words from its name a value may stand.
NEAR = 6
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,9}(?:\s[^<>\n]{0,200})?/?>")
_WORD = re.compile(r"\S+")
_LETTER = re.compile(r"\w")
#: The word that an excerpt would cut at its beginning, and the one at its end.
_CUT_LEFT, _CUT_RIGHT = re.compile(r"^\S*\s+"), re.compile(r"\s+\S*$")
_CLAUSE = re.compile(r"[.!?](?=[\s)*_]|$)|;|\n")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_COPULA = (
    "is|was|are|were|be|of|at|to|now|only|just|about|around|approximately|approx|roughly|nearly|"
    "almost|stands|stood|comes|came|equals?|equalled|totals?|totalled|amounts?|amounted|reached|"
    "remains?|remained|turned|out|the|a|an|ist|war|sind|waren|liegt|lag|beträgt|betrug|betragen|"
    "bei|auf|von|rund|etwa|circa|ca|gleich|value|wert|namely"
)
_TIGHT = re.compile(rf"(?:[\s:=|(\[≈~$€£¥\"'→\u2013\u2014-]|\b(?:{_COPULA})\b\.?)*")
_BARRIER = re.compile(r"[,;!?\n]|\.(?=\s|$)")
#: After a value these begin something else: in "new 61 + resurrected" 61 is no one's but new's.
_ONWARD = re.compile(r"[|:(+=×→⇒]|(?<=\s)[-\u2212](?=\s)")


@dataclass(frozen=True)
class Span:
    """A stretch of the answer."""

    start: int
    end: int

    def holds(self, other: Span) -> bool:
        """Whether the other one lies within."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True)
class Mention(Span):
    """Where a name stands, and the references it may mean."""

    name: str
    refs: frozenset[str]


@dataclass(frozen=True)
class Cell(Span):
    """A body cell of a table.

    Attributes:
        column: the head it stands under.
        row: the first cell of its row, where it is not that itself.
    """

    column: Span | None
    row: Span | None

    @property
    def heads(self) -> tuple[Span, ...]:
        """What it stands under and beside."""
        return tuple(head for head in (self.column, self.row) if head is not None)


class Page:
    """The answer, prepared for questions about what stands beside what.

    Attributes:
        text: the answer as it is.
        flat: the same length, small letters, marks of emphasis and code and HTML tags as blanks.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.flat = re.sub(r"[*_`\"]", " ", _TAG.sub(lambda m: " " * len(m[0]), _small(text)))
        self._words = [m.start() for m in _WORD.finditer(self.flat) if _LETTER.search(m[0])]
        self._breaks = [match.start() for match in _CLAUSE.finditer(self.flat)]
        self._cells = tuple(_cells(text))
        self._starts = [cell.start for cell in self._cells]
        heads = {cell.column.start: cell.column for cell in self._cells if cell.column is not None}
        self._heads = [heads[start] for start in sorted(heads)]

    def mentions(self, names: Mapping[str, Iterable[str]]) -> tuple[Mention, ...]:
        """Where the names stand; within a longer name a shorter one is none.

        Args:
            names: for each name the references it may mean.
        """
        found = [
            Mention(match.start(), match.end(), name, frozenset(refs))
            for name, refs in names.items()
            for match in _name_pattern(name).finditer(self.flat)
        ]
        return tuple(
            sorted(
                (m for m in found if not any(o.holds(m) and _longer(o, m) for o in found)),
                key=lambda m: (m.start, m.end),
            )
        )

    def distance(self, one: Span, other: Span) -> int:
        """How many words lie between, plus one; neighbours are 1 apart, overlaps 0."""
        first, second = sorted((one, other), key=lambda span: span.start)
        if second.start < first.end:
            return 0
        between = bisect_left(self._words, second.start) - bisect_left(self._words, first.end)
        return max(between, 0) + 1

    def is_near(self, name: Span, other: Span) -> bool:
        """Within six words; of a name in a table, in its column or its line."""
        if self.is_headed(other, name):
            return True
        if self.is_column_head(name):
            return False
        start, end = min(name.end, other.end), max(name.start, other.start)
        if self.distance(name, other) > NEAR:
            return False
        return self._cell(name) is None or "\n" not in self.text[start:end]

    def same_clause(self, one: Span, other: Span) -> bool:
        """Whether no sentence end, semicolon or line end lies between."""
        start, end = min(one.end, other.end), max(one.start, other.start)
        return bisect_left(self._breaks, start) == bisect_left(self._breaks, end)

    def same_line(self, one: Span, other: Span) -> bool:
        """Whether no line ends between."""
        return "\n" not in self.text[min(one.end, other.end) : max(one.start, other.start)]

    def is_headed(self, span: Span, head: Span) -> bool:
        """Whether a span stands in a table under or beside a head that holds the other one."""
        cell = self._cell(span)
        return cell is not None and any(own.holds(head) for own in cell.heads)

    def is_column_head(self, span: Span) -> bool:
        """Whether a span stands in the head row of a table."""
        at = bisect_right(self._heads, span.start, key=lambda head: head.start) - 1
        return at >= 0 and self._heads[at].holds(span)

    def _cell(self, span: Span) -> Cell | None:
        """The body cell of a table that holds a span."""
        at = bisect_right(self._starts, span.start) - 1
        return self._cells[at] if at >= 0 and self._cells[at].holds(span) else None

    def gap(self, name: Span, value: Span) -> str | None:
        """What lies between a name and a value in one clause, None where a barrier does."""
        first, second = sorted((name, value), key=lambda span: span.start)
        text = self.flat[first.end : second.start]
        if _BARRIER.search(text) or (first is value and _ONWARD.search(text)):
            return None
        return text

    def is_tight(self, name: Span, value: Span) -> bool:
        """Whether nothing but "is", "of", a colon or the like lies between."""
        gap = self.gap(name, value)
        return gap is not None and _TIGHT.fullmatch(gap) is not None

    def before(self, span: Span, words: int) -> list[str]:
        """The last words before a span in its clause, nearest last."""
        start = max((b for b in self._breaks if b < span.start), default=-1) + 1
        return re.findall(r"[^\W\d_]+|[<>≤≥]", self.flat[start : span.start])[-words:]

    def after(self, span: Span, words: int) -> list[str]:
        """The first words after a span in its clause."""
        end = min((b for b in self._breaks if b >= span.end), default=len(self.flat))
        return re.findall(r"[^\W\d_]+", self.flat[span.end : end])[:words]

    def place(self, span: Span) -> str:
        """The line, the column (both from 1) and an excerpt, for a finding."""
        line = self.text.count("\n", 0, span.start) + 1
        column = span.start - self.text.rfind("\n", 0, span.start)
        begin = self.text.rfind("\n", 0, span.start) + 1
        found = self.text.find("\n", span.end)
        end = len(self.text) if found < 0 else found
        start, stop = max(begin, span.start - 40), min(end, span.end + 30)
        before, after = self.text[start : span.start], self.text[span.end : stop]
        before = _CUT_LEFT.sub("… ", before) if start > begin else before
        after = _CUT_RIGHT.sub(" …", after) if stop < end else after
        told = f"{before}{self.text[span.start : span.end]}{after}"
        return f"line {line}, column {column}: “{' '.join(told.split())}”"


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for a table of words."""
    return frozenset(text.split())


def _small(text: str) -> str:
    """Small letters, one for one, so that positions stay."""
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _name_pattern(name: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(re.escape(word) for word in name.lower().split())
    return re.compile(rf"(?<!\w){words}(?:e?s|['’]s)?(?!\w)")


def _longer(one: Mention, other: Mention) -> bool:
    return one.end - one.start > other.end - other.start and one.name != other.name


def _cells(text: str) -> Iterable[Cell]:
    """The body cells of every pipe table, each with its column's head and its row's first cell."""
    heads: list[Span] = []
    above: list[Span] = []
    at = 0
    for line in text.split("\n"):
        spans = _row(line, at)
        if _RULE.match(line) and "|" in line and above:
            heads = above
        elif heads and spans:
            for column, span in enumerate(spans):
                head = heads[column] if column < len(heads) else None
                yield Cell(span.start, span.end, head, spans[0] if column else None)
        else:
            heads = []
        above = spans
        at += len(line) + 1


def _row(line: str, at: int) -> list[Span]:
    """The cells of a table row; no pipe, no cell."""
    if "|" not in line:
        return []
    left = len(line) - len(line.lstrip())
    body = line.strip()
    if body.startswith("|"):
        left, body = left + 1, body[1:]
    spans = []
    for part in body.removesuffix("|").split("|"):
        spans.append(Span(at + left, at + left + len(part)))
        left += len(part) + 1
    return spans
