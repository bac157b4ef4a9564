"""Which value of the run a figure of the answer is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from skills2_nb.audit.dates import DateFigure, Relation, Stamp, relation
from skills2_nb.audit.numbers import Figure, NumberFigure
from skills2_nb.audit.page import NEAR, Mention, Page, Span, word_set
from skills2_nb.audit.sources import LIST_LIMIT, Source

_SMALL = 10
#: A figure of so many significant digits is known by itself, however small.
_TELLING_DIGITS = 3
_DERIVED_LIMIT = 60
_LOSS = re.compile(
    r"churn|loss|lost|lose|declin|decreas|outflow|contract|cost|deduct|remov|cancel|drop|"
    r"verlust|verlor|abgang|abgäng|kündig|rückgang|kosten"
)
_FALL = re.compile(
    r"fell|fall|down|declin|decreas|drop|loss|lost|lower|less|shrank|shrunk|minus|reduc|negativ|"
    r"gefallen|gesunken|sank|rückgang|verlor|weniger|verlust|unter"
)
_CHANGE = re.compile(r"chang|delta|diff|gap|growth|lift|gain|veränder|zuwachs|abstand")
_POINTS = re.compile(r"chang|delta|diff|gap|lift|point|punkt|veränder|abstand")
_PERCENT = re.compile(r"percent|pct|rate|share|prozent|quote|anteil|growth|%")
_RATE = re.compile(r"percent|pct|rate|share|ratio|prozent|quote|anteil|growth|change|%")
_NO_CLAIM_BEFORE = word_set(
    """
    by um up down plus minus from von since seit than als above below over under über unter
    exceeds threshold target limit goal schwelle ziel grenze least most mindestens höchstens
    versus vs gegenüber statt instead not nicht until bis every per pro last past next
    letzten nächsten < > ≤ ≥
    """
)
_CLAIM_BEFORE = word_set(
    """
    to auf is was at ist war bei of
    """
)
_NO_CLAIM_AFTER = word_set(
    """
    threshold target limit goal schwelle ziel grenze higher lower more fewer less mehr
    weniger points pp day days week weeks month months year years hour hours minute minutes
    second seconds tag tage tagen woche wochen monat monate monaten jahr jahre jahren stunde
    stunden minuten sekunden times mal x
    """
)


@dataclass(frozen=True)
class Match:
    """A figure with the value it is.

    Attributes:
        near: a date that is not the known one but lies beside it: neither proof nor fault.
        edge: where near, whether it is the known period's own first or last day.
    """

    source: Source
    near: bool = False
    edge: bool = False


def span(figure: Figure) -> Span:
    """Where a figure stands."""
    return Span(figure.start, figure.end)


def is_value(figure: Figure, source: Source, page: Page) -> bool:
    """Whether a figure is a source's value, in any reading.

    A minus before a loss ("churned −102") and a fall told in words ("fell by 46" of −46) are the
    value too. A bare year is the value of any date in it.
    """
    if isinstance(figure, DateFigure):
        return isinstance(source.value, Stamp) and any(
            relation(stamp, source.value) == "same" for stamp in figure.readings
        )
    true = source.number
    if true is None:
        return isinstance(source.value, Stamp) and _is_year(figure, source.value)
    if figure.points and not _POINTS.search(" ".join(source.names)):
        return False
    if figure.percent and not _may_be_percent(figure, source, true):
        return False
    loosely = isinstance(source.value, float) and _is_named(figure, source, page)
    return figure.matches(true, loosely=loosely) or (
        true != 0 and figure.matches(-true) and _may_flip(figure, source, true, page)
    )


def find(figure: Figure, sources: Iterable[Source], page: Page) -> Match | None:
    """The first source whose value a figure is; else one that a date lies beside."""
    near = None
    for source in sources:
        if is_value(figure, source, page):
            return Match(source)
        beside = _beside_stamp(figure, source)
        if beside == "edge" or (beside and near is None):
            near = Match(source, near=True, edge=beside == "edge")
    return near


def settled(
    found: Sequence[Figure], matches: Mapping[int, Match | None], sources: Iterable[Source]
) -> dict[int, Match | None]:
    """The matches less the dates that only stand beside what the answer does not say.

    A neighbour of a known period is told against that period, and an example of the prose against
    the run's own dates: where those are not in the answer, another period stands in their place.
    """
    said = [
        match.source
        for figure in found
        if isinstance(figure, DateFigure) and (match := matches[id(figure)]) and _is_own(match)
    ]
    has_own = any(isinstance(s.value, Stamp) and s.place != "constant" for s in sources)
    lone = {
        id(figure)
        for figure in found
        if isinstance(figure, DateFigure) and (match := matches[id(figure)])
        if (match.near and not match.edge and not _is_told_by(figure, said))
        or (match.source.place == "constant" and has_own and not said)
    }
    return {key: None if key in lone else match for key, match in matches.items()}


def is_weak(figure: Figure, source: Source) -> bool:
    """Whether a match proves something only beside the field's name: 0, 7, 4 %, or a word."""
    if isinstance(figure, DateFigure):
        return False
    true = abs(source.number or 0.0)
    small = true * (100 if figure.percent else 1) < _SMALL
    return figure.word or (small and figure.digits < _TELLING_DIGITS)


def derived(sources: Sequence[Source]) -> tuple[float, ...]:
    """Differences, ratios and relative changes of every two report numbers other than 0.

    A count and a rate have none worth telling: 138 less a quick ratio of 1.04 only makes more
    numbers neutral.
    """
    numbers = sorted({number for source in sources if (number := source.number)})
    if len(numbers) > _DERIVED_LIMIT:
        return ()
    found: set[float] = set()
    for one, other in permutations(numbers, 2):
        if _is_rate(one) != _is_rate(other) and (one.is_integer() or other.is_integer()):
            continue
        found |= {one - other, one / other, (one - other) / other}
    return tuple(sorted(found))


