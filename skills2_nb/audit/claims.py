"""Which field each figure of an answer speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from skills2_nb.audit.dates import DateFigure
from skills2_nb.audit.matching import (
    beside,
    derived,
    find,
    is_derived,
    is_excused,
    is_value,
    is_weak,
    settled,
    span,
    split_up,
)
from skills2_nb.audit.numbers import Figure, NumberFigure, figures
from skills2_nb.audit.page import Mention, Page
from skills2_nb.audit.sources import Source


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
        found = {id(f): find(f, self.sources, self.page) for f in self.figures}
        self.matches = settled(self.figures, found, self.sources)

    def mentions_of(self, leaf: Source) -> list[Mention]:
        """Where a leaf's names stand."""
        return [mention for mention in self.mentions if leaf.ref in mention.refs]

    def carries(self, figure: Figure, leaf: Source) -> bool:
        """Whether a figure gives a leaf; a small one does so beside the field's name only."""
        if not is_value(figure, leaf, self.page):
            return False
        if not is_weak(figure, leaf):
            return True
        near = (self.page.is_near(mention, span(figure)) for mention in self.mentions_of(leaf))
        return any(near) and not is_excused(figure, [leaf], self.page)

    def is_derived(self, figure: Figure) -> bool:
        """Whether a figure is a difference, ratio or relative change of report fields."""
        return is_derived(figure, self._derived)

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
            if not owners or any(owner.ref in self._lists for owner in owners):
                continue
            figure = self._wrong_beside(mention, owners, found)
            if figure is not None:
                wrong.setdefault((figure.start, figure.end), owners[0])
        return wrong

    def _wrong_beside(
        self, mention: Mention, owners: list[Source], found: set[str]
    ) -> NumberFigure | None:
        attached = self._attached(mention)
        if any(self._is_any(figure, owners) for figure in attached):
            return None
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
        if is_excused(figure, owners, self.page):
            return False
        others = [m for m in self._beside[id(figure)] if m is not mention]
        if any(self._is_any(figure, self._owners(other)) for other in others):
            return False
        if self.page.is_tight(mention, span(figure)) or self._is_filed(figure, mention):
            return True
        return not self._has_origin(figure)

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
