"""Lines of text for a screen: tame, wrapped, painted."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable

WIDTH = 80
BOLD, RED, GREEN, YELLOW, DIM = "1", "31", "32", "33", "2"
_STYLE = {
    "pass": GREEN,
    "ok": GREEN,
    "fail": RED,
    "failed": RED,
    "rejected": RED,
    "tampered": RED,
    "error": RED,
    "unproven": YELLOW,
    "stale": YELLOW,
    "not called": YELLOW,
    "warning": YELLOW,
    "not due": DIM,
    "note": DIM,
}
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def clean(text: str) -> str:
    r"""``text`` without what a screen would obey: escapes, direction marks, lone surrogates.

    Tabs and line ends stay; what is taken out is shown by its code, such as ``\x1b``.
    """
    if text.isprintable():
        return text
    return "".join(char if _is_tame(char) else _code(char) for char in text)


def counted(count: int, noun: str) -> str:
    """``1 row``, ``6,919 rows``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def word(said: str, color: bool) -> str:
    """A status or a level in its own colour."""
    return paint(said, _STYLE.get(said.lower(), ""), color)


def paint(text: str, style: str, color: bool) -> str:
    """A text in a style of the terminal, where colours are shown."""
    return f"\x1b[{style}m{text}\x1b[0m" if color and style else text


def wrap(text: str, width: int, indent: str, hang: int = 0) -> list[str]:
    """``text`` in lines of ``width``, every line indented, later ones by ``hang`` more."""
    made: list[str] = []
    later = indent + " " * hang
    for line in clean(text).expandtabs(4).splitlines() or [""]:
        made += textwrap.wrap(
            line,
            max(width, len(later) + 20),
            initial_indent=later if made else indent,
            subsequent_indent=later,
            break_on_hyphens=False,
        ) or [""]
    return made


def joined(lines: Iterable[str]) -> str:
    """The lines as one text, nothing at their ends."""
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _is_tame(char: str) -> bool:
    if char in "\n\t":
        return True
    return unicodedata.category(char) not in ("Cc", "Cs") and char not in _BIDI


def _code(char: str) -> str:
    point = ord(char)
    return f"\\x{point:02x}" if point < 256 else f"\\u{point:04x}"
