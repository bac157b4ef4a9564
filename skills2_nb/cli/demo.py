"""``demo``: growth accounting on real purchases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import aside, progress

if TYPE_CHECKING:
    from skills2_nb.library.discovery import Target

SKILL = "growth-accounting"
PERIOD = "1997-03"


@verb("demo")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write the page; left out: beside the run, in $SKILLS2_HOME/pages.",
)
def demo(html: Path | None, as_json: bool) -> None:
    """Export growth accounting, run it on CDNOW's purchases of March 1997, and audit the run.

    Inside this project's repository notebooks/growth-accounting.ipynb is
    exported first; elsewhere the demo needs a skill named
    growth-accounting that is found from here.

    Exit code by the classic verdict: 0 pass, 1 fail or tampered, 3 unproven.
    """
    from skills2_nb.cli.cases import with_input
    from skills2_nb.cli.outcome import exit_code, put_proof, write_page
    from skills2_nb.evals.proof import prove

    target, said = _target()
    case = with_input(target, "period", PERIOD)
    with aside():
        proof = prove(
            target, case.inputs, prompt=case.prompt, vouched=case.vouched, on_step=progress
        )
    said = f"{said}\n{case.said}".strip()
    page = write_page(proof, html)
    put_proof(proof, page, as_json=as_json, said=said, answer=proof.answer)
    click.get_current_context().exit(exit_code(proof))


def _target() -> tuple[Target, str]:
    """The skill: exported from the notebook in the repository, else one that is found."""
    from skills2_nb.cli.sheet import place
    from skills2_nb.convert.exporter import export
    from skills2_nb.errors import UsageError
    from skills2_nb.library.discovery import find

    notebook = _notebook()
    if notebook is not None:
        progress("export")
        done = export(notebook)
        return find(str(done.folder)), f"{place(notebook)} exported to {place(done.folder)}."
    try:
        return find(SKILL), ""
    except UsageError:
        raise UsageError(
            "the demo needs notebooks/growth-accounting.ipynb, so call it in a clone of the "
            "skills2-nb repository, or export that notebook first; to start a skill of your own: "
            "skills2 new weekly-numbers"
        ) from None


def _notebook() -> Path | None:
    """The notebook of the repository that the working folder lies in."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        path = folder / "notebooks" / f"{SKILL}.ipynb"
        if path.is_file():
            return path
    return None
