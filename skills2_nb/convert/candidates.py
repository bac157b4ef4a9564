"""What in a text could be its flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from skills2_nb.convert import flow_words as words
from skills2_nb.convert.blocks import Block
from skills2_nb.convert.candidate import Candidate, Form, clear_of, is_against, is_one_way
from skills2_nb.convert.titles import plain

#: The level at which a document has its sections.
_SECTION = 2
#: How clear it is below a heading that is just the word for a flow.
_PLAINLY = 2
#: A flow has at least two steps.
_LEAST = 2
_Numbering = Callable[[str], tuple[int, str] | None]


@dataclass
class _Run:
    """Numbered headings that follow on each other, while they are gathered."""

    first: int
    path: tuple[Block, ...]
    items: list[Block] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    last: int = 0

    def goes_on(self, block: Block, number: int) -> bool:
        """Whether a heading of another parent carries the numbers on."""
        return self.items[0].level == block.level and number == self.last + 1

    def add(self, hits: Sequence[tuple[Block, tuple[int, str]]], path: tuple[Block, ...]) -> None:
        """Take the headings of one parent in; the path is what all of them lie below."""
        self.path = tuple(a for a, b in zip(self.path, path, strict=False) if a == b)
        self.items += [block for block, _ in hits]
        self.labels += [label for _, (_, label) in hits]
        self.last = hits[-1][1][0]


def candidates(found: Sequence[Block]) -> tuple[Candidate, ...]:
    """Everything in a text that could be its flow, in the order of the text.

    Args:
        found: the text's blocks.
    """
    paths = _paths(found)
    made = [*_headings(found, paths), *_leads(found, paths), *_lists(found, paths)]
    return tuple(sorted(made, key=lambda c: c.items[0].line))


def unnumbered(text: str) -> str:
    """A heading's text without "Step 2:" or "2." before it."""
    label = _labelled(text, words.step_number) or _labelled(text, words.list_number)
    return label[1] if label and label[1] else text


def _paths(found: Sequence[Block]) -> list[tuple[Block, ...]]:
    """The headings above each block."""
    made: list[tuple[Block, ...]] = []
    above: list[Block] = []
    for block in found:
        if block.kind == "heading":
            above = [other for other in above if other.level < block.level]
        made.append(tuple(above))
        if block.kind == "heading":
            above.append(block)
    return made


def _labelled(text: str, numbering: _Numbering) -> tuple[int, str] | None:
    return numbering(words.bare(_unmarked(text)))


def _unmarked(text: str) -> str:
    """A text without the emphasis around it as a whole."""
    return text.strip().strip("*_").strip() if text.strip()[:1] in "*_" else text.strip()


def _headings(found: Sequence[Block], paths: Sequence[tuple[Block, ...]]) -> Iterator[Candidate]:
    """Headings of one level below one heading, numbered, or below one that announces a flow."""
    siblings: dict[tuple[int, int], list[tuple[Block, tuple[Block, ...]]]] = {}
    for block, path in zip(found, paths, strict=True):
        if block.kind == "heading":
            key = (path[-1].line if path else 0, block.level)
            siblings.setdefault(key, []).append((block, path))
    groups = list(siblings.values())
    forms: tuple[tuple[Form, _Numbering], ...] = (
        ("steps", words.step_number),
        ("numbered", words.list_number),
    )
    for form, numbering in forms:
        yield from _numbered(groups, form, numbering)
    for group in groups:
        path = group[0][1]
        clear = words.names_flow(plain(path[-1].text)) if path else 0
        plainly = not any(_is_labelled(block.text) for block, _ in group)
        if clear == _PLAINLY and len(group) > 1 and plainly:
            items = tuple(block for block, _ in group)
            labels = tuple(block.text for block in items)
            yield Candidate("sections", items, labels, path, clear, is_against(path, clear))


def _is_labelled(text: str) -> bool:
    return words.is_variant(plain(text)) or any(
        _labelled(text, way) for way in (words.step_number, words.list_number)
    )


