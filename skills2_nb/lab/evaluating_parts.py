"""The parts of an evaluation that are text and tables alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skills2_nb.views import case_tables, eval_grids, eval_markdown, eval_text, panels, standings
from skills2_nb.views.comparing import against
from skills2_nb.views.evaluation import rows
from skills2_nb.views.lines import joined
from skills2_nb.views.markup import Html, tag
from skills2_nb.views.render import Bundle

Told = Mapping[str, Any]


def failures(told: Told, journals: str) -> Bundle:
    """Each case that does not hold: calls, findings, mends, journal.

    Args:
        told: the evaluation, one skill of results.json.
        journals: the folder of the journals.
    """
    wrong = [row for row in rows(told) if not row.ok]
    if not wrong:
        return _said("Every case holds.")
    lines = [
        line
        for row in wrong
        for line in (f"✗ {row.name}", *(f"  {t}" for t in eval_grids.faults(told, row, journals)))
    ]
    return _bundle(
        panels.failures(told, journals),
        "\n\n".join(eval_markdown.failures(told, journals)),
        joined(lines),
    )


def against_baseline(told: Told, baseline: Told | None) -> Bundle:
    """The change since a baseline; a sentence where there is none."""
    if baseline is None:
        return _said("There is no baseline: no earlier evaluation of this skill was accepted.")
    done = against(told, baseline)
    if done is None:
        return _said(f"The baseline knows nothing of {told['skill']}.")
    grid = eval_grids.compared(done)
    return _bundle(
        [tag("p", done.said), *case_tables.compared(done)],
        f"{done.said}\n\n{eval_markdown.table(grid)}",
        joined([done.said, eval_text.table(grid)]),
    )


def versions(told: Told) -> Bundle:
    """What the contract is worth beside prose and stubs; a sentence where it was not tried."""
    made, why = told["rows"], told.get("unmade")
    if why or not made:
        return _said(why or "The cases were tried on one version alone.")
    table = standings.rows_table(made, "Versions")
    return _bundle(
        [table, tag("p", standings.formula(made), cls="mute")],
        standings.markdown(made),
        standings.text(made),
    )


def _said(sentence: str) -> Bundle:
    return _bundle([tag("p", sentence)], f"{sentence}\n", sentence)


def _bundle(html: Sequence[Html], markdown: str, text: str) -> Bundle:
    made = {"text/plain": text, "text/markdown": markdown, "text/html": str(panels.panel(*html))}
    return Bundle(made)
