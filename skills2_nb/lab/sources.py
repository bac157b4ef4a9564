"""The cells that a live skill is made of.

A kernel runs cells in any order, any number of times, saved or not. What its steps do now hangs on
the cells that define them and, name by name, on the newest cell that bound each name they use.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterable, Mapping, Sequence

from skills2_nb.convert.names import names_of

_NO_PYTHON = ("%", "!")


def sources_of(history: Sequence[str], exported: Iterable[str], steps: Iterable[str]) -> list[str]:
    """The cells to run, in order, for the skill as a kernel holds it.

    Scratch that the skill uses no name of is not among them. An exported cell is, unless every
    name that it bound has been bound anew since. Lines that are IPython's are left out.

    Args:
        history: the cells as they were run, in order.
        exported: the saved cells that an export takes, in the notebook's order.
        steps: the cells that defined the steps which the kernel holds.
    """
    ran = {_python(text): at for at, text in enumerate(history)}
    newest = _newest(ran)
    live = [_python(text) for text in steps]
    saved = [text for text in map(_python, exported) if text in ran]
    kept = [text for text in saved if text in live or not _is_past(text, newest)]
    chosen = dict.fromkeys([*kept, *live])
    _complete(chosen, newest, ran)
    others = sorted((text for text in chosen if text not in kept), key=lambda t: ran.get(t, -1))
    return _in_order([*others, *kept], ran)


def _complete(chosen: dict[str, None], newest: Mapping[str, str], ran: Mapping[str, int]) -> None:
    """Add the cells that bind what the chosen ones use, and what those use in turn."""
    waiting = list(chosen)
    while waiting:
        text = waiting.pop()
        for name in _uses(text):
            sign = _signed(name, newest)
            if sign is not None and any(_binds(cell).get(name) == sign for cell in chosen):
                continue
            found = [newest[name]] if name in newest else _stars(name, text, ran)
            waiting += [source for source in found if source not in chosen]
            chosen |= dict.fromkeys(found)


def _newest(ran: Mapping[str, int]) -> dict[str, str]:
    """The cell that bound each name last."""
    found: dict[str, str] = {}
    for text in sorted(ran, key=lambda text: ran[text]):
        found |= dict.fromkeys(_binds(text), text)
    return found


def _is_past(text: str, newest: Mapping[str, str]) -> bool:
    """Whether a cell bound something, and nothing of it stands."""
    bound = _binds(text)
    return bool(bound) and all(sign != _signed(name, newest) for name, sign in bound.items())


def _signed(name: str, newest: Mapping[str, str]) -> str | None:
    return _binds(newest[name]).get(name) if name in newest else None


def _stars(name: str, user: str, ran: Mapping[str, int]) -> list[str]:
    """The cells that import everything of a module, for a name that nothing else binds."""
    if name in _BUILTINS or name in _binds(user):
        return []
    return [text for text in ran if "*" in _binds(text) and text != user]


def _in_order(cells: list[str], ran: Mapping[str, int]) -> list[str]:
    """Of two cells that bind one name, the one that was run later comes later."""
    ordered: list[str] = []
    for text in cells:
        at = len(ordered)
        for place, other in enumerate(ordered):
            if ran.get(text, -1) < ran.get(other, -1) and _clash(text, other):
                at = place
                break
        ordered.insert(at, text)
    return ordered


def _clash(one: str, other: str) -> bool:
    first, second = _binds(one), _binds(other)
    return any(first[name] != second[name] for name in first.keys() & second.keys())


def _binds(text: str) -> Mapping[str, str]:
    """By name what binds it: an import by its own words, anything else by the whole cell."""
    return _looked_at(text)[0]


def _uses(text: str) -> tuple[str, ...]:
    return _looked_at(text)[1]


@functools.lru_cache(maxsize=4096)
def _looked_at(text: str) -> tuple[Mapping[str, str], tuple[str, ...]]:
    try:
        tree = ast.parse(text)
        names = names_of(tree)
    except (SyntaxError, ValueError, RecursionError):
        return {}, ()
    binds = dict.fromkeys(names.binds, text)
    binds |= {item.bound: item.text for item in names.imports}
    return binds, (*names.uses, *_named(tree))


def _named(tree: ast.Module) -> set[str]:
    """Names given as text to a decorator, ``"runtime.models:Flows"`` too."""
    marks = [mark for node in tree.body for mark in getattr(node, "decorator_list", ())]
    texts = [
        node.value
        for mark in marks
        for node in ast.walk(mark)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return {text.rpartition(":")[2].rpartition(".")[2] for text in texts}


@functools.lru_cache(maxsize=4096)
def _python(text: str) -> str:
    """A cell as Python: where it does not parse, without the lines that are IPython's."""
    plain = text.replace("\r\n", "\n").strip()
    try:
        ast.parse(plain)
    except (SyntaxError, ValueError, RecursionError):
        lines = [line for line in plain.split("\n") if not line.lstrip().startswith(_NO_PYTHON)]
        return "\n".join(lines).strip()
    return plain


_BUILTINS = frozenset(dir(builtins)) | {"__name__", "get_ipython", "display", "In", "Out", "_"}
