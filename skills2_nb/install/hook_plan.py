"""Plans of hooks that come and go by themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from skills2_nb.install.clients import Machine
from skills2_nb.install.file import FileChange
from skills2_nb.install.hook_rows import Spot, coming
from skills2_nb.install.hooking import unhooking
from skills2_nb.install.plan import Plan
from skills2_nb.library.installed import Record

if TYPE_CHECKING:
    from skills2_nb.hooks.home import Enforce


def hooks_coming(
    spot: Spot, machine: Machine, record: Record, enforce: Enforce | None = None
) -> Plan:
    """What has to change for a settings file to have our hooks.

    Args:
        enforce: how strict they are; None keeps what is there.

    Raises:
        UnreadableError: the file cannot be changed safely.
    """
    work, row = coming(spot, machine, record, enforce)
    rows = {**record.hooks, str(spot.path): replace(row, alone=True)}
    return Plan("", (), () if work is None else (work,), record, replace(record, hooks=rows))


def hooks_going(spots: Iterable[Spot], record: Record) -> Plan:
    """What has to change for settings files to have no hooks of ours, whoever wanted them.

    Raises:
        UnreadableError: a file cannot be changed safely.
    """
    rows, files = dict(record.hooks), list[FileChange]()
    for spot in spots:
        files += unhooking(spot.path, rows.pop(str(spot.path), None))
    return Plan("", (), tuple(files), record, replace(record, hooks=rows))
