"""Runs of a session in the homes of other hooks.

A plugin keeps its records in its own data folder, the hooks of the settings in the kit's home.
Where both are there, one tells the checklist, and the model may call the tools of the other: that
one's hooks judge the run, and here it must not look as if there had been none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from skills2_nb.contract.home import elsewhere, home
from skills2_nb.evals.session_runs import runs_of
from skills2_nb.evals.stop_event import SESSIONS, StopEvent
from skills2_nb.library.discovery import claude_folder


def ran_elsewhere(event: StopEvent) -> frozenset[str]:
    """The skills that the session ran in another home for the prompt that was answered."""
    found: set[str] = set()
    for place in homes(event.neighbour) if event.is_newest else ():
        there = replace(event, job=place / SESSIONS / event.folder.name / event.job.name)
        if there.folder.is_dir():
            with elsewhere(place):
                runs = runs_of(there)
            found |= {run.state.skill for run in runs if run.is_touched_for(event)}
    return frozenset(found)


def homes(kits: Path | None = None) -> Iterator[Path]:
    """The kit's home and the data folders of plugins, but for the one that is in use.

    Args:
        kits: the kit's home, where it is known: in a plugin's process ``SKILLS2_HOME`` names the
            plugin's. Left out, where it lies unless somebody moved it.
    """
    claude, own = claude_folder(Path.home(), os.environ), os.path.realpath(home())
    try:
        plugins = sorted((claude / "plugins" / "data").iterdir())
    except OSError:
        plugins = []
    for place in (kits or Path.home() / ".claude" / "skills2", *plugins):
        if os.path.realpath(place) != own:
            yield place
