"""Which field each figure of an answer speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from skills2_nb.audit.dates import DateFigure
from skills2_nb.audit.matching import (
    beside,
    derived,
    find,
    is_derived,
    is_excused,
    is_value,
    is_weak,
    point_gaps,
    settled,
    span,
    split_up,
)
from skills2_nb.audit.numbers import Figure, NumberFigure, figures
from skills2_nb.audit.page import Mention, Page, word_set
from skills2_nb.audit.sources import Source

_AND = re.compile(r"\s*(?:,\s*)?(?:and|und|but|aber|while|während|sowie)\b")
_BUT = re.compile(r"\s*(?:users?\s*)?,?\s*(?:but|sondern)\s*(?:rather|about|rund|etwa)?\s*")
_OR = re.compile(r"\s*(?:[,/]|\(|,?\s*\(?(?:or|oder|and|und|bis|to)\b|[\u2013-])\s*")
_ENDS = re.compile(r"\s*(?:[,;)/\n]|\.(?!\d)|$|adjusted|corrected|restated|bereinigt|korrigiert)")
_NOT = word_set("not nicht")
_NOBODY = word_set("nobody niemand")
_ALMOST = word_set("almost nearly hardly virtually practically fast beinahe kaum nahezu")
#: "The total of 20, 30 and 41 is": what a name is taken of stands between it and its value.
_OF = re.compile(r"\s+(?:of|over|von|aus|über)\b")
_IS = re.compile(
    r"\b(?:is|are|was|were|equals|gives|makes|comes? to|came to|ist|sind|war|waren|beträgt|ergibt)"
    r"\s+(?:about |around |some |roughly |rund |etwa )?$"
)
_RATE_NAME = re.compile(r"\w (?:rate|ratio|share|quote|anteil)$")


class Claims:
    """An answer's figures beside the names of a run's values.

    Args:
        answer: the text.
        leaves: the scalars of its report fields.
        sources: every value a figure may come from, the best first.
        names: words that are no figures.
        lists: references of leaves that are elements of lists; they are never contradicted.
    """

    def __init__(
        self,
        answer: str,
        leaves: Sequence[Source],
        sources: Sequence[Source],
        names: tuple[str, ...] = (),
        lists: frozenset[str] = frozenset(),
    ) -> None:
        self.page = Page(answer)
        self.leaves = leaves
        self._lists = lists
        refs = {leaf.ref for leaf in leaves}
        self.sources = [*leaves, *(s for s in sources if s.ref not in refs)]
        self.figures = split_up(figures(answer, names), self.sources, self.page)
        self.by_ref: dict[str, list[Source]] = {}
        for source in self.sources:
            self.by_ref.setdefault(source.ref, []).append(source)
        self.mentions = self.page.mentions(_by_name(self.sources))
        self._claimable = [m for m in self.mentions if any(map(_takes_number, self._owners(m)))]
        self.numbers = [f for f in self.figures if isinstance(f, NumberFigure) and f.claims]
        self._beside = {id(f): beside(f, self._claimable, self.page) for f in self.figures}
        self._touching: dict[int, list[NumberFigure]] = {}
        for figure in self.numbers:
            for mention in self._beside[id(figure)]:
                self._touching.setdefault(id(mention), []).append(figure)
        self._derived = derived(leaves)
        self._gaps = point_gaps(self.sources)
        found = {id(f): find(f, self.sources, self.page) for f in self.figures}
        self.matches = settled(self.figures, found, self.sources)

    def mentions_of(self, leaf: Source) -> list[Mention]:
        """Where a leaf's names stand."""
        return [mention for mention in self.mentions if leaf.ref in mention.refs]

    def carries(self, figure: Figure, leaf: Source) -> bool:
        """Whether a figure gives a leaf, and is not denied: "the total is not 211"."""
        return self._gives(figure, leaf) and not self._is_denied(figure)

    def _is_denied(self, figure: Figure) -> bool:
        words = self.page.before(span(figure), 2)
        return bool(_NOT.intersection(words[-1:])) or (words[-1:] == ["t"] and words[0][-1:] == "n")

    def _gives(self, figure: Figure, leaf: Source) -> bool:
        """Whether a figure is a leaf's value; a small one is beside the field's name only."""
        if not is_value(figure, leaf, self.page):
            return False
        if not is_weak(figure, leaf):
            return True
        near = (self.page.is_near(mention, span(figure)) for mention in self.mentions_of(leaf))
        return any(near) and not is_excused(figure, [leaf], self.page)

    def is_derived(self, figure: Figure) -> bool:
        """Whether a figure is a difference, ratio or relative change of report fields."""
        points = isinstance(figure, NumberFigure) and figure.points
        return is_derived(figure, self._gaps if points else self._derived)

    def contradictions(self, found: set[str]) -> dict[tuple[int, int], Source]:
        """The places where another number stands beside a field's name, each with the field.

        Args:
            found: references of the leaves that the answer gives somewhere.
        """
        wrong: dict[tuple[int, int], Source] = {}
        for mention in self._claimable:
            owners = [
                leaf for leaf in self.leaves if leaf.ref in mention.refs and _takes_number(leaf)
            ]
            if any(owner.ref in self._lists for owner in owners):
                continue
            if owners:
                figure = self._wrong_beside(mention, owners, found)
            else:
                owners = self._rates(mention)
                figure = self._wrong_rate(mention, owners) if owners else None
            if figure is not None:
                wrong.setdefault((figure.start, figure.end), owners[0])
        return wrong | self._denials()

    def _denials(self) -> dict[tuple[int, int], Source]:
        """The places of the other number in "not 211 but 240", each with the field denied."""
        denied = {}
        for figure, other in pairwise(self.numbers):
            gap = self.page.flat[figure.end : other.start]
            if not _BUT.fullmatch(gap) or self._has_origin(other):
                continue
            leaf = next((leaf for leaf in self.leaves if self._gives(figure, leaf)), None)
            if leaf is not None and _NOT.intersection(self.page.before(span(figure), 2)):
                denied[other.start, other.end] = leaf
        return denied

    def _rates(self, mention: Mention) -> list[Source]:
        """The results that a name of a rate means, where no report field has it."""
        if not _RATE_NAME.search(mention.name):
            return []
        return [s for s in self._owners(mention) if s.place == "result" and s.number is not None]

    def _wrong_rate(self, mention: Mention, owners: list[Source]) -> NumberFigure | None:
        """Another percentage said outright of a rate that need not be reported."""
        for figure in self._attached(mention):
            place = span(figure)
            outright = place.start > mention.start and self.page.is_tight(mention, place)
            if figure.percent and outright and not is_excused(figure, owners, self.page):
                return None if self._is_any(figure, owners) else figure
        return None

    def _wrong_beside(
        self, mention: Mention, owners: list[Source], found: set[str]
    ) -> NumberFigure | None:
        nobody = next((f for f in self.figures if self._denies(f, mention, owners)), None)
        if isinstance(nobody, NumberFigure):
            return nobody
        attached = self._own(mention)
        right = next((figure for figure in attached if self._is_any(figure, owners)), None)
        if right is not None:
            return self._alternative(right, mention, owners)
        if any(self._is_loose_value(figure, mention, owners) for figure in self.figures):
            return None
        wrong = [figure for figure in attached if self._contradicts(figure, mention, owners)]
        if not wrong and not attached and not any(owner.ref in found for owner in owners):
            wrong = [f for f in self.numbers if self._is_stray(f, mention, owners)]
        return min(wrong, key=lambda f: self.page.distance(mention, span(f)), default=None)

    def _is_any(self, figure: Figure, owners: Iterable[Source]) -> bool:
        return any(is_value(figure, owner, self.page) for owner in owners)

    def _attached(self, mention: Mention) -> list[NumberFigure]:
        """The figures of a mention: in its column, or beside it with nothing between."""
        if self.page.is_column_head(mention):
            return [f for f in self.numbers if self.page.is_headed(span(f), mention)]
        return [f for f in self._touching.get(id(mention), ()) if self._is_next(f, mention)]

    def _denies(self, figure: Figure, mention: Mention, owners: list[Source]) -> bool:
        """Whether "nobody churned" is said of a field that is not 0."""
        place = span(figure)
        return (
            figure.text.lower() in _NOBODY
            and figure.end <= mention.start
            and self.page.is_tight(mention, place)
            and not _ALMOST.intersection(self.page.before(place, 1))
            and not any(owner.number == 0 for owner in owners)
        )

    def _own(self, mention: Mention) -> list[NumberFigure]:
        """The attached figures less those that are another name's: 9 new and 7 ..."""
        attached = self._attached(mention)
        ahead = [f for f in attached if f.end <= mention.start]
        behind = [f for f in attached if f.end > mention.start]
        if any(self.page.is_tight(mention, span(f)) for f in ahead):
            text = self.page.flat
            behind = [f for f in behind if not _AND.match(text[mention.end : f.start])]
        elif any(self.page.is_tight(mention, span(f)) for f in behind):
            ahead = [f for f in ahead if not self._is_told_before(f, mention)]
        return [*ahead, *behind]

    def _is_told_before(self, figure: NumberFigure, mention: Mention) -> bool:
        """Whether a figure is said of a name in front of it: "implied is 211 but the count ..."."""
        return any(
            other is not mention
            and other.end <= figure.start
            and self.page.is_tight(other, span(figure))
            for other in self._beside[id(figure)]
        )

    def _alternative(
        self, right: NumberFigure, mention: Mention, owners: list[Source]
    ) -> NumberFigure | None:
        """An unknown number that stands beside the right one as if it were as good: 1.53 / 2.10."""
        other = next((f for f in self.numbers if f.start >= right.end), None)
        if other is None or self._has_origin(other) or is_excused(other, owners, self.page):
            return None
        if any(each is not mention for each in self._beside[id(other)]):
            return None
        gap = self.page.flat[right.end : other.start]
        alike = _OR.fullmatch(gap) and _ENDS.match(self.page.flat, other.end)
        return other if alike else None

    def _is_next(self, figure: NumberFigure, mention: Mention) -> bool:
        low, high = sorted((mention, span(figure)), key=lambda item: item.start)
        return not any(low.end <= other.start < high.start for other in self.numbers)

    def _is_loose_value(self, figure: Figure, mention: Mention, owners: list[Source]) -> bool:
        """Whether the true value stands near a mention and is no other name's own."""
        place = span(figure)
        if not any(self.carries(figure, owner) for owner in owners):
            return False
        if not self.page.is_near(mention, place):
            return False
        if self.page.is_headed(place, mention):
            return True
        return not [m for m in self._beside[id(figure)] if m is not mention]

    def _contradicts(self, figure: NumberFigure, mention: Mention, owners: list[Source]) -> bool:
        if is_excused(figure, owners, self.page) or self._is_object(figure, mention, owners):
            return False
        others = [m for m in self._beside[id(figure)] if m is not mention]
        if any(self._is_any(figure, self._owners(other)) for other in others):
            return False
        if self.page.is_tight(mention, span(figure)) or self._is_filed(figure, mention):
            return True
        return not self._has_origin(figure)

    def _is_object(self, figure: NumberFigure, mention: Mention, owners: list[Source]) -> bool:
        """Whether a figure is of what the name is taken, and the true value is said of it after."""
        text = self.page.flat
        if figure.start < mention.end or not _OF.match(text, mention.end):
            return False
        said = (f for f in self.numbers if f.start > figure.end and self._is_any(f, owners))
        value = next(said, None)
        return (
            value is not None
            and self.page.same_clause(mention, span(value))
            and _IS.search(text, figure.end, value.start) is not None
        )

    def _is_filed(self, figure: NumberFigure, mention: Mention) -> bool:
        """Whether a figure stands in a name's column, in a row of no period of its own."""
        place = span(figure)
        return self.page.is_column_head(mention) and not any(
            isinstance(other, DateFigure) and self.page.same_line(span(other), place)
            for other in self.figures
        )

    def _is_stray(self, figure: NumberFigure, mention: Mention, owners: list[Source]) -> bool:
        """An unknown number within six words of the name of a field that is said nowhere."""
        place = span(figure)
        return (
            self.page.is_near(mention, place)
            and (self.page.same_clause(mention, place) or self.page.is_headed(place, mention))
            and not self._has_origin(figure)
            and not is_excused(figure, owners, self.page)
            and not [m for m in self._beside[id(figure)] if m is not mention]
        )

    def _owners(self, mention: Mention) -> list[Source]:
        return [source for ref in sorted(mention.refs) for source in self.by_ref[ref]]

    def _has_origin(self, figure: Figure) -> bool:
        return self.matches[id(figure)] is not None or self.is_derived(figure)


def _by_name(sources: Iterable[Source]) -> Mapping[str, set[str]]:
    names: dict[str, set[str]] = {}
    for source in sources:
        for name in source.names:
            names.setdefault(name, set()).add(source.ref)
    return names


def _takes_number(source: Source) -> bool:
    return source.number is not None or source.value is None
