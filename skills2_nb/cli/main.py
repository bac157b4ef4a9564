"""The command line's front door."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from skills2_nb.cli.command import SETTINGS, LazyGroup


class Front(LazyGroup):
    """The outermost group: whatever goes wrong below it ends as a sentence and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and leave with its exit code."""
        from skills2_nb.cli.guard import guarded

        words = list(sys.argv[1:] if args is None else args)
        called = prog_name or _called()
        if os.environ.get("NO_COLOR"):
            extra.setdefault("color", False)

        def work() -> Any:
            return super(Front, self).main(words, called, complete_var, False, **extra)

        code = guarded(work, debug="--debug" in words)
        if standalone_mode:
            sys.exit(code)
        return code

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that went away is not click's to judge."""
        from skills2_nb.cli.guard import PipeClosed

        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise PipeClosed from error


def _called() -> str:
    """``jupyter skills2`` is how the script ``jupyter-skills2`` is called."""
    script = sys.argv[0].replace("\\", "/").rpartition("/")[2]
    return "jupyter skills2" if script.startswith("jupyter-skills2") else "skills2"


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    click.echo(f"skills2 {version('skills2-nb')}")
    ctx.exit()


@click.group("skills2", cls=Front, context_settings=SETTINGS)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version.",
)
def main() -> None:
    """Skills written as notebooks, exported as contracts, run and audited.

    A SKILL is a package folder, a notebook, or a name sought in ./skills,
    ./.claude/skills and ~/.claude/skills. `skills2 COMMAND --help` says more.
    """


if __name__ == "__main__":
    main()
