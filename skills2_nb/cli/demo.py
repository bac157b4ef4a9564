"""``demo``: growth accounting on real purchases."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import aside, progress

if TYPE_CHECKING:
    from skills2_nb.library.discovery import Target

PERIOD = "1997-03"


@verb("demo")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Copy notebook and data there, and export there; left out outside a clone: a new "
    "temporary folder.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write the page; left out: beside the run, in $SKILLS2_HOME/pages.",
)
def demo(out: Path | None, html: Path | None, as_json: bool) -> None:
    """Export growth accounting, run it on CDNOW's purchases of March 1997, and audit the run.

    In a clone of the repository notebooks/growth-accounting.ipynb is
    exported to its skills/. Elsewhere, or with -o, the notebook and the
    data that come with the kit are copied into a folder first, which is
    named and stays, so that you can go on from there.

    Exit code by the strict verdict (or that of [audit] profile): 0 pass,
    1 fail or tampered, 3 unproven.
    """
    from skills2_nb.cli.cases import with_input
    from skills2_nb.cli.outcome import exit_code, put_proof, write_page
    from skills2_nb.evals.proof import prove

    target, said = _target(out)
    case = with_input(target, "period", PERIOD)
    with aside():
        proof = prove(
            target, case.inputs, prompt=case.prompt, vouched=case.vouched, on_step=progress
        )
    if as_json:
        click.echo(said, err=True)
    said = f"{said}\n{case.said}".strip()
    page = write_page(proof, html)
    put_proof(proof, page, as_json=as_json, said=said, answer=proof.answer)
    click.get_current_context().exit(exit_code(proof))


def _target(out: Path | None) -> tuple[Target, str]:
    """The skill, exported from the clone's notebook or from a copy of the kit's own."""
    from skills2_nb.cli.screen import place
    from skills2_nb.cli.specimen import copied, of_clone
    from skills2_nb.convert.exporter import export
    from skills2_nb.library.discovery import find

    notebook = of_clone() if out is None else None
    if notebook is None:
        notebook = copied(out or Path(tempfile.mkdtemp(prefix="skills2-demo-")))
    progress("export")
    done = export(notebook)
    return find(str(done.folder)), f"{place(notebook)} exported to {place(done.folder)}."
