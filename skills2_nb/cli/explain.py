"""``explain``: argument <- source <- value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import aside, has_color, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.contract.state import Call, RunState
    from skills2_nb.views.rows import Argument


@verb("explain")
@click.argument("skill")
@click.argument("step")
@click.option("--run", metavar="RUN", help="This run; left out: the newest of SKILL.")
def explain(skill: str, step: str, run: str | None, as_json: bool) -> None:
    """Show where each argument of STEP came from in SKILL's newest run, and with what value.

    Without a run it shows where each would come from.
    """
    from skills2_nb.cli.cases import run_cases
    from skills2_nb.contract.loader import load
    from skills2_nb.errors import UsageError
    from skills2_nb.evals.proof import opened
    from skills2_nb.library import runs
    from skills2_nb.library.discovery import find
    from skills2_nb.views import rows, terminal

    target = find(skill)
    run_cases(target)
    with aside(), opened(target) as folder:
        made = load(folder)
        if step not in made.ids:
            raise UsageError(f"{made.name} has no step {step!r}; it has {', '.join(made.ids)}")
        spec = made.step(step)
        path = runs.find(run) if run else _newest(made.name)
        state = runs.state(path) if path else None
        call = _call(state, step)
        table = rows.arguments(call, state) if call else rows.expected(made, spec)
    if as_json:
        put_json(_facts(made.name, step, state, call, table))
        return
    put(_heading(state, step, call))
    put(terminal.explain(step, table, width=width(), color=has_color()))


def _newest(skill: str) -> Any:
    from skills2_nb.library import runs

    entry = runs.newest(skill)
    return entry.path if entry else None


def _call(state: RunState | None, step: str) -> Call | None:
    if state is None:
        return None
    attempts = state.attempts(step)
    return state.newest(step) or (attempts[-1] if attempts else None)


def _heading(state: RunState | None, step: str, call: Call | None) -> str:
    if state is None:
        return "No run yet; this is where the arguments would come from."
    if call is None:
        return f"Run {state.run} never called {step}; its arguments would come from:"
    stale = ", stale" if state.is_stale(step) else ""
    return f"Run {state.run}, record {call.seq}: {call.status}{stale}."


def _facts(
    skill: str, step: str, state: RunState | None, call: Call | None, table: tuple[Argument, ...]
) -> dict[str, Any]:
    return {
        "skill": skill,
        "step": step,
        "run": state.run if state else None,
        "record": call.seq if call else None,
        "status": call.status if call else None,
        "arguments": [
            {
                "name": item.name,
                "from": item.source,
                "by": item.by,
                "value": item.value,
                "via": list(item.via),
            }
            for item in table
        ],
    }
