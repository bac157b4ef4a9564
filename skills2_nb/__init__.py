"""Skills written as notebooks, their contract checked."""

from __future__ import annotations

TYPE_CHECKING = False  # the name type checkers take for true; `typing` costs more than the rest
if TYPE_CHECKING:
    from typing import Any

    from skills2_nb.contract.run import Run
    from skills2_nb.contract.skill import Skill
    from skills2_nb.contract.step import step
    from skills2_nb.contract.table import Table
    from skills2_nb.contract.trial import case
    from skills2_nb.contract.walk import walk
    from skills2_nb.lab.magics import load_ipython_extension, unload_ipython_extension

_HOMES = {
    "Run": "skills2_nb.contract.run",
    "Skill": "skills2_nb.contract.skill",
    "Table": "skills2_nb.contract.table",
    "case": "skills2_nb.contract.trial",
    "load_ipython_extension": "skills2_nb.lab.magics",
    "step": "skills2_nb.contract.step",
    "unload_ipython_extension": "skills2_nb.lab.magics",
    "walk": "skills2_nb.contract.walk",
}

__all__ = [
    "Run",
    "Skill",
    "Table",
    "case",
    "load_ipython_extension",
    "step",
    "unload_ipython_extension",
    "walk",
]


def __getattr__(name: str) -> Any:
    """Load a public name's module when the name is first used (PEP 562)."""
    from importlib import import_module

    if name == "__version__":
        return import_module("importlib.metadata").version("skills2-nb")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
