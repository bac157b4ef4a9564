"""Commands and groups as this kit shows them."""

from __future__ import annotations

import difflib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

import click

from skills2_nb.cli.verbs import HEADINGS, VERBS, Verb, below

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 80}
_DEBUG_HELP = "On an error, show Python's traceback too."


def debug_option() -> click.Option:
    """``--debug``; it is read from the command line itself, see ``guard.py``."""
    return click.Option(["--debug"], is_flag=True, expose_value=False, help=_DEBUG_HELP)


class Command(click.Command):
    """A command whose help ends with an example."""

    verb: Verb

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example under its own heading, never broken in two."""
        _write_example(formatter, self.verb)


class LazyGroup(click.Group):
    """A group that knows its commands by a table and loads each when it is called.

    ``unlisted`` has, as ``file:attribute`` by word, commands that the kit calls and help leaves
    out.
    """

    def __init__(
        self,
        *args: Any,
        verb: Verb | None = None,
        unlisted: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.verb = verb
        self.table = below(verb.name if verb else "")
        self.unlisted = unlisted or {}
        self.params.append(debug_option())

    def list_commands(self, ctx: click.Context | None) -> list[str]:
        """The words, in the order of help."""
        return list(self.table)

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Import the command's file and hand the command over."""
        verb = self.table.get(cmd_name)
        where = verb.where if verb else self.unlisted.get(cmd_name)
        if where is None:
            return None
        file, _, name = where.partition(":")
        command: click.Command = getattr(import_module(f"skills2_nb.cli.{file}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a word for a word mistyped."""
        known = {*self.table, *self.unlisted}
        if args and args[0] not in known and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], self.table, n=1)
            said = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(self.table)}."
            raise click.UsageError(f"there is no command {args[0]!r}; {said}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, each with its example."""
        if self.verb is not None:
            _write_verbs(formatter, "Commands", self.table.items())
            return
        for heading in HEADINGS:
            rows = [(word, verb) for word, verb in self.table.items() if verb.heading == heading]
            _write_verbs(formatter, heading, rows)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands first: they are what is sought."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


def verb(name: str) -> Callable[[Callable[..., Any]], Command]:
    """Make a function the command of that name in the table; it gains ``--json`` and ``--debug``.

    Its docstring is the help text. Above it stand click's own decorators for its parameters.
    """
    row = VERBS[name]

    def made(fn: Callable[..., Any]) -> Command:
        command = click.command(
            name.rpartition(" ")[2],
            cls=Command,
            help=inspect.cleandoc(fn.__doc__ or row.says),
            short_help=row.says,
            context_settings=SETTINGS,
        )(fn)
        command.verb = row
        command.params += [
            click.Option(["--json", "as_json"], is_flag=True, help="Print JSON instead of text."),
            debug_option(),
        ]
        return command

    return made


def _write_verbs(
    formatter: click.HelpFormatter, heading: str, rows: Iterable[tuple[str, Verb]]
) -> None:
    with formatter.section(click.style(heading, bold=True)):
        for word, row in rows:
            first = f"{'':{formatter.current_indent}}{word:<11}"
            said = textwrap.fill(
                row.says, formatter.width, initial_indent=first, subsequent_indent=" " * 13
            )
            formatter.write(f"{said}\n")
            formatter.write(click.style(f"{'':13}{row.example}\n", dim=True))


def _write_example(formatter: click.HelpFormatter, row: Verb) -> None:
    with formatter.section(click.style("Example", bold=True)):
        formatter.write(f"{'':{formatter.current_indent}}{row.example}\n")
