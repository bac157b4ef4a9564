"""Lint: every rule that looks at more than one cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from skills2_nb.convert import (
    claude_rules,
    front_rules,
    name_rules,
    prose_rules,
    step_rules,
    strength_rules,
)
from skills2_nb.convert.context import Context
from skills2_nb.convert.dialect import compiles
from skills2_nb.convert.module import Module
from skills2_nb.formats.problem import Problem, found

Rule = Callable[[Context], Iterable[Problem]]

#: The rules in the order in which they are asked; ``formats.codes`` has their sentences.
RULES: tuple[Rule, ...] = (
    *prose_rules.RULES,
    *front_rules.RULES,
    *claude_rules.RULES,
    *name_rules.RULES,
    *step_rules.RULES,
    *strength_rules.RULES,
)


def check(context: Context) -> Iterator[Problem]:
    """Ask every rule."""
    for rule in RULES:
        yield from rule(context)


def whole(module: Module, before: Iterable[Problem], file: str) -> Iterator[Problem]:
    """Compile the cells as one module, once each of them compiles by itself.

    Modules that compile one by one do so together too, but for what these words do.
    """
    if not any(word in module.text for word in ("global", "nonlocal", "__future__")):
        return
    if any(problem.code in ("C401", "C402", "C403", "C404") for problem in before):
        return
    error = compiles(module.text)
    if error is None:
        return
    place = module.where(error.lineno or 0)
    origin, line = place if place else (None, None)
    yield found(
        "C415",
        f"together the cells are no module: {error.msg}",
        "correct that line",
        file=file,
        cell=origin.cell if origin else None,
        cell_id=origin.cell_id if origin else None,
        line=line,
    )
