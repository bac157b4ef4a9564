"""The parts of an evaluation, each in every form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skills2_nb.views import case_tables, charts, eval_markdown, eval_page, eval_text, standings
from skills2_nb.views import eval_grids as grids
from skills2_nb.views import evaluation as said
from skills2_nb.views.comparing import against
from skills2_nb.views.evaluation import Case, Evaluation, Row
from skills2_nb.views.fragment import SCOPE, card, sheet
from skills2_nb.views.markup import Html, join, tag
from skills2_nb.views.render import AUDIT_MIMETYPE, Bundle

_LAYOUT = """
§ .two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));\
gap:14px 30px}
§ .quote{padding:6px 12px;background:var(--s2-soft);border-left:3px solid var(--s2-line)}
§ .pane{color:var(--s2-fg);line-height:1.5;width:100%}
§ .pane>*+*{margin-top:12px}
§ ul.plain,§ .pane ul{padding-left:20px}
§ .widget-label{color:var(--s2-fg);font-family:inherit}
§ :is(select,input,button){background-color:var(--s2-soft);color:var(--s2-fg);\
border:1px solid var(--s2-mute);border-radius:3px;box-shadow:none;font-family:inherit}
§ input::placeholder{color:var(--s2-mute);opacity:1}
§ button.mod-active{background-color:var(--s2-fg);color:var(--s2-bg);font-weight:600}
.s2w.jupyter-widgets-disconnected::before,\
.s2w .jupyter-widgets-disconnected:not(.widget-text)::before{display:none!important}
§ :is(select,input,button):focus-visible{outline:2px solid var(--s2-link);outline-offset:2px}
"""
#: The class of everything made of widgets: a front end's sign that no kernel answers stands at
#: the one control that needs a kernel, and nowhere else.
WIDGET = "s2w"
#: Keys of an evaluation that say what came of it, without its cases.
_BRIEF = (
    "skill",
    "version",
    "digest",
    "runner",
    "profile",
    "threshold",
    "verdict",
    "why",
    "pass_rate",
    "strict",
    "classic",
    "axes",
    "undiscriminating",
)


def gauge(evaluation: Evaluation) -> Bundle:
    """The verdict and the score."""
    return _bundle(
        panel(charts.gauge(evaluation), tag("div", eval_page.reasons(evaluation), cls="pane")),
        eval_markdown.gauge(evaluation),
        eval_text.gauge(evaluation),
        brief(evaluation),
    )


def axes(evaluation: Evaluation) -> Bundle:
    """The median of each axis."""
    made = grids.axes(evaluation)
    return _grid(charts.axes(evaluation), made, brief(evaluation))


def distribution(evaluation: Evaluation) -> Bundle:
    """How many runs score how much."""
    told = brief(evaluation) | {
        "scores": [
            {"case": row.name, "expected": row.case["expected"], "score": value}
            for row in said.rows(evaluation)
            if (value := said.score(evaluation, row.case)) is not None
        ]
    }
    return _grid(charts.distribution(evaluation), grids.distribution(evaluation), told)


def cases(evaluation: Evaluation, journals: str = "") -> Bundle:
    """Every case; those that do not hold in full below."""
    listed = said.rows(evaluation)
    table = case_tables.cases(evaluation, listed, name, "Cases")
    marked = eval_markdown.table(grids.cases(evaluation, listed))
    return _bundle(
        panel(table, *failures(evaluation, journals)),
        "\n\n".join([marked, *eval_markdown.failures(evaluation, journals)]),
        eval_text.table(grids.cases(evaluation, listed)),
        {"skill": evaluation["skill"], "cases": list(evaluation["cases"])},
    )


def timeline(case: Case) -> Bundle:
    """The steps of one case's run in time."""
    return _grid(charts.timeline(case), grids.timeline(case), dict(case))


def timelines(evaluation: Evaluation) -> Bundle:
    """Every run in time, one below the other; the first is open, the others are folded."""
    listed = runs(evaluation)
    made = [
        tag("details", tag("summary", row.name), charts.timeline(row.case), open=not at)
        for at, row in enumerate(listed)
    ]
    told = [grids.timeline(row.case) for row in listed]
    return _bundle(
        panel(*made) if made else panel(tag("p", "No run called a step.", cls="mute")),
        "\n\n".join(map(eval_markdown.table, told)) or "No run called a step.",
        "\n".join(map(eval_text.table, told)) or "No run called a step.\n",
        {"skill": evaluation["skill"], "runs": [dict(row.case) for row in listed]},
    )


def runs(evaluation: Evaluation) -> list[Row]:
    """The tries of cases in which a step was called."""
    return [row for row in said.rows(evaluation) if said.bars(row.case)]


def report(
    evaluation: Evaluation, baseline: Mapping[str, Any] | None = None, journals: str = ""
) -> Bundle:
    """One skill as a whole: verdict, axes, cases, failures, baseline, versions.

    Args:
        evaluation: one skill of a results.json.
        baseline: another results.json, or one skill of it, to compare with.
        journals: the folder of the journals as the reader knows it.
    """
    listed = said.rows(evaluation)
    done = against(evaluation, baseline)
    rows = evaluation["rows"]
    beside = [tag("p", done.said), *case_tables.compared(done)] if done is not None else []
    made = panel(
        tag("p", tag("strong", evaluation["skill"], f" {evaluation['version']}")),
        tag("div", charts.gauge(evaluation), charts.axes(evaluation), cls="two"),
        tag("div", eval_page.reasons(evaluation), cls="pane"),
        case_tables.cases(evaluation, listed, name, "Cases"),
        *failures(evaluation, journals),
        *beside,
        *([standings.rows_table(rows, "Versions")] if rows else []),
    )
    return _bundle(
        made,
        eval_markdown.report(evaluation, baseline, journals),
        eval_text.report(evaluation, baseline, journals),
        dict(evaluation),
    )


def panel(*parts: Any) -> Html:
    """Parts one below the other, with every style that they need."""
    return card(_style(), *parts)


def pane(*parts: Any) -> Html:
    """Parts one below the other, inside of something that has the class and the styles."""
    return tag("div", *parts, cls="pane")


def styles() -> Html:
    """The styles alone, for what has the class of panels, controls too."""
    return join([sheet(), _style()])


def failures(evaluation: Evaluation, journals: str = "") -> list[Html]:
    """Each case that does not hold in full, under its name."""
    made = []
    for row in said.rows(evaluation):
        if not row.ok:
            head = tag("summary", tag("strong", f"✗ {row.name}"))
            inside = tag("div", case_tables.detail(evaluation, row, journals), cls="pane")
            made.append(tag("details", head, inside, open=True))
    return made


def brief(evaluation: Evaluation) -> dict[str, Any]:
    """What came of an evaluation, without its cases."""
    return {key: evaluation.get(key) for key in _BRIEF}


def name(row: Row) -> Html:
    """A case's name where it leads nowhere."""
    return tag("span", row.name)


def _style() -> Html:
    return tag("style", Html((charts.STYLE + _LAYOUT).replace("§", f".{SCOPE}.{SCOPE}")))


def _grid(drawn: Html, made: grids.Grid, told: Mapping[str, Any]) -> Bundle:
    return _bundle(panel(drawn), eval_markdown.table(made), eval_text.table(made), told)


def _bundle(html: Html, markdown: str, text: str, told: Mapping[str, Any]) -> Bundle:
    return Bundle(
        {
            "text/plain": text,
            "text/markdown": f"{markdown.rstrip()}\n",
            "text/html": str(join([html])),
            AUDIT_MIMETYPE: dict(told),
        }
    )
