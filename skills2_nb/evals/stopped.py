"""An answer was given: its runs are closed and judged."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from skills2_nb.audit import ledger
from skills2_nb.audit.asked import Asked
from skills2_nb.audit.auditor import Basis
from skills2_nb.audit.let_through import NOTE as LET_THROUGH
from skills2_nb.contract.journal import now
from skills2_nb.contract.loader import package_digest
from skills2_nb.contract.state import RunState
from skills2_nb.errors import JournalError, Skills2Error, UsageError
from skills2_nb.evals.block import reason_of
from skills2_nb.evals.closing import Closing
from skills2_nb.evals.dialogue import asks_back, claims, is_talk
from skills2_nb.evals.elsewhere import ran_elsewhere
from skills2_nb.evals.live_skill import live_skill
from skills2_nb.evals.proof import audit_answer, basis_of, judge
from skills2_nb.evals.run_package import folder_of, folders_of
from skills2_nb.evals.session_runs import SessionRun, runs_of
from skills2_nb.evals.stop_event import StopEvent
from skills2_nb.formats.package import read_package
from skills2_nb.hooks.stops import MOST_BLOCKS
from skills2_nb.library.discovery import Target
from skills2_nb.views.brief import Brief, brief, unaudited

_MOST_NOTE = 2_000
ASKED_BACK = "the answer asked back; the run stays open"


@dataclass
class Settled:
    """What came of an answer.

    Attributes:
        briefs: what is to be told of it.
        faults: what could not be done, each with the error that stopped it.
    """

    briefs: list[Brief] = field(default_factory=list)
    faults: list[tuple[str, BaseException]] = field(default_factory=list)


def settle(event: StopEvent) -> Settled:
    """Close and judge the runs that an answer speaks of. One that fails stops no other."""
    done = Settled()
    runs = runs_of(event)
    if event.is_subagent:
        _note(runs, event, done)
        return done
    here = [run for run in runs if run.is_of(event)]
    for run in here:
        if not _stays(run, event, done):
            _close_and_judge(run, event, done)
    touched = {run.state.skill for run in here if run.is_touched_for(event)}
    if not (touched | ran_elsewhere(event)).intersection(event.told):
        _judge_without_run(runs, event, done)
    return done


def is_signal(error: BaseException) -> bool:
    """Whether the process is to end: signals raise classes of their own, code the bare one."""
    return isinstance(error, KeyboardInterrupt) and type(error) is not KeyboardInterrupt


def basis_for(state: RunState, event: StopEvent) -> Basis:
    """What a run of the session is judged by: the package that ran, or the cells of its kernel.

    Raises:
        UsageError: no such package is found.
        PackageError: it does not import.
    """
    if state.live is not None:
        return _live_basis(state, event)
    folders = list(folders_of(state.skill, event))
    if not folders:
        raise UsageError(
            f"There is no package of {state.skill} where {event.cwd or 'the client'} finds skills."
        )
    ran = (folder for folder in folders if package_digest(folder) == state.digest)
    return basis_of(next(ran, folders[0]))


def _live_basis(state: RunState, event: StopEvent) -> Basis:
    skill = live_skill(state)
    folder = folder_of(state.skill, event)
    if folder is not None:
        package = read_package(folder)
        manifest = package.manifest
        return Basis(skill, package.body, manifest.anchors, manifest.audit, cases=package.cases)
    return Basis(skill)


def _stays(run: SessionRun, event: StopEvent, done: Settled) -> bool:
    """Whether a run is left as it is: it is open, and the message asks back."""
    if not run.state.is_open or not asks_back(event.answer or "", _known(run)):
        return False
    _write(run, done, lambda closing: closing.note(ASKED_BACK))
    return True


def _close_and_judge(run: SessionRun, event: StopEvent, done: Settled) -> None:
    text = event.answer
    if text is not None and not _is_answer(run, text, event):
        text = None
    let_through = _let_through(run, event)

    def close(closing: Closing) -> None:
        if let_through:
            closing.note(let_through)
        closing.end()
        if text is not None:
            closing.answer(text, event.prompt_id)

    is_written = _write(run, done, close)
    if text is None and not run.is_touched_for(event):
        return  # left over from an earlier prompt, and this answer is not about it
    try:
        basis = basis_for(run.state, event)
        proof = judge(
            basis,
            run.id,
            answer=None if is_written else text,
            asked=Asked(session=event.session, prompt_id=event.prompt_id),
        )
    except (Exception, KeyboardInterrupt) as error:
        # whatever the skill's code raises, the other runs are judged
        if is_signal(error):
            raise
        done.faults.append((f"audit of run {run.id}", error))
        done.briefs.append(unaudited(run.state.skill, _sentence(error)))
        return
    done.briefs.append(brief(proof.audit, basis.settings.threshold))


def _is_answer(run: SessionRun, text: str, event: StopEvent) -> bool:
    """Whether the last message is the answer that a run is judged by.

    A question after ``end_run`` gave the answer is none, and neither is a word about something
    else while a run of an earlier prompt was still open.
    """
    if not run.is_touched_for(event):
        return claims(text, _known(run))
    return not (run.state.answer is not None and asks_back(text, _known(run)))


def _let_through(run: SessionRun, event: StopEvent) -> str:
    """What still stood against an answer that was sent back as often as it may be."""
    if event.enforce != "block" or event.blocks < MOST_BLOCKS:
        return ""
    said = reason_of(run, event)
    return f"{LET_THROUGH}{said}"[:_MOST_NOTE] if said else ""


def _judge_without_run(runs: list[SessionRun], event: StopEvent, done: Settled) -> None:
    """The best of the skills that were told, where none was run and the answer gives figures.

    What an earlier run of the session found may be said again.
    """
    if event.answer is None:
        return
    for skill in event.told[:1]:
        try:
            known = [text for run in runs if run.state.skill == skill for text in _results(run)]
            _judge_alone(skill, known, event, done)
        except (Exception, KeyboardInterrupt) as error:
            if is_signal(error):
                raise
            done.faults.append((f"audit of an answer without a run of {skill}", error))


def _judge_alone(skill: str, known: list[str], event: StopEvent, done: Settled) -> None:
    folder = folder_of(skill, event)
    package = read_package(folder) if folder is not None else None
    answer = event.answer or ""
    if folder is None or package is None or not package.manifest.steps:
        return
    if is_talk(answer, [event.question or "", package.body, *known]):
        return
    proof = audit_answer(Target(skill, "package", folder), answer)
    state = RunState(
        skill=skill,
        version=proof.skill.version,
        digest=proof.skill.digest,
        session=event.session,
        prompt_id=event.prompt_id,
    )
    ledger.append({**ledger.entry(proof.audit, state, now()), "run": None})
    done.briefs.append(brief(proof.audit, proof.basis.settings.threshold))


def _note(runs: list[SessionRun], event: StopEvent, done: Settled) -> None:
    """Keep in the open runs what a subagent handed back."""
    if event.answer is None:
        return
    text = f"subagent {event.agent}".strip() + f": {event.answer[:_MOST_NOTE]}"
    for run in runs:
        if run.state.is_open:
            _write(run, done, lambda closing: closing.note(text))


def _write(run: SessionRun, done: Settled, work: Callable[[Closing], object]) -> bool:
    """Write to a run's journal; false where it takes no more records."""
    try:
        with Closing(run.path) as closing:
            work(closing)
    except JournalError as error:
        done.faults.append((f"journal of run {run.id}", error))
        return False
    return True


def _known(run: SessionRun) -> list[str]:
    """What was given: a message may say it again and claims nothing by it."""
    return [run.state.prompt or "", json.dumps(run.state.inputs, default=str)]


def _results(run: SessionRun) -> Iterator[str]:
    yield from (str(answer["text"]) for answer in run.state.answers[-4:])
    with contextlib.suppress(ValueError, RecursionError):
        yield json.dumps([call.output for call in run.state.last.values()], default=str)[:65_536]


def _sentence(error: BaseException) -> str:
    return (
        error.message
        if isinstance(error, Skills2Error)
        else f"It broke off ({type(error).__name__})."
    )
