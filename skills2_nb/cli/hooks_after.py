"""``hooks after`` and ``hooks verdict``: nobody types them."""

from __future__ import annotations

from pathlib import Path

import click

from skills2_nb.cli.command import SETTINGS, debug_option

_JOB = click.argument("job", type=click.Path(path_type=Path))


@click.command("after", hidden=True, context_settings=SETTINGS)
@_JOB
def after(job: Path) -> None:
    """Close, judge and tell of the runs of the answer that JOB tells of.

    Started detached when Claude Code has stopped. What goes wrong is told in
    hooks.log, and the job stays.
    """
    from skills2_nb.evals.worker import work

    work(job)


@click.command("verdict", hidden=True, context_settings=SETTINGS)
@_JOB
def verdict(job: Path) -> None:
    """Print why the answer that JOB tells of is sent back, or nothing.

    By the journal alone; nothing is written.
    """
    from skills2_nb.evals.block import reason
    from skills2_nb.evals.stop_event import read_event

    said = reason(read_event(job))
    if said:
        click.echo(said)


for _command in (after, verdict):
    _command.params.append(debug_option())
