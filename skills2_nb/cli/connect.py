"""``connect``: the one server an agent is configured with."""

from __future__ import annotations

from pathlib import Path

import click

from skills2_nb.cli.command import verb


@verb("connect")
@click.argument("roots", metavar="[ROOT]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--lazy", is_flag=True, help="List a few tools that reach every step.")
@click.option("--allow-scripts", is_flag=True, help="Let agents run files of scripts/.")
def connect(roots: tuple[Path, ...], lazy: bool, allow_scripts: bool, as_json: bool) -> None:
    """Serve the client that started it: live kernels first, packages otherwise.

    A skill that a running kernel serves (%skills2 serve in its notebook) is
    called there; any other, and one whose kernel does not answer, in a process
    of its exported package below each ROOT; left out, ./skills,
    ./.claude/skills and ~/.claude/skills.
    """
    from skills2_nb.cli.serve import over_pipes, sought

    over_pipes(sought(roots), lazy=lazy, scripts=allow_scripts, live=True)
