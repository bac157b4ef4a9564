"""Why an answer is sent back, by the journal alone.

Asked while the client waits: no step is called, nothing is written, no lock is waited for, and a
package's code is imported only where nothing but a guard is left to ask. A run of a live kernel has
no manifest: the cells that it keeps are executed at each verdict.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.contract.state import RunState
from skills2_nb.errors import Skills2Error
from skills2_nb.evals.contradicted import contradicted
from skills2_nb.evals.dialogue import asks_back
from skills2_nb.evals.duties import (
    Duty,
    are_settled,
    asked_duties,
    by_skill,
    failed,
    listed_duties,
    missing,
    out_of_order,
    ready,
)
from skills2_nb.evals.run_package import folder_of, folders_of, tool_named
from skills2_nb.evals.session_runs import SessionRun, runs_of
from skills2_nb.evals.stop_event import StopEvent
from skills2_nb.hooks.event import untagged

#: A reason is read by a model between two turns.
MOST_CHARACTERS = 2_000
_MOST_NAMED, _SHOWN = 6, 200


@dataclass(frozen=True)
class Against:
    """What stands against an answer.

    Attributes:
        missing: owed steps that were never called.
        failed: owed steps whose newest attempt failed, each with its error.
        early: steps that succeeded before those they stand on.
        contradicted: figures of the answer against which the journal has another.
        next: the step that is owed next.
    """

    missing: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    early: tuple[tuple[str, tuple[str, ...]], ...] = ()
    contradicted: tuple[str, ...] = ()
    next: str | None = None

    def __bool__(self) -> bool:
        return bool(self.missing or self.failed or self.early or self.contradicted)


def reason(event: StopEvent) -> str | None:
    """Why the answer is sent back, as facts; None where it may stand.

    A message that asks back is no answer yet, and a run whose package or journal cannot be read
    is no ground to send anybody back: the audit says what is wrong with it.
    """
    if event.is_subagent or event.answer is None:
        return None
    runs = [run for run in runs_of(event) if run.is_touched_for(event)]
    told = [said for run in runs if (said := reason_of(run, event))]
    return untagged(" ".join(told)[:MOST_CHARACTERS]) or None


def reason_of(run: SessionRun, event: StopEvent) -> str | None:
    """What stands against the answer by one run, in sentences; None where nothing does."""
    try:
        found = against(run, event)
    except (Skills2Error, OSError, ValueError):
        return None
    return _sentences(found, run, event) if found else None


def against(run: SessionRun, event: StopEvent) -> Against:
    """What stands against the answer by one run.

    Raises:
        Skills2Error: the skill cannot be read, or does not import where it has to.
    """
    state, answer = run.state, event.answer or ""
    if not run.is_whole or asks_back(answer, _known(state)):
        return Against()
    if state.live is not None:
        from skills2_nb.evals.live_skill import live_skill

        return _weighed(by_skill(live_skill(state), state), state, answer, None)
    folder = folder_of(state.skill, event)
    if folder is None:
        return Against()
    duties = listed_duties(folder)
    found = _weighed(duties, state, answer, folder)
    if found or are_settled(duties, state):
        return found
    asked = asked_duties(folders_of(state.skill, event), state)
    return found if asked is None else _weighed(asked, state, answer, folder)


def _weighed(duties: Sequence[Duty], state: RunState, answer: str, folder: Path | None) -> Against:
    return Against(
        missing=tuple(missing(duties, state)),
        failed=tuple(failed(duties, state)),
        early=tuple((step, tuple(below)) for step, below in out_of_order(duties, state)),
        contradicted=tuple(contradicted(duties, state, answer, folder)),
        next=ready(duties, state),
    )


def _sentences(found: Against, run: SessionRun, event: StopEvent) -> str:
    """The facts, what is owed next, and where it can be done."""
    skill = run.state.skill

    def tool(verb: str) -> str:
        return tool_named(skill, verb, event)

    said = [f"The journal of this session's run of {skill} does not carry the answer."]
    if found.missing:
        said.append(f"Owed and not called: {_listed(map(tool, found.missing))}.")
    for step, error in found.failed[:_MOST_NAMED]:
        said.append(f"{tool(step)} failed at its newest attempt: {_short(error)}.")
    for step, below in found.early[:_MOST_NAMED]:
        said.append(f"{tool(step)} succeeded before {_listed(map(tool, below))}.")
    said += [f"{_short(item)}." for item in found.contradicted[:_MOST_NAMED]]
    owed = found.missing or found.failed or found.early
    if owed and not run.state.is_open:
        start = tool("start_run")
        said.append(f"That run has ended: the steps can be called in a new run ({start}).")
    elif owed:
        step = found.next or (found.failed[:1] or found.early[:1])[0][0]
        said.append(f"Owed next: {tool(step)}.")
    return " ".join(said)


def _known(state: RunState) -> list[str]:
    return [state.prompt or "", json.dumps(state.inputs, default=str)]


def _listed(items: Iterable[str]) -> str:
    names = list(items)
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _short(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1]}…"
