"""runtime/skill.py cut at its markers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from skills2_nb.convert.module import Module, made_from
from skills2_nb.formats.roles import SETUP_WORDS

#: Words a marker may begin with; any other is a comment of the cell it stands in.
WORDS = ("step", *SETUP_WORDS)
_MARK = re.compile(rf"^# ?%% ?({'|'.join(WORDS)})(?:[ \t]+(.*?))?[ \t]*$", re.MULTILINE)
_QUOTED = re.compile(
    r"#[^\n]*"
    r"|\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?",
    re.DOTALL,
)
_FUTURE = re.compile(r"from __future__ import [^\n;#\\(]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands under one marker.

    Attributes:
        word: the role's word, such as ``step`` or ``helper``.
        name: what stands behind it.
        text: the code, LF, without newlines at the edges.
    """

    word: str
    name: str
    text: str

    @property
    def head(self) -> str:
        """What stands behind ``# %%``."""
        return f"{self.word} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Marked:
    """A module as pieces.

    Attributes:
        loose: code above the first marker that the kit did not put there.
        futures: the ``__future__`` imports above the first marker.
        pieces: the cells in order.
    """

    loose: str
    futures: tuple[str, ...]
    pieces: tuple[Piece, ...]


def cut(text: str, aside: Collection[str] = ()) -> Marked:
    """Cut a module at its markers; a line inside a string is none.

    Args:
        text: the module, LF.
        aside: lines that read as markers and are comments of a cell.
    """
    within = [match.span() for match in _QUOTED.finditer(text) if match[0][0] != "#"]
    marks = [
        match
        for match in _MARK.finditer(text)
        if _line(match) not in aside and not any(a < match.start() < b for a, b in within)
    ]
    ends = [*(match.start() for match in marks), len(text)][1:]
    pieces = tuple(
        Piece(match[1], match[2] or "", text[match.end() : end].strip("\n"))
        for match, end in zip(marks, ends, strict=True)
    )
    loose, futures = _top(text[: marks[0].start()] if marks else text)
    return Marked(loose, futures, pieces)


def pieces_of(module: Module) -> tuple[Piece, ...]:
    """The pieces of a module that export assembled, by where its cells begin and end."""
    lines = module.text.split("\n")
    made = []
    for origin in module.origins:
        word, _, name = origin.name.partition(" ")
        made.append(Piece(word, name, "\n".join(lines[origin.first - 1 : origin.last])))
    return tuple(made)


def look_alikes(pieces: Sequence[Piece]) -> tuple[frozenset[str], str]:
    """Lines of cells that read as markers, and one of them that is a marker too, if any is."""
    text = "\n".join(f"# %% {piece.head}\n{piece.text}\n" for piece in pieces)
    found = Counter(f"# %% {piece.head}" for piece in cut(text).pieces)
    known = Counter(f"# %% {piece.head}" for piece in pieces)
    extra = found - known
    return frozenset(extra), next((line for line in extra if line in known), "")


def written(first: str, futures: Sequence[str], pieces: Sequence[Piece]) -> str:
    """The module that export assembles of pieces; the inverse of :func:`cut`.

    Args:
        first: the line that says which notebook it is made from.
    """
    top = "\n".join([first, "", *([*futures, ""] if futures else [])])
    cells = "".join(f"\n\n# %% {piece.head}\n{piece.text}\n" for piece in pieces)
    return (top + cells).rstrip("\n") + "\n"


def _line(match: re.Match[str]) -> str:
    """A marker as export writes it."""
    return f"# %% {match[1]} {match[2] or ''}".rstrip()


def _top(text: str) -> tuple[str, tuple[str, ...]]:
    """What is left above the first marker without the kit's own lines."""
    lines = text.split("\n")
    if made_from(text):
        lines = lines[1:]
    futures = [line for line in lines if _FUTURE.fullmatch(line)]
    rest = [line for line in lines if line not in futures]
    return "\n".join(rest).strip("\n"), tuple(futures)
