"""``demo``: growth accounting on real purchases, or a table."""

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
    help="Where to write the page; left out: a run's in $SKILLS2_HOME/pages, a table's nowhere.",
)
@click.option(
    "--table", is_flag=True, help="Five skills as prose, as stubs, as contracts: 15 rows."
)
@click.option("--rows", is_flag=True, help="The same by single cases: 48 rows.")
@click.option("--symptoms", is_flag=True, help="Seven failures, and who sees them.")
@click.option("--markdown", is_flag=True, help="Print a table as Markdown.")
@click.option(
    "--into",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Put a table into a Markdown file too, between <!-- table: NAME --> and <!-- end -->.",
)
def demo(
    out: Path | None,
    html: Path | None,
    table: bool,
    rows: bool,
    symptoms: bool,
    markdown: bool,
    into: Path | None,
    as_json: bool,
) -> None:
    """Export growth accounting, run it on CDNOW's purchases of March 1997, and audit the run.

    In a clone of the repository notebooks/growth-accounting.ipynb is
    exported to its skills/. Elsewhere, or with -o, the notebook and the
    data that come with the kit are copied into a folder first, which is
    named and stays, so that you can go on from there.

    --table, --rows and --symptoms show what a contract is worth in place of
    one run: every case is run and judged, which takes a minute or two, and
    leaves no run behind. `demo --table --rows` is `demo --rows`.

    Exit code by the strict verdict (or that of [audit] profile): 0 pass,
    1 fail or tampered, 3 unproven; of a table 0.
    """
    from skills2_nb.cli.demo_table import Asked, chosen, show

    kind = chosen({"table": table, "rows": rows, "symptoms": symptoms})
    if kind is not None:
        show(Asked(kind, out, html, into, markdown, as_json))
        return
    if markdown or into is not None:
        raise click.UsageError("--markdown and --into go with --table, --rows or --symptoms")
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
