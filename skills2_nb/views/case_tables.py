"""The cases of an evaluation as tables, and each by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skills2_nb.views import charts
from skills2_nb.views import evaluation as said
from skills2_nb.views.comparing import Change, Comparison
from skills2_nb.views.evaluation import AXES, Evaluation, Row
from skills2_nb.views.markup import Html, table, tag
from skills2_nb.views.tables import bar, name, verdict
from skills2_nb.views.values import counted, one_line

_PROFILES = ("strict", "classic")
#: Findings of one case that stand in the open; the rest is folded.
_MOST = 6
Link = Callable[[Row], Any]


def cases(
    evaluation: Evaluation,
    listed: Sequence[Row],
    link: Link,
    caption: str,
    *,
    hide_caption: bool = False,
) -> Html:
    """A row a case: outcome, verdict beside the expected one, score, time, what is wrong."""
    if not listed:
        return tag("p", f"{caption}: none.", cls="mute")
    body = [
        [
            [link(row), tag("div", one_line(row.case["label"], 90), cls="mute")],
            outcome(row),
            row.expected,
            said.figure(said.score(evaluation, row.case)),
            f"{row.case['seconds']:.2f} s",
        ]
        for row in listed
    ]
    heads = ["case", "outcome", "verdict", "score", "time"]
    return table(caption, heads, body, numeric=(3, 4), hide_caption=hide_caption, cls="cases")


def outcome(row: Row) -> list[Html]:
    """Whether a case holds, why not, and whether it shows anything."""
    made = [tag("span", f"{row.mark} {row.word}", cls=f"word {row.tone}")]
    made += [tag("div", text) for text in row.case["wrong"]]
    if row.idle:
        made.append(tag("div", "? shows nothing", cls="word warn"))
    return made


def detail(evaluation: Evaluation, row: Row, journals: str = "") -> list[Any]:
    """One case in full: what is wrong, what was found, its scores, its steps in time."""
    case = row.case
    return [
        tag("p", case["label"], cls="text quote") if case["label"] else None,
        _wrong(row),
        _idle(row),
        *_found(said.findings(evaluation, case)),
        _scores(case.get("audit")),
        charts.timeline(case) if case["kind"] == "run" else None,
        tag("p", facts(evaluation, case, journals), cls="mute"),
    ]


def facts(evaluation: Evaluation, case: said.Case, journals: str = "") -> str:
    """Kind, runner, time, tags and journal of a case, on one line."""
    kind = "run case" if case["kind"] == "run" else "step case"
    told = [kind, f"runner {case['runner']}", f"{case['seconds']:.2f} s"]
    told += [f"tags {', '.join(case['tags'])}"] if case["tags"] else []
    told.append(f"journal {journal(evaluation, case, journals)}" if case["run"] else "no journal")
    return one_line(", ".join(told))


def journal(evaluation: Evaluation, case: said.Case, journals: str = "") -> str:
    """The journal of a case's run: its path where the folder is known, else the run's id.

    Where several skills were evaluated, each may say which folder below ``journals`` is its own.
    """
    run = str(case["run"])
    folder = "/".join(filter(None, (journals.rstrip("/"), evaluation.get("journals"))))
    if not folder:
        return f"of run {run}"
    return f"{folder}/{run[:4]}-{run[4:6]}-{run[6:8]}/{run}.jsonl"


def compared(done: Comparison) -> list[Html]:
    """The figures before and now, and the cases whose outcome changed."""
    changed = _changes("Figures", "figure", done.figures)
    if not done.cases:
        return [changed, tag("p", "No case changed its outcome.", cls="mute")]
    return [changed, _changes("Cases that changed", "case", done.cases)]


def _changes(caption: str, head: str, changes: Sequence[Change]) -> Html:
    marks = {"good": "✓ ", "bad": "✗ ", "warn": "? "}
    body = [
        [
            each.what,
            each.before,
            each.now,
            tag("span", f"{marks.get(each.tone, '')}{each.word}", cls=f"word {each.tone}"),
        ]
        for each in changes
    ]
    return table(caption, [head, "baseline", "now", "change"], body)


def _wrong(row: Row) -> Html:
    if row.ok:
        return tag("p", f"{row.mark} The case {row.word}.", cls="good")
    items = [tag("li", text) for text in row.case["wrong"]]
    return tag(
        "div", tag("p", f"{row.mark} The case {row.word}:", cls="bad word"), tag("ul", items)
    )


def _idle(row: Row) -> Html | None:
    told = "? It holds without a single step being called, and so shows nothing."
    return tag("p", told, cls="warn") if row.idle else None


def _found(found: Sequence[Mapping[str, Any]]) -> list[Html]:
    if not found:
        return []
    caption = counted(len(found), "finding")
    if len(found) <= _MOST:
        return [_findings(found, caption)]
    rest = counted(len(found) - _MOST, "more finding")
    folded = tag("details", tag("summary", rest), _findings(found[_MOST:], rest, hide=True))
    return [_findings(found[:_MOST], f"The first {_MOST} of {caption}"), folded]


def _findings(found: Sequence[Mapping[str, Any]], caption: str, *, hide: bool = False) -> Html:
    body = [
        [
            [
                tag("span", each["code"], cls="mono nowrap"),
                tag("div", each["axis"], cls="mute"),
                tag("div", name(each["step"]) if each["step"] else "the run as a whole"),
            ],
            [
                tag("div", each["message"]),
                tag("div", f"Mend: {each['mend']}") if each["mend"] else None,
            ],
        ]
        for each in found
    ]
    return table(caption, ["finding", "what, and what to do"], body, hide_caption=hide)


def _scores(audit: Mapping[str, Any] | None) -> Html | None:
    if audit is None:
        return None
    body: list[list[Any]] = [[axis, *(bar(audit[p][axis]) for p in _PROFILES)] for axis in AXES]
    body.append(["verdict", *(verdict(audit[p]["verdict"]) for p in _PROFILES)])
    return table("Scores", ["", *_PROFILES], body, cls="scores")
