"""The report of an evaluation as one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skills2_nb.views import case_tables, charts, standings
from skills2_nb.views import eval_grids as grids
from skills2_nb.views import evaluation as said
from skills2_nb.views.comparing import against
from skills2_nb.views.evaluation import Evaluation, Row
from skills2_nb.views.markup import Html, join, table, tag
from skills2_nb.views.page_style import SCOPE, sheet
from skills2_nb.views.tables import VERDICTS, bar, verdict
from skills2_nb.views.values import counted

_LAYOUT = """
§ main h3{margin-top:28px}
§ h2 .badge{font-size:14px;vertical-align:middle;margin-left:4px}
§ .two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));\
gap:18px 36px}
§ .case{border:1px solid var(--s2-line);border-radius:6px;margin-top:8px}
§ .case>summary{padding:8px 14px;color:var(--s2-fg);overflow-wrap:anywhere}
§ .case>div{padding:4px 14px 14px;scroll-margin-top:56px}
§ .case>div>*+*{margin-top:14px}
§ .case:has(:target){border-color:var(--s2-link);box-shadow:0 0 0 2px var(--s2-link)}
§ ul.plain,§ .case ul{padding-left:20px}
@media print{§ .case::details-content{content-visibility:visible;block-size:auto;opacity:1}\
§ .case{break-inside:auto}}
"""


def page(
    results: Mapping[str, Any],
    baseline: Mapping[str, Any] | None = None,
    journals: str = "",
    *,
    language: str = "en",
) -> str:
    """A whole HTML document: no script, no network, good in print and in both themes.

    Args:
        results: a results.json, or one skill of it.
        baseline: another one, to compare with.
        journals: the folder of the journals as the reader knows it.
        language: of the skills and cases, as a BCP 47 tag.

    Returns:
        The same bytes for the same arguments.
    """
    evaluations = said.skills(results)
    title = f"Evaluation: {_worst(results)}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(sheet() + (charts.STYLE + _LAYOUT).replace("§", f".{SCOPE}.{SCOPE}"))),
    )
    sections = [_verdict(evaluations)]
    sections += [_skill(at, each, baseline, journals) for at, each in enumerate(evaluations, 1)]
    sections += _versions(evaluations)
    body = tag(
        "body",
        tag("a", "Skip to the verdict", href="#verdict", cls="skip"),
        _header(results, evaluations),
        _nav(evaluations),
        tag("main", sections),
        cls=SCOPE,
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang=language)}\n"


def _worst(results: Mapping[str, Any]) -> str:
    return str(results["verdict"])


def _header(results: Mapping[str, Any], evaluations: Sequence[Evaluation]) -> Html:
    count = sum(len(each["cases"]) for each in evaluations)
    told = [counted(len(evaluations), "skill"), counted(count, "case")]
    told += [f"kit {results['kit']}"] if results.get("kit") else []
    return tag(
        "header",
        tag("h1", "Evaluation ", verdict(_worst(results))),
        tag("p", ", ".join(told), cls="mute"),
    )


def _nav(evaluations: Sequence[Evaluation]) -> Html:
    links = [("verdict", "Verdict")]
    links += [(f"skill-{at}", str(each["skill"])) for at, each in enumerate(evaluations, 1)]
    links += [("versions", "Versions")] if any(each["rows"] for each in evaluations) else []
    items = [tag("li", tag("a", name, href=f"#{id_}")) for id_, name in links]
    return tag("nav", tag("ul", items), aria_label="Contents")


def _section(id_: str, name: Any, *parts: Any) -> Html:
    title = tag("h2", name, id=f"{id_}-title")
    return tag("section", title, list(parts), id=id_, aria_labelledby=f"{id_}-title")


def _verdict(evaluations: Sequence[Evaluation]) -> Html:
    body = [
        [
            tag("a", each["skill"], href=f"#skill-{at}"),
            verdict(each["verdict"]),
            grids.held(each),
            *(_bar(each.get(name)) for name in ("strict", "classic")),
        ]
        for at, each in enumerate(evaluations, 1)
    ]
    heads = ["skill", "verdict", "cases", "strict", "classic"]
    made = table("Skills", heads, body, hide_caption=True, cls="scores")
    return _section("verdict", "Verdict", made if body else tag("p", "No skill was evaluated."))


def _bar(value: float | None) -> Html:
    return tag("span", "–") if value is None else bar(value)


def _skill(
    at: int, evaluation: Evaluation, baseline: Mapping[str, Any] | None, journals: str
) -> Html:
    id_ = f"skill-{at}"
    listed = said.rows(evaluation)
    done = against(evaluation, baseline)
    tone = "bad" if done is not None and done.worse else "mute"
    return _section(
        id_,
        [tag("span", evaluation["skill"]), " ", verdict(evaluation["verdict"])],
        _facts(evaluation),
        tag("div", charts.gauge(evaluation), charts.axes(evaluation), cls="two"),
        *reasons(evaluation),
        tag("p", done.said, cls=tone) if done is not None else None,
        _head("Cases"),
        case_tables.cases(evaluation, listed, _linked(id_, listed), "Cases", hide_caption=True),
        *_details(id_, evaluation, journals, ok=False),
        *([_head("Baseline"), *case_tables.compared(done)] if done is not None else []),
        _head("Scores"),
        charts.distribution(evaluation),
        *_details(id_, evaluation, journals, ok=True),
    )


def reasons(evaluation: Evaluation) -> list[Html]:
    """How many cases hold, what keeps the skill from a pass, which cases show nothing."""
    made = [tag("p", said.summary(evaluation))]
    if evaluation["why"]:
        items = [tag("li", text) for text in evaluation["why"]]
        made.append(tag("ul", items, cls=f"plain {VERDICTS[evaluation['verdict']][1]}"))
    if said.idle(evaluation):
        made.append(tag("p", f"? {said.idle(evaluation)}", cls="warn"))
    if said.left_out(evaluation):
        made.append(tag("p", said.left_out(evaluation), cls="mute"))
    if evaluation.get("unmade"):
        made.append(tag("p", f"No versions to compare with: {evaluation['unmade']}", cls="warn"))
    return made


def _facts(evaluation: Evaluation) -> Html:
    told = [f"version {evaluation['version']}"] if evaluation.get("version") else []
    digest = evaluation.get("digest")
    told += [f"package {digest[:12]}…"] if digest else []
    return tag("p", ", ".join(told), cls="mute", title=digest)


def _head(text: str) -> Html:
    return tag("h3", text)


def _linked(id_: str, listed: Sequence[Row]) -> case_tables.Link:
    places = {row.name: number for number, row in enumerate(listed, 1)}
    return lambda row: tag("a", row.name, href=f"#{id_}-case-{places[row.name]}")


def _details(id_: str, evaluation: Evaluation, journals: str, *, ok: bool) -> list[Html]:
    """The cases of one kind in full: those that do not hold in the open, the others folded."""
    found = [(at, row) for at, row in enumerate(said.rows(evaluation), 1) if row.ok is ok]
    if not found:
        return []
    one, many = ("holds", "hold") if ok else ("does not hold", "do not hold")
    head = _head(f"{counted(len(found), 'case')} that {one if len(found) == 1 else many}")
    return [head, *(_case(f"{id_}-case-{at}", evaluation, row, journals) for at, row in found)]


def _case(id_: str, evaluation: Evaluation, row: Row, journals: str) -> Html:
    mark = tag("span", f"{row.mark} {row.word}", cls=f"word {row.tone}")
    idle = [", ", tag("span", "? shows nothing", cls="word warn")] if row.idle else []
    head = tag("summary", join([tag("strong", row.name), " ", mark, *idle]))
    # The place of a link lies inside what is folded, so that following it unfolds it.
    inside = tag("div", case_tables.detail(evaluation, row, journals), id=id_)
    return tag("details", head, inside, cls="case", open=not row.ok)


def _versions(evaluations: Sequence[Evaluation]) -> list[Html]:
    rows = [row for each in evaluations for row in each["rows"]]
    if not rows:
        return []
    single = [row for each in evaluations for row in each["case_rows"]]
    parts: list[Any] = [standings.rows_table(rows, "Versions of each skill")]
    if single:
        inner = standings.rows_table(single, "Single cases on the prose and after it")
        summary = tag("summary", f"Single cases, {counted(len(single), 'row')}")
        parts.append(tag("details", summary, inner))
    return [_section("versions", "Versions", *parts, tag("p", standings.formula(rows), cls="mute"))]
