"""Markdown as a list of headings, items and paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal["heading", "item", "text"]

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)$")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*)|)$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_ITEM = re.compile(r"([-*+]|(\d{1,9})[.)])(?:([ \t]+)(.*)|[ \t]*)$")
_TASK = re.compile(r"\[[ xX]\](?:[ \t]+|$)")
_VERBATIM = re.compile(r" {0,3}<(script|pre|style|textarea)\b", re.IGNORECASE)
_TAG = re.compile(r" {0,3}</?[A-Za-z][\w-]*(?:[ \t/>]|$)")
_TAB = 4
#: A heading, an item, a paragraph is read no further than this.
_LONGEST = 2_000
#: From this indentation on, a line outside a list is code.
_CODE = 4


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a text, as far as a flow can be read from it.

    Attributes:
        line: 1-based line on which it starts.
        text: its inline markdown on one line; of an item, its first paragraph.
        level: 1 to 6 for a heading, else 0.
        list: the number of the list an item belongs to; items apart from each other may share it.
        number: what an ordered item says, else None.
        task: whether the item has a box to tick.
    """

    kind: Kind
    line: int
    text: str
    level: int = 0
    list: int = 0
    number: int | None = None
    task: bool = False


@dataclass
class _Open:
    """The list that the reader is in, or may come back to."""

    list: int
    mark: str
    number: int | None
    indent: int
    inner: int
    ones: bool = True
    inside: bool = True
    apart: bool = False


