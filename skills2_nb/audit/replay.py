"""The pure steps of a run, run again and compared.

Each recorded success of a step that declares no effects is run again on its recorded arguments,
in a fresh process behind the wall: nothing may be written, no socket opened, no process started,
and sets are ordered by another hash seed. The process is not told what the journal says. A step
that then gives something else has not given what was recorded, unless one of four things is known
to be the cause: a file it read is another now, two replays differ from one another, it reads the
clock or the environment, or it trips on the wall. Those are no fraud and no proof either.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from skills2_nb.audit.alike import Difference, difference
from skills2_nb.audit.finding import Finding, finding, listed
from skills2_nb.audit.jobs import Bounds, Source, Told, ask, seeds
from skills2_nb.audit.written import Written
from skills2_nb.contract import blobs
from skills2_nb.contract.canonical import encode_plain, holds_digest
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.reads import look, named
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import Call, RunState
from skills2_nb.sandbox.wall import Kind

Result = Literal[
    "same", "differs", "changed", "declared", "unsteady", "tripped", "raised", "not checked"
]
#: Seconds for all steps of a run together.
TOTAL = 120.0
#: How many more processes have to agree before a difference counts: of two orders of a set each
#: seed gives one by chance, and a number rarely hangs on that.
_SEEDS_FOR_NUMBERS, _SEEDS_FOR_OTHERS = 2, 6
_CODES: Mapping[Result, str] = {
    "differs": "REPLAY_DIFFERS",
    "changed": "SOURCE_CHANGED",
    "unsteady": "NOT_REPLAYABLE",
    "tripped": "NOT_REPLAYABLE",
    "raised": "NOT_REPLAYABLE",
    "declared": "EFFECTS_DECLARED",
}
_SAID: Mapping[str, Result] = {"tripped": "tripped", "raised": "raised", "declared": "declared"}


@dataclass(frozen=True)
class Replay:
    """What came of one recorded success.

    Attributes:
        seq: its record's number.
        result: ``same``; ``differs``; ``changed``: a file it read is another now; ``declared``:
            the step declares effects; ``unsteady``: it depends on chance, order or the clock;
            ``tripped``: on the wall; ``raised``; ``not checked``.
        why: the facts in half a sentence; empty for ``same``.
    """

    seq: int
    step: str
    result: Result
    why: str = ""


@dataclass(frozen=True)
class Replayed:
    """What came of all recorded successes of a run.

    Attributes:
        calls: by record number.
        wall: which wall stood; None where nothing was run.
        fault: why none could be run again, else None.
        tripped: whether that is the skill's own doing: its import trips, raises or hangs.
        also: what came of the further jobs, in order.
    """

    calls: tuple[Replay, ...] = ()
    wall: Kind | None = None
    fault: str | None = None
    tripped: bool = False
    also: tuple[Told, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What ``strict`` finds; a veto for each result that differs."""
        if self.fault is not None and self.tripped:
            return (finding("NOT_REPLAYABLE", f"no step can be run again: {self.fault}"),)
        found = (_finding(call) for call in self.calls if call.result in _CODES)
        return tuple(dict.fromkeys(found))

    @property
    def not_checked(self) -> tuple[str, ...]:
        """What keeps the verdict at ``unproven``: one line a step and reason."""
        if self.fault is not None:
            return (f"replay: {self.fault}",)
        open_ = [call for call in self.calls if call.result not in ("same", "differs", "declared")]
        return tuple(dict.fromkeys(f"replay of {call.step}: {call.why}" for call in open_))

    @property
    def agrees(self) -> bool:
        """Whether no result differs from the record."""
        return all(call.result != "differs" for call in self.calls)

    def to_dict(self) -> dict[str, Any]:
        """``{"wall", "fault", "calls": [{"seq", "step", "result", "why"}]}``."""
        return {
            "wall": self.wall,
            "fault": self.fault,
            "calls": [
                {"seq": call.seq, "step": call.step, "result": call.result, "why": call.why}
                for call in self.calls
            ],
        }


def replay(
    skill: Skill,
    state: RunState,
    *,
    seconds: float = TOTAL,
    also: Sequence[Mapping[str, Any]] = (),
    meanwhile: Callable[[], object] | None = None,
) -> Replayed:
    """Run the pure steps of a run again and compare.

    No code of the skill runs in this process. A run of a package is replayed from the package's
    folder, a kernel's from the cells stored with it, as long as they are the skill's own. A
    kernel's run that is judged by a package is replayed from the package: anybody can store cells.

    Args:
        skill: what the run is judged by; its ``timeout`` and ``memory_mb`` bound each step.
        state: the run.
        seconds: for all steps together.
        also: further jobs for the same process, asked after the steps.
        meanwhile: is called once while the process starts, where there is one.
    """
    source = _source(skill, state)
    if isinstance(source, str):
        return Replayed(fault=source)
    bounds = Bounds(seconds, min(skill.runtime.timeout, seconds), skill.runtime.memory_mb)
    return _Replaying(skill, source, bounds, also, meanwhile).all_of(state)


