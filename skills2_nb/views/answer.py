"""An answer in which every figure leads to its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from skills2_nb.views.markup import Html, esc, join, tag
from skills2_nb.views.values import short

if TYPE_CHECKING:
    from skills2_nb.audit.anchoring import ValueMatch

#: What each status means, in the order of the legend, with the mark that a figure carries.
STATUSES: Mapping[str, tuple[str, str]] = {
    "reported": ("", "a result that the answer has to carry"),
    "traced": ("", "another result of the run"),
    "derived": ("", "reckoned from results: a difference, ratio or change"),
    "prompt": ("", "from the question or the run's inputs"),
    "constant": ("", "from the skill's own words"),
    "unsupported": ("?", "from nowhere the run knows"),
    "contradicted": ("≠", "another value than the run's"),
}


def pieces(answer: str, values: Sequence[ValueMatch]) -> Iterator[tuple[str, int | None]]:
    """The answer cut at its figures: text, and the figure's place in ``values`` or None.

    A figure that lies outside the answer or within an earlier one is passed over.
    """
    at = 0
    for number, value in sorted(enumerate(values), key=lambda pair: (pair[1].start, pair[1].end)):
        if not at <= value.start < value.end <= len(answer):
            continue
        if value.start > at:
            yield answer[at : value.start], None
        yield answer[value.start : value.end], number
        at = value.end
    if at < len(answer):
        yield answer[at:], None


def told(value: ValueMatch) -> str:
    """Where a figure comes from, in one line."""
    meaning = STATUSES[value.status][1]
    if value.source is None:
        return f"{value.status}: {meaning}"
    known = "" if value.value is None else f" = {short(value.value)}"
    return f"{value.source}{known} ({value.status})"


def marked(answer: str, values: Sequence[ValueMatch]) -> Html:
    """The answer with its figures marked by line and sign; a pointer shows the source."""
    return _text(answer, values, lambda number, text: _figure(values[number], text))


def linked(answer: str, values: Sequence[ValueMatch], target: Callable[[int], str]) -> Html:
    """The answer with each figure a link; its source is shown on hover and on focus.

    Args:
        target: the id that a figure, by its place in ``values``, leads to.
    """

    def link(number: int, text: str) -> Html:
        tip = f"tip-{number + 1}"
        return tag(
            "span",
            tag(
                "a",
                _signed(values[number], text),
                cls=f"fig {values[number].status}",
                href=f"#{target(number)}",
                aria_describedby=tip,
            ),
            tag("span", told(values[number]), cls="tip", id=tip, role="tooltip"),
            cls="has-tip",
        )

    return _text(answer, values, link)


def legend(values: Sequence[ValueMatch]) -> Html | None:
    """What the lines under the figures mean, for those that occur; None where there is none."""
    there = {value.status for value in values}
    entries = [
        tag("li", tag("span", f"{status}{sign}", cls=f"fig {status}"), f" {meaning}")
        for status, (sign, meaning) in STATUSES.items()
        if status in there
    ]
    return tag("ul", entries, cls="legend", aria_label="What the lines mean") if entries else None


def _text(answer: str, values: Sequence[ValueMatch], figure: Callable[[int, str], Html]) -> Html:
    parts = [
        esc(text) if number is None else figure(number, text)
        for text, number in pieces(answer, values)
    ]
    return tag("div", join(parts), cls="text answer")


def _figure(value: ValueMatch, text: str) -> Html:
    return tag("span", _signed(value, text), cls=f"fig {value.status}", title=told(value))


def _signed(value: ValueMatch, text: str) -> Html:
    sign = STATUSES[value.status][0]
    return join([text, tag("sup", sign) if sign else None])
