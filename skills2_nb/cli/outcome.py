"""What is shown of a proof, and the exit code it gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.guard import GOOD, REFUSED, UNPROVEN
from skills2_nb.cli.screen import has_color, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.evals.proof import Proof

_CODES = {"pass": GOOD, "unproven": UNPROVEN}


def exit_code(proof: Proof) -> int:
    """By the verdict of the profile that the skill is judged by, ``strict`` unless it says."""
    return _CODES.get(proof.audit.verdict, REFUSED)


def put_proof(
    proof: Proof,
    page: Path | None,
    *,
    as_json: bool,
    said: str = "",
    answer: str | None = None,
) -> None:
    """Print the proof: the fixed JSON, or steps, profiles and findings.

    Args:
        page: where its page was written.
        said: what the command chose by itself, sentences.
        answer: what the run answered, where the reader has not seen it yet.
    """
    from skills2_nb.views.terminal import report

    if as_json:
        put_json(proof.to_dict())
        return
    parts = [*_wrapped(said)] if said else []
    if answer is not None:
        parts += ["", click.style("Answer", bold=True), *_wrapped(answer)]
    parts += ["", report(proof.audit, proof.skill, proof.state, width=width(), color=has_color())]
    if page is not None:
        parts += [f"Page: {page}"]
    put("\n".join(parts).lstrip("\n"))


def write_page(proof: Proof, place: Path | None = None) -> Path:
    """Write the run's page; left out, ``$SKILLS2_HOME/pages/<run>.html``.

    The page is made of the journal, so that it holds no value that the journal withholds.
    """
    from skills2_nb.contract.home import folder
    from skills2_nb.formats.files import cannot_write, write_atomic
    from skills2_nb.library import runs
    from skills2_nb.views.page import page

    try:
        path = place or folder("pages") / f"{proof.run}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(place or Path("pages"), error) from error
    journal = runs.find(proof.run) if proof.run else None
    state = runs.state(journal) if journal else None
    text = page(proof.audit, proof.skill, state, journal=str(journal) if journal else None)
    write_atomic(path, text.encode("utf-8"))
    return path.absolute()


def _wrapped(text: str) -> list[str]:
    import textwrap

    from skills2_nb.views.values import clean

    return [
        line
        for part in clean(text).splitlines()
        for line in textwrap.wrap(part, width(), break_on_hyphens=False) or [""]
    ]
