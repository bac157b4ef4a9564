"""SKILL.md: front matter and prose, joined and cut again."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.errors import UnreadableError
from skills2_nb.formats.frontmatter import FrontMatterError, cut, inside, is_fenced, parse

NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_ENDS = {"n": "\n", "rn": "\r\n", "r": "\r"}
_WORDS = {end: word for word, end in _ENDS.items()}
_LINE_END = re.compile(r"\r\n|\r|\n")
_RUN = re.compile(r"(\d+)(rn|r|n)")
_HEADING = re.compile(r"(?<=[^\n])\n\n(?=#{1,6}(?:[ \t]|$))", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})", re.MULTILINE)
#: A span that no text reaches.
_NOWHERE = (sys.maxsize, sys.maxsize)
_HTML = re.compile(r"^ {0,3}<(?:!--|(script|pre|style|textarea)\b)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a SKILL.md differs from the canonical form, which is all defaults.

    The canonical form: front matter, one blank line, the cells joined by one blank line, one
    final newline; LF, no BOM.

    Attributes:
        newline: ``lf``, ``crlf`` or ``cr``.
        line_ends: for mixed line ends, run lengths such as ``3n 2rn 1r``; else empty.
        of: sha256 of the LF text that ``line_ends`` belongs to.
        gap: newlines between the front matter's last fence and the body.
        lead: newlines before the body where there is no front matter.
        tail: newlines after the last character.
        bom: whether the file starts with a byte order mark.
        fence: the opening and closing fence, with trailing blanks.
        front: whether the file has front matter; False keeps the kit from writing one.
    """

    newline: str = "lf"
    line_ends: str = ""
    of: str = ""
    gap: int = 2
    lead: int = 0
    tail: int = 1
    bom: bool = False
    fence: tuple[str, str] = ("---", "---")
    front: bool = True

    def to_dict(self) -> dict[str, Any]:
        """What differs from the canonical form, for a cell's metadata; empty if nothing does."""
        plain = Layout()
        made = {
            name: getattr(self, name)
            for name in self.__slots__
            if getattr(self, name) != getattr(plain, name)
        }
        return {key: list(v) if isinstance(v, tuple) else v for key, v in made.items()}


@dataclass(frozen=True, slots=True)
class SkillMd:
    """A SKILL.md as cells hold it.

    Attributes:
        front: the front matter cell, fences included, LF; None where there is none.
        pieces: the markdown cells: LF text with no newline at either edge.
        layout: how the file's bytes differ from the canonical form.
    """

    front: str | None
    pieces: tuple[str, ...]
    layout: Layout = field(default_factory=Layout)

    @property
    def body(self) -> str:
        """The prose without front matter, LF."""
        return "\n\n".join(piece for piece in self.pieces if piece)

    @property
    def fields(self) -> dict[str, Any]:
        """The front matter's mapping; empty where there is none."""
        return parse(inside(self.front)) if self.front is not None else {}


def join(document: SkillMd) -> bytes:
    """The file's bytes; the inverse of :func:`split`.

    ``line_ends`` that no longer fit the text are dropped: LF is written.
    """
    layout = document.layout
    text = document.body
    if document.front is not None:
        front = _fenced(document.front, layout.fence)
        text = front + ("\n" * layout.gap + text if text else "")
    else:
        text = "\n" * layout.lead + text
    text += "\n" * layout.tail
    return (("\ufeff" if layout.bom else "") + _with_ends(text, layout)).encode("utf-8")


def split(data: bytes) -> SkillMd:
    """Cut a SKILL.md into a front matter cell and markdown cells.

    A cut is made only where exactly one blank line stands before an ATX heading outside fences,
    comments and HTML blocks. Front matter that does not parse, or is never closed, stays in the
    first piece as text.

    Raises:
        UnreadableError: the bytes are not UTF-8.
    """
    try:
        raw = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"SKILL.md is not UTF-8 (byte offset {error.start}); save it as UTF-8."
        ) from None
    bom = raw.startswith("\ufeff")
    raw = raw.removeprefix("\ufeff")
    text = _LINE_END.sub("\n", raw) if "\r" in raw else raw
    ends = _ends(raw, text)
    front, rest = _front(text)
    body = rest.strip("\n")
    before = len(rest) - len(rest.lstrip("\n"))
    edges: dict[str, Any] = {"tail": before if not body else len(rest) - len(rest.rstrip("\n"))}
    if front is None:
        edges["lead"] = before if body else 0
    elif body:
        edges["gap"] = before
    layout = Layout(bom=bom, fence=_fences(front), front=front is not None, **ends, **edges)
    return SkillMd(_unfenced(front), tuple(_pieces(body)), layout)


def layout_of(kept: Mapping[str, Any]) -> Layout:
    """The layout that a cell's metadata keeps; unknown keys are left alone.

    Raises:
        UnreadableError: a value is not what ``split`` would have kept.
    """
    known = {key: kept[key] for key in Layout.__slots__ if key in kept}
    if "fence" in known:
        known["fence"] = tuple(known["fence"]) if isinstance(known["fence"], list) else ()
    made = Layout(**known)
    for name, good in _CHECKS.items():
        if not good(getattr(made, name)):
            raise UnreadableError(f"`skills2.{name}` is {kept[name]!r}; delete that key.")
    return made


