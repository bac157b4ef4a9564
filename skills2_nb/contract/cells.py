"""The skill of a kernel's cells, run again from their text."""

from __future__ import annotations

import hashlib
import linecache
import sys
from collections.abc import Sequence
from types import ModuleType

from skills2_nb.contract import trial
from skills2_nb.contract.errors import DefinitionError, PackageError, told
from skills2_nb.contract.skill import Skill

_NAME = "_skills2_cells"


def load_cells(cells: Sequence[str], name: str) -> Skill:
    """The skill that cells define, run in one fresh module; their cases are passed over.

    A cell that names what only a later one defines is run again after it: in a kernel cells are
    run in any order.

    Args:
        cells: their texts, as a sources blob keeps them.
        name: the skill's.

    Raises:
        PackageError: a cell raises, or a name is defined by none.
    """
    digest = hashlib.sha256("\0".join(cells).encode()).hexdigest()
    module = ModuleType(f"{_NAME}_{digest[:12]}")
    sys.modules[module.__name__] = module  # models look up their annotations there
    token = trial.passed_over.set(True)
    try:
        _execute(list(enumerate(cells, 1)), module)
    finally:
        trial.passed_over.reset(token)
    try:
        return Skill.collect(vars(module), name)
    except (DefinitionError, TypeError, ValueError) as error:
        raise PackageError(f"the cells of {name} make no skill: {error}") from error


def _execute(cells: list[tuple[int, str]], module: ModuleType) -> None:
    """Run each cell; those that lack a name wait for the others, as long as one of them helps."""
    while cells:
        waiting: list[tuple[int, str]] = []
        lacks: NameError | None = None
        for number, text in cells:
            try:
                _run(number, text, module)
            except NameError as error:
                waiting.append((number, text))
                lacks = lacks or error
            except (Exception, SystemExit) as error:
                raise PackageError(f"cell {number} of the run does not run: {told(error)}") from (
                    error
                )
        if lacks is not None and len(waiting) == len(cells):
            raise PackageError(
                f"cell {waiting[0][0]} of the run does not run: {told(lacks)}"
            ) from lacks
        cells = waiting


def _run(number: int, text: str, module: ModuleType) -> None:
    place = f"<{module.__name__} {number}>"
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    exec(compile(text, place, "exec", dont_inherit=True), module.__dict__)