def _numbered(
    groups: Sequence[list[tuple[Block, tuple[Block, ...]]]], form: Form, numbering: _Numbering
) -> Iterator[Candidate]:
    """Numbered headings; those of two parents are one flow where the numbers go on."""
    runs: list[_Run] = []
    for group in groups:
        hits = [(block, hit) for block, _ in group if (hit := _labelled(block.text, numbering))]
        if not hits:
            continue
        path, (block, (number, _)) = group[0][1], hits[0]
        if not (runs and runs[-1].goes_on(block, number)):
            runs.append(_Run(number, path))
        runs[-1].add(hits, path)
    for run in runs:
        if len(run.items) > 1 and run.first <= 1:
            clear = clear_of(run.path)
            numbers_text = run.items[0].level <= _SECTION and _tell_about(run.labels)
            against = numbers_text or _is_against_headings(form, run.path, clear)
            yield Candidate(form, tuple(run.items), tuple(run.labels), run.path, clear, against)


def _tell_about(labels: Sequence[str]) -> bool:
    """Whether numbers go through a whole document, with sections that tell about the skill."""
    return any(words.is_about(plain(label)) for label in labels)


def _is_against_headings(form: Form, path: Sequence[Block], clear: int) -> bool:
    """The same for numbered headings; "Capabilities" above them say nothing against them."""
    path = [block for block in path if not words.is_able(plain(block.text))]
    if form == "steps":
        texts = [plain(block.text) for block in path if block.level > 1]
        return any(words.is_about(t) for t in texts) or is_one_way(path)
    return is_against(path, clear)


def _leads(found: Sequence[Block], paths: Sequence[tuple[Block, ...]]) -> Iterator[Candidate]:
    """Paragraphs that begin with a bold "1. Collect" or "Step 1: Collect"."""
    hits = []
    for block, path in zip(found, paths, strict=True):
        lead = _bold(block.text) if block.kind == "text" else ""
        label = _labelled(lead, words.step_number) or _labelled(lead, words.list_number)
        if lead and label:
            hits.append((block, label, path))
    for _, group in groupby(hits, key=lambda hit: hit[2][-1].line if hit[2] else 0):
        run = list(group)
        if len(run) > 1 and run[0][1][0] <= 1:
            path = run[0][2]
            clear = clear_of(path)
            labels = tuple(label[1] for _, label, _ in run)
            items = tuple(block for block, _, _ in run)
            yield Candidate("leads", items, labels, path, clear, is_against(path, clear))


def _bold(text: str) -> str:
    """What a paragraph says in bold at its start."""
    for mark in ("**", "__"):
        if text.startswith(mark) and mark in text[2:]:
            return text[2 : text.index(mark, 2)]
    return ""


def _lists(found: Sequence[Block], paths: Sequence[tuple[Block, ...]]) -> Iterator[Candidate]:
    """Numbered lists and checklists; bullets where the prose announces a flow."""
    lists: dict[int, list[Block]] = {}
    for block in found:
        if block.kind == "item":
            lists.setdefault(block.list, []).append(block)
    sections = (b.line for b in found if b.kind == "heading" and b.level > 1)
    first_section = next(sections, len(found) and found[-1].line + 1)
    lead, first = "", True
    for block, path in zip(found, paths, strict=True):
        if block.kind != "item":
            lead = block.text if block.kind == "text" else ""
            first = first or block.kind == "heading"
            continue
        items = lists.pop(block.list, None)
        made = _list(tuple(items), path, lead, first=first) if items else None
        if made is not None:
            yield replace(made, early=block.line < first_section, apart=bool(_bold(lead)))
        lead, first = "", first and items is None


def _list(
    items: tuple[Block, ...], path: tuple[Block, ...], lead: str, *, first: bool
) -> Candidate | None:
    """A list as a candidate; None for bullets that nothing announces."""
    if len(items) < _LEAST:
        return None
    told = 1 if lead and words.orders(plain(lead)) else 0
    clear = max(clear_of(path), told)
    numbered = items[0].number is not None or items[0].task
    labelled = all(_labelled(block.text, words.step_number) for block in items)
    form: Form = "list" if numbered or labelled else "bullets"
    named = bool(_bold(lead)) and not told
    if form == "bullets" and (named or not (clear == _PLAINLY or (clear and first))):
        return None
    labels = tuple(block.text for block in items)
    against = (
        is_against(path, clear)
        or (named and words.is_against(plain(_bold(lead))))
        or (clear < _PLAINLY and _are_cases(items))
    )
    return Candidate(form, items, labels, path, clear, against, first)


def _are_cases(items: Sequence[Block]) -> bool:
    """Whether most items are questions, or say first when they hold: one is chosen of them."""
    cases = [block for block in items if words.is_case(plain(_bold(block.text) or block.text))]
    return len(cases) * 2 > len(items)