def is_derived(figure: Figure, values: Iterable[float]) -> bool:
    """Whether a number is one of the derived ones, its sign told in words or not."""
    return isinstance(figure, NumberFigure) and any(
        figure.matches(value) or figure.matches(-value) for value in values
    )


def point_gaps(sources: Iterable[Source]) -> tuple[float, ...]:
    """Differences of two rates of the run, told in percentage points."""
    rates = {n for s in sources if s.place == "result" and (n := s.number) is not None}
    near = sorted(n for n in rates if _is_rate(n))
    if len(near) > LIST_LIMIT:
        return ()
    return tuple(sorted({abs(one - other) for one, other in permutations(near, 2)}))


def is_excused(figure: Figure, owners: Sequence[Source], page: Page) -> bool:
    """Whether a figure beside a name does not claim to be its value.

    A change ("by 8", "3 percentage points" beside the name of no difference), a bound ("below 4",
    "the 1.5 threshold"), another period's value ("from 1.2"), a length of time, or a percentage
    beside a count.
    """
    if isinstance(figure, DateFigure):
        return not any(isinstance(owner.value, Stamp) for owner in owners)
    names = " ".join(name for owner in owners for name in owner.names)
    if figure.points:
        return not _POINTS.search(names)
    if _CHANGE.search(names):
        return False
    is_count = all(abs(owner.number or 0) > 1.5 for owner in owners)
    if figure.percent and is_count and not _RATE.search(names):
        return True
    place = span(figure)
    before = page.before(place, 2)
    if before and before[-1] not in _CLAIM_BEFORE and _NO_CLAIM_BEFORE.intersection(before):
        return True
    return any(word in _NO_CLAIM_AFTER and word not in names for word in page.after(place, 1))


def split_up(found: Sequence[Figure], sources: Sequence[Source], page: Page) -> list[Figure]:
    """Take "157,211" or "157 211" apart where only the parts are known, telling values."""
    made: list[Figure] = []
    for figure in found:
        parts = figure.parts if isinstance(figure, NumberFigure) else ()
        if (
            parts
            and not find(figure, sources, page)
            and all(_is_telling(part, sources, page) for part in parts)
        ):
            made += parts
        else:
            made.append(figure)
    return made


def beside(figure: Figure, mentions: Iterable[Mention], page: Page) -> list[Mention]:
    """The mentions whose value a figure may be: directly beside, no other mention between."""
    place = span(figure)
    near = [m for m in mentions if page.distance(m, place) <= 4 and page.gap(m, place) is not None]
    return [m for m in near if not _is_blocked(m, place, near)]


def _is_rate(number: float) -> bool:
    return abs(number) < _SMALL and not number.is_integer()


def _is_telling(part: NumberFigure, sources: Sequence[Source], page: Page) -> bool:
    match = find(part, sources, page)
    return match is not None and not part.text.startswith("0") and part.digits > 1


def _is_blocked(mention: Mention, place: Span, others: Iterable[Mention]) -> bool:
    low, high = sorted((mention, place), key=lambda item: item.start)
    return any(
        other is not mention and low.end <= other.start and other.end <= high.start
        for other in others
    )


def _may_flip(figure: NumberFigure, source: Source, true: float, page: Page) -> bool:
    if true > 0:
        return figure.signed and _LOSS.search(" ".join(source.names)) is not None
    place = span(figure)
    around = " ".join((*page.before(place, 5), *page.after(place, 3)))
    return not figure.signed and _FALL.search(around) is not None


def _may_be_percent(figure: NumberFigure, source: Source, true: float) -> bool:
    """Whether a percentage may be a result as it stands: 16.7 % of 16.7, but not of 55 users.

    A ratio is no percentage, and neither is a whole number, unless its name says so.
    """
    if source.place not in ("result", "input"):
        return True
    if any(r.matches(sign * true) for r in figure.readings[1::2] for sign in (1, -1)):
        return True
    names = " ".join(source.names)
    if _PERCENT.search(names):
        return True
    return not true.is_integer() and "ratio" not in names


def _is_named(figure: NumberFigure, source: Source, page: Page) -> bool:
    """Whether a result is owed, or its name stands within a few words of a figure."""
    if source.owed or source.place != "result":
        return source.owed
    place = span(figure)
    around = " ".join((*page.before(place, NEAR), *page.after(place, NEAR)))
    return any(name in around for name in source.names)


def _is_year(figure: NumberFigure, stamp: Stamp) -> bool:
    return (
        figure.digits == 4
        and not figure.percent
        and figure.text.isdigit()
        and int(figure.text) == stamp.year
    )


def _is_own(match: Match) -> bool:
    return match.edge or not (match.near or match.source.place == "constant")


def _is_told_by(figure: DateFigure, said: Iterable[Source]) -> bool:
    return any(_beside_stamp(figure, source) for source in said)


def _beside_stamp(figure: Figure, source: Source) -> Relation | None:
    """How a date lies beside one of the run's own; the prose's examples have no neighbours."""
    if isinstance(figure, NumberFigure) or not isinstance(source.value, Stamp):
        return None
    if source.place == "constant":
        return None
    known = source.value
    kinds = {relation(stamp, known) for stamp in figure.readings}
    return "edge" if "edge" in kinds else "near" if "near" in kinds else None
