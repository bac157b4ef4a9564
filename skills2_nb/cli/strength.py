"""``strength``: what the invariants of a skill notice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import GOOD, REFUSED, UNPROVEN
from skills2_nb.cli.screen import aside, has_color, progress, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.audit.strength import Strength
    from skills2_nb.audit.weakness import StepStrength
    from skills2_nb.contract.skill import Skill
    from skills2_nb.library.discovery import Target


@verb("strength")
@click.argument("skill")
@click.option("--run", metavar="RUN", help="Judge over this run in place of the skill's cases.")
def strength(skill: str, run: str | None, as_json: bool) -> None:
    """Change the recorded calls of SKILL, and see which invariants notice.

    The skill's cases are run in a place of their own until every invariant
    has noticed something. Each call is changed in up to 64 ways that its
    types allow: another value, one more, one less, another sign, two numbers
    swapped, another choice, rows dropped, doubled or put in another order.

    Exit code: 0 good, 1 a required step has no effective invariant or a
    report field can be changed unnoticed, 3 a required step was never called.
    """
    from skills2_nb.audit.weakness import by_step
    from skills2_nb.cli.cases import run_cases
    from skills2_nb.evals.proof import opened
    from skills2_nb.library.discovery import find
    from skills2_nb.views import strength as view

    target = find(skill)
    run_cases(target)
    with aside(), opened(target) as folder:
        made, found, over = _measured(target, folder, run)
        steps = by_step(made, found)
    if as_json:
        put_json({"skill": made.name, "over": over, "steps": [each.to_dict() for each in steps]})
    else:
        put(view.text(made.name, steps, over, width=width(), color=has_color()))
    click.get_current_context().exit(_exit_code(steps))


def _measured(target: Target, folder: Path, run: str | None) -> tuple[Skill, Strength, str]:
    """The skill, what was measured, and what it was measured over."""
    from skills2_nb.contract.loader import load
    from skills2_nb.errors import UsageError
    from skills2_nb.evals import strength as measuring
    from skills2_nb.formats.package import read_package
    from skills2_nb.library import runs

    skill = load(folder)
    if run is not None:
        state = runs.state(runs.find(run))
        if state.skill != skill.name:
            raise UsageError(f"run {state.run} is of {state.skill}, not of {skill.name}")
        return skill, measuring.of_run(skill, state, thorough=True), f"run {state.run}"
    cases, used = read_package(folder).cases, list[str]()

    def told(case: str) -> None:
        used.append(case)
        progress(f"case {case}")

    beside = () if target.kind == "package" else (target.path.parent,)
    places = (Path.cwd(), folder, *beside)
    found = measuring.of_cases(skill, cases, places, thorough=True, told=told)
    if target.kind == "package":
        measuring.keep(skill, cases, found)
    return skill, found, f"case {', '.join(used)}" if used else "no case could be run"


def _exit_code(steps: tuple[StepStrength, ...]) -> int:
    if any(step.is_weak for step in steps):
        return REFUSED
    return UNPROVEN if any(step.is_unproven for step in steps) else GOOD
