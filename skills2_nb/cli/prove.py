"""``run`` and ``audit``: a run, and what it is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import aside, progress

if TYPE_CHECKING:
    from skills2_nb.evals.proof import Proof

_HTML = click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page of it, with every figure's source.",
)


@verb("run")
@click.argument("skill")
@click.option("--inputs", metavar="FILE|-", help="The run's inputs: a JSON object.")
@click.option(
    "-i",
    "--input",
    "words",
    multiple=True,
    metavar="KEY=VALUE",
    help="One input, as JSON or text, whichever its step takes; may be repeated.",
)
@click.option("--prompt", metavar="TEXT", help="What the user asked.")
@click.option("--case", metavar="ID", help="Take inputs and prompt from this case of the skill.")
@_HTML
def run(
    skill: str,
    inputs: str | None,
    words: tuple[str, ...],
    prompt: str | None,
    case: str | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Run SKILL's steps in order, each argument bound, and audit the run.

    Without inputs the first case of the skill is run. -i overrides what
    --inputs and --case say. A relative path in an input is sought here,
    then in the package.

    Exit code by the strict verdict (or that of [audit] profile): 0 pass,
    1 fail or tampered, 3 unproven.
    """
    from skills2_nb.cli.cases import begin
    from skills2_nb.evals.proof import prove
    from skills2_nb.library.discovery import find

    target = find(skill)
    start = begin(target, inputs=inputs, words=words, prompt=prompt, case=case)
    with aside():
        proof = prove(
            target,
            start.inputs,
            prompt=start.prompt,
            vouched=start.vouched,
            on_step=progress,
        )
    _finish(proof, html, as_json=as_json, said=start.said, answer=proof.answer)


@verb("audit")
@click.argument("what", metavar="RUN|SKILL")
@click.option("--no-run", is_flag=True, help="Judge the answer alone, as if no step was called.")
@click.option("--answer", metavar="FILE|-", help="Judge this answer in place of the run's.")
@click.option("--prompt", metavar="TEXT", help="What was asked: a run of another question fails.")
@click.option("--skill", metavar="SKILL", help="The run's skill, where its name does not find it.")
@_HTML
def audit(
    what: str,
    no_run: bool,
    answer: str | None,
    prompt: str | None,
    skill: str | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Judge a run by its journal: RUN, or the newest run of SKILL.

    A RUN is a run's id or the beginning of one. Each audit adds a line to
    the ledger, so that a journal cut or rewritten later no longer matches.

    Exit code by the strict verdict (or that of [audit] profile): 0 pass,
    1 fail or tampered, 3 unproven.
    """
    from skills2_nb.audit.asked import Asked
    from skills2_nb.cli.cases import run_cases
    from skills2_nb.cli.sought import run_of
    from skills2_nb.cli.values import read_text
    from skills2_nb.errors import UsageError
    from skills2_nb.evals.proof import audit_answer, audit_run
    from skills2_nb.library.discovery import find

    text = read_text(answer) if answer else None
    if no_run:
        if text is None:
            raise UsageError("--no-run judges an answer and there is none; add --answer FILE")
        if skill is not None:
            raise UsageError("with --no-run the skill is named first, not by --skill; leave it out")
        target = find(what)
        run_cases(target)
        with aside():
            proof = audit_answer(target, text)
        _finish(proof, html, as_json=as_json)
        return
    sought = run_of(what, find(skill) if skill else None)
    with aside():
        proof = audit_run(sought.run, sought.target, answer=text, asked=Asked(prompt))
    _finish(proof, html, as_json=as_json, said=sought.said)


def _finish(
    proof: Proof, html: Path | None, *, as_json: bool, said: str = "", answer: str | None = None
) -> None:
    """Show the proof, write its page, and leave by its verdict."""
    from skills2_nb.cli.outcome import exit_code, put_proof, write_page

    page = write_page(proof, html) if html is not None else None
    put_proof(proof, page, as_json=as_json, said=said, answer=answer)
    click.get_current_context().exit(exit_code(proof))
