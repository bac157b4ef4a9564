"""An evaluation as widgets that live on without a kernel.

Filter and drill-down are links between widgets that the browser keeps itself: they work in a saved
notebook. The field for words is answered by the kernel, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ipywidgets

from skills2_nb.views import case_tables, charts, panels
from skills2_nb.views import evaluation as said
from skills2_nb.views.evaluation import FILTERS, Evaluation, Row
from skills2_nb.views.fragment import SCOPE
from skills2_nb.views.markup import Html
from skills2_nb.views.panels import pane
from skills2_nb.views.render import Bundle
from skills2_nb.views.values import one_line

#: Characters of a case's name in a list to pick from.
_NAME = 60


class Panel(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Widgets that carry the same thing as HTML, Markdown, text and JSON."""

    def __init__(self, children: Iterable[Any], bundle: Bundle) -> None:
        super().__init__(list(children), layout={"margin": "0"})
        self.bundle = bundle
        self.add_class(panels.WIDGET)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """All of it in one message; the front end picks."""
        shown = super()._repr_mimebundle_(**asked) or {}
        return {**shown, **self.bundle.data}


def gauge(evaluation: Evaluation) -> Panel:
    """The verdict and the score."""
    return _still(panels.gauge(evaluation))


def axes(evaluation: Evaluation) -> Panel:
    """The median of each axis, as bars."""
    return _still(panels.axes(evaluation))


def distribution(evaluation: Evaluation) -> Panel:
    """How many runs score how much."""
    return _still(panels.distribution(evaluation))


def timeline(case: Mapping[str, Any]) -> Panel:
    """The steps of one case's run in time."""
    return _still(panels.timeline(case))


def timelines(evaluation: Evaluation) -> Panel:
    """The steps of every run in time; a run is picked from a list."""
    rows = panels.runs(evaluation)
    if len(rows) < 2:
        return _still(panels.timelines(evaluation))
    pages = [pane(charts.timeline(row.case)) for row in rows]
    return _styled(_picked("Run", rows, pages), panels.timelines(evaluation))


def cases(evaluation: Evaluation, journals: str = "") -> Panel:
    """Every case in a table to filter, and each in full.

    Args:
        evaluation: one skill of a results.json.
        journals: the folder of the journals as the reader knows it.
    """
    rows = said.rows(evaluation)
    bundle = panels.cases(evaluation, journals)
    if not rows:
        return _still(bundle)
    found = [(name, said.picked(rows, name)) for name in FILTERS]
    kinds = [(f"{name} ({len(listed)})", listed) for name, listed in found if listed]
    tables = [_html(_table(evaluation, listed)) for _, listed in kinds]
    ordered = sorted(rows, key=lambda row: row.ok)  # what does not hold is what is looked for
    pages = [pane(*case_tables.detail(evaluation, row, journals)) for row in ordered]
    chosen = ipywidgets.ToggleButtons(
        options=[name for name, _ in kinds],
        description="Show",
        tooltips=[f"Show the cases: {name}" for name, _ in kinds],
        style={"button_width": "auto"},
    )
    search = _search(evaluation, [listed for _, listed in kinds], tables)
    shown = [chosen, search, _stack(chosen, tables), *_picked("In full", ordered, pages)]
    return _styled(shown, bundle)


def report(
    evaluation: Evaluation, baseline: Mapping[str, Any] | None = None, journals: str = ""
) -> Bundle:
    """All of a skill that needs no widget; see :func:`panels.report`."""
    return panels.report(evaluation, baseline, journals)


def _still(bundle: Bundle) -> Panel:
    return Panel([_html(bundle.data["text/html"])], bundle)


def _styled(shown: Sequence[Any], bundle: Bundle) -> Panel:
    """Controls and pages on the ground of a panel, so that both have its colours."""
    styles = ipywidgets.HTML(str(panels.styles()), layout={"display": "none"})
    made = Panel([*shown, styles], bundle)
    made.add_class(SCOPE)
    return made


def _html(value: str) -> Any:
    return ipywidgets.HTML(str(value), layout={"width": "100%", "margin": "0"})


def _picked(label: str, rows: Sequence[Row], pages: Sequence[str]) -> list[Any]:
    """A list of cases, and the page of the one that is picked."""
    names = [f"{at}. {row.mark} {one_line(row.name, _NAME)}" for at, row in enumerate(rows, 1)]
    chosen = ipywidgets.Dropdown(options=names, index=0, description=label)
    return [chosen, _stack(chosen, [_html(page) for page in pages])]


def _stack(chosen: Any, pages: Sequence[Any]) -> Any:
    """Pages of which the one at the place of the choice is seen.

    The link is kept by the browser, so that a saved notebook obeys it too; what is not seen is in
    the saved state all the same.
    """
    stack = ipywidgets.Stack(list(pages), selected_index=0, layout={"width": "auto"})
    link = ipywidgets.jslink((chosen, "index"), (stack, "selected_index"))
    stack.kept = link  # a link that nobody holds is closed with its owner
    return stack


def _table(evaluation: Evaluation, rows: Sequence[Row]) -> Html:
    return pane(case_tables.cases(evaluation, rows, panels.name, "Cases"))


def _search(evaluation: Evaluation, kinds: Sequence[Sequence[Row]], tables: Sequence[Any]) -> Any:
    """A field whose words every case in the tables has to have; the kernel looks for them."""
    field = ipywidgets.Text(
        description="Words", placeholder="needs a running kernel", continuous_update=False
    )
    field.observe(_finder(evaluation, kinds, tables), "value")
    return field


def _finder(
    evaluation: Evaluation, kinds: Sequence[Sequence[Row]], tables: Sequence[Any]
) -> Callable[[Mapping[str, Any]], None]:
    def find(change: Mapping[str, Any]) -> None:
        for listed, html in zip(kinds, tables, strict=True):
            html.value = str(_table(evaluation, said.searched(listed, change["new"])))

    return find
