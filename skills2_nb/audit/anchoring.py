"""Does the answer say what the run found?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from skills2_nb.audit.claims import Claims
from skills2_nb.audit.dates import DateFigure, Stamp
from skills2_nb.audit.direction import Turn, turned_sizes, turns
from skills2_nb.audit.finding import Finding, finding, listed
from skills2_nb.audit.labels import judge_word
from skills2_nb.audit.matching import span
from skills2_nb.audit.numbers import Figure, NumberFigure
from skills2_nb.audit.page import Span
from skills2_nb.audit.sources import ReportField, Source

Status = Literal[
    "reported", "traced", "derived", "prompt", "constant", "unsupported", "contradicted"
]
_PLACES: dict[str, Status] = {
    "result": "traced",
    "input": "prompt",
    "prompt": "prompt",
    "constant": "constant",
}


@dataclass(frozen=True)
class ValueMatch:
    """One figure of the answer and where it comes from.

    Attributes:
        text: the figure as it stands.
        start: its first character in the answer.
        end: the character after its last.
        status: ``reported`` and ``traced`` (a result of the run), ``prompt`` (prompt or run
            input), ``constant`` (the skill's prose or code), ``derived`` (a difference, ratio or
            relative change of report fields, or a period beside a known one: counted neither
            way), ``unsupported``, ``contradicted``.
        source: ``step#/field``, ``inputs#/name``, ``prompt``, ``body``, ``constant`` or None.
        value: the true value where there is one, else the value read.
    """

    text: str
    start: int
    end: int
    status: Status
    source: str | None
    value: float | str | None

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values."""
        return dict(vars(self))


