"""``runtime/skill.py`` cut back into its cells."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from skills2_nb.convert.dialect import compiles
from skills2_nb.convert.module import made_from
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.notebook import Cell
from skills2_nb.formats.roles import SETUP_WORDS, Role, role_of

_MARKER = re.compile(rf"# %% (step|{'|'.join(SETUP_WORDS)})(?: (.*))?")
_FUTURE = re.compile(r"from __future__ import (?:\([^)]*\)|[^\n(]*)")
_HIDDEN = re.compile(r"^# from __future__ import (?:\((?:[^)\n]*\n# )*[^)\n]*\)|[^\n(]*)", re.M)
#: How many markers a text may hold that are no markers but lines of one string.
_FARTHEST = 16


@dataclass(frozen=True, slots=True)
class Piece:
    """One code cell of a module.

    Attributes:
        word: its role, as the author wrote it: ``step``, ``setup``, ``helper``, ...
        said: all that stood behind ``# %%``.
        text: the code.
    """

    word: str
    said: str
    text: str

    def draft(self) -> Draft:
        """The cell: tagged, or with a directive where its own first line looks like one."""
        tagged = Draft("code", self.text, (self.word,))
        if _reads(tagged, self):
            return tagged
        return Draft("code", f"# skills2: {self.word}\n{self.text}")


def cut(text: str) -> list[Piece]:
    """The cells of a module that export made, in order; none where it has no markers.

    The inverse of :func:`skills2_nb.convert.module.assemble`: hoisted ``__future__`` imports go
    back to the cells that show where they stood. A marker within a string is none. What somebody
    wrote above the first marker becomes a setup cell.
    """
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _is_marker(lines, number, line)]
    if not starts:
        return []
    ends = [*(number - 1 for number in starts[1:]), len(lines)]
    cells = [
        Piece(word, lines[start][5:], "\n".join(lines[start + 1 : end]).strip("\n"))
        for start, end in zip(starts, ends, strict=True)
        if (word := lines[start].split()[2])
    ]
    above, futures = _above("\n".join(lines[: starts[0]]))
    if above:
        cells.insert(0, Piece("setup", "setup", above))
    return _with_futures(list(_whole(cells)), futures)


def merged(pieces: Sequence[Piece], said: Sequence[str]) -> list[Piece]:
    """The pieces with each that would get another headline joined to the one before it.

    Args:
        pieces: what :func:`cut` gave.
        said: what an export of them would write behind ``# %%``, one a piece.
    """
    made: list[Piece] = []
    for piece, now in zip(pieces, said, strict=True):
        if made and piece.said != now:
            made[-1] = _joined([made[-1], piece])
        else:
            made.append(piece)
    return made


def _is_marker(lines: Sequence[str], number: int, line: str) -> bool:
    stands_free = not any(lines[max(0, number - 2) : number])
    return stands_free and line.startswith("# %% ") and bool(_MARKER.fullmatch(line))


def _whole(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, those joined that are no Python by themselves and are so together."""
    at = 0
    while at < len(pieces):
        ends = range(at + 1, min(len(pieces), at + _FARTHEST) + 1)
        end = next((end for end in ends if _parses(_joined(pieces[at:end]).text)), at + 1)
        yield _joined(pieces[at:end])
        at = end


def _joined(pieces: Sequence[Piece]) -> Piece:
    first = pieces[0]
    rest = [f"\n\n\n# %% {piece.said}\n{piece.text}" for piece in pieces[1:]]
    return replace(first, text="".join([first.text, *rest]))


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _above(text: str) -> tuple[str, list[str]]:
    """What somebody wrote above the first marker, and the hoisted imports."""
    if made_from(text):
        text = text.partition("\n")[2]
    futures = [match.group() for match in _FUTURE.finditer(text)]
    return _FUTURE.sub("", text).strip("\n"), futures


def _with_futures(pieces: list[Piece], futures: Sequence[str]) -> list[Piece]:
    """The pieces with ``__future__`` imports where comments keep their lines, else on top."""
    made = []
    missing = list(futures)
    for piece in pieces:
        text = _HIDDEN.sub(lambda m: m.group().replace("\n# ", "\n").removeprefix("# "), piece.text)
        if not futures or text == piece.text or compiles(text) is not None:
            made.append(piece)
            continue
        back = [name for future in _FUTURE.findall(text) for name in _names(future)]
        missing = [future for future in missing if not set(_names(future)) <= set(back)]
        made.append(replace(piece, text=text))
    if missing and made:
        made[0] = replace(made[0], text=_on_top(made[0].text, missing))
    return made


def _names(future: str) -> list[str]:
    tree = ast.parse(future).body[0]
    return [alias.name for alias in tree.names] if isinstance(tree, ast.ImportFrom) else []


def _on_top(text: str, futures: Sequence[str]) -> str:
    """The imports before a text: on its first line, which export leaves as it was, if they fit."""
    beside = f"{'; '.join(futures)}; {text}"
    return beside if compiles(beside) is None else "\n".join([*futures, text])


def _reads(draft: Draft, piece: Piece) -> bool:
    """Whether the kit reads the cell as just that role and text."""
    made = role_of(Cell(1, None, draft.kind, draft.source, draft.tags))
    wanted = Role.STEP if piece.word == Role.STEP.word else Role.SETUP
    return made.role is wanted and made.text == piece.text and not made.problems
