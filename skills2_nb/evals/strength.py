"""How strong a skill's invariants are, over its cases."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from skills2_nb.audit.strength import (
    Sample,
    Strength,
    measure,
    merge,
    open_steps,
    samples_of,
)
from skills2_nb.contract.body import completed
from skills2_nb.contract.errors import Skills2Error
from skills2_nb.contract.home import PRIVATE_FILE, elsewhere, folder, home
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.contract.walk import walk
from skills2_nb.formats.cases import Case, StepCase
from skills2_nb.formats.files import sha256, write_atomic

#: Changed when a cached measurement is no longer what this code would measure.
VERSION = 1
Told = Callable[[str], None]


def of_run(skill: Skill, state: RunState, *, thorough: bool = False) -> Strength:
    """What the calls of one recorded run show."""
    return measure(skill, samples_of(skill, state), thorough=thorough)


def of_cases(
    skill: Skill,
    cases: Sequence[Case],
    folders: tuple[Path, ...] = (),
    *,
    thorough: bool = False,
    told: Told | None = None,
    steps: Sequence[str] | None = None,
) -> Strength:
    """What the package's cases show: each is run in a throw-away home until nothing is open.

    Step cases that are to fail are left out, and so are runs' calls that fail. Steps with effects
    do what they do.

    Args:
        folders: where relative paths among inputs are sought.
        thorough: ask every invariant about every mutant of each case that is run.
        told: is told each case's id before it is run.
        steps: the only steps that are asked about; left out, all.
    """
    made = Strength()
    asked = frozenset(skill.ids if steps is None else steps)
    full = dataclasses.replace(skill.runtime, capture="full", redact=())
    trial = dataclasses.replace(skill, runtime=full)
    for case in sorted(cases, key=_rank):
        wanted = asked.intersection(open_steps(made, skill))
        if not _helps(case, wanted):
            continue
        if told is not None:
            told(case.id)
        with tempfile.TemporaryDirectory(prefix="skills2-") as place, elsewhere(Path(place)):
            samples = (s for s in _samples(trial, case, folders) if s.step in wanted)
            made = merge(made, measure(trial, samples, thorough=thorough, known=made))
    return made


Measure = Callable[[Skill, Sequence[Case], tuple[Path, ...]], Strength]


def cached(
    skill: Skill,
    cases: Sequence[Case],
    folders: tuple[Path, ...] = (),
    measured: Measure = of_cases,
) -> Strength:
    """What the cases of a package show, measured once for its digest and its cases.

    A skill with a step that has effects is not run for this alone: it gives what was kept, or
    nothing. Kept as ``$SKILLS2_HOME/index/strength/<package digest>.json``; a file that cannot be
    read is made anew, and a home that cannot be written keeps nothing.
    """
    mark = _mark(cases)
    known = _kept(skill.digest, mark)
    if known is not None:
        return known
    if any(spec.effects for spec in skill.steps):
        return Strength()
    made = measured(skill, cases, folders)
    if made.tallies:
        keep(skill, cases, made)
    return made


def keep(skill: Skill, cases: Sequence[Case], strength: Strength) -> None:
    """Keep what the cases of a package showed, for the audits to come."""
    if skill.digest is None:
        return
    value = {"v": VERSION, "cases": _mark(cases), "strength": strength.to_dict()}
    data = json.dumps(value, sort_keys=True).encode("utf-8")
    with contextlib.suppress(OSError, Skills2Error):
        path = folder("index", "strength") / f"{skill.digest}.json"
        path.touch(PRIVATE_FILE)
        write_atomic(path, data)


def of_kernel(
    skill: Skill,
    state: RunState | None,
    cases: Sequence[Case],
    folders: tuple[Path, ...] = (),
    step: str | None = None,
) -> tuple[Strength, str]:
    """What the newest run of live steps shows, and their cases where it leaves something open.

    Args:
        state: the run; None where there is none yet.
        step: the only step that is asked about; left out, all.

    Returns:
        The strength, and what it was measured over, in words.
    """
    over, made = [], Strength()
    known = () if state is None else samples_of(skill, state)
    asked = [sample for sample in known if step in (None, sample.step)]
    if asked and state is not None:
        made = measure(skill, asked, thorough=True)
        over.append(f"run {state.run}")
    wanted = [id_ for id_ in open_steps(made, skill) if step in (None, id_)]
    if wanted:
        used: list[str] = []
        found = of_cases(skill, cases, folders, thorough=True, told=used.append, steps=wanted)
        made = merge(made, found)
        over += [f"case {id_}" for id_ in used]
    return made, ", ".join(over) or "no run and no case could be used"


def strength_of(
    skill: Skill, state: RunState | None, cases: Sequence[Case], folders: tuple[Path, ...] = ()
) -> Strength:
    """What an audit judges by: the run, and the cases where the run leaves something open."""
    made = Strength() if state is None else of_run(skill, state)
    open_now = [id_ for id_ in open_steps(made, skill) if state is None or id_ in state.last]
    return merge(made, cached(skill, cases, folders)) if open_now else made


def _kept(digest: str | None, mark: str) -> Strength | None:
    if digest is None:
        return None
    try:
        path = home() / "index" / "strength" / f"{digest}.json"
        value = json.loads(path.read_text(encoding="utf-8"))
        if value["v"] == VERSION and value["cases"] == mark:
            return Strength.from_dict(value["strength"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return None


def _mark(cases: Sequence[Case]) -> str:
    rows = [dataclasses.asdict(case) for case in cases]
    return sha256(json.dumps(rows, sort_keys=True, default=str).encode("utf-8"))


def _rank(case: Case) -> int:
    """Whole runs that pass first: they call every step."""
    if isinstance(case, StepCase):
        return 1
    return 0 if case.expected_audit == "pass" and not case.calls else 2


def _helps(case: Case, wanted: frozenset[str]) -> bool:
    """Whether a case may settle what is still open of these steps."""
    if isinstance(case, StepCase):
        return case.step in wanted and case.fails is None
    return bool(wanted)


def _samples(skill: Skill, case: Case, folders: tuple[Path, ...]) -> Iterator[Sample]:
    """The successful calls of a case; whatever goes wrong in it gives none."""
    if isinstance(case, StepCase):
        yield from _of_step(skill, case)
        return
    inputs, places = dict(case.inputs), folders or None
    run = Run.start(skill, inputs, prompt=case.prompt, vouched="case", folders=places)
    try:
        if case.calls:
            _call_each(run, case.calls)
        else:
            walk(run)
        yield from samples_of(skill, run.state)
    finally:
        run.close()


def _call_each(run: Run, calls: Sequence[Mapping[str, Any]]) -> None:
    for item in calls:
        with contextlib.suppress(Exception, SystemExit):
            run.call(item["step"], item.get("args"), item.get("refs"))


def _of_step(skill: Skill, case: StepCase) -> Iterator[Sample]:
    spec = skill.step(case.step)
    if spec.reads_run:
        return
    with contextlib.suppress(Exception, SystemExit):
        inputs = spec.validate(case.args)
        output = spec.validate_output(completed(spec.fn, inputs))
        yield Sample(spec.id, spec.plain_args(inputs), spec.plain_output(output))
