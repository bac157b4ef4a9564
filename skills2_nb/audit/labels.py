"""Report fields that are words: choices, dates, prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skills2_nb.audit.dates import DateFigure, Stamp
from skills2_nb.audit.matching import is_excused, is_value, span
from skills2_nb.audit.numbers import Figure, NumberFigure, figures
from skills2_nb.audit.page import NEAR, Mention, Page, Span, word_set
from skills2_nb.audit.sources import LABEL_LENGTH, Source

_YES = word_set(
    """
    true yes holds hold closes closed passes passed ok met ja wahr erfüllt
    """
)
_NO = word_set(
    """
    false no not doesn didn isn wasn fails failed fail never cannot nein nicht falsch kein
    keine
    """
)
_DENIED = word_set(
    """
    not isn wasn aren neither nor never hardly scarcely nicht kein keine keinen weder nie
    """
)
_BUT_SAID = word_set(
    """
    only just merely nur bloß
    """
)

_IF = word_set("if when were would should could wenn falls wäre würde")
#: After a label: it is said of another time, or of a scale.
_ELSEWHEN = word_set(
    """
    if when from at above below under only once in im for last before until earlier previously
    and or und oder then ab wenn falls sobald bis vorher zuvor dann
    """
)
_FIGURE = re.compile(r"[\s:=(]*[-+\u2212]?\d")
_IS = re.compile(
    r"\s*(?:[:=|→\u2013\u2014]|is|was|ist|war|lautet|wurde|(?:has )?become|becomes|became|"
    r"comes out as)\s*"
    r"(?:now|only|nur|actually|really|thus|also|the|a|an|clearly|still|[“„])?\s*"
)


@dataclass(frozen=True)
class WordVerdict:
    """How a word stands in the answer.

    Attributes:
        found: where the true value stands, else None.
        other: where another value stands in its place, else None.
    """

    found: Span | None = None
    other: Span | None = None


def judge_word(
    source: Source,
    mentions: Sequence[Mention],
    everything: Sequence[Mention],
    page: Page,
    found: Sequence[Figure],
) -> WordVerdict:
    """Look for a leaf that is no number.

    Args:
        source: the leaf.
        mentions: where its names stand in the answer.
        everything: where any field's names stand.
        page: the answer.
        found: the answer's figures.
    """
    value = source.value
    if isinstance(value, bool):
        return _judge_truth(value, mentions, page)
    if isinstance(value, Stamp):
        return _judge_date(source, mentions, page, found)
    if not isinstance(value, str):
        return WordVerdict()
    if len(value) > LABEL_LENGTH or "\n" in value:
        return _judge_prose(value, page, found)
    others = [mention for mention in everything if source.ref not in mention.refs]
    return _Choice(value, source.members, mentions, others, page).judge()


class _Choice:
    """A label is checked beside its field's name.

    Where the name is not said at all, the label may stand anywhere, unless other members of its
    kind stand there too: then it is one of a list, not the choice.
    """

    def __init__(
        self,
        value: str,
        members: Sequence[str],
        mentions: Sequence[Mention],
        others: Sequence[Mention],
        page: Page,
    ) -> None:
        self.page = page
        self.mentions = mentions
        self.members = members
        self.true = self._free(_places(value, page))
        rivals = [p for member in members if member != value for p in _places(member, page)]
        self.rivals = self._free(p for p in rivals if not any(t.holds(p) for t in self.true))
        self.others = others

    def judge(self) -> WordVerdict:
        wrong = None
        firm = next(filter(None, map(self._said_outright, self.mentions)), None)
        if firm:
            return WordVerdict(other=firm)
        for mention in self.mentions:
            right, rival = self._beside(mention, self.true), self._beside(mention, self.rivals)
            if right and not (
                self._is_tight(mention, rival) and not self._is_tight(mention, right)
            ):
                return WordVerdict(found=right)
            if rival and (self._is_tight(mention, rival) or not self._is_name(rival)):
                wrong = wrong or rival
        if wrong:
            return WordVerdict(other=wrong)
        if self.true and not (self.rivals or (self.mentions and self.members)):
            return WordVerdict(found=self.true[0])
        return WordVerdict()

    def _said_outright(self, mention: Mention) -> Span | None:
        """Another label said of the field in so many words: "growth class: surging"."""
        if mention.end - mention.start > len(mention.name):
            return None  # "growth classes: shrinking below 1, ..."
        if _IF.intersection(self.page.before(mention, 3)):
            return None
        for rival in self.rivals:
            if rival.start < mention.end or not self.page.same_clause(mention, rival):
                continue
            if not _IS.fullmatch(self.page.flat[mention.end : rival.start]):
                continue
            if any(self.page.is_headed(true, mention) for true in self.true):
                continue  # a row for several periods
            if self._is_name(rival) and _FIGURE.match(self.page.flat, rival.end):
                continue
            if not _ELSEWHEN.intersection(self.page.after(rival, 1)):
                return rival
        return None

    def _free(self, places: Iterable[Span]) -> list[Span]:
        """The places that say a label: no part of the field's name, and not denied."""
        return [
            place
            for place in places
            if not any(m.holds(place) for m in self.mentions) and not self._is_denied(place)
        ]

    def _is_denied(self, place: Span) -> bool:
        """Whether the label is ruled out: "not growing", "no longer above", "nicht mehr above"."""
        words = self.page.before(place, 2)
        if words[-2:] == ["no", "longer"] or words[-2:] == ["rather", "than"]:
            return True
        return bool(_DENIED.intersection(words)) and not _BUT_SAID.intersection(words)

    def _is_tight(self, mention: Mention, place: Span | None) -> bool:
        return (
            place is not None and place.start > mention.start and self.page.is_tight(mention, place)
        )

    def _is_name(self, place: Span) -> bool:
        """Whether a rival is said as another field's name ("new 0"), not as a choice."""
        return any(mention.holds(place) for mention in self.others)

    def _beside(self, mention: Mention, places: Sequence[Span]) -> Span | None:
        """The nearest place within six words of a mention, one directly after it first."""
        near = [
            place
            for place in places
            if self.page.is_headed(place, mention)
            or (
                self.page.distance(mention, place) <= NEAR and self.page.same_clause(mention, place)
            )
        ]
        tight = [place for place in near if self._is_tight(mention, place)]
        ranked = sorted(tight or near, key=lambda place: self.page.distance(mention, place))
        return ranked[0] if ranked else None


