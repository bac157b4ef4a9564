"""``doctor``: the checkup, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import SETUP
from skills2_nb.cli.screen import aside, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.cli.checkup import Finding

_MARKS = {"ok": "✓", "note": "·", "warning": "!", "bad": "✗"}
_COLORS = {"ok": "green", "note": "blue", "warning": "yellow", "bad": "red"}
#: The widest that the column of names becomes.
_COLUMN = 28


@verb("doctor")
def doctor(as_json: bool) -> None:
    """Check Python and its libraries, the home of the runs, the skills found from here.

    Of hooks it tells what went wrong in them; `skills2 hooks status` says
    whether they are there and work. Every skill is loaded, so its code is
    imported; no step is called. A mark "✗" gives exit code 4; "!" and "·" are
    for information.
    """
    from skills2_nb.cli.checkup import checkup
    from skills2_nb.cli.checkup_hooks import hook_findings

    with aside():
        found = [*checkup(Path.cwd()), *hook_findings()]
    well = all(item.status != "bad" for item in found)
    if as_json:
        put_json({"ok": well, "checks": [item.to_dict() for item in found]})
    else:
        left = min(max(len(item.check) for item in found) + 2, _COLUMN)
        for item in found:
            put("\n".join(_lines(item, left)))
    click.get_current_context().exit(0 if well else SETUP)


def _lines(item: Finding, left: int) -> list[str]:
    import textwrap

    from skills2_nb.views.values import one_line

    mark = click.style(_MARKS[item.status], fg=_COLORS[item.status])
    room = max(width() - left - 2, 30)
    told = textwrap.wrap(one_line(item.message), room, break_on_hyphens=False)
    told += [f"Mend: {item.mend}"] if item.mend else []
    head = f"{mark} {one_line(item.check, left - 2):<{left}}"
    return [head + told[0], *(f"{'':{left + 2}}{more}" for more in told[1:])]
