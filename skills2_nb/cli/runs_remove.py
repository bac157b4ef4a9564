"""``skills2 runs prune`` and ``erase``: what goes, for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import confirmed, put, put_json

if TYPE_CHECKING:
    from skills2_nb.library.runs import Entry, Removal

_MOST_NAMED = 10


@verb("runs prune")
@click.option(
    "--older-than", type=click.FloatRange(min=0), metavar="DAYS", help="Runs older than DAYS days."
)
@click.option("--keep", type=click.IntRange(min=0), metavar="N", help="All but the newest N runs.")
@click.option("--dry-run", is_flag=True, help="Say what would go, and remove nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def prune(
    older_than: float | None, keep: int | None, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Remove old runs, and the blobs, keys and pages that only they use.

    With both --older-than and --keep a run goes if both say so. Open runs
    that were written to within the hour stay. The ledger keeps each run's
    head, so that the gap is on record.
    """
    from skills2_nb.errors import UsageError
    from skills2_nb.library import runs

    if older_than is None and keep is None:
        raise UsageError("say which runs: --older-than DAYS, --keep N, or both")
    plan = runs.removal(_chosen(older_than, keep))
    if plan.runs and not dry_run:
        _tell(plan, as_json)
        confirmed(f"Remove {_sum(plan)}?", yes=yes)
        runs.remove(plan, "prune")
    _report(plan, dry_run=dry_run, as_json=as_json)


@verb("runs erase")
@click.argument("run")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(run: str, yes: bool, as_json: bool) -> None:
    """Remove RUN, its page, and the blobs and keys that no other run uses.

    The ledger keeps the run's head, and none of its values.
    """
    from skills2_nb.library import runs

    plan = runs.removal([runs.entry(runs.find(run))], spare_busy=False)
    _tell(plan, as_json)
    confirmed(f"Remove {_sum(plan)}?", yes=yes)
    runs.remove(plan, "erase")
    _report(plan, dry_run=False, as_json=as_json)


def _chosen(older_than: float | None, keep: int | None) -> list[Entry]:
    from skills2_nb.library import runs

    found = runs.listed()
    if keep is not None:
        found = runs.beyond(found, keep)
    return runs.older_than(found, older_than) if older_than is not None else found


def _sum(plan: Removal) -> str:
    from skills2_nb.views.values import counted

    return f"{counted(len(plan.runs), 'run')} ({counted(len(plan.files), 'file')}, {_size(plan)})"


def _size(plan: Removal) -> str:
    size = float(plan.bytes)
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _tell(plan: Removal, as_json: bool) -> None:
    """Name the runs on stderr before asking."""
    if as_json:
        return
    for item in plan.runs[:_MOST_NAMED]:
        click.echo(f"  {item.run}  {item.skill}", err=True)
    if len(plan.runs) > _MOST_NAMED:
        click.echo(f"  … and {len(plan.runs) - _MOST_NAMED} more", err=True)


def _report(plan: Removal, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        put_json(_facts(plan, dry_run))
        return
    if not plan.runs:
        put("No run is to go." + _told_busy(plan))
        return
    if dry_run:
        _tell(plan, as_json)
    put(f"{'Would remove' if dry_run else 'Removed'} {_sum(plan)}.{_told_busy(plan)}")


def _told_busy(plan: Removal) -> str:
    from skills2_nb.views.values import counted

    if not plan.busy:
        return ""
    be, stay = ("was", "stays") if len(plan.busy) == 1 else ("were", "stay")
    told = counted(len(plan.busy), "open run")
    return f" {told} {be} written to within the hour and {stay}."


def _facts(plan: Removal, dry_run: bool) -> dict[str, Any]:
    return {
        "removed": not dry_run and bool(plan.runs),
        "runs": [item.run for item in plan.runs],
        "files": len(plan.files),
        "bytes": plan.bytes,
        "busy": [item.run for item in plan.busy],
    }
