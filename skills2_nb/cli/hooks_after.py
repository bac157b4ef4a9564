"""``hooks after`` and ``hooks verdict``: nobody types them."""

from __future__ import annotations

from pathlib import Path

import click

from skills2_nb.cli.command import SETTINGS, debug_option
from skills2_nb.cli.screen import aside, close_stdout

_JOB = click.argument("job", type=click.Path(path_type=Path))


@click.command("after", hidden=True, context_settings=SETTINGS)
@click.option("--again", "by_hand", is_flag=True, help="Try a job that stayed once more.")
@_JOB
def after(job: Path, by_hand: bool) -> None:
    """Close, judge and tell of the runs of the answer that JOB tells of.

    Started detached when Claude Code has stopped. What goes wrong is told in
    hooks.log, and the job stays. With --again a job that was begun as often
    as it may be is taken up too, and one that stays is an error.
    """
    from skills2_nb.evals.worker import again, work

    with aside():
        (again if by_hand else work)(job)


@click.command("verdict", hidden=True, context_settings=SETTINGS)
@_JOB
def verdict(job: Path) -> None:
    """Print why the answer that JOB tells of is sent back, or nothing.

    By the journal alone; nothing is written. What code prints that is imported
    for it goes to stderr: the hook takes all of stdout for the reason.
    """
    from skills2_nb.evals.block import reason
    from skills2_nb.evals.stop_event import read_event

    with aside():
        said = reason(read_event(job))
    if said:
        click.echo(said)
    close_stdout()


for _command in (after, verdict):
    _command.params.append(debug_option())
