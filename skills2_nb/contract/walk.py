"""Every owed step in order, by binding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.contract.run import Run


@dataclass(frozen=True)
class Walk:
    """What became of a walk.

    Attributes:
        outputs: the results by step, as far as the walk came.
        error: what stopped it, else None.
        step: the step that stopped it.
    """

    outputs: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None
    step: str | None = None


def walk(
    run: Run,
    args: Mapping[str, Mapping[str, Any]] | None = None,
    on_step: Callable[[str], None] | None = None,
) -> Walk:
    """Call the owed steps of ``run`` in order, each argument bound; stop at the first failure.

    Args:
        args: arguments by step, where binding alone does not find them.
        on_step: is told each step's id before it is called.
    """
    outputs: dict[str, Any] = {}
    for spec in run.skill.steps:
        if not run.skill.owes(spec, run.state):
            continue
        if on_step is not None:
            on_step(spec.id)
        try:
            outputs[spec.id] = run.call(spec.id, (args or {}).get(spec.id))
        except (Exception, SystemExit) as error:
            return Walk(outputs, error, spec.id)
    return Walk(outputs)
