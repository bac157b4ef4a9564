"""What is said beside a step: typed values, failed attempts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from skills2_nb.contract.state import Call, resolve
from skills2_nb.views.rows import Argument, StepRow, field_of
from skills2_nb.views.values import clean, counted, is_scalar, short

if TYPE_CHECKING:
    from skills2_nb.audit.sourcing import Argument as Judged
    from skills2_nb.audit.steps import StepView

Tone = Literal["mute", "warn", "bad"]
_MOST, _VALUE = 4, 18
_TONES: dict[str, Tone] = {
    "unsourced": "bad", "retyped": "bad", "rewired": "bad", "unvouched": "warn",
}  # fmt: skip
_REMARKS = {"unsourced": ", from nowhere the run knows", "unvouched": ", by the client alone"}


@dataclass(frozen=True)
class Note:
    """A line beside a step.

    Attributes:
        text: the line.
        title: the same in full.
        tone: how much is against it.
        typed: whether it is of a value that the caller typed, which has a mark of its own.
    """

    text: str
    title: str
    tone: Tone = "mute"
    typed: bool = False


def passed_by(view: StepView | None) -> tuple[Judged, ...]:
    """The arguments of a step that should have come from elsewhere."""
    if view is None:
        return ()
    return tuple(item for item in view.args if item.sourced in ("retyped", "rewired"))


def taken(row: StepRow, view: StepView | None, rows: Sequence[StepRow]) -> str:
    """Where every argument of a step came from, on one line.

    ``churned, resurrected ← 2 · grain ← inputs · ✗ new = 0 typed; due ← 2 new (719)``.
    """
    numbers = {row.id: str(row.number) for row in rows}
    notes = {item.name: note for item, note in _argument_notes(row, view, rows)}
    found: dict[str, list[str]] = {}
    for item in row.arguments:
        if item.known and item.name not in notes:
            place = item.origin or item.source
            found.setdefault(numbers.get(place, place), []).append(item.name)
    told = [f"{', '.join(names)} ← {place}" for place, names in found.items()]
    return " · ".join([*told, *(note.text for note in notes.values())])


def notes_of(row: StepRow, view: StepView | None, rows: Sequence[StepRow]) -> tuple[Note, ...]:
    """The notes of a step: what its caller typed, what came to nothing.

    Args:
        view: the step as judged, None where nobody judged it.
        rows: every step, for the values they offer.
    """
    return (*typed_notes(row, view, rows), *_attempts(row, view))


def typed_notes(row: StepRow, view: StepView | None, rows: Sequence[StepRow]) -> tuple[Note, ...]:
    """The notes of typed or misplaced arguments, what is objected to first; at most four."""
    found = [note for _, note in _argument_notes(row, view, rows)]
    notes = sorted(found, key=lambda note: note.tone != "bad")
    if len(notes) > _MOST:
        left = counted(len(notes) - _MOST + 1, "more argument")
        rest = notes[_MOST - 1]
        told = f"and {left}{' typed' if all(n.typed for n in notes[_MOST - 1 :]) else ''}"
        more = Note(told, "; ".join(n.title for n in notes[_MOST - 1 :]), rest.tone)
        notes = [*notes[: _MOST - 1], more]
    return tuple(notes)


def _argument_notes(
    row: StepRow, view: StepView | None, rows: Sequence[StepRow]
) -> Iterator[tuple[Argument, Note]]:
    """The arguments that were typed, or that the audit objects to, each with its note."""
    judged = {item.name: item for item in view.args} if view is not None else {}
    for item in row.arguments:
        note = _of_argument(item, judged.get(item.name), rows)
        if note is not None:
            yield item, note


def _of_argument(item: Argument, judged: Judged | None, rows: Sequence[StepRow]) -> Note | None:
    sourced = judged.sourced if judged is not None else ""
    typed = item.source == "literal"
    if not item.known or not (typed or sourced in _TONES):
        return None
    tone = _TONES.get(sourced, "mute")
    mark = "✗ " if tone == "bad" else ""
    numbers = {row.id: str(row.number) for row in rows}
    origin = "typed" if typed else f"← {_near(item.source, numbers)}"
    told = f"{mark}{item.name} = {short(item.value, _VALUE)} {origin}{_REMARKS.get(sourced, '')}"
    full = f"{item.name} = {short(item.value, 200)}: {'typed' if typed else item.source}"
    if judged is not None and judged.offer:
        due = _due(judged.offer, rows)
        told += (
            f", which gives {due or 'another value'}"
            if judged.offer == item.source
            else f"; due ← {_near(judged.offer, numbers)}{f' ({due})' if due else ''}"
        )
        full += f", where {judged.offer.removesuffix('#')} gives {due or 'another value'}"
    return Note(clean(told), clean(full), tone, typed)


def _near(reference: str, numbers: Mapping[str, str]) -> str:
    """A reference in short: ``2 new`` for ``count_flows#/new``."""
    step, field = field_of(reference)
    return f"{numbers.get(step, step)} {field}".strip()


def _due(offer: str, rows: Sequence[StepRow]) -> str:
    """The value that stands where an argument should have come from, in short; empty for more."""
    step, _, pointer = offer.partition("#")
    call = next((row.call for row in rows if row.id == step), None)
    there: Any = None
    with contextlib.suppress(KeyError):
        there = resolve(call.output, pointer) if call is not None else None
    return short(there, _VALUE) if is_scalar(there) and there is not None else ""


def _attempts(row: StepRow, view: StepView | None) -> Iterator[Note]:
    """One line for the calls that came to nothing."""
    failed = [call for call in view.calls if call.status != "ok"] if view is not None else []
    if not failed:
        return
    kinds = dict.fromkeys(f"{call.status} ({call.reason})" for call in failed)
    count = counted(len(failed), "call")
    done = row.call is not None and row.call.status == "ok"
    tone: Tone = "mute" if done and view is not None and view.judged == view.newest else "bad"
    text = f"{'↺' if tone == 'mute' else '✗'} {count} came to nothing: {', '.join(kinds)}"
    yield Note(text, "; ".join(_reason(call) for call in failed), tone)


def _reason(call: Call) -> str:
    return clean(f"{call.status} ({call.reason}): {(call.error or {}).get('message', '')}")
