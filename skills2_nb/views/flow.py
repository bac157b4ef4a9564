"""A picture of what went from step to step."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from skills2_nb.views.markup import Html, esc, tag
from skills2_nb.views.rows import MARKS, StepRow
from skills2_nb.views.values import clean

_TOP, _DOT, _WIDTH = 26, 132, 640
#: Pixels from a node to the next, and for each further line of its arguments.
_STEP, _LINE = 46, 15
_LETTERS, _MOST_LINES = 76, 4
_RUN_INPUTS = "inputs"
_Target = Callable[[str], str | None]


@dataclass(frozen=True)
class Edge:
    """Arguments that one step took from another, or from the run's inputs.

    Attributes:
        source: a step's id or ``inputs``.
        names: the arguments, in order.
        stale: whether one of them has changed at its source since.
    """

    source: str
    target: str
    names: tuple[str, ...]
    stale: bool = False


@dataclass(frozen=True)
class _Node:
    """A step, or the run's inputs, with its place in the picture."""

    name: str
    at: int
    y: int
    row: StepRow | None
    took: tuple[str, ...]

    @property
    def head(self) -> str:
        """Its name, and its status where that is not ``ok``."""
        if self.row is None:
            return "run inputs"
        status = self.row.status
        told = "" if status == "ok" else f" {MARKS[status]} {status}"
        return f"{self.row.number} {self.row.id}{told}"


def edges(rows: Sequence[StepRow]) -> tuple[Edge, ...]:
    """What went where, by target in order and then by source in order."""
    places = {row.id: row.number for row in rows}
    made: list[Edge] = []
    for row in rows:
        found: dict[str, list[str]] = {}
        stale = {reference.partition("#")[0] for reference in row.stale_sources}
        for argument in row.arguments:
            if argument.origin is not None:
                found.setdefault(argument.origin, []).append(argument.name)
        for source in sorted(found, key=lambda name: places.get(name, 0)):
            made.append(Edge(source, row.id, tuple(found[source]), source in stale))
    return tuple(made)


def picture(rows: Sequence[StepRow], target: _Target) -> Html:
    """The steps in one column, an arc for each pair that handed something on.

    Args:
        target: the id that a step's name, or ``inputs``, leads to on the page.
    """
    drawn = edges(rows)
    nodes = _layout(rows, drawn)
    last = max(nodes.values(), key=lambda node: node.y, default=None)
    height = last.y + 20 + _LINE * len(last.took) if last else 0
    arcs = [_arc(edge, nodes) for edge in drawn if edge.source in nodes]
    return tag(
        "svg",
        tag("style", Html("".join(_lights(len(nodes))))),
        tag("g", arcs, fill="none"),
        [_drawn(node, target) for node in nodes.values()],
        cls="flow",
        viewBox=f"0 0 {_WIDTH} {height}",
        role="group",
        aria_label="Which step took which argument from where",
    )


def _layout(rows: Sequence[StepRow], drawn: Sequence[Edge]) -> dict[str, _Node]:
    """Every node by name, from the top down; each as high as its lines need."""
    nodes: dict[str, _Node] = {}
    y = _TOP
    if any(edge.source == _RUN_INPUTS for edge in drawn):
        nodes[_RUN_INPUTS] = _Node(_RUN_INPUTS, 0, y, None, ())
        y += _STEP
    numbers = {row.id: str(row.number) for row in rows}
    for row in rows:
        took = _took([edge for edge in drawn if edge.target == row.id], numbers)
        nodes[row.id] = _Node(row.id, len(nodes), y, row, took)
        y += _STEP + _LINE * max(len(took) - 1, 0)
    return nodes


def _took(into: Sequence[Edge], numbers: Mapping[str, str]) -> tuple[str, ...]:
    """What a step took, in lines: ``prev_mau, new ← 2 · grain ← inputs``."""
    told = " · ".join(
        f"{', '.join(edge.names)} ← {numbers.get(edge.source, edge.source)}" for edge in into
    )
    return tuple(textwrap.wrap(clean(told), _LETTERS, max_lines=_MOST_LINES, placeholder=" …"))


def _arc(edge: Edge, nodes: Mapping[str, _Node]) -> Html:
    start, end = nodes[edge.source], nodes[edge.target]
    top, bottom = start.y + 5, end.y - 6
    reach = abs(end.at - start.at) / max(len(nodes) - 1, 1)
    left = _DOT - 29 - round(92 * reach)
    told = f"{edge.source} → {edge.target}: {', '.join(edge.names)}"
    stale = " (changed since)" if edge.stale else ""
    path = f"M{_DOT - 5} {top} C{left} {top + 10} {left} {bottom - 10} {_DOT - 7} {bottom}"
    arrow = f"M{_DOT - 13} {bottom - 5} L{_DOT - 6} {bottom} L{_DOT - 14} {bottom + 2}"
    return tag(
        "g",
        tag("title", told + stale),
        Html(f'<path d="{path}"/><path d="{arrow}"/>'),
        cls=f"arc f{start.at} t{end.at}{' old' if edge.stale else ''}",
    )


def _drawn(node: _Node, target: _Target) -> Html:
    place = target(node.name)
    done = node.row is None or node.row.status in ("ok", "stale")
    label = _text(node.y - 1 if node.took else node.y + 4, "name", node.head)
    return tag(
        "g",
        Html(f'<circle cx="{_DOT}" cy="{node.y}" r="5"/>'),
        tag("a", label, href=f"#{place}") if place else label,
        [_text(node.y + 14 + _LINE * at, "took", line) for at, line in enumerate(node.took)],
        cls=f"node n{node.at}{'' if done else ' open'}",
    )


def _text(y: int, cls: str, text: str) -> Html:
    return Html(f'<text x="{_DOT + 16}" y="{y}" class="{cls}">{esc(text)}</text>')


def _lights(count: int) -> Iterator[str]:
    """Rules by which a node under the pointer or in focus lights up its arcs."""
    for at in range(count):
        yield (
            f".flow:has(.n{at}:is(:hover,:focus-within)) :is(.f{at},.t{at})"
            "{stroke:var(--s2-link);stroke-width:2.5;opacity:1}\n"
        )