def _source(skill: Skill, state: RunState) -> Source | str:
    """The code that the run is to be of, or why it is not here."""
    if skill.digest is not None and skill.folder is not None:
        if state.live is None and state.digest != skill.digest:
            return "the package is another one than at the start of the run"
        return Source(skill.name, package=skill.folder)
    if state.live is None or state.live != skill.live:
        return "the cells are other ones than at the start of the run"
    try:
        cells = tuple(json.loads(blobs.get(state.live))["cells"])
    except (JournalError, ValueError, KeyError, TypeError):
        return "the cells that the run was made with were not kept"
    beside = [skill.folder, skill.folder.parent] if skill.folder is not None else []
    return Source(skill.name, cells=cells, paths=(Path.cwd(), *beside))


@dataclass(frozen=True)
class _Replaying:
    skill: Skill
    source: Source
    bounds: Bounds
    also: Sequence[Mapping[str, Any]]
    meanwhile: Callable[[], object] | None

    def all_of(self, state: RunState) -> Replayed:
        chosen = _in_order(call for call in state.calls if call.status == "ok")
        settled = {call.seq: kept for call in chosen if (kept := self._without(call)) is not None}
        groups = _groups(call for call in chosen if call.seq not in settled)
        if not groups and not self.also:
            return Replayed(_sorted(settled))
        order = seeds()
        jobs = [*(_job(calls[0]) for calls in groups), *self.also]
        answers = ask(self.source, jobs, order[0], self.bounds, self.meanwhile)
        if answers.fault is not None:
            return Replayed(wall=answers.wall, fault=answers.fault, tripped=answers.own)
        declares = any(spec.effects for spec in self.skill.steps)
        written = None if declares else Written.of(state, self.source.package)
        doubtful: list[_Doubt] = []
        for calls, told in zip(groups, answers.told, strict=False):
            for call in calls:
                verdict = _verdict(call, told, written)
                if isinstance(verdict, Replay):
                    settled[call.seq] = verdict
                else:
                    doubtful.append(_Doubt(call, told, verdict))
        left = replace(self.bounds, seconds=answers.left)
        settled |= _resolved(self.source, doubtful, order[1:], left)
        if state.live is not None and self.source.package is not None:
            settled = {seq: _excused(call) for seq, call in settled.items()}
        return Replayed(_sorted(settled), answers.wall, also=answers.told[len(groups) :])

    def _without(self, call: Call) -> Replay | None:
        """What can be said of a call without running it."""
        declared = self.skill.step(call.step).effects if call.step in self.skill.ids else ()
        if declared:
            return _declared(call, declared)
        if holds_digest(dict(call.args)):
            return Replay(call.seq, call.step, "not checked", "its arguments were not kept")
        return None


@dataclass(frozen=True)
class _Doubt:
    """A call whose first replay differs from its record."""

    call: Call
    first: Told
    found: Difference

    @property
    def seeds(self) -> int:
        """How many more processes it is asked in."""
        return _SEEDS_FOR_NUMBERS if self.found.number else _SEEDS_FOR_OTHERS


def _verdict(call: Call, told: Told, written: Written | None) -> Replay | Difference:
    """What the first replay says, or how it differs without a known cause."""
    outcome = told["outcome"]
    if outcome == "declared":
        return _declared(call, told["effects"])
    if outcome not in ("value", "raised"):
        return Replay(call.seq, call.step, _SAID.get(outcome, "not checked"), told["why"])
    found = difference(call.output, told["output"]) if outcome == "value" else None
    if outcome == "value" and found is None:
        own = written.by(call, told.get("files", {})) if written is not None else None
        if own is None:
            return Replay(call.seq, call.step, "same")
        why = f"reads {own}, which was written while it ran or since the run began"
        return Replay(call.seq, call.step, "unsteady", why)
    changed = _changed(call, told.get("files", {}))
    if changed is not None:
        return Replay(call.seq, call.step, "changed", changed)
    if found is None:
        return Replay(call.seq, call.step, "raised", f"{told['why']} when it is run again")
    return found