@dataclass
class _Reader:
    """Goes through the lines once; fences, comments, tables and HTML are passed over."""

    blocks: list[Block] = field(default_factory=list)
    fence: str = ""
    end: str = ""
    html: bool = False
    blank: bool = True
    growing: bool = False
    open: _Open | None = None
    numbered: _Open | None = None
    lists: int = 0

    def read(self, number: int, line: str) -> None:
        if self._hidden(line):
            return
        if not line.strip():
            self.blank, self.growing, self.html = True, False, False
            return
        if not self.html:
            self._plain(number, line.expandtabs(_TAB))
        self.blank = False

    def _hidden(self, line: str) -> bool:
        """Whether a line is inside, opens or closes a fence, a comment or verbatim HTML."""
        if self.end:
            self.end = "" if self.end in line.lower() else self.end
            return True
        mark = _FENCE.match(line)
        if self.fence:
            if mark and mark[1].startswith(self.fence) and not mark[2].strip():
                self.fence = ""
            return True
        return self._opens_fence(line, mark) or self._opens_html(line)

    def _opens_fence(self, line: str, mark: re.Match[str] | None) -> bool:
        if mark is None or (mark[1][0] == "`" and "`" in mark[2]):
            return False
        if _indent(line) >= _CODE and not self._in_item(_indent(line)):
            return False
        self.fence = mark[1]
        self._leave(_indent(line))
        return True

    def _opens_html(self, line: str) -> bool:
        found = line.lstrip(" ").startswith("<!--") and _indent(line) < _CODE
        verbatim = None if found else _VERBATIM.match(line)
        if not found and verbatim is None:
            return False
        end = "-->" if verbatim is None else f"</{verbatim[1].lower()}>"
        self.end = "" if end in line.lower() else end
        self.growing = False
        return True

    def _plain(self, number: int, line: str) -> None:
        indent = _indent(line)
        item = _ITEM.match(line, indent)
        if self._in_item(indent) and not (item and self._is_sibling(indent, item)):
            self._inner(line, item)
        elif indent >= _CODE and not self.growing:
            self._leave(indent)
        elif self._heading(number, line) or self._aside(line):
            return
        elif item and (indent < _CODE or self.open) and self._starts(item):
            self._item(number, line, indent, item)
        elif self.growing:
            self._grow(line)
        else:
            self._text(number, line)

    def _in_item(self, indent: int) -> bool:
        """Whether a line of that indentation belongs to the last item."""
        last = self.open
        return last is not None and last.inside and indent >= min(last.inner, last.indent + 2)

    def _is_sibling(self, indent: int, item: re.Match[str]) -> bool:
        """Whether an item that is a little further in goes on with the list."""
        last = self.open
        if last is None or indent >= last.inner or last.number is None or item[2] is None:
            return False
        return item[1][-1] == last.mark and int(item[2]) == last.number + 1

    def _inner(self, line: str, item: re.Match[str] | None) -> None:
        """A line within an item: more of its first paragraph, or what hangs below it."""
        if self.growing and not item and not _ATX.match(line.strip()):
            self._grow(line)
        else:
            self.growing = False

    def _heading(self, number: int, line: str) -> bool:
        atx = _ATX.match(line)
        if atx:
            self._add(Block("heading", number, _unclosed(atx[2] or ""), level=len(atx[1])))
            self.open = self.numbered = None
            return True
        under = _SETEXT.match(line)
        if not (under and self.growing and self.blocks and self.blocks[-1].kind == "text"):
            return False
        last = self.blocks[-1]
        self.blocks[-1] = replace(last, kind="heading", level=1 if under[1][0] == "=" else 2)
        self.open = self.numbered = None
        self.growing = False
        return True

    def _aside(self, line: str) -> bool:
        """Rules, quotes, tables and HTML end what was open and are not read."""
        start = line.lstrip()
        tag = _TAG.match(line)
        if not (_RULE.match(line) or start[0] in ">|" or tag):
            return False
        self.html = tag is not None
        self._leave(0)
        return True

    def _starts(self, item: re.Match[str]) -> bool:
        """Whether a mark starts an item: within a paragraph only a bullet or a 0 or 1 does."""
        if not self.growing or (self.open and self.open.inside):
            return True
        return bool(item[4]) and (item[2] is None or int(item[2]) <= 1)

    def _item(self, number: int, line: str, indent: int, item: re.Match[str]) -> None:
        said = None if item[2] is None else int(item[2])
        text = item[4] or ""
        task = _TASK.match(text)
        mark = item[1][-1]
        before = next(
            (o for o in (self.open, self.numbered) if o and _goes_on(o, mark, said)), None
        )
        if before is None:
            self.lists += 1
        ones = said == 1 and (before is None or before.ones)
        inner = indent + len(item[1]) + max(1, min(len(item[3] or " "), 4))
        self._add(
            Block(
                "item",
                number,
                text[task.end() :].strip() if task else text.strip(),
                list=before.list if before else self.lists,
                number=said,
                task=task is not None,
            )
        )
        current = self.blocks[-1].list
        self.open = _Open(current, mark, said, indent, inner, ones)
        if said is not None:
            self.numbered = self.open
        opens = _FENCE.match(text)
        if opens and not (opens[1][0] == "`" and "`" in opens[2]):
            self.fence, self.growing = opens[1], False

    def _text(self, number: int, line: str) -> None:
        self._leave(0)
        if self.open:
            self.open.apart = True
        self._add(Block("text", number, line.strip()))

    def _add(self, block: Block) -> None:
        long = len(block.text) > _LONGEST
        self.blocks.append(replace(block, text=block.text[:_LONGEST]) if long else block)
        self.growing = block.kind != "heading"

    def _grow(self, line: str) -> None:
        last = self.blocks[-1]
        if len(last.text) < _LONGEST:
            self.blocks[-1] = replace(last, text=f"{last.text} {line.strip()}".strip())

    def _leave(self, indent: int) -> None:
        """End the paragraph, and the item too if the line stands outside of it."""
        self.growing = False
        if self.open and not self._in_item(indent):
            self.open.inside = False


def blocks(text: str, first: int = 1) -> tuple[Block, ...]:
    """The headings, the items of outermost lists and the paragraphs of a text, in order.

    Fenced and indented code, comments, HTML, tables and quotes are left out, and so is what is
    nested below an item. A list that a fence, a paragraph or bullets break off goes on where its
    numbers do.

    Args:
        text: markdown, LF.
        first: the number of its first line.
    """
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), first):
        reader.read(number, line)
    return tuple(reader.blocks)


def _indent(line: str) -> int:
    wide = line.expandtabs(_TAB)
    return len(wide) - len(wide.lstrip(" "))


def _unclosed(text: str) -> str:
    """A heading's text without the hashes that may close it."""
    plain = text.strip()
    bare = plain.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else plain


def _goes_on(before: _Open, mark: str, number: int | None) -> bool:
    """Whether an item belongs to the list before it."""
    if before.mark != mark or (before.number is None) != (number is None):
        return False
    if before.inside:
        return True
    if number is None or before.number is None:
        return not before.apart
    if number == before.number + 1:
        return True
    return number == 1 and before.ones and not before.apart
