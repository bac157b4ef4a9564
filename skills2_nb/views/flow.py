"""A picture of what went from step to step."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skills2_nb.views.markup import Html, esc, join, tag
from skills2_nb.views.notes import Note, notes_of, passed_by
from skills2_nb.views.rows import MARKS, TONES, StepRow
from skills2_nb.views.values import clean, counted

if TYPE_CHECKING:
    from skills2_nb.audit.steps import StepView

_TOP, _DOT, _WIDTH = 26, 114, 500
#: Pixels from a node to the next, and for each further line of its arguments.
_STEP, _LINE = 46, 15
_LETTERS, _NOTE_LETTERS, _MOST_LINES = 60, 50, 4
_RUN_INPUTS = "inputs"
_Target = Callable[[str], str | None]


@dataclass(frozen=True)
class Edge:
    """Arguments that one step took from another, or from the run's inputs.

    Attributes:
        source: a step's id or ``inputs``.
        names: the arguments, in order.
        stale: whether one of them has changed at its source since.
        wrong: whether one of them is taken from the wrong place.
        missed: whether nothing went this way, though it should have.
    """

    source: str
    target: str
    names: tuple[str, ...]
    stale: bool = False
    wrong: bool = False
    missed: bool = False

    @property
    def told(self) -> str:
        """The edge in words."""
        if self.missed:
            return f"{self.target} did not take {', '.join(self.names)} from {self.source}"
        remark = " (changed since)" if self.stale else " (the wrong place)" if self.wrong else ""
        return f"{self.source} → {self.target}: {', '.join(self.names)}{remark}"


@dataclass(frozen=True)
class _Node:
    """A step, or the run's inputs, with its place in the picture."""

    name: str
    at: int
    y: int
    row: StepRow | None
    took: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    @property
    def head(self) -> Html:
        """Its name, and its status where that is not ``ok``."""
        if self.row is None:
            return Html("run inputs")
        status = self.row.status
        word = tag("tspan", f" {MARKS[status]} {status}", cls=TONES[status])
        return join([f"{self.row.number} {self.row.id}", None if status == "ok" else word])

    @property
    def lines(self) -> int:
        """How many lines stand under its name."""
        return len(self.took) + sum(len(_folded(note)) for note in self.notes)


def edges(rows: Sequence[StepRow], judged: Sequence[StepView] = ()) -> tuple[Edge, ...]:
    """What went where, by target in order and then by source in order.

    Args:
        judged: the audit's steps; they know what was taken from the wrong place.
    """
    places = {row.id: row.number for row in rows}
    views = {view.step: view for view in judged}
    made: list[Edge] = []
    for row in rows:
        found: dict[str, list[str]] = {}
        stale = {reference.partition("#")[0] for reference in row.stale_sources}
        missed = passed_by(views.get(row.id))
        for argument in row.arguments:
            if argument.origin is not None:
                found.setdefault(argument.origin, []).append(argument.name)
        for source in sorted(found, key=lambda name: places.get(name, 0)):
            wrong = any(item.name in found[source] for item in missed)
            made.append(Edge(source, row.id, tuple(found[source]), source in stale, wrong))
        for item in missed:
            source = str(item.offer).partition("#")[0]
            made.append(Edge(source, row.id, (item.name,), missed=True))
    return tuple(made)


def picture(rows: Sequence[StepRow], target: _Target, judged: Sequence[StepView] = ()) -> Html:
    """The steps in one column, an arc for each pair that handed something on.

    Args:
        target: the id that a step's name, or ``inputs``, leads to on the page.
        judged: the audit's steps: what they object to is marked.
    """
    drawn = edges(rows, judged)
    nodes = _layout(rows, drawn, judged)
    last = max(nodes.values(), key=lambda node: node.y, default=None)
    height = last.y + 20 + _LINE * last.lines if last else 0
    arcs = [_arc(edge, nodes) for edge in drawn if edge.source in nodes]
    return tag(
        "svg",
        tag("desc", _summary(rows, drawn, nodes), id="flow-desc"),
        tag("style", Html("".join(_lights(len(nodes))))),
        tag("g", arcs, fill="none"),
        [_drawn(node, target) for node in nodes.values()],
        cls="flow",
        viewBox=f"0 0 {_WIDTH} {height}",
        role="group",
        aria_label="Which step took which argument from where",
        aria_describedby="flow-desc",
    )


def _summary(rows: Sequence[StepRow], drawn: Sequence[Edge], nodes: Mapping[str, _Node]) -> str:
    """The picture in a sentence, for those who do not see it."""
    notes = [note for node in nodes.values() for note in node.notes]
    handed = sum(len(edge.names) for edge in drawn if not edge.missed)
    told = [
        counted(len(rows), "step"),
        f"{counted(handed, 'argument')} handed on",
        f"{sum(edge.stale for edge in drawn)} of the arcs stale",
        f"{counted(sum(note.tone == 'bad' for note in notes), 'objection')}",
    ]
    return ", ".join(told) + "."


