"""The other runs of a question, so that none is left out."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skills2_nb.audit.alike import difference
from skills2_nb.audit.anchoring import anchor
from skills2_nb.audit.asked import normal
from skills2_nb.audit.finding import Finding, finding, listed
from skills2_nb.audit.known import known_sources, owed_fields
from skills2_nb.audit.steps import step_views
from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import Call, RunState

#: How long before or after a run another one of the same question counts.
WINDOW = dt.timedelta(days=1)
#: How many runs are named one by one, and how much of a value is shown.
_MOST, _SHOWN = 3, 40
_CHOSEN_BY_USER = frozenset({"cli", "case"})


def is_asked(state: RunState) -> bool:
    """Whether a run says which question it is of, so that others may be of the same."""
    if state.vouched == "hook":
        return None not in (state.session, state.prompt_id)
    return state.prompt is not None


def same_question(state: RunState, other: RunState) -> bool:
    """Whether ``other`` is another run of the same question by the same code, within a day.

    A hook names the session and the prompt. Else the text of the prompt has to be the same; where
    the user chose the inputs, these too, and where only the client speaks, the session, if both
    know one. A file that both read and that changed in between makes another question.
    """
    return (
        state.run != other.run
        and state.skill == other.skill
        and (state.digest, state.live) == (other.digest, other.live)
        and is_asked(state)
        and _is_near(state.started, other.started)
        and _is_same(state, other)
    )


def siblings(
    skill: Skill, state: RunState, others: Iterable[RunState], answer: str | None = None
) -> tuple[Finding, ...]:
    """What the other runs of the question came to, where it is not the same.

    A question may ask for two runs ("compare March and April"): one whose report fields the
    answer carries as well is not left out, whatever its values.

    Args:
        state: the run that is judged.
        others: runs that may be of the same question; those that are not are passed over.
        answer: the answer that is judged; left out, the run's own.

    Returns:
        ``OTHER_RUNS``, one for each run that has another value in a report field and is not in
        the answer, failed an invariant of an owed step, or ended with an owed step failed; one
        more, a note, on the rest.
    """
    text = answer if answer is not None else state.answer
    found = [other for other in others if same_question(state, other)]
    weighed = {other.run: _weighed(skill, state, other, text) for other in found}
    against = {run: each.said for run, each in weighed.items() if each.counts}
    rest = {run: each.said for run, each in weighed.items() if not each.counts}
    return (*_against(state, against), *_passed_over(state, rest))


class _Weighed(NamedTuple):
    """What is said of another run, and whether it counts."""

    said: str
    counts: bool


def _weighed(skill: Skill, state: RunState, other: RunState, answer: str | None) -> _Weighed:
    shared = list(_shared(skill, state, other))
    differs = next((said for said in map(_difference, shared) if said), None)
    if differs and answer is not None and not _is_told(skill, other, answer):
        return _Weighed(differs, True)
    failed = _failure(skill, state, other)
    if failed:
        return _Weighed(failed, True)
    if differs:
        told = (
            "came to something else, told too" if answer is not None else "came to something else"
        )
        return _Weighed(told, False)
    return _Weighed("agreed" if shared else "came to no report", False)


def _against(state: RunState, against: Mapping[str, str]) -> Iterator[Finding]:
    for run, said in list(against.items())[:_MOST]:
        yield finding(
            "OTHER_RUNS", f"run {run} of the same question: {said}", here=state.run, run=run
        )
    rest = list(against)[_MOST:]
    if rest:
        yield finding(
            "OTHER_RUNS",
            f"{len(rest)} more runs of the same question came to something else",
            here=state.run,
            run=rest[0],
        )


def _passed_over(state: RunState, rest: Mapping[str, str]) -> Iterator[Finding]:
    if rest:
        told = listed(f"{count} {said}" for said, count in sorted(Counter(rest.values()).items()))
        message = f"other runs of the same question: {told}"
        yield finding("OTHER_RUNS", message, note=True, here=state.run, run=list(rest)[-1])


def _difference(shared: tuple[str, Any, Any]) -> str | None:
    place, ours, theirs = shared
    if difference(ours, theirs) is None:
        return None
    return f"{place} is {_short(theirs)} there and {_short(ours)} here"


def _is_told(skill: Skill, other: RunState, answer: str) -> bool:
    """Whether an answer carries every report field of a run."""
    fields = owed_fields(skill, step_views(skill, other))
    return anchor(answer, fields, known_sources(skill, other, "", ())).recall == 1.0


def _failure(skill: Skill, state: RunState, other: RunState) -> str | None:
    """What went wrong in a run and was not made good in it, in words; None if nothing."""
    owed = [spec.id for spec in skill.owed(other)]
    for step in owed:
        broken = _broken(other.attempts(step))
        if broken is not None:
            return f"{step} failed its check {broken}"
    over = other.ended is not None or bool(other.answers)
    if over and state.vouched not in _CHOSEN_BY_USER:
        for step in owed:
            failed = [call for call in other.attempts(step) if call.status == "failed"]
            if failed and step not in other.last:
                return f"it ended, and {step} had failed ({failed[-1].reason})"
    return None


def _shared(skill: Skill, a: RunState, b: RunState) -> Iterator[tuple[str, Any, Any]]:
    """Each report field that both runs have a value of: its place and the two values."""
    for spec in skill.steps:
        ours, theirs = (_fields(state.newest(spec.id)) for state in (a, b))
        for name in spec.report:
            if name in ours and name in theirs:
                yield f"{spec.id}#/{name}", ours[name], theirs[name]


def _fields(call: Call | None) -> Mapping[str, Any]:
    return call.output if call is not None and isinstance(call.output, Mapping) else {}


def _broken(attempts: Sequence[Call]) -> str | None:
    """The check that failed at a step's newest attempt that came to its checks."""
    judged = [call for call in attempts if call.status == "ok" or call.reason == "invariant"]
    if not judged or judged[-1].status == "ok":
        return None
    names = [check.name for check in judged[-1].invariants if not check.ok]
    return listed(names) or str((judged[-1].error or {}).get("invariant", "an invariant"))


def _is_same(state: RunState, other: RunState) -> bool:
    if state.vouched == "hook":
        return (state.session, state.prompt_id) == (other.session, other.prompt_id)
    if other.prompt is None or normal(state.prompt or "") != normal(other.prompt):
        return False
    if _has_changed(state, other):
        return False
    if state.vouched in _CHOSEN_BY_USER:
        return encode_plain(state.inputs) == encode_plain(other.inputs)
    return None in (state.session, other.session) or state.session == other.session


def _has_changed(a: RunState, b: RunState) -> bool:
    """Whether a file that both runs read was another one for each."""
    ours, theirs = _files(a), _files(b)
    return any(theirs.get(path, sha) != sha for path, sha in ours.items())


def _files(state: RunState) -> dict[str, Any]:
    """What the newest successes read: digests by path."""
    calls = state.last.values()
    return {path: facts.get("sha256") for call in calls for path, facts in call.files.items()}


def _is_near(a: str, b: str) -> bool:
    try:
        gap = dt.datetime.fromisoformat(a) - dt.datetime.fromisoformat(b)
    except (ValueError, TypeError):
        return False
    return abs(gap) <= WINDOW


def _short(value: Any) -> str:
    text = encode_plain(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
