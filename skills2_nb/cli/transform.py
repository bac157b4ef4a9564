"""``transform``: a plain skill as a notebook of stubs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import REFUSED
from skills2_nb.cli.screen import has_color, place, put, put_json, typed, width

if TYPE_CHECKING:
    from skills2_nb.convert.transform import Transformed
    from skills2_nb.formats.problem import Problem

#: What lint says of every stub; here each step is one, and the first line says so.
_KNOWN = "S520"


@verb("transform")
@click.argument("skill", type=click.Path(path_type=Path), metavar="SKILL_DIR")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Write DIR/<name>.ipynb and DIR/<name>/; left out: here.",
)
@click.option("--force", is_flag=True, help="Overwrite an edited notebook; it is kept as .bak.")
def transform(skill: Path, out: Path, force: bool, as_json: bool) -> None:
    """Make a notebook, with a stub for each step, of the plain skill in SKILL_DIR.

    The steps are read from the prose: numbered headings, a numbered list, a
    checklist, else one a section. Each becomes a step that can be called and
    does nothing yet; anchors, triggers and three cases come from the prose
    too, which stays as it is, byte for byte. The package is exported at once.
    Exit code 1 if an error of the skill keeps it from being exported.
    """
    from skills2_nb.convert.transform import transform as transformed

    done = transformed(skill, out, force=force)
    if as_json:
        put_json(_facts(done))
    else:
        put("\n".join(_told(done)))
    click.get_current_context().exit(0 if done.package else REFUSED)


def _told(done: Transformed) -> Iterator[str]:
    from skills2_nb.views.exporting import problems
    from skills2_nb.views.lines import clean, counted

    flow, signs = done.sketch.flow, done.sketch.signs
    steps = list(zip(done.sketch.ids, flow.steps, strict=True))
    name, source = clean(done.sketch.name), clean(flow.source)
    yield f"{name}: {counted(len(steps), 'step')}, read from {source}"
    wide = max(len(step_id) for step_id in done.sketch.ids)
    for step_id, step in steps:
        row = f"  line {step.line:>4}  {step_id:<{wide}}  {clean(step.title)}"
        yield row if len(row) <= width() else f"{row[: width() - 1]}…"
    yield (
        f"Beside them: {counted(len(signs.anchors), 'anchor')}, "
        f"{counted(len(signs.phrases), 'trigger phrase')}, {counted(len(signs.prompts), 'case')}."
    )
    found = _findings(done)
    if found:
        yield problems(found, width=width(), color=has_color()).rstrip()
    if done.backup:
        yield f"Kept the notebook that was there as {place(done.backup.resolve())}."
    yield _wrote(done)
    yield "Next:"
    yield from (f"  {line}" for line in _next(done))


def _wrote(done: Transformed) -> str:
    notebook = place(done.notebook.resolve())
    if done.package is None:
        return f"Wrote {notebook}, and no package: an error stands in the way."
    folder = place(done.package.folder.resolve())
    return f"Wrote {notebook} and {folder}/. Every step is a stub until its body is written."


def _next(done: Transformed) -> list[str]:
    shown = typed(done.notebook.resolve())
    if done.package is None:
        return [f"skills2 lint {shown}"]
    return [f"jupyter lab {shown}", f"skills2 run {shown}", f"skills2 export {shown}"]


def _findings(done: Transformed) -> list[Problem]:
    """What transform found, then what lint says but for the stubs."""
    return [*done.problems, *(p for p in done.plan.problems if p.code != _KNOWN)]


def _facts(done: Transformed) -> dict[str, Any]:
    flow, signs = done.sketch.flow, done.sketch.signs
    return {
        "skill": done.sketch.name,
        "source": str(done.source),
        "notebook": str(done.notebook),
        "backup": str(done.backup) if done.backup else None,
        "package": str(done.package.folder) if done.package else None,
        "flow": {"found": flow.ordered, "source": flow.source, "line": flow.line},
        "steps": [
            {"id": step_id, "title": step.title, "line": step.line}
            for step_id, step in zip(done.sketch.ids, flow.steps, strict=True)
        ],
        "anchors": list(signs.anchors),
        "triggers": {
            "phrases": list(signs.phrases),
            "keywords": list(signs.keywords),
            "not": list(signs.against),
        },
        "cases": list(signs.prompts),
        "files": list(done.files),
        "findings": [problem.to_dict() for problem in _findings(done)],
        "next": _next(done),
    }