@dataclass(frozen=True)
class Anchoring:
    """How an answer stands to its run.

    Attributes:
        terms: share of the anchor terms that the answer has.
        missing: the terms that it does not have.
        recall: share of the report fields found.
        precision: share of its figures that come from the run; 1 where it has none.
        f1: harmonic mean of the two.
        values: each figure with its source, in order.
        findings: contradicted, omitted and unsupported values with their places.
        not_checked: report fields that cannot be sought in an answer.
    """

    terms: float
    missing: tuple[str, ...]
    recall: float
    precision: float
    f1: float
    values: tuple[ValueMatch, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[str, ...] = ()

    @property
    def strict(self) -> float:
        """0.2 x terms + 0.8 x F1."""
        return 0.2 * self.terms + 0.8 * self.f1


def term_share(answer: str, terms: Sequence[str]) -> tuple[float, tuple[str, ...]]:
    """The share of the anchor terms in an answer, and those missing; no terms prove nothing: 0.

    Case, blanks and the marks of emphasis and code are passed over.
    """
    if not terms:
        return 0.0, ()
    text = _loose(answer)
    missing = tuple(term for term in terms if _loose(term) not in text)
    return (len(terms) - len(missing)) / len(terms), missing


def anchor(
    answer: str | None,
    fields: Sequence[ReportField],
    sources: Sequence[Source],
    terms: Sequence[str] = (),
    names: tuple[str, ...] = (),
) -> Anchoring:
    """Judge an answer against the values of its run. Pure.

    Args:
        answer: the text, or None where there is none yet.
        fields: the report fields that the answer owes.
        sources: every value a figure may come from, the best first.
        terms: anchor terms.
        names: words that are no figures, such as the skill's name.
    """
    share, missing = term_share(answer or "", terms)
    if answer is None:
        return Anchoring(share, missing, 0.0, 1.0, 0.0)
    return _Judge(answer, fields, sources, names).judge(share, missing)


class _Judge:
    """One answer under judgement."""

    def __init__(
        self,
        answer: str,
        fields: Sequence[ReportField],
        sources: Sequence[Source],
        names: tuple[str, ...],
    ) -> None:
        self.fields = [field for field in fields if field.unfit is None]
        self.unfit = [field for field in fields if field.unfit is not None]
        self.leaves = [leaf for field in self.fields for leaf in field.leaves]
        lists = frozenset(leaf.ref for f in self.fields if f.listed for leaf in f.leaves)
        self.claims = Claims(answer, self.leaves, sources, names, lists)
        self.page = self.claims.page
        self.words = {
            leaf.ref: judge_word(
                leaf,
                self.claims.mentions_of(leaf),
                self.claims.mentions,
                self.page,
                self.claims.figures,
            )
            for leaf in self.leaves
            if leaf.number is None and leaf.value is not None
        }
        self.found = {leaf.ref for leaf in self.leaves if self._is_found(leaf)}
        self.wrong = self.claims.contradictions(self.found)

    def judge(self, share: float, missing: tuple[str, ...]) -> Anchoring:
        values = tuple(self._values())
        recall, precision = self._recall(), _precision(values)
        return Anchoring(
            share,
            missing,
            recall,
            precision,
            2 * precision * recall / (precision + recall) if precision + recall else 0.0,
            values,
            tuple(self._findings(values)),
            tuple(f"report field {field.ref}: {field.unfit}" for field in self.unfit),
        )

    def _is_found(self, leaf: Source) -> bool:
        if leaf.value is None:
            return True
        if leaf.number is None:
            return self.words[leaf.ref].found is not None
        return any(self.claims.carries(figure, leaf) for figure in self.claims.figures)

    def _recall(self) -> float:
        owed = [field for field in self.fields if _is_owed(field)]
        if not owed:
            return 0.0
        done = [f for f in owed if f.known and all(leaf.ref in self.found for leaf in f.leaves)]
        return len(done) / len(owed)

    def _values(self) -> list[ValueMatch]:
        values = [
            self._value(figure)
            for figure in self.claims.figures
            if _is_claim(figure)
            or (figure.start, figure.end) in self.wrong
            or self._reports(figure)
        ]
        taken = {(value.start, value.end) for value in values}
        for ref, verdict in self.words.items():
            leaf = self.claims.by_ref[ref][0]
            place = verdict.found or verdict.other
            if place and (place.start, place.end) not in taken:
                status: Status = "reported" if verdict.found else "contradicted"
                values.append(self._made(place, status, leaf))
        return sorted(values, key=lambda value: (value.start, value.end))

    def _reports(self, figure: Figure) -> bool:
        return any(
            leaf.number is not None and self.claims.carries(figure, leaf) for leaf in self.leaves
        )

    def _value(self, figure: Figure) -> ValueMatch:
        place = span(figure)
        denied = self.wrong.get((place.start, place.end)) or self._denied_date(place)
        if denied:
            return self._made(place, "contradicted", denied)
        carried = self._best(figure)
        if carried:
            return self._made(place, "reported", carried)
        match = self.claims.matches[id(figure)]
        if match and not match.near:
            return self._made(place, _PLACES[match.source.place], match.source)
        if match or self.claims.is_derived(figure):
            return self._made(place, "derived", match.source if match else None, figure)
        return self._made(place, "unsupported", None, figure)

    def _denied_date(self, place: Span) -> Source | None:
        for ref, verdict in self.words.items():
            if verdict.other == place:
                return self.claims.by_ref[ref][0]
        return None

    def _best(self, figure: Figure) -> Source | None:
        """The report leaf that a figure gives; with several, the one named nearest."""
        carried = [
            leaf
            for leaf in self.leaves
            if isinstance(leaf.value, (int, float, Stamp)) and self.claims.carries(figure, leaf)
        ]
        return min(carried, key=lambda leaf: self._nearness(figure, leaf), default=None)

    def _nearness(self, figure: Figure, leaf: Source) -> int:
        place = span(figure)
        gaps = [self.page.distance(mention, place) for mention in self.claims.mentions_of(leaf)]
        return min(gaps, default=10**6)

    def _made(
        self, place: Span, status: Status, source: Source | None, figure: Figure | None = None
    ) -> ValueMatch:
        value: float | str | None = None
        if source is not None:
            value = _shown(source.value)
        elif isinstance(figure, NumberFigure):
            value = figure.readings[0].value
        text = self.page.text[place.start : place.end]
        ref = source.ref if source else None
        return ValueMatch(text, place.start, place.end, status, ref, value)

    def _findings(self, values: Sequence[ValueMatch]) -> list[Finding]:
        made = [self._told(value) for value in values if value.status == "contradicted"]
        found = dict.fromkeys(
            (
                *turns(self.page, self.claims.numbers),
                *turned_sizes(self.page, self.claims.numbers, self.claims.sources),
            )
        )
        made += [self._turned(turn) for turn in found]
        denied = {value.source for value in values if value.status == "contradicted"}
        for field in self.fields:
            lost = [leaf for leaf in field.leaves if leaf.ref not in self.found | denied]
            if field.known and lost:
                made.append(self._omitted(field, lost))
        made += [self._told(value) for value in values if value.status == "unsupported"]
        made += [
            finding(
                "REPORT_UNFIT",
                f"{field.ref} cannot be sought in an answer: {field.unfit}",
                step=field.step,
                field=field.ref,
            )
            for field in self.unfit
        ]
        return made

    def _omitted(self, field: ReportField, lost: Sequence[Source]) -> Finding:
        values = listed(leaf.shown for leaf in lost)
        name = lost[0].names[0] if lost[0].names else field.name
        mention = next(iter(self.claims.mentions_of(lost[0])), None)
        where = f"; its name stands in {self.page.place(mention)}" if mention else ""
        return finding(
            "OMITTED",
            f"{field.ref} is {values}, and the answer does not say so (beside the words “{name}”)"
            f"{where}",
            step=field.step,
            name=name,
            value=values,
        )

    def _turned(self, turn: Turn) -> Finding:
        told = " ".join(self.page.text[turn.start : turn.end].split())
        return finding(
            "DIRECTION",
            f"“{told}” tells the change the wrong way round ({self.page.place(turn)})",
            word=turn.word,
        )

    def _told(self, value: ValueMatch) -> Finding:
        where = self.page.place(Span(value.start, value.end))
        if value.source is None:
            return finding(
                "UNSUPPORTED",
                f"{value.text} comes from no result, input, prompt or prose ({where})",
                text=value.text,
            )
        step = value.source.partition("#")[0]
        true = self.claims.by_ref[value.source][0].shown
        return finding(
            "CONTRADICTED",
            f"{value.source} is {true}, and the answer says {value.text} ({where})",
            step=step,
            field=value.source,
            value=true,
        )


def _is_owed(field: ReportField) -> bool:
    """Whether a field counts: a known one without any value (None) has nothing to carry."""
    return not field.known or any(leaf.value is not None for leaf in field.leaves)


def _is_claim(figure: Figure) -> bool:
    return isinstance(figure, DateFigure) or figure.claims


def _precision(values: Sequence[ValueMatch]) -> float:
    counted = [value for value in values if value.status != "derived"]
    if not counted:
        return 1.0
    good = [v for v in counted if v.status not in ("unsupported", "contradicted")]
    return len(good) / len(counted)


def _shown(value: float | Stamp | str | bool | None) -> float | str | None:
    if isinstance(value, Stamp):
        return str(value)
    return value


def _loose(text: str) -> str:
    return " ".join(text.replace("*", "").replace("`", "").lower().split())
