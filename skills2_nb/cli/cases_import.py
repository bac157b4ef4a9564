"""``skills2 cases``: cases of others, made ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import SETTINGS, LazyGroup, verb
from skills2_nb.cli.screen import place, put, put_json, width
from skills2_nb.cli.verbs import VERBS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skills2_nb.evals.creator import Creator

#: Endings of what may be written.
_LINES = ".jsonl"

cases = LazyGroup(
    "cases",
    verb=VERBS["cases"],
    short_help=VERBS["cases"].says,
    context_settings=SETTINGS,
    help=(
        "Bring the eval cases of others into a skill.\n\n"
        "A case is a prompt and what must come of it; skills2 eval plays it."
    ),
)


@verb("cases import")
@click.argument("evals", metavar="EVALS.json", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the cases as JSON Lines; left out: print the text of a cases cell.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def importing(evals: Path, out: Path | None, force: bool, as_json: bool) -> None:
    """Make run cases of the evals.json of skill-creator.

    Each prompt becomes a case with its files, held to the audit. What a
    model was to grade (expectations, expected_output) becomes no check: it is
    listed, with what to do about it. Paste the cases into a cell with the tag
    `cases`, and add the inputs that each prompt stands for.
    """
    from skills2_nb.errors import RefusedError, UnreadableError
    from skills2_nb.evals import creator
    from skills2_nb.formats.cases import dump
    from skills2_nb.formats.files import read_bytes, write_atomic

    path = evals / "evals" / "evals.json" if evals.is_dir() else evals
    try:
        found = creator.read(read_bytes(path).decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path} is not UTF-8 (byte offset {error.start}).") from None
    if out is not None:
        if out.exists() and not force:
            raise RefusedError(f"{out} is there already; name another file, or say --force")
        write_atomic(out, dump(found.cases).encode())
    if as_json:
        put_json({**found.to_dict(), "written": None if out is None else str(out)})
        return
    if out is None:
        put(_cell(found))
    else:
        put(f"Wrote {place(out.resolve())}: {len(found.cases)} cases.")
    _tell(found)


def _cell(found: Creator) -> str:
    """The source of a cell with the tag ``cases``."""
    from skills2_nb.convert.case_text import call_text

    return "\n".join(filter(None, (call_text(case, []) for case in found.cases)))


def _tell(found: Creator) -> None:
    """Say on stderr what was left, so that stdout is the cell alone."""
    for line in _left(found):
        click.echo(line, err=True)


def _left(found: Creator) -> Iterator[str]:
    from skills2_nb.views.lines import wrap

    if not found.left:
        yield "Everything came along."
        return
    yield f"Not carried over ({len(found.left)}):"
    for item in found.left:
        yield from wrap(f"{item.case}, {item.what}: {item.text}", width(), "  ", 2)
    yield "What to do:"
    for mend, keys in _mends(found).items():
        yield from wrap(f"{', '.join(keys)}: {mend}.", width(), "  ", 2)


def _mends(found: Creator) -> dict[str, list[str]]:
    """Each mend once, with the keys it speaks of."""
    made: dict[str, list[str]] = {}
    for item in found.left:
        keys = made.setdefault(item.mend, [])
        if item.what not in keys:
            keys.append(item.what)
    return made