def _places(label: str, page: Page) -> list[Span]:
    words = [re.escape(word) for word in re.split(r"[\s_-]+", label.lower()) if word]
    if not words:
        return []
    joined = r"[\s-]+".join(words)
    pattern = rf"(?<![\w-]){joined}(?![\w]|-\w)"
    return [Span(match.start(), match.end()) for match in re.finditer(pattern, page.flat)]


def _judge_truth(value: bool, mentions: Sequence[Mention], page: Page) -> WordVerdict:
    """A truth value is said by its name, and denied by a no in the same clause."""
    told = [(mention, _is_denied(mention, page)) for mention in mentions]
    right = next((mention for mention, denied in told if denied != value), None)
    if right:
        return WordVerdict(found=right)
    return WordVerdict(other=told[0][0] if told else None)


def _is_denied(mention: Mention, page: Page) -> bool:
    around = [*reversed(page.before(mention, 3)), *page.after(mention, 4)]
    after = page.after(mention, 4)
    for word in after:
        if word in _YES:
            return "not" in after[: after.index(word)] or "nicht" in after
        if word in _NO:
            return True
    return any(word in _NO for word in around[:3])


def _judge_date(
    source: Source, mentions: Sequence[Mention], page: Page, found: Sequence[Figure]
) -> WordVerdict:
    dates = [figure for figure in found if isinstance(figure, DateFigure)]
    right = next((figure for figure in dates if is_value(figure, source, page)), None)
    tight = [
        figure
        for mention in mentions
        for figure in dates
        if page.is_tight(mention, span(figure)) and figure.start > mention.start
        if not is_excused(figure, [source], page)
    ]
    wrong = next((figure for figure in tight if not is_value(figure, source, page)), None)
    if wrong and not any(is_value(figure, source, page) for figure in tight):
        return WordVerdict(other=span(wrong))
    return WordVerdict(found=span(right) if right else None)


def _judge_prose(value: str, page: Page, found: Sequence[Figure]) -> WordVerdict:
    """Reported prose stands in the answer word for word, or at least with all its figures."""
    wanted = " ".join(value.split())
    at = " ".join(page.text.split()).find(wanted)
    if at >= 0:
        start = max(page.text.find(value.strip()[:40]), 0)
        return WordVerdict(found=Span(start, start + min(len(value), len(page.text) - start)))
    own = [f for f in figures(value) if isinstance(f, DateFigure) or f.claims]
    if not own:
        return WordVerdict()
    places = [_same_figure(figure, found) for figure in own]
    first = places[0]
    return WordVerdict(found=span(first)) if first and all(places) else WordVerdict()


def _same_figure(figure: Figure, found: Sequence[Figure]) -> Figure | None:
    return next((other for other in found if _is_same(figure, other)), None)


def _is_same(figure: Figure, other: Figure) -> bool:
    if isinstance(figure, DateFigure):
        return isinstance(other, DateFigure) and bool(set(figure.readings) & set(other.readings))
    return isinstance(other, NumberFigure) and any(
        other.matches(reading.value) for reading in figure.readings
    )
