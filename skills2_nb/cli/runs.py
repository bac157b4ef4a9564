"""``skills2 runs``: look through, compare and check runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import SETTINGS, LazyGroup, verb
from skills2_nb.cli.guard import REFUSED
from skills2_nb.cli.screen import put, put_json, width
from skills2_nb.cli.verbs import VERBS

if TYPE_CHECKING:
    from pathlib import Path

    from skills2_nb.library.runs import Entry

runs = LazyGroup(
    "runs",
    verb=VERBS["runs"],
    short_help=VERBS["runs"].says,
    context_settings=SETTINGS,
    help=(
        "Look through, compare, check and remove recorded runs.\n\n"
        "A RUN is a run's id, or the beginning of one. Runs are journals below "
        "$SKILLS2_HOME (~/.claude/skills2)."
    ),
)


@verb("runs list")
@click.option("--skill", metavar="NAME", help="Only runs of this skill.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N runs.")
def listing(skill: str | None, limit: int | None, as_json: bool) -> None:
    """List runs, the newest first.

    A run is open until it is ended. "failed" counts calls that broke a
    promise, "rejected" calls that were not owed or came too early.
    """
    from skills2_nb.contract.home import home
    from skills2_nb.library.runs import listed

    found = listed(skill, limit)
    if as_json:
        put_json({"runs": [item.to_dict() for item in found]})
    elif not found:
        put(f"No runs{f' of {skill}' if skill else ''} in {home() / 'runs'}.")
    else:
        put(_table(found))


@verb("runs show")
@click.argument("run")
def showing(run: str, as_json: bool) -> None:
    """Read RUN record by record: each call, where its arguments came from, what it gave.

    Long values are cut; --json gives the records as they stand in the journal.
    """
    from skills2_nb.cli.records import told
    from skills2_nb.contract.journal import read
    from skills2_nb.library.runs import find, state

    path = find(run)
    if as_json:
        put_json({"run": path.stem, "journal": str(path), "records": list(read(path))})
    else:
        put(told(list(read(path)), state(path), width()))


@verb("runs diff")
@click.argument("a")
@click.argument("b")
def diff(a: str, b: str, as_json: bool) -> None:
    """Say where runs A and B differ: skill, inputs, results by step, what a verdict sees.

    Ids, times and durations never count. Exit code 1 if the runs differ.
    """
    from skills2_nb.cli.records import told_differences
    from skills2_nb.library.rundiff import differences
    from skills2_nb.library.runs import find, state

    first, second = find(a), find(b)
    found = differences(state(first), state(second))
    if as_json:
        put_json(
            {
                "a": first.stem,
                "b": second.stem,
                "same": not found,
                "differences": [item.to_dict() for item in found],
            }
        )
    else:
        put(told_differences(first.stem, second.stem, found, width()))
    click.get_current_context().exit(REFUSED if found else 0)


@verb("runs verify")
@click.argument("run", required=False)
@click.option("--all", "every", is_flag=True, help="Every run there is.")
def verifying(run: str | None, every: bool, as_json: bool) -> None:
    """Check that RUN's journal is as it was written: chain, MACs, end, and what the ledger saw.

    Each fault is named by its line. Exit code 1 if there is one. Lines that
    bear a MAC that verifies are counted: a line without one is no fault.
    """
    from skills2_nb.errors import UsageError
    from skills2_nb.library.runs import find, journals

    if bool(run) == every:
        raise UsageError("give one RUN to verify, or --all")
    paths = journals() if every else [find(run or "")]
    checked = [_checked(path) for path in paths]
    if as_json:
        put_json({"runs": checked})
    else:
        put("\n".join(map(_told_check, checked)) or "No runs.")
    click.get_current_context().exit(REFUSED if any(item["faults"] for item in checked) else 0)


def _checked(path: Path) -> dict[str, Any]:
    """A run's faults, by line where they have one, and its lines, with those whose MAC verifies."""
    from skills2_nb.audit import ledger
    from skills2_nb.audit.integrity import inspect
    from skills2_nb.audit.macs import Macs
    from skills2_nb.contract.chain import verify

    macs = Macs()
    by_line = [(fault.line, fault.message) for fault in verify(path, macs.see)]
    whole = inspect(path, earlier=(*ledger.heads(path.stem), *ledger.lines(path.stem)))
    named = ("MAC_WRONG", "CHAIN_BROKEN") if by_line else ("MAC_WRONG",)
    others = [item.message for item in whole.findings if item.counts and item.code not in named]
    if macs.more:
        others.append(f"{macs.more} more lines have a wrong MAC")
    told = [*sorted([*by_line, *macs.wrong]), *((None, said) for said in others)]
    return {
        "run": path.stem,
        "faults": [{"line": line, "message": message} for line, message in told],
        "lines": whole.records,
        "verified": whole.verified,
        "notes": [item.message for item in whole.findings if not item.counts],
    }


def _told_check(checked: dict[str, Any]) -> str:
    name, faults = checked["run"], checked["faults"]
    macs = f"{checked['verified']} of {checked['lines']} lines bear a MAC that verifies"
    said = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}" if faults else "whole"
    lines = [
        f"  {'' if fault['line'] is None else 'line {}: '.format(fault['line'])}{fault['message']}"
        for fault in faults
    ]
    lines += [f"  note: {note}" for note in checked["notes"]]
    return "\n".join([f"{name}: {said}; {macs}", *lines])


def _table(found: list[Entry]) -> str:
    name = min(max(len("skill"), *(len(item.skill) for item in found)), 24)
    head = f"{'run':<24}  {'skill':<{name}}  {'ok':>3} {'failed':>6} {'rejected':>8}  state"
    return "\n".join([click.style(head, bold=True), *(_row(item, name) for item in found)])


def _row(item: Entry, name: int) -> str:
    from skills2_nb.views.values import one_line

    where = "damaged" if item.faulty else "ended" if item.ended else "open"
    return (
        f"{item.run:<24}  {one_line(item.skill, name):<{name}}  "
        f"{item.ok:>3} {item.failed:>6} {item.rejected:>8}  {where}"
    )
