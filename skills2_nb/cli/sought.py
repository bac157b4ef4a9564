"""The run that a word means."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.contract import ledger
from skills2_nb.errors import JournalError, UnknownRunError, UsageError
from skills2_nb.library import runs
from skills2_nb.library.discovery import Target, find

_RUN = re.compile(r"\d{8}(-\d{0,6}(-[0-9a-f]{0,8})?)?")


@dataclass(frozen=True)
class Sought:
    """A run that was found.

    Attributes:
        run: its id.
        target: its skill.
        said: how it was chosen, a sentence; empty where the word named it.
    """

    run: str
    target: Target
    said: str = ""


def run_of(word: str, target: Target | None = None) -> Sought:
    """The run of that id, or the newest one of that skill.

    That somebody asked for a run that does not exist is itself kept in the ledger.

    Raises:
        UnknownRunError: it looks like a run's id and there is none.
        UsageError: it is neither, or the skill has no run yet.
    """
    if _RUN.fullmatch(word):
        try:
            path = runs.find(word)
        except UnknownRunError:
            _remember(word)
            raise
        return Sought(path.stem, target or _skill_of(path))
    try:
        found = find(word)
    except UsageError as error:
        _remember(word)
        raise UsageError(f"{word!r} is no run's id, and {error.message}") from None
    name = skill_name(found)
    newest = runs.newest(name)
    if newest is None:
        raise UsageError(f"there is no run of {name} yet; make one: skills2 run {word}")
    return Sought(newest.run, target or found, f"The newest run of {name}: {newest.run}.")


def _remember(word: str) -> None:
    """Keep that somebody asked; a ledger that cannot be written is not what they asked about."""
    with contextlib.suppress(JournalError):
        ledger.append("unknown", {"asked": word[:200]})


def _skill_of(path: Path) -> Target:
    """The skill that a journal names."""
    name = runs.entry(path).skill
    if not name:
        raise UsageError(
            f"the start of run {path.stem} cannot be read, so its skill is not known; say where "
            "that is: --skill FOLDER or --skill NOTEBOOK"
        )
    try:
        return find(name)
    except UsageError as error:
        raise UsageError(
            f"run {path.stem} is of {name}, and {error.message}; or say where it is: "
            "--skill FOLDER or --skill NOTEBOOK"
        ) from None


def skill_name(target: Target) -> str:
    """The name that runs of the skill carry."""
    from skills2_nb.evals.proof import opened
    from skills2_nb.formats.package import read_package

    with opened(target) as folder:
        return read_package(folder).manifest.name
