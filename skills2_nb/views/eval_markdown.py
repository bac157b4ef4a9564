"""An evaluation as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skills2_nb.views import eval_grids as grids
from skills2_nb.views import evaluation as said
from skills2_nb.views import standings
from skills2_nb.views.comparing import against
from skills2_nb.views.eval_grids import Grid
from skills2_nb.views.evaluation import Evaluation
from skills2_nb.views.markdown import grid, plain


def report(
    results: Mapping[str, Any], baseline: Mapping[str, Any] | None = None, journals: str = ""
) -> str:
    """Every skill: verdict, axes, cases, what is wrong, the baseline, the versions.

    Args:
        results: a results.json, or one skill of it.
        baseline: another one, to compare with.
        journals: the folder of the journals as the reader knows it.

    Returns:
        Markdown with pipe tables that ends with a line end. No HTML is in it, and none gets in.
    """
    evaluations = said.skills(results)
    parts = [headline(results)] if "skills" in results else []
    parts += [table(grids.overview(evaluations))] if len(evaluations) > 1 else []
    for each in evaluations:
        parts += skill(each, baseline, journals)
    rows = [row for each in evaluations for row in each["rows"]]
    parts += ["### Versions", standings.markdown(rows).strip()] if rows else []
    return "\n\n".join(part for part in parts if part) + "\n"


def headline(results: Mapping[str, Any]) -> str:
    """The verdict of a whole suite as a heading."""
    return f"## Evaluation: {grids.verdict(results['verdict'])}"


def skill(
    evaluation: Evaluation, baseline: Mapping[str, Any] | None = None, journals: str = ""
) -> list[str]:
    """The parts of one skill, its verdict first."""
    listed = said.rows(evaluation)
    done = against(evaluation, baseline)
    compared = [plain(done.said), table(grids.compared(done))] if done else []
    return [
        gauge(evaluation),
        table(grids.axes(evaluation)),
        table(grids.cases(evaluation, listed)),
        *failures(evaluation, journals),
        *compared,
    ]


def gauge(evaluation: Evaluation) -> str:
    """Verdict, score and reasons in a few lines."""
    score = said.figure(evaluation["axes"]["score"])
    word = grids.verdict(evaluation["verdict"])
    head = f"### {plain(evaluation['skill'])}: {word} {score}"
    more = (said.idle(evaluation), said.left_out(evaluation))
    told = [plain(text) for text in (*evaluation["why"], *more) if text]
    told += [plain(f"No versions: {evaluation['unmade']}")] if evaluation.get("unmade") else []
    return "\n\n".join([head, plain(said.summary(evaluation)), *told])


def failures(evaluation: Evaluation, journals: str = "") -> list[str]:
    """Each case that does not hold, with what was found, its mend and its journal."""
    return [
        f"**✗ {plain(row.name)}**\n\n"
        + "\n".join(f"- {plain(text)}" for text in grids.faults(evaluation, row, journals))
        for row in said.rows(evaluation)
        if not row.ok
    ]


def table(made: Grid) -> str:
    """A grid as a pipe table; notes stand in the last cell of their row."""
    noted = any(line.notes for line in made.lines)
    lines: list[Sequence[str]] = []
    for line in made.lines:
        cells = [plain(cell) for cell in line.cells]
        lines.append([*cells, *([plain("; ".join(line.notes))] if noted else [])])
    heads = [*made.heads, *(["what is wrong"] if noted else [])]
    body = grid(heads, lines) if lines else "none"
    return f"**{plain(made.caption)}**\n\n{body}"
