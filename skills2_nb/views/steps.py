"""A step's own section on the page of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skills2_nb.contract.state import Call
from skills2_nb.views import tables
from skills2_nb.views.markup import Html, join, tag
from skills2_nb.views.rows import StepRow, field_of, fields
from skills2_nb.views.values import duration

if TYPE_CHECKING:
    from skills2_nb.audit.steps import StepView

_SPECIAL: Mapping[str, str] = {"prompt": "prompt", "inputs": "inputs"}


class Targets:
    """Which reference is found under which id of the page.

    Names are made into ids by their place, never by their text: a recorded name may be anything.
    """

    def __init__(self, rows: Sequence[StepRow], inputs: Sequence[str] = ()) -> None:
        self._steps = {row.id: f"step-{row.number}" for row in rows}
        self._inputs = {name: f"input-{at}" for at, name in enumerate(inputs, 1)}
        self._fields = {
            (row.id, name): f"step-{row.number}-field-{at}"
            for row in rows
            if row.call is not None and row.call.output is not None
            for at, (name, _) in enumerate(fields(row.call.output), 1)
        }

    def step_id(self, step: str) -> str:
        """The id of a step's section."""
        return self._steps[step]

    def field_id(self, step: str, name: str) -> str | None:
        """The id of a field's row."""
        return self._fields.get((step, name))

    def input_id(self, name: str) -> str:
        """The id of a run input's row."""
        return self._inputs[name]

    def find(self, reference: str) -> str | None:
        """The id for a step, ``step#/field``, ``inputs#/name``, ``inputs`` or ``prompt``."""
        place, name = field_of(reference)
        if place == "inputs" and name:
            return self._inputs.get(name)
        return self._fields.get((place, name)) or self._steps.get(place) or _SPECIAL.get(place)

    def link(self, reference: str) -> Html:
        """The reference as a link, or as plain code where it leads nowhere."""
        place = self.find(reference)
        told = tables.name(reference)
        return tag("a", told, href=f"#{place}") if place else told


def section(
    row: StepRow, targets: Targets, view: StepView | None, cells: Mapping[str, int]
) -> Html:
    """A step: what it took and from where, what it gave, what was checked."""
    id_ = targets.step_id(row.id)
    cell = f", cell {cells[row.id]}" if row.id in cells else ""
    return tag(
        "section",
        tag("h3", f"{row.number}. ", tables.name(row.id), id=f"{id_}-title"),
        tag("p", tables.status(row), tag("span", f"{_facts(row)}{cell}", cls="mute")),
        tag("p", row.summary) if row.summary else None,
        tag("p", row.error, cls="bad text") if row.error else None,
        _stale(row, targets),
        _arguments(row, targets, view),
        _result(row, targets),
        _invariants(row),
        _attempts(view),
        id=id_,
        cls="step",
        aria_labelledby=f"{id_}-title",
    )


def _facts(row: StepRow) -> str:
    time = f", {duration(row.us)}" if row.us is not None else ""
    calls = f", {row.attempts} calls" if row.attempts > 1 else ""
    return f"{time}{calls}"


def _stale(row: StepRow, targets: Targets) -> Html | None:
    if not row.stale_sources:
        return None
    links = join([targets.link(reference) for reference in row.stale_sources], ", ")
    return tag("p", "It consumed what has changed since: ", links, cls="warn")


def _arguments(row: StepRow, targets: Targets, view: StepView | None) -> Html | None:
    if not row.arguments:
        return None
    judged = {item.name: item for item in view.args} if view is not None else {}
    return tables.arguments(row.arguments, targets.link, "What it took", judged)


def _result(row: StepRow, targets: Targets) -> Html | None:
    if row.call is None or row.call.output is None:
        return None
    named = fields(row.call.output)
    caption = "What it gave" if row.call.status == "ok" else "What it gave, and was refused"
    ids = [targets.field_id(row.id, name) for name, _ in named]
    return tables.fields(named, caption, ids=ids)


def _invariants(row: StepRow) -> Html:
    listed = tables.checks(row.declared, row.checks)
    none = tag("p", "No invariant says that its result is right.", cls="mute")
    label = tag("p", "Invariants", cls="label")
    return tag("div", label, listed or none)


def _attempts(view: StepView | None) -> Html | None:
    failed = [call for call in view.calls if call.status != "ok"] if view is not None else []
    if not failed or (view is not None and len(view.calls) == 1):
        return None
    label = tag("p", "Attempts that came to nothing", cls="label")
    return tag("div", label, tag("ul", [_attempt(call) for call in failed], cls="attempts"))


def _attempt(call: Call) -> Any:
    told = (call.error or {}).get("message") or "no reason given"
    return tag("li", f"record {call.seq}, {call.status} ({call.reason}): {told}")
