"""What in an answer is no figure: code, links, markers."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^([ \t]*)(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\2[^\n]*$|\Z)", re.M | re.S)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_STRUCK = re.compile(r"(?<![~\\])~~(?![~\s])[^\n]+?(?<![~\s])~~(?!~)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
_FIGURE_ALONE = re.compile(
    r"[\s(~≈]*[-+\u2212]?\s?(?:[$€£¥]\s?)?\d[\d.,'’\u00a0\u202f\u2009 _-]*\s?"
    r"(?:%|[kKMB]|bn|pp|x|€|\$|£)?[\s)]*"
)
_LINKS = re.compile(
    r"""\]\([^)\s]{0,999}(?:\s"[^"\n]{0,200}")?\)          # the target of a markdown link
      | <?(?:https?|ftp|file)://[^\s<>)]+>?   # an address
      | \bwww\.[^\s<>)]+
      | \b[\w.+-]+@[\w-]+\.[\w.]+             # mail
      | (?<![\w/.])(?:[\w.-]*/)+[\w.-]*[A-Za-z][\w-]*\.[A-Za-z]\w*   # a path to a file
      | \b[\w-]+\.(?:csv|json|jsonl|md|py|ipynb|toml|txt|tsv|xlsx|parquet|html|pdf|png)\b
      | \[\^\d+\]                             # a footnote
    """,
    re.X,
)
# (1) in running text and [1] as a note: the first, or one that follows its forerunner.
_COUNTED = re.compile(r"(?<!\w)\((?P<item>\d{1,2})\)(?=[ \t]+[^\W\d])|\[(?P<note>\d{1,3})\]")
_REFERENCE = (
    "steps?|schritte?|phase|part|teil|section|abschnitt|chapter|kapitel|table|tabelle|figure|"
    "abbildung|fig|abb|page|seite|question|frage|version|release|appendix|anhang|python|nr|nummer"
)
_LEADING = re.compile(
    r"""^[ \t>]*(?:\#{1,6}[ \t]+)?(?:[-*+][ \t]+)?\**\(?\d{1,3}(?:\.\d{1,2})*[.)](?=[ \t])
      | ^[ \t>]*\#{1,6}[ \t]+\d{1,2}(?:\.\d{1,2})*(?=[ \t]+[^\W\d])   # a numbered heading
    """,
    re.X | re.M,
)
_MARKERS = re.compile(
    rf"""\b\d{{1,4}}(?:st|nd|rd|th)\b
      | \b(?:\d\d)?\d0(?:s|er)\b                                             # the 1990s
      | \b(?:de[rmns]|die|das|am|im|zum|zur|vom|bis|ab|seit|eine?[rmns]?|jede[rmns]?)\s+
            (?P<german>\d{{1,2}}\.)(?=\s+[^\W\d])                            # der 2. Monat
      | \b(?:{_REFERENCE})\.?[ \t]+\d{{1,2}}(?:\.\d{{1,2}})*\b(?!%|[ \t]%|[.,]\d)
            (?:[ \t]*(?:of|von|/|to|bis|and|und|[-\u2013])[ \t]*\d{{1,2}}\b(?!%|[.,]\d))?
      | \b(?:\d{{1,2}}[ \t]*(?:of|von|/)[ \t]*)?\d{{1,2}}[ \t]+(?:steps?|schritten?)\b
      | (?<![\w.,])v?\d+(?:\.\d+){{2,}}(?![\w,]*\d)                         # 1.2.3
      | \bv\d+(?:\.\d+)*\b
      | [\#§][ \t]?\d+(?:\.\d+)*
    """,
    re.X | re.I,
)
# 1.234.567 looks like a version but is a German number: groups of exactly three digits.
_GROUPED = re.compile(r"v?[1-9]\d{0,2}(?:\.\d{3})+")


@dataclass(frozen=True)
class Masked:
    """An answer twice, character for character as long as the original.

    Attributes:
        prose: Code, links and list markers are blanks: what is left may be a claim.
        code: Only the insides of code spans and fences are left: figures here can carry a
            reported value, but are never held against the answer.
    """

    prose: str
    code: str


def mask(text: str, names: tuple[str, ...] = ()) -> Masked:
    """Blank code, addresses, file names, list markers and the given names.

    A code span that holds nothing but a figure is emphasis and stays in the prose.

    Args:
        text: The answer, markdown or plain.
        names: Words to blank as they are, such as the skill's name.
    """
    code = ["\n" if char == "\n" else " " for char in text]
    last = text.rfind("-->") + 3 if "-->" in text else 0
    prose = _blank(text[:last], _COMMENT) + text[last:]
    for pattern, group in ((_FENCE, 0), (_CODE, 2)):
        prose = _lift(prose, pattern, group, code)
    prose = _blank(prose, _STRUCK)
    prose = _blank_counted(_blank(prose, _LINKS))
    for name in sorted(filter(None, names), key=len, reverse=True):
        prose = _blank(prose, re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I))
    return Masked(_blank(prose, _LEADING), "".join(code))


def unmark(prose: str) -> str:
    """Blank ordinals, references ("step 5 of 10") and versions. Dates must be gone by then."""
    return _MARKERS.sub(_unmark, prose)


def spaces(text: str) -> str:
    """As many blanks as the text has characters; newlines stay, so lines can be counted."""
    return "".join("\n" if char == "\n" else " " for char in text)


def _blank(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: spaces(match[0]), text)


def _blank_counted(prose: str) -> str:
    """Blank the marks of a count, one after the other; "(90)" alone is a number."""
    seen: set[tuple[str, int]] = set()

    def unmark_one(match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        number = int(match[kind])
        if number != 1 and not {(kind, number - 1), (kind, number)} & seen:
            return match[0]
        seen.add((kind, number))
        return spaces(match[0])

    return _COUNTED.sub(unmark_one, prose)


def _lift(prose: str, pattern: re.Pattern[str], group: int, code: list[str]) -> str:
    """Move the inside of each match from the prose to the code."""

    def move(match: re.Match[str]) -> str:
        inside = match[group]
        if group and _FIGURE_ALONE.fullmatch(inside):
            ticks = " " * len(match[1])
            return ticks + inside + ticks
        start = match.start(group)
        code[start : start + len(inside)] = inside
        return spaces(match[0])

    return pattern.sub(move, prose)


def _unmark(match: re.Match[str]) -> str:
    if match["german"]:
        head = match[0][: match.start("german") - match.start()]
        return head + spaces(match["german"])
    return match[0] if _GROUPED.fullmatch(match[0]) else spaces(match[0])