def _layout(
    rows: Sequence[StepRow], drawn: Sequence[Edge], judged: Sequence[StepView]
) -> dict[str, _Node]:
    """Every node by name, from the top down; each as high as its lines need."""
    nodes: dict[str, _Node] = {}
    y = _TOP
    if any(edge.source == _RUN_INPUTS for edge in drawn):
        nodes[_RUN_INPUTS] = _Node(_RUN_INPUTS, 0, y, None, ())
        y += _STEP
    numbers = {row.id: str(row.number) for row in rows}
    views = {view.step: view for view in judged}
    for row in rows:
        into = [edge for edge in drawn if edge.target == row.id and not edge.missed]
        took = _took(into, numbers)
        node = _Node(row.id, len(nodes), y, row, took, notes_of(row, views.get(row.id), rows))
        nodes[row.id] = node
        y += _STEP + _LINE * max(node.lines - 1, 0)
    return nodes


def _took(into: Sequence[Edge], numbers: Mapping[str, str]) -> tuple[str, ...]:
    """What a step took, in lines: ``prev_mau, new ← 2 · grain ← inputs``."""
    told = "\u00a0· ".join(
        f"{', '.join(edge.names)}\u00a0←\u00a0{numbers.get(edge.source, edge.source)}"
        for edge in into
    )
    return tuple(textwrap.wrap(clean(told), _LETTERS, max_lines=_MOST_LINES, placeholder=" …"))


def _arc(edge: Edge, nodes: Mapping[str, _Node]) -> Html:
    start, end = nodes[edge.source], nodes[edge.target]
    top, bottom = start.y + 5, end.y - 6
    reach = abs(end.at - start.at) / max(len(nodes) - 1, 1)
    left = _DOT - 29 - round(82 * reach) - (9 if edge.missed else 0)
    path = f"M{_DOT - 5} {top} C{left} {top + 10} {left} {bottom - 10} {_DOT - 7} {bottom}"
    arrow = f"M{_DOT - 13} {bottom - 5} L{_DOT - 6} {bottom} L{_DOT - 14} {bottom + 2}"
    marks = (("old", edge.stale), ("wrong", edge.wrong), ("missed", edge.missed))
    extra = "".join(f" {name}" for name, holds in marks if holds)
    return tag(
        "g",
        tag("title", edge.told),
        Html(f'<path d="{path}"/><path d="{arrow}"/>'),
        cls=f"arc f{start.at} t{end.at}{extra}",
    )


def _drawn(node: _Node, target: _Target) -> Html:
    place = target(node.name)
    done = node.row is None or node.row.status in ("ok", "stale")
    label = _text(node.y - 1 if node.lines else node.y + 4, "name", node.head)
    below = node.y + 14
    notes = []
    y = below + _LINE * len(node.took)
    for note in node.notes:
        notes.append(_noted(note, y))
        y += _LINE * len(_folded(note))
    bad = any(note.tone == "bad" for note in node.notes)
    return tag(
        "g",
        Html(f'<circle cx="{_DOT}" cy="{node.y}" r="5"/>'),
        tag("a", label, href=f"#{place}") if place else label,
        [_text(below + _LINE * at, "took", line) for at, line in enumerate(node.took)],
        notes,
        cls=f"node n{node.at}{'' if done else ' open'}{' bad' if bad else ''}",
    )


def _noted(note: Note, y: int) -> Html:
    """A typed value or an attempt: its mark, its words, and more in the title."""
    square = Html(f'<rect x="{_DOT + 17}" y="{y - 8}" width="7" height="7"/>') if note.typed else ""
    x = _DOT + (28 if note.typed else 16)
    lines = [
        Html(f'<text x="{x}" y="{y + _LINE * at}" class="took">{esc(line)}</text>')
        for at, line in enumerate(_folded(note))
    ]
    return tag("g", tag("title", note.title), square, lines, cls=f"note {note.tone}")


def _folded(note: Note) -> list[str]:
    """A note in at most two lines."""
    return textwrap.wrap(note.text, _NOTE_LETTERS, max_lines=2, placeholder=" …")


def _text(y: int, cls: str, text: str) -> Html:
    return Html(f'<text x="{_DOT + 16}" y="{y}" class="{cls}">{esc(text)}</text>')


def _lights(count: int) -> Iterator[str]:
    """Rules by which a node under the pointer or in focus lights up its arcs."""
    for at in range(count):
        yield (
            f".flow:has(.n{at}:is(:hover,:focus-within)) :is(.f{at},.t{at})"
            "{stroke:var(--s2-link);stroke-width:2.5;opacity:1}\n"
        )
