"""The kinds of values that a notebook computes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


def bag(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value, as far as the text is sure of it.

    Attributes:
        name: of tables ``frame`` (with nothing to lose), ``indexed`` (with an index of its own),
            ``wide`` (with column names that may be no text), ``series``, and while they are
            grouped ``grouped``, ``flat`` (to give a table), ``column`` (to give a series); of
            numbers ``int``, ``float``, ``real`` (one of the two), ``number`` (maybe NumPy's);
            ``str``, ``bool``, ``list``, ``dict``, ``tuple``, ``plain`` (what JSON can say),
            ``rows`` (to be looped over), ``lines`` (a file), ``object``, ``none``, ``unknown``.
        parts: of a mapping or a tuple, its values by key; of a list or rows, ``*`` for all.
        cls: of an object, its class; ``nameless`` for a series that may have no name; ``empty``
            for a list to which nothing was added yet.
    """

    name: str
    parts: tuple[tuple[str, Kind], ...] = ()
    cls: str = ""

    @property
    def is_kept(self) -> bool:
        """Whether a run can record it."""
        return self.name in _KEPT and all(part.is_kept for _, part in self.parts)

    @property
    def is_figure(self) -> bool:
        """Whether an answer can carry it: a number or a label."""
        return self.name in (*NUMBERS, "str", "bool")

    @property
    def annotation(self) -> str:
        """How a step annotates it so that the same value comes back."""
        if self.name == "list" and self.parts and self.parts[0][1].name in _SCALARS:
            return f"list[{self.parts[0][1].annotation}]"
        if self.name == "tuple" and self.parts:
            return f"tuple[{', '.join(part.annotation for _, part in self.parts)}]"
        return _ANNOTATIONS.get(self.name, "Any")


UNKNOWN, NONE, ROWS, LINES = map(Kind, ("unknown", "none", "rows", "lines"))
FRAME, INDEXED, WIDE, SERIES = map(Kind, ("frame", "indexed", "wide", "series"))
NAMELESS = Kind("series", cls="nameless")
INT, FLOAT, REAL, NUMBER = map(Kind, ("int", "float", "real", "number"))
STR, BOOL, LIST, DICT, PLAIN = map(Kind, ("str", "bool", "list", "dict", "plain"))
TABLES = ("frame", "indexed", "wide")
_KEPT = bag("frame int float real number str bool list dict tuple plain")
NUMBERS = ("int", "float", "real", "number")
_SCALARS = ("int", "float", "real", "str", "bool")
#: What gives a number of Python's own when it is added up.
PYTHON = ("int", "float", "real", "bool", "plain")
_ANNOTATIONS = {name: name for name in ("int", "float", "str", "bool", "list", "dict", "tuple")}
_ANNOTATIONS |= {"frame": "Table", "real": "int | float"}


def element(kind: Kind) -> Kind:
    """What a loop over a value gives."""
    if kind.name in ("str", "lines"):
        return STR
    if kind.name in ("list", "rows"):
        return dict(kind.parts).get("*", PLAIN)
    if kind.name == "series":
        return NUMBER
    if kind.name == "dict" and kind.parts:
        return joined(part for _, part in kind.parts)
    return PLAIN if kind.name in ("dict", "plain") else UNKNOWN


def listed(kinds: Iterable[Kind]) -> Kind:
    """A list of such values; unknown where a run could not keep one of them."""
    found = list(kinds)
    if not all(kind.is_kept and kind.name != "frame" for kind in found):
        return UNKNOWN
    inner = joined(found) if found else PLAIN
    return Kind("list", (("*", inner),)) if inner.is_kept and inner != PLAIN else LIST


def joined(kinds: Iterable[Kind]) -> Kind:
    """One kind for values that are of one kind or of another."""
    found = list(dict.fromkeys(kinds))
    if len(found) == 1:
        return found[0]
    names = {kind.name for kind in found}
    if names == {"list"}:
        return LIST
    if names == {"dict"} and len({tuple(key for key, _ in kind.parts) for kind in found}) == 1:
        return _side_by_side(found)
    if names <= {"int", "float", "real"}:
        return REAL
    if names <= {"int", "float", "real", "number", "bool"}:
        return NUMBER
    if not names <= {*_KEPT, "none"} - {"frame", "dict", "tuple"}:
        return UNKNOWN
    return NUMBER if "number" in names else PLAIN


def _side_by_side(kinds: list[Kind]) -> Kind:
    """Mappings of the same keys, joined key by key."""
    columns = zip(*(kind.parts for kind in kinds), strict=True)
    parts = tuple((column[0][0], joined(kind for _, kind in column)) for column in columns)
    return replace(kinds[0], parts=parts)
