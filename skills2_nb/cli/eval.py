"""``eval``: whether skills work, by their cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import has_color, place, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.library.discovery import Target


@verb("eval")
@click.argument("skills", nargs=-1, required=True, metavar="SKILL...")
@click.option(
    "--runner",
    type=click.Choice(["null", "chain", "replay"]),
    help="Who plays the model: nobody, the steps in order (as the notebook says), or the runs of "
    "an earlier eval.",
)
@click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case; repeatable.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only run cases of this tag.")
@click.option("--split", "splits", multiple=True, metavar="SPLIT", help="Only this split.")
@click.option("--profile", type=click.Choice(["strict", "classic"]), help="Who judges.")
@click.option("--threshold", type=float, metavar="SCORE", help="The score that a pass needs.")
@click.option("--trials", type=click.IntRange(min=1), metavar="N", help="Tries of a run case.")
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, exists=True),
    metavar="FILE",
    help="Compare with it; left out: the skill's own evals/baseline.json.",
)
@click.option(
    "--from",
    "recorded",
    type=click.Path(file_okay=False, exists=True),
    metavar="DIR",
    help="The earlier eval that replay judges; left out: the one in --out.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="eval-results",
    show_default=True,
    metavar="DIR",
    help="Where notebooks, runs and reports go.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the JUnit report there too.",
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Skills at a time.")
@click.option(
    "--timeout", type=click.IntRange(min=1), metavar="S", help="Seconds that a cell may take."
)
@click.option(
    "-p",
    "--parameter",
    "words",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the notebook; repeatable.",
)
@click.option(
    "--notebook",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Another eval notebook than notebooks/evals/skill.ipynb.",
)
def evaluate(skills: tuple[str, ...], words: tuple[str, ...], as_json: bool, **asked: Any) -> None:
    """Play every case of each SKILL and judge what comes of it.

    papermill executes notebooks/evals/skill.ipynb for each skill, in a
    process of its own. A skill is green only if no cell raised, every code
    cell was run, and the audit that the notebook shows says pass. The folder
    of --out gets results.json, report.html, junit.xml, and for each skill
    the executed notebook and its runs.

    Exit code: 0 every skill passes, 1 a check said no, 2 wrong use or a
    skill that cannot be read, 3 nothing proven (no run case, a kernel that
    died), 4 the environment. Of several the worst: 4, 2, 1, 3, 0.
    """
    from skills2_nb.cli.eval_parts import Plan, reports, run
    from skills2_nb.evals.suite import check_installed

    check_installed()
    plan = Plan.made(_targets(skills), words, **asked)
    results, code = run(plan)
    written = reports(plan, results)
    if as_json:
        put_json(results)
    else:
        from skills2_nb.views import eval_text

        told = eval_text.report(
            results, plan.compared(), place(plan.out), width=width(), color=has_color()
        )
        put(told)
        put(f"Report: {place(written)}")
    click.get_current_context().exit(code)


def _targets(words: tuple[str, ...]) -> dict[str, tuple[str, Target]]:
    """Each skill once, by the name of its folder in the results.

    Raises:
        UsageError: there is no such skill, or two have one name.
    """
    from skills2_nb.errors import UsageError
    from skills2_nb.library.discovery import find

    found: dict[str, tuple[str, Target]] = {}
    for word in words:
        target = find(word)
        known = found.setdefault(target.name, (word, target))
        if known[1].path != target.path:
            raise UsageError(
                f"{place(known[1].path)} and {place(target.path)} are both called {target.name}; "
                "evaluate them one after the other, each with an --out of its own"
            )
    return found
