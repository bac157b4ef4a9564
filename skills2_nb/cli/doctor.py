"""``doctor``: the checkup, line by line."""

from __future__ import annotations

from pathlib import Path

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import SETUP
from skills2_nb.cli.screen import aside, put, put_json, width

_MARKS = {"ok": "✓", "note": "·", "warning": "!", "bad": "✗"}
_COLORS = {"ok": "green", "note": "blue", "warning": "yellow", "bad": "red"}
_COLUMN = 28


@verb("doctor")
def doctor(as_json: bool) -> None:
    """Check Python and its libraries, the home of the runs, and the skills found from here.

    Every skill is loaded, so its code is imported; no step is called. A
    mark "✗" gives exit code 4; "!" and "·" are for information.
    """
    from skills2_nb.cli.checkup import checkup

    with aside():
        found = list(checkup(Path.cwd()))
    well = all(item.status != "bad" for item in found)
    if as_json:
        put_json({"ok": well, "checks": [item.to_dict() for item in found]})
    else:
        for item in found:
            put("\n".join(_lines(item.check, item.status, item.message, item.mend)))
    click.get_current_context().exit(0 if well else SETUP)


def _lines(check: str, status: str, message: str, mend: str) -> list[str]:
    import textwrap

    from skills2_nb.views.values import one_line

    mark = click.style(_MARKS[status], fg=_COLORS[status])
    told = textwrap.wrap(one_line(message), max(width() - _COLUMN - 2, 30), break_on_hyphens=False)
    told += [f"Mend: {mend}"] if mend else []
    left = f"{mark} {one_line(check, _COLUMN - 2):<{_COLUMN - 1}} "
    return [left + told[0], *(f"{'':{_COLUMN + 2}}{more}" for more in told[1:])]
