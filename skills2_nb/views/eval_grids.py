"""The tables of an evaluation as plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skills2_nb.views import charts
from skills2_nb.views import evaluation as said
from skills2_nb.views.case_tables import journal
from skills2_nb.views.comparing import Comparison
from skills2_nb.views.evaluation import AXES, Case, Evaluation, Row
from skills2_nb.views.rows import MARKS
from skills2_nb.views.tables import VERDICTS
from skills2_nb.views.values import counted, duration, one_line

#: Findings of one case that are told in full.
MOST_FINDINGS = 6


@dataclass(frozen=True)
class Line:
    """One row, and sentences that stand below it."""

    cells: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grid:
    """A table before it is Markdown or text."""

    caption: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]


def overview(evaluations: Sequence[Evaluation]) -> Grid:
    """A row a skill: its verdict, its cases, its scores."""
    lines = tuple(
        Line((str(each["skill"]), verdict(each["verdict"]), held(each), *_scores(each)))
        for each in evaluations
    )
    return Grid("Skills", ("skill", "verdict", "cases", "strict", "classic"), lines)


def axes(evaluation: Evaluation) -> Grid:
    """The median of each axis, the threshold beside the score."""
    limit = evaluation.get("threshold")
    notes = {"score": f", threshold {limit:.2f}"} if limit is not None else {}
    lines = tuple(
        Line((f"{axis}{notes.get(axis, '')}", said.figure(evaluation["axes"][axis])))
        for axis in AXES
    )
    caption = f"Median of each axis over the cases that expect pass ({evaluation['profile']})"
    return Grid(caption, ("axis", "median"), lines)


def cases(evaluation: Evaluation, listed: Sequence[Row], caption: str = "Cases") -> Grid:
    """A row a case, below it what does not hold."""
    lines = []
    for row in listed:
        idle = ("it holds without a single step being called, and so shows nothing",)
        cells = (
            row.name,
            f"{row.mark} {row.word}",
            row.expected,
            said.figure(said.score(evaluation, row.case)),
            f"{row.case['seconds']:.2f} s",
        )
        lines.append(Line(cells, (*row.case["wrong"], *(idle if row.idle else ()))))
    return Grid(caption, ("case", "outcome", "verdict", "score", "time"), tuple(lines))


def distribution(evaluation: Evaluation) -> Grid:
    """How many runs score how much."""
    lines = tuple(
        Line((label, str(passing), str(other)))
        for label, passing, other in charts.classes(evaluation)
    )
    return Grid(f"Scores ({evaluation['profile']})", ("score", *charts.EXPECT), lines)


def timeline(case: Case) -> Grid:
    """A row a step with its time."""
    lines = []
    for number, step in enumerate(case.get("steps") or (), 1):
        word = said.status(step)
        took = duration(step["us"]) if step["calls"] else "–"
        checks = f"{step['passed']}/{step['invariants']}" if step["invariants"] else "–"
        mark = f"{MARKS.get(word, '')} {word}".strip()
        lines.append(Line((str(number), str(step["id"]), mark, took, checks)))
    whole = sum(bar.us for bar in said.bars(case))
    caption = f"Steps of {case['case']} in time: {duration(whole)} in all"
    return Grid(caption, ("#", "step", "status", "time", "invariants"), tuple(lines))


def compared(done: Comparison) -> Grid:
    """The figures and cases before and now."""
    lines = tuple(
        Line((each.what, each.before, each.now, each.word)) for each in (*done.figures, *done.cases)
    )
    return Grid("Beside the baseline", ("what", "baseline", "now", "change"), lines)


def faults(evaluation: Evaluation, row: Row, journals: str = "") -> list[str]:
    """All that is to be said of a case that does not hold, a sentence or two each.

    What is wrong, then each finding with its mend, then where the journal is.
    """
    told = list(row.case["wrong"])
    found = said.findings(evaluation, row.case)
    told += [finding(each) for each in found[:MOST_FINDINGS]]
    if len(found) > MOST_FINDINGS:
        told.append(f"and {counted(len(found) - MOST_FINDINGS, 'more finding')}")
    if row.case["run"]:
        told.append(f"Journal: {journal(evaluation, row.case, journals)}")
    return [one_line(text) for text in told]


def finding(each: Mapping[str, Any]) -> str:
    """A finding in one line: code, step, message, mend."""
    step = f" ({each['step']})" if each["step"] and each["step"] not in each["message"] else ""
    mend = f" Mend: {each['mend']}" if each["mend"] else ""
    stop = "" if each["message"].endswith((".", "!", "?")) else "."
    return f"{each['code']}{step}: {each['message']}{stop}{mend}"


def verdict(word: str) -> str:
    """A verdict with its sign."""
    return f"{VERDICTS[word][0]} {word}"


def held(evaluation: Evaluation) -> str:
    """``11 of 12 hold``."""
    cases = evaluation["cases"]
    count = sum(bool(case["ok"]) for case in cases)
    return f"{count} of {len(cases)} {'holds' if count == 1 else 'hold'}"


def _scores(evaluation: Evaluation) -> tuple[str, str]:
    return said.figure(evaluation.get("strict")), said.figure(evaluation.get("classic"))