def still_fits(document: SkillMd) -> bool:
    """Whether mixed line ends kept for a file still belong to its text."""
    layout = document.layout
    if not layout.line_ends:
        return True
    text = join(SkillMd(document.front, document.pieces, _plain_ends(layout)))
    return hashlib.sha256(text).hexdigest() == layout.of


def needs_prose_tag(piece: str, *, first: bool) -> bool:
    """Whether a markdown cell must be tagged ``prose`` to come out as it is.

    So where its first line would read as a directive, where it would read as front matter, or
    where it shows an attachment that no cell has.
    """
    head = piece.lstrip("\n").partition("\n")[0]
    return "skills2:" in head or "attachment:" in piece or (first and is_fenced(piece))


def _plain_ends(layout: Layout) -> Layout:
    return Layout(
        gap=layout.gap,
        lead=layout.lead,
        tail=layout.tail,
        fence=layout.fence,
        front=layout.front,
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10_000


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "newline": lambda v: isinstance(v, str) and v in NEWLINES,
    "line_ends": lambda v: isinstance(v, str) and all(map(_RUN.fullmatch, v.split())),
    "of": lambda v: isinstance(v, str),
    "gap": _is_count,
    "lead": _is_count,
    "tail": _is_count,
    "bom": lambda v: isinstance(v, bool),
    "front": lambda v: isinstance(v, bool),
    "fence": lambda v: (
        len(v) == 2
        and all(isinstance(f, str) for f in v)
        and bool(re.fullmatch(r"---[ \t]*", v[0]) and re.fullmatch(r"(---|\.\.\.)[ \t]*", v[1]))
    ),
}


def _front(text: str) -> tuple[str | None, str]:
    found = cut(text)
    if found is None:
        return None, text
    try:
        fields = parse(inside(found[0]))
    except FrontMatterError:
        return None, text
    return (found[0], found[1]) if fields else (None, text)


def _fences(front: str | None) -> tuple[str, str]:
    if front is None:
        return ("---", "---")
    lines = front.split("\n")
    return lines[0], lines[-1]


def _unfenced(front: str | None) -> str | None:
    """The front matter with plain fences: editors drop blanks at line ends."""
    return None if front is None else f"---\n{inside(front)}\n---"


def _fenced(front: str, fence: tuple[str, str]) -> str:
    if fence == ("---", "---"):
        return front
    return f"{fence[0]}\n{inside(front)}\n{fence[1]}"


def _ends(raw: str, text: str) -> dict[str, Any]:
    """Which line ends a text has, as layout values."""
    if "\r" not in raw:
        return {}
    ends = _LINE_END.findall(raw)
    kinds = set(ends)
    if len(kinds) == 1:
        return {"newline": "crlf" if kinds == {"\r\n"} else "cr"}
    runs: list[list[Any]] = []
    for end in ends:
        if runs and runs[-1][1] == end:
            runs[-1][0] += 1
        else:
            runs.append([1, end])
    return {
        "line_ends": " ".join(f"{count}{_WORDS[end]}" for count, end in runs),
        "of": hashlib.sha256(text.encode("utf-8")).hexdigest(),
    }


def _with_ends(text: str, layout: Layout) -> str:
    if layout.line_ends:
        if hashlib.sha256(text.encode("utf-8")).hexdigest() != layout.of:
            return text
        ends = [
            _ENDS[word] for count, word in _RUN.findall(layout.line_ends) for _ in range(int(count))
        ]
        lines = text.split("\n")
        if len(ends) != len(lines) - 1:
            return text
        return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))
    return text.replace("\n", NEWLINES[layout.newline])


def _pieces(body: str) -> list[str]:
    hidden = iter(_hidden(body))
    first, last = next(hidden, _NOWHERE)
    pieces, start = [], 0
    for match in _HEADING.finditer(body):
        while last <= match.end():
            first, last = next(hidden, _NOWHERE)
        if match.end() <= first:
            pieces.append(body[start : match.start()])
            start = match.end()
    return [*pieces, body[start:]]


def _hidden(body: str) -> list[tuple[int, int]]:
    """Spans of fenced code, comments and HTML blocks, where a ``#`` is no heading."""
    spans: list[tuple[int, int]] = []
    position = 0
    fence, html = _FENCE.search(body), _HTML.search(body)
    while True:
        fence = _FENCE.search(body, position) if fence and fence.start() < position else fence
        html = _HTML.search(body, position) if html and html.start() < position else html
        opening = min((m for m in (fence, html) if m), key=lambda m: m.start(), default=None)
        if opening is None:
            return spans
        closing = _closing(opening, is_fence=opening is fence).search(body, opening.end())
        position = closing.end() if closing else len(body)
        spans.append((opening.start(), position))


def _closing(opening: re.Match[str], *, is_fence: bool) -> re.Pattern[str]:
    if is_fence:
        mark = opening.group(1)
        return re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
    tag = opening.group(1)
    return re.compile(rf"</{tag}>" if tag else "-->", re.IGNORECASE)