def _resolved(
    source: Source, doubtful: Sequence[_Doubt], order: Sequence[int], bounds: Bounds
) -> dict[int, Replay]:
    """Run what differs again under other hash seeds, until a cause is found or all agree."""
    begun = time.monotonic()
    settled: dict[int, Replay] = {}
    closer: dict[int, Told] = {}
    for turn, seed in enumerate(order):
        open_ = [d for d in doubtful if d.call.seq not in settled and turn < d.seeds]
        left = bounds.seconds - (time.monotonic() - begun)
        if not open_ or left <= 0:
            break
        jobs = [{**_job(doubt.call), "closely": True} for doubt in open_]
        for doubt, told in zip(
            open_, ask(source, jobs, seed, replace(bounds, seconds=left)).told, strict=True
        ):
            if told["outcome"] == "not asked":
                continue
            before = closer.setdefault(doubt.call.seq, told)
            cause = _cause(doubt, before, told)
            if cause is not None:
                settled[doubt.call.seq] = cause
    for doubt in doubtful:
        if doubt.call.seq not in settled:
            settled[doubt.call.seq] = _unexplained(doubt, closer)
    return settled


def _cause(doubt: _Doubt, before: Told, told: Told) -> Replay | None:
    """Why a replay differs from the record, where this one tells."""
    call = doubt.call
    if told["outcome"] != "value":
        why = f"gives a result or {told['why']}, by turns"
        return Replay(call.seq, call.step, "unsteady", why)
    others = difference(doubt.first["output"], told["output"], tables=False) or difference(
        before["output"], told["output"], {**before["tables"], **told["tables"]}, tables=False
    )
    if others is not None:
        why = f"gives another result in each process ({others.place.removeprefix('/') or 'all'})"
        return Replay(call.seq, call.step, "unsteady", why)
    if difference(call.output, told["output"], told["tables"]) is None:
        return Replay(call.seq, call.step, "same")
    if told["saw"]:
        why = f"reads the {listed(told['saw'])}"
        return Replay(call.seq, call.step, "unsteady", why)
    return None


def _unexplained(doubt: _Doubt, closer: Mapping[int, Told]) -> Replay:
    call, told = doubt.call, closer.get(doubt.call.seq)
    if told is None:
        why = "there was no time to see whether its result is steady"
        return Replay(call.seq, call.step, "not checked", why)
    found = difference(call.output, told["output"], told["tables"]) or doubt.found
    if not found.known:
        why = "values kept only as digests, and not the same ones"
        return Replay(call.seq, call.step, "not checked", why)
    return Replay(call.seq, call.step, "differs", str(found))


def _excused(call: Replay) -> Replay:
    """A difference between a kernel's cells and the package that was made of them, or was not."""
    if call.result != "differs":
        return call
    why = f"the package is not what the kernel ran: {call.why}"
    return replace(call, result="not checked", why=why)


def _changed(call: Call, opened: Mapping[str, Any]) -> str | None:
    """A file that the call read and that is another now."""
    now_by_name = {named(path): facts for path, facts in opened.items()}
    for path, facts in call.files.items():
        is_path = Path(path).is_absolute()
        now = look(path) if is_path else now_by_name.get(path, facts)
        if now != facts:
            state = "is gone" if now is None else "is another file now"
            return f"it read {path if is_path else 'a file'}, which {state}"
    return None


def _declared(call: Call, effects: Iterable[str]) -> Replay:
    return Replay(call.seq, call.step, "declared", f"declares {listed(effects)}")


def _job(call: Call) -> dict[str, Any]:
    return {"kind": "call", "step": call.step, "args": dict(call.args)}


def _in_order(calls: Iterable[Call]) -> list[Call]:
    """The newest success of each step first; older ones give numbers to steps as well."""
    known = list(calls)
    newest = {call.step: call.seq for call in known}
    return sorted(known, key=lambda call: (newest[call.step] != call.seq, call.seq))


def _groups(calls: Iterable[Call]) -> list[list[Call]]:
    """Calls of one step with the same arguments are run once."""
    groups: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.step, encode_plain(dict(call.args))), []).append(call)
    return list(groups.values())


def _sorted(settled: Mapping[int, Replay]) -> tuple[Replay, ...]:
    return tuple(settled[seq] for seq in sorted(settled))


def _finding(call: Replay) -> Finding:
    code = _CODES[call.result]
    note = call.result == "declared"
    if call.result == "differs":
        message = f"{call.step} (record {call.seq}): {call.why}"
    elif note:
        message = f"{call.step} {call.why}, so it was not run again"
    else:
        message = f"{call.step}: {call.why}"
    return finding(code, message, step=call.step, note=note)
