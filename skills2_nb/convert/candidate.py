"""One part of a text that could be its flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from skills2_nb.convert import flow_words as words
from skills2_nb.convert.blocks import Block
from skills2_nb.convert.titles import plain

Form = Literal["steps", "numbered", "leads", "list", "sections", "bullets"]

#: Where each form stands among the forms.
RANK: dict[Form, int] = {
    "steps": 6,
    "numbered": 5,
    "leads": 4,
    "list": 3,
    "sections": 2,
    "bullets": 1,
}


@dataclass(frozen=True)
class Candidate:
    """Blocks that follow on each other and could be the steps.

    Attributes:
        kind: what they are; headings that say "Step" outrank all others.
        items: the blocks.
        labels: their texts without numbering.
        path: the headings above them, the outermost first.
        clear: how clearly the prose says that they are the flow, 0 to 2.
        against: whether the prose says that they are something else.
        first: whether no other list of their section stands before them.
        early: whether they stand before the first section.
        apart: whether a bold line names the list, as one among several.
    """

    kind: Form
    items: tuple[Block, ...]
    labels: tuple[str, ...]
    path: tuple[Block, ...]
    clear: int
    against: bool
    first: bool = True
    early: bool = False
    apart: bool = False

    @property
    def rank(self) -> int:
        """Where its form stands among the forms."""
        return RANK[self.kind]

    @property
    def depth(self) -> int:
        """The level of the heading that it stands below."""
        return self.path[-1].level if self.path else 0

    @property
    def source(self) -> str:
        """Where it is, in words."""
        form = {
            "steps": "the numbered headings",
            "numbered": "the numbered headings",
            "leads": "the numbered paragraphs",
            "list": "the list",
            "sections": "the headings",
            "bullets": "the bullets",
        }[self.kind]
        below = f" below {plain(self.path[-1].text)!r}" if self.path else ""
        return f"{form}{below} (line {self.items[0].line})"


def clear_of(path: Sequence[Block]) -> int:
    """How clearly the headings above say that a flow comes, 0 to 2; the nearest one counts most."""
    below = [block for block in path if block.level > 1 or block is path[-1]]
    said = [words.names_flow(plain(block.text)) for block in below]
    if not said:
        return 0
    return said[-1] or (1 if any(value > 1 for value in said) else 0)


def is_against(path: Sequence[Block], clear: int) -> bool:
    """Whether a heading above says that what follows is no flow, or several to choose from."""
    return is_aside(path, clear) or is_one_way(path)


def is_aside(path: Sequence[Block], clear: int) -> bool:
    """Whether a heading above says that what follows is no flow."""
    texts = [plain(block.text) for block in path if block.level > 1]
    if texts and clear and words.names_flow(texts[-1]):
        texts = texts[:-1]
    return any(words.is_against(t) or words.is_about(t) for t in texts)


def is_one_way(path: Sequence[Block]) -> bool:
    """Whether a heading above says that what follows is one of several ways to choose from."""
    texts = [plain(block.text) for block in path if block.level > 1]
    return any(
        words.is_variant(t) or (words.names_many(t) and not words.names_flow(t)) for t in texts
    )
