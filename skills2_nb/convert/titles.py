"""The titles of steps, and the ids made of them."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from skills2_nb.convert.flow_words import step_number
from skills2_nb.convert.step_rules import LONGEST_TOOL, RESERVED
from skills2_nb.hooks.uses import prefix

_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)\s]*(?:\s[^)]*)?\)")
_LINK = re.compile(r"\[([^\]]*)\](?:\([^)\s]*(?:\s[^)]*)?\)|\[[^\]]*\])")
_SPAN = re.compile(r"(`+)(.+?)\1(?!`)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_NAMED = re.compile(r"[*_]*`([A-Za-z_]\w*)(?:\(\))?`")
_CLAUSE = re.compile(r"\.(?=\s)|:(?=\s|$)|;|\s[-–—](?=\s)")
_EDGES = " \t.:;,-–—"
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d", "&": " and "}
)
_SMALL = frozenset(
    ["a", "an", "the", "of", "for", "to", "and", "or", "in", "on", "at", "by", "with", "from"]
)
#: Ids are cut to this even where a tool's name has room for more.
_LONGEST = 40
#: What the setup cell binds, and what a notebook's reader would take for something else.
_TAKEN = frozenset({*RESERVED, "step", "case", *dir(builtins)})


@lru_cache(maxsize=1024)
def plain(text: str) -> str:
    """Inline markdown as its words: no marks, links as their text, on one line."""
    kept: list[str] = []

    def keep(span: re.Match[str]) -> str:
        kept.append(span[2].strip())
        return f"\0{len(kept) - 1}\0"

    held = _SPAN.sub(keep, text.replace("\0", " "))
    held = _LINK.sub(r"\1", _IMAGE.sub(r"\1", held))
    held = _without_marks(held)
    made = re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], held)
    return " ".join("".join(c if c.isprintable() else " " for c in made).split())


def heading_title(text: str) -> str:
    """A heading as a title."""
    return plain(text).rstrip(" :.").strip()


def item_title(text: str) -> str:
    """A list item as a title: its bold lead, else its first clause."""
    bold = _BOLD.match(text)
    lead = bold[2] if bold else text
    label = step_number(lead)
    lead = label[1] if label and label[1] else lead
    return plain(lead if bold else _first_clause(lead)).strip(_EDGES) or plain(text)


def named_id(text: str) -> str | None:
    """The identifier that a text names in a code span at its start."""
    found = _NAMED.match(text)
    return found[1] if found else None


def _first_clause(text: str) -> str:
    """A text up to the first sign that ends a clause outside of code spans."""
    spans = [found.span() for found in _SPAN.finditer(text)]
    for end in _CLAUSE.finditer(text):
        if end.start() and not any(a <= end.start() < b for a, b in spans):
            return text[: end.start()]
    return text


def _without_marks(text: str) -> str:
    """A text without pairs of emphasis; a lone asterisk, or one within a word, stays."""
    for mark in ("***", "**", "__", "~~"):
        sign = re.escape(mark)
        text = re.sub(rf"{sign}(?=\S)(.+?)(?<=\S){sign}", r"\1", text)
    text = re.sub(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])", r"\1", text)
    return re.sub(r"(?<![\w_])_(?=[^\s_])([^_]+?)(?<=\S)_(?![\w_])", r"\1", text)


def ids(titles: Iterable[tuple[str, str | None]], skill: str) -> list[str]:
    """An id for each title, free, fit for Python and short enough for a tool's name.

    Same titles, same ids; a title's id depends on the titles before it only where they are alike.

    Args:
        titles: each title, and the identifier its line names, if it names one.
        skill: the skill's name, which stands before the id in the tool's name.
    """
    room = min(_LONGEST, LONGEST_TOOL - len(f"{prefix()}{skill}__"))
    made: dict[str, None] = {}
    for number, (title, named) in enumerate(titles, 1):
        first = named if named and _fits(named, room) else _from_title(title, number, room)
        made.setdefault(_free(first, made, room))
    return list(made)


def _from_title(title: str, number: int, room: int) -> str:
    """A title in small letters and underscores; ``step_<number>`` where nothing is left."""
    letters = unicodedata.normalize("NFKD", title.lower().translate(_LETTERS))
    spelled = "".join(c for c in letters if not unicodedata.combining(c))
    words = re.findall(r"[a-z0-9]+", re.sub(r"['’](?=s\b|t\b|re\b)", "", spelled))
    if sum(c.isalpha() and not c.isascii() for c in spelled) > sum(map(len, words)):
        words = []  # written in another script: two letters of it would say nothing
    name = _cut(words, room)
    name = f"step_{name}" if name[:1].isdigit() else name
    name = name or f"step_{number}"
    return name if _fits(name, room) else f"{name[: max(1, room - 5)].rstrip('_')}_step"


def _cut(words: list[str], room: int) -> str:
    """As many words as there is room for, without a small one at the end."""
    room -= 5 if words and words[0][0].isdigit() else 0
    name = "_".join(words)
    if len(name) <= room:
        return name
    kept: list[str] = []
    for word in words:
        if len("_".join([*kept, word])) > room:
            break
        kept.append(word)
    while len(kept) > 1 and kept[-1] in _SMALL:
        kept.pop()
    return "_".join(kept) or name[: max(1, room)].rstrip("_")


def _free(name: str, made: Iterable[str], room: int) -> str:
    """The name, or with the first number behind it that nobody has."""
    taken = set(made)
    count, free = 2, name
    while free in taken:
        tail = f"_{count}"
        free = f"{name[: max(1, room - len(tail))].rstrip('_')}{tail}"
        count += 1
    return free


def _fits(name: str, room: int) -> bool:
    private = re.fullmatch(r"_+|__\w+__", name)
    return (
        name.isidentifier()
        and not keyword.iskeyword(name)
        and name not in _TAKEN
        and not private
        and len(name) <= max(room, 1)
    )
