"""``skills2 audits``: the ledger of audits, read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import SETTINGS, LazyGroup, verb
from skills2_nb.cli.guard import REFUSED
from skills2_nb.cli.screen import put, put_json, width
from skills2_nb.cli.verbs import VERBS

if TYPE_CHECKING:
    from skills2_nb.library.audits import Audited, Match

_COLORS = {"pass": "green", "fail": "red", "tampered": "red", "unproven": "yellow"}
_SAID = {
    "matches": "the journal holds what this audit saw",
    "differs": "the journal is another one now than this audit saw",
    "gone": "the journal is gone, and nothing says that it was erased",
    "erased": "the run was erased since",
    "no run": "no run: the answer was judged alone",
}

audits = LazyGroup(
    "audits",
    verb=VERBS["audits"],
    short_help=VERBS["audits"].says,
    context_settings=SETTINGS,
    help=(
        "Look through the audits on record.\n\n"
        "Each audit adds a line to $SKILLS2_HOME/ledger/audits.jsonl. An AUDIT is its number, "
        "which never changes, or a run's id or the beginning of one: then its newest audit."
    ),
)


@verb("audits list")
@click.option("--skill", metavar="NAME", help="Only audits of this skill.")
@click.option("--session", metavar="ID", help="Only of the session whose id begins so.")
@click.option("--since", metavar="WHEN", help="From a day on (2026-03-01), or 7d, 12h, 30m ago.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N audits.")
def listing(
    skill: str | None, session: str | None, since: str | None, limit: int | None, as_json: bool
) -> None:
    """List audits, the newest first: verdict, score, evidence level and run."""
    from skills2_nb.contract.ledger import place
    from skills2_nb.library.audits import AUDITS, listed, moment

    found = listed(skill, session, moment(since) if since else None, limit)
    if as_json:
        put_json({"audits": [item.to_dict() for item in found]})
    elif not found:
        put(f"No such audits in {place(AUDITS)}.")
    else:
        put(_table(found))


@verb("audits show")
@click.argument("audit")
def showing(audit: str, as_json: bool) -> None:
    """Show AUDIT: the line that is kept, what was told of it, and whether the journal matches.

    Exit code 1 if the journal is not what the audit saw, or is gone without
    having been erased.
    """
    from skills2_nb.library.audits import find, match, text_of

    item = find(audit)
    state = match(item)
    text = text_of(item)
    if as_json:
        put_json({**item.to_dict(), "journal": state, "text": text})
    else:
        put(_told(item, state, text))
    click.get_current_context().exit(REFUSED if state in ("differs", "gone") else 0)


def _table(found: list[Audited]) -> str:
    name = min(max(len("skill"), *(len(item.skill) for item in found)), 24)
    number = max(3, len(str(found[0].number)))
    head = f"{'no':>{number}}  {'when (UTC)':<16}  {'skill':<{name}}  {'verdict':<8} {'score':>5}  "
    rows = [_row(item, number, name) for item in found]
    return "\n".join([click.style(f"{head}{'level':<5}  run", bold=True), *rows])


def _row(item: Audited, number: int, name: int) -> str:
    from skills2_nb.views.values import one_line

    when = one_line(item.ts[:16].replace("T", " "), 16)
    verdict = one_line(item.verdict, 8)
    told = click.style(verdict, fg=_COLORS.get(verdict)) + " " * (8 - len(verdict))
    return (
        f"{item.number:>{number}}  {when:<16}  {one_line(item.skill, name):<{name}}  "
        f"{told} {_score(item):>5}  {one_line(item.level, 5):<5}  "
        f"{one_line(item.run or '-', 24)}"
    )


def _told(item: Audited, state: Match, text: str) -> str:
    from skills2_nb.audit.codes import CODES
    from skills2_nb.views.lines import wrap
    from skills2_nb.views.values import clean, one_line

    line = item.line
    verdicts = [
        f"{profile} {value.get('verdict')} {_rounded(value.get('score'))}"
        for profile in ("strict", "classic")
        if isinstance(value := line.get(profile), dict)
    ]
    rows = [
        ("audit", str(item.number)),
        ("when", f"{item.ts} (UTC)"),
        ("skill", f"{item.skill} {line.get('version') or ''}".strip()),
        ("run", item.run or "none"),
        ("session", item.session or "not known"),
        ("verdict", ", ".join(verdicts)),
        ("evidence", item.level),
        ("records", f"{line.get('count')}, head {str(line.get('head'))[:12] or '-'}"),
        ("journal", _SAID[state]),
    ]
    shown = [f"{click.style(f'{name:<9}', bold=True)} {one_line(said)}" for name, said in rows]
    known = [f"{code}: {CODES[code].says}" for code in item.codes if code in CODES]
    found = [line for said in known for line in wrap(said, width(), " " * 10, 2)]
    if found:
        shown += [click.style("found", bold=True) + found[0][len("found") :], *found[1:]]
    told = [
        row
        for line in clean(text).rstrip().splitlines()
        for row in wrap(line, width(), "", 4 if line.startswith(" ") else 2)
    ]
    return "\n".join([*shown, *([""] if told else []), *told])


def _rounded(score: object) -> str:
    return f"{score:.2f}" if isinstance(score, int | float) else "?"


def _score(item: Audited) -> str:
    return "?" if item.score is None else f"{item.score:.2f}"
