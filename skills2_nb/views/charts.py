"""Scores and times drawn beside their words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from skills2_nb.views import evaluation as said
from skills2_nb.views.evaluation import AXES, Case, Evaluation
from skills2_nb.views.markup import Html, join, table, tag
from skills2_nb.views.rows import MARKS, TONES
from skills2_nb.views.tables import VERDICTS, name, verdict
from skills2_nb.views.values import counted, duration

#: What the pictures need beside the style of all views; ``§`` is the scope.
STYLE = """
§ .gauge{display:flex;flex-wrap:wrap;align-items:center;gap:6px 18px}
§ .gauge svg{display:block;width:132px;height:74px;flex:none}
§ .gauge path{fill:none;stroke:currentColor;stroke-width:12}
§ .gauge .track{stroke:var(--s2-line)}
§ .gauge .limit{stroke:var(--s2-fg);stroke-width:2}
§ .gauge .big{font-size:28px;line-height:1.2;font-weight:700;font-variant-numeric:tabular-nums}
§ .gauge .words>*{margin:0 0 2px}
§ .meter{position:relative;display:block;width:100%;min-width:96px;max-width:260px;height:10px;\
margin-top:5px;background:var(--s2-soft);border:1px solid var(--s2-line);border-radius:3px}
§ .meter>span{position:absolute;top:0;bottom:0;min-width:2px;background:currentColor}
§ .meter>.limit{width:2px;top:-4px;bottom:-4px;background:var(--s2-fg);\
outline:1px solid var(--s2-bg)}
§ .chart td:last-child{width:50%;min-width:120px;padding-right:0}
§ .chart .meter{max-width:none;margin:0}
§ .beside{display:flex;align-items:center;gap:14px}
§ .beside .n{flex:none;min-width:4.2em}
§ .chart thead th:last-child{padding-left:calc(4.2em - 6ch)}
§ .chart{width:100%}
§ .cases{width:100%}
§ .cases tbody th{width:38%}
§ .cases td:nth-child(2){width:30%}
@container (max-width:620px){§ .chart td:last-child{width:34%;min-width:100px}\
§ .meter{min-width:40px}§ .time td:last-child{width:5em;min-width:0}§ .time .meter{display:none}}
@container (max-width:540px){§ .cases,§ .cases tbody{display:block}\
§ .cases thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
§ .cases tr{display:grid;grid-template-columns:minmax(0,1fr) auto auto;\
border-bottom:1px solid var(--s2-line);padding:4px 0}\
§ .cases tr>:nth-child(n){border:0;width:auto;padding:1px 12px 1px 0}\
§ .cases tr>:is(:first-child,:nth-child(2)){grid-column:1/-1}}
@media print{§ .meter,§ .gauge svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
_RADIUS, _WIDE, _HIGH = 54, 132, 74
#: Scores fall into this many classes of equal width.
_CLASSES = 10
EXPECT = ("expect pass", "expect other")


def gauge(evaluation: Evaluation) -> Html:
    """The verdict and the score: an arc for the eye, all of it in words."""
    axes = evaluation["axes"]
    value, limit = axes["score"], evaluation.get("threshold")
    tone = VERDICTS[evaluation["verdict"]][1]
    told = f"threshold {said.figure(limit)}, profile {evaluation['profile']}"
    big = tag("span", said.figure(value), cls="big")
    words = tag(
        "div",
        tag("p", verdict(evaluation["verdict"])),
        tag("p", big, " median score" if value is not None else " no case was scored"),
        tag("p", told, cls="mute"),
        cls="words",
    )
    return tag(
        "div", tag("div", _arc(value, limit), cls=tone, aria_hidden="true"), words, cls="gauge"
    )


def axes(evaluation: Evaluation) -> Html:
    """Each axis as a number and a bar, the threshold marked on the score."""
    limit = evaluation.get("threshold")
    rows = []
    for axis in AXES:
        value = evaluation["axes"][axis]
        at = limit if axis == "score" else None
        low = value is not None and at is not None and value < at
        note = "" if at is None else f", threshold {at:.2f}"
        drawn = _beside(said.figure(value), _meter(value, at, "bad" if low else "mute"))
        rows.append([f"{axis}{note}", drawn])
    caption = f"Median of each axis over the cases that expect pass ({evaluation['profile']})"
    return table(caption, ["axis", "median"], rows, cls="chart")


def distribution(evaluation: Evaluation) -> Html:
    """How many run cases score how much, those that expect a pass and the others."""
    tallied = classes(evaluation)
    if not tallied:
        return tag("p", "No run was judged, so there is no score to count.", cls="mute")
    most = max(passing + other for _, passing, other in tallied)
    rows = [
        [
            label,
            str(passing),
            str(other),
            _beside(str(passing + other), _stack(passing / most, other / most)),
        ]
        for label, passing, other in tallied
    ]
    total = sum(passing + other for _, passing, other in tallied)
    caption = f"Scores of {counted(total, 'run')} ({evaluation['profile']})"
    heads = ["score", *EXPECT, "together"]
    return table(caption, heads, rows, numeric=(1, 2), cls="chart")


def classes(evaluation: Evaluation) -> list[tuple[str, int, int]]:
    """Classes of scores from the best down, each with its cases that expect pass and the others.

    Classes below the lowest score and above the highest are left out.
    """
    held = [[0, 0] for _ in range(_CLASSES)]
    for case in evaluation["cases"]:
        value = said.score(evaluation, case)
        if value is not None:
            at = min(max(math.floor(value * _CLASSES + 1e-9), 0), _CLASSES - 1)
            held[at][case.get("expected") != "pass"] += 1
    full = [at for at, pair in enumerate(held) if any(pair)]
    if not full:
        return []
    return [
        (f"{at / _CLASSES:.1f} to {(at + 1) / _CLASSES:.1f}", held[at][0], held[at][1])
        for at in range(full[-1], full[0] - 1, -1)
    ]


def timeline(case: Case) -> Html:
    """The steps of a run with the time of each call, on one line of time."""
    steps: Sequence[Mapping[str, Any]] = case.get("steps") or ()
    if not steps:
        return tag("p", "No step was called, so there is no time to show.", cls="mute")
    bars = said.bars(case)
    whole = sum(bar.us for bar in bars)
    rows = []
    for number, step in enumerate(steps, 1):
        word = said.status(step)
        own = [bar for bar in bars if bar.step == step["id"]]
        mark = tag("span", f"{MARKS.get(word, '')} {word}", cls=f"word {TONES.get(word, 'mute')}")
        calls = f", {counted(len(own), 'call')}" if len(own) > 1 else ""
        checks = f"{step['passed']} of {step['invariants']}" if step["invariants"] else "–"
        took = duration(step["us"]) if own else "–"
        drawn = _beside(took, _lane(own, whole))
        rows.append([number, name(step["id"]), [mark, calls], checks, drawn])
    caption = f"Steps in time: {counted(len(bars), 'call')}, {duration(whole)} in all"
    heads = ["#", "step", "status", "invariants", "time"]
    return table(caption, heads, rows, numeric=(0,), cls="chart time")


def _beside(words: str, drawn: Html) -> Html:
    """A figure with its bar in one cell, so that the figure alone is left where styles are not."""
    return tag("span", tag("span", words, cls="n"), drawn, cls="beside")


def _arc(value: float | None, limit: float | None) -> Html:
    x, y, r = _WIDE / 2, _HIGH - 8, _RADIUS
    half = f"M{x - r:g} {y:g}A{r} {r} 0 0 1 {x + r:g} {y:g}"
    full = math.pi * r
    drawn = [Html(f'<path class="track" d="{half}"/>')]
    if value:
        drawn.append(
            Html(f'<path d="{half}" stroke-dasharray="{full * _share(value):.1f} {full:.1f}"/>')
        )
    if limit is not None:
        angle = math.pi * (1 - _share(limit))
        dx, dy = math.cos(angle), math.sin(angle)
        inner, outer = r - 10, r + 10
        tick = (
            f"M{x + inner * dx:.1f} {y - inner * dy:.1f}L{x + outer * dx:.1f} {y - outer * dy:.1f}"
        )
        drawn.append(Html(f'<path class="limit" d="{tick}"/>'))
    box = Html(
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" height="{_HIGH}" focusable="false">'
    )
    return join([box, *drawn, Html("</svg>")])


def _meter(value: float | None, limit: float | None = None, tone: str = "mute") -> Html:
    limits = [_part(_share(limit), 0, "limit")] if limit is not None else []
    parts = [*([_part(0, _share(value), tone)] if value else []), *limits]
    return tag("span", parts, cls="meter", aria_hidden="true")


def _stack(passing: float, other: float) -> Html:
    if not passing and not other:
        return Html("")
    parts = [_part(0, passing, "good")] if passing else []
    parts += [_part(passing, other, "mute")] if other else []
    return tag("span", parts, cls="meter", aria_hidden="true")


def _lane(bars: Sequence[said.Bar], whole: int) -> Html:
    if not bars or not whole:
        return Html("")
    parts = [
        _part(bar.start / whole, bar.us / whole, "mute" if bar.status == "ok" else "bad")
        for bar in bars
    ]
    return tag("span", parts, cls="meter", aria_hidden="true")


def _part(start: float, share: float, tone: str) -> Html:
    width = "" if tone == "limit" else f";width:{share * 100:.2f}%"
    return tag("span", cls=tone, style=f"left:{min(start, 0.99) * 100:.2f}%{width}")


def _share(value: float) -> float:
    return max(0.0, min(1.0, value))
