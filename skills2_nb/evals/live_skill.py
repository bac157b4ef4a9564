"""The skill of a live kernel, from the cells it kept."""

from __future__ import annotations

import json
from dataclasses import replace

from skills2_nb.contract import blobs
from skills2_nb.contract.cells import load_cells
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.errors import PackageError


def live_skill(state: RunState) -> Skill:
    """The skill that a live run was made with; its cells are run in this process.

    Raises:
        PackageError: the cells were not kept, or do not run.
        JournalError: what was kept is other bytes now.
    """
    if state.live is None:
        raise PackageError(f"run {state.run} is of no live kernel")
    try:
        cells = json.loads(blobs.get(state.live))["cells"]
        texts = [str(cell) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise PackageError(
            f"the cells that run {state.run} was made with were not kept; export the notebook"
        ) from error
    return replace(load_cells(texts, state.skill), version=state.version, live=state.live)
