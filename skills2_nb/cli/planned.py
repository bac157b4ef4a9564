"""A plan that is shown, agreed to and carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.screen import confirmed, has_color, put, width

if TYPE_CHECKING:
    from skills2_nb.install.clients import Machine
    from skills2_nb.install.plan import Plan
    from skills2_nb.library.installed import Record

_UNCHANGED = "Nothing was changed."


class Work:
    """A plan that is shown, agreed to and carried out, as the options say."""

    def __init__(
        self,
        make: Callable[[Record], Plan],
        places: list[Path],
        machine: Machine,
        *,
        dry_run: bool,
        yes: bool,
        as_json: bool,
    ) -> None:
        self.make, self.places, self.machine = make, places, machine
        self.dry_run, self.yes, self.as_json = dry_run, yes, as_json

    def done(self) -> Plan:
        """The plan that was carried out, or would be."""
        from skills2_nb.install.plan import carry_out
        from skills2_nb.library import installed

        if self.yes and not self.dry_run:
            done = carry_out(self.make, self.places)
            self._show(done)
            return done
        planned = self.make(installed.read())
        self._show(planned)
        if self.dry_run or (planned.is_empty and planned.is_noted):
            return planned
        if not planned.is_empty:
            click.echo(err=True)
            confirmed("Make these changes?", yes=False, otherwise=_UNCHANGED)
        return carry_out(self.make, self.places, planned)

    def _show(self, planned: Plan) -> None:
        from skills2_nb.install.diff import told

        if not self.as_json and not planned.is_empty:
            put(told(planned, self.machine, width=width(), color=has_color()))


def renew(places: Iterable[Path]) -> None:
    """Let the hooks know of packages that came or went; what goes wrong is said and no more."""
    from skills2_nb.library import index

    index.renew(lambda sentence: click.echo(sentence, err=True), places)


def facts(plan: Plan, *, changed: bool) -> dict[str, Any]:
    """What a plan does, as plain values."""
    from skills2_nb.install.file import backup_of

    return {
        "changed": changed,
        "folders": [
            {
                "path": str(item.folder),
                "written": list(item.write),
                "removed": list(item.remove),
                "gone": item.gone,
            }
            for item in plan.folders
        ],
        "files": [
            {
                "path": str(item.path),
                "is_new": item.before is None,
                "gone": item.after is None,
                "diff": "".join(hunk.unified() for hunk in hunks),
                "backup": str(backup_of(item.path)) if item.backup else None,
            }
            for item, (_, hunks) in zip(plan.files, plan.hunks, strict=True)
        ],
    }
