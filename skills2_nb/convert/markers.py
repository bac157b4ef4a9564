"""``runtime/skill.py`` cut back into its cells."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from skills2_nb.convert.dialect import compiles
from skills2_nb.convert.module import Module, made_from
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.notebook import Cell
from skills2_nb.formats.roles import SETUP_WORDS, Role, role_of

_WORDS = f"step|{'|'.join(SETUP_WORDS)}"
_MARKER = re.compile(rf"# %% ({_WORDS})(?: (.*))?")
#: A marker as editors and people write it too.
_LOOSE = re.compile(rf"# ?%%[ \t]*({_WORDS})(?:[ \t]+(.*?))?[ \t]*")
_FUTURE_LINE = re.compile(r"from __future__ import [^\n;#\\(]+")
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
        text: the code, LF, without newlines at the edges.
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


@dataclass(frozen=True, slots=True)
class Marked:
    """A module that somebody edited, as pieces.

    Attributes:
        loose: code above the first marker that the kit did not put there.
        futures: the ``__future__`` imports above the first marker.
        pieces: the cells in order.
    """

    loose: str
    futures: tuple[str, ...]
    pieces: tuple[Piece, ...]


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
    cells = list(_cells(lines, {number: lines[number][5:] for number in starts}))
    above, futures = _above("\n".join(lines[: starts[0]]))
    if above:
        cells.insert(0, Piece("setup", "setup", above))
    return _with_futures(cells, futures)


def cut_edited(text: str, aside: Collection[str] = ()) -> Marked:
    """The cells of a module that somebody edited; hoisted imports stay apart.

    Markers may be written more loosely, and blank lines before them may be gone.

    Args:
        text: the module, LF.
        aside: lines that read as markers and are comments of a cell.
    """
    lines = text.split("\n")
    marks = {at: said for at, said in _loosely(lines).items() if f"# %% {said}" not in aside}
    pieces = tuple(_cells(lines, marks))
    loose, futures = _top("\n".join(lines[: min(marks)] if marks else lines))
    return Marked(loose, futures, pieces)


def pieces_of(module: Module) -> tuple[Piece, ...]:
    """The pieces of a module that export assembled, by where its cells begin and end."""
    lines = module.text.split("\n")
    return tuple(
        Piece(
            origin.name.partition(" ")[0],
            origin.name,
            "\n".join(lines[origin.first - 1 : origin.last]),
        )
        for origin in module.origins
    )


def look_alikes(pieces: Sequence[Piece]) -> tuple[frozenset[str], str]:
    """Lines of cells that read as markers, and one of them that is a marker too, if any is."""
    inner = {f"# %% {said}" for each in pieces for said in _loosely(each.text.split("\n")).values()}
    known = Counter(f"# %% {piece.said}" for piece in pieces)
    found = cut_edited(written("", (), pieces)).pieces
    extra = Counter(f"# %% {piece.said}" for piece in found) - known
    return frozenset(inner - set(known)), next((line for line in extra if line in known), "")


def written(first: str, futures: Sequence[str], pieces: Sequence[Piece]) -> str:
    """The module that export assembles of pieces; the inverse of :func:`cut_edited`.

    Args:
        first: the line that says which notebook it is made from.
    """
    top = "\n".join([first, "", *([*futures, ""] if futures else [])])
    cells = "".join(f"\n\n# %% {piece.said}\n{piece.text}\n" for piece in pieces)
    return (top + cells).rstrip("\n") + "\n"


def merged(pieces: Sequence[Piece], said: Sequence[str]) -> list[Piece]:
    """The pieces with each that would get another headline joined to the one before it.

    Args:
        pieces: what :func:`cut` gave.
        said: what an export of them would write behind ``# %%``, one a piece.
    """
    made: list[Piece] = []
    for piece, now in zip(pieces, said, strict=True):
        if made and piece.said != now:
            made[-1] = _joined(made[-1], piece)
        else:
            made.append(piece)
    return made


def _is_marker(lines: Sequence[str], number: int, line: str) -> bool:
    stands_free = not any(lines[max(0, number - 2) : number])
    return stands_free and line.startswith("# %% ") and bool(_MARKER.fullmatch(line))


def _loosely(lines: Sequence[str]) -> dict[int, str]:
    """What stands behind each line that reads as a marker, by the line's place."""
    found = ((at, _LOOSE.fullmatch(line)) for at, line in enumerate(lines) if "%%" in line)
    return {at: f"{hit[1]} {hit[2] or ''}".rstrip() for at, hit in found if hit}


def _cells(lines: Sequence[str], marks: Mapping[int, str]) -> Iterator[Piece]:
    """What stands below each marker, given by the line's place.

    What is no Python by itself and is so together with what follows is one cell.
    """
    starts = sorted(marks)
    ends = [*starts[1:], len(lines)]
    at = 0
    while at < len(starts):
        texts = [
            "\n".join(lines[starts[at] + 1 : end]).strip("\n") for end in ends[at : at + _FARTHEST]
        ]
        more = next((more for more, text in enumerate(texts) if _parses(text)), 0)
        said = marks[starts[at]]
        yield Piece(said.partition(" ")[0], said, texts[more])
        at += 1 + more


def _joined(first: Piece, second: Piece) -> Piece:
    return replace(first, text=f"{first.text}\n\n\n# %% {second.said}\n{second.text}")


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


def _top(text: str) -> tuple[str, tuple[str, ...]]:
    """What is left above the first marker without the kit's own lines, and the hoisted imports."""
    lines = text.split("\n")
    if made_from(f"{lines[0]}\n"):
        lines = lines[1:]
    futures = [line for line in lines if _FUTURE_LINE.fullmatch(line)]
    rest = [line for line in lines if line not in futures]
    return "\n".join(rest).strip("\n"), tuple(futures)


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
