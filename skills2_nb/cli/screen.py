"""What goes to the terminal, and what is asked there."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

NARROWEST, WIDEST = 40, 120
_PLAIN = 80


def put(text: str) -> None:
    """Print text that may be coloured; a pipe gets it plain."""
    click.echo(text.removesuffix("\n"), color=has_color())


def put_json(value: Any) -> None:
    """Print a plain value as JSON, keys in their given order."""
    utf8 = "utf" in (getattr(sys.stdout, "encoding", None) or "").lower()
    click.echo(json.dumps(value, indent=2, ensure_ascii=not utf8, allow_nan=False))


def place(path: Path) -> str:
    """A path as a reader here would type it; on one line, whatever is in its name."""
    from skills2_nb.formats.paths import shown

    return shown(_from_here(path))


def typed(path: Path) -> str:
    """A path within a command, quoted where a shell needs it."""
    return shlex.quote(place(path))


def _from_here(path: Path) -> str:
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def has_color() -> bool:
    """Whether stdout shows colours and the user has not said ``NO_COLOR``."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def width() -> int:
    """Columns to wrap at: the terminal's within bounds, 80 in a pipe."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return _PLAIN
    return min(max(shutil.get_terminal_size((_PLAIN, 24)).columns, NARROWEST), WIDEST)


def confirmed(question: str, *, yes: bool, otherwise: str = "nothing was removed.") -> None:
    """Go on only if the user says so, by ``--yes`` or at the terminal.

    Args:
        otherwise: what is said after a no.

    Raises:
        UsageError: there is no terminal to ask at.
        RefusedError: the user said no.
    """
    from skills2_nb.errors import RefusedError, UsageError

    if yes:
        return
    if not _can_ask():
        raise UsageError(f"there is no terminal to ask at ({question}); say --yes to go on")
    if not click.confirm(question, err=True):
        raise RefusedError(otherwise)


@contextlib.contextmanager
def _low_aside() -> Iterator[None]:
    """The same for what does not ask Python: a library in C, a process that a step starts."""
    if not _is_own_stdout():
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _is_own_stdout() -> bool:
    """Whether stdout and stderr are the process's own, and nobody has put others in their place."""
    try:
        return (sys.stdout.fileno(), sys.stderr.fileno()) == (1, 2)
    except (OSError, ValueError, AttributeError):
        return False


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """While it is open, a skill's own code is at work.

    What it prints goes to stderr, for stdout is for results; and it may not end the program, least
    of all with exit code 0.

    Raises:
        RefusedError: the code called ``sys.exit`` or ``exit``.
    """
    from skills2_nb.errors import RefusedError

    try:
        with _low_aside(), contextlib.redirect_stdout(sys.stderr):
            yield
    except SystemExit as error:
        raise RefusedError(
            f"the skill's code called exit({error.code!r}) and so stopped the run; a step returns "
            "its result or raises an error"
        ) from error


def close_stdout() -> None:
    """Everything is said: what the code of a skill prints as the process ends goes to stderr."""
    sys.stdout.flush()
    if _is_own_stdout():
        os.dup2(2, 1)


def _can_ask() -> bool:
    return sys.stdin.isatty()


def progress(label: str) -> None:
    """Say on stderr what is going on, if somebody watches."""
    if sys.stderr.isatty():
        click.echo(click.style(f"  {label} …", dim=True), err=True)
