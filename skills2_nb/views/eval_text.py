"""An evaluation in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skills2_nb.views import eval_grids as grids
from skills2_nb.views import evaluation as said
from skills2_nb.views import standings
from skills2_nb.views.comparing import against
from skills2_nb.views.eval_grids import Grid
from skills2_nb.views.evaluation import Evaluation
from skills2_nb.views.lines import BOLD, RED, WIDTH, joined, paint, word, wrap
from skills2_nb.views.values import clean, one_line

#: Columns of the widest name that is not cut.
_NAME = 40


def report(
    results: Mapping[str, Any],
    baseline: Mapping[str, Any] | None = None,
    journals: str = "",
    *,
    width: int = WIDTH,
    color: bool = False,
) -> str:
    """Every skill: verdict, axes, cases, what is wrong, the baseline; then the versions.

    Args:
        results: a results.json, or one skill of it.
        baseline: another one, to compare with.
        journals: the folder of the journals as the reader knows it.
        width: columns to wrap sentences at, 40 or more; tables are as wide as they are.
        color: whether to colour; callers honour ``NO_COLOR`` and pipes.

    Returns:
        Text that ends with a line end.
    """
    evaluations = said.skills(results)
    parts = [skill(each, baseline, journals, width=width, color=color) for each in evaluations]
    rows = [row for each in evaluations for row in each["rows"]]
    if rows:
        parts.append(standings.text(rows, width=width, color=color).lstrip("\n"))
    if len(evaluations) != 1:
        whole = word(str(results["verdict"]).upper(), color)
        parts += [table(grids.overview(evaluations), width, color), f"{whole}\n"]
    return "\n".join(parts)


def skill(
    evaluation: Evaluation,
    baseline: Mapping[str, Any] | None = None,
    journals: str = "",
    *,
    width: int = WIDTH,
    color: bool = False,
) -> str:
    """One skill, its verdict first and each case that does not hold at the end."""
    done = against(evaluation, baseline)
    parts = [
        gauge(evaluation, width=width, color=color),
        table(grids.axes(evaluation), width, color),
        table(grids.cases(evaluation, said.rows(evaluation)), width, color),
    ]
    parts += [
        joined(
            [paint(f"✗ {clean(row.name)}", RED, color), *_told(evaluation, row, journals, width)]
        )
        for row in said.rows(evaluation)
        if not row.ok
    ]
    if done is not None:
        said_so = joined(wrap(done.said, width, ""))
        parts += [said_so, table(grids.compared(done), width, color)]
    return "\n".join(parts)


def gauge(evaluation: Evaluation, *, width: int = WIDTH, color: bool = False) -> str:
    """Verdict, score and reasons in a few lines."""
    verdict = word(str(evaluation["verdict"]).upper(), color)
    score = said.figure(evaluation["axes"]["score"])
    lines = [f"{verdict} {score}  {paint(clean(str(evaluation['skill'])), BOLD, color)}"]
    told = [said.summary(evaluation), *evaluation["why"], said.idle(evaluation)]
    told.append(said.left_out(evaluation))
    told += [f"No versions: {evaluation['unmade']}"] if evaluation.get("unmade") else []
    for text in filter(None, told):
        lines += wrap(text, width, "  ", 2)
    return joined(lines)


def table(made: Grid, width: int = WIDTH, color: bool = False) -> str:
    """A grid in columns; notes stand below their row."""
    rows = [made.heads, *(line.cells for line in made.lines)]
    cells = [[one_line(cell, _NAME) for cell in row] for row in rows]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [paint(text, BOLD, color) for text in wrap(made.caption, width, "")]
    for at, row in enumerate(cells):
        line = "  ".join(f"{cell:<{size}}" for cell, size in zip(row, wide, strict=True))
        lines.append(f"  {line}")
        for note in made.lines[at - 1].notes if at else ():
            lines += wrap(note, width, "      ", 2)
    return joined(lines if made.lines else [*lines[:-1], "  none"])


def _told(evaluation: Evaluation, row: said.Row, journals: str, width: int) -> list[str]:
    return [
        line
        for text in grids.faults(evaluation, row, journals)
        for line in wrap(text, width, "  ", 2)
    ]
