"""How the hooks stand: where they are, and whether they work."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skills2_nb.errors import Skills2Error
from skills2_nb.formats.paths import shown
from skills2_nb.hooks.home import MODES
from skills2_nb.hooks.starter import EVENTS, EVERY, TIMEOUT, TOOLS
from skills2_nb.hooks.triggers import Index, Row, is_here
from skills2_nb.install import file
from skills2_nb.install.clients import Machine
from skills2_nb.install.dispatcher import (
    groups,
    handlers_of,
    managed_settings,
    mode_of,
    words_of,
)
from skills2_nb.install.groups import Place
from skills2_nb.install.hook_rows import Spot
from skills2_nb.install.hooking import places_in

if TYPE_CHECKING:
    from skills2_nb.hooks.home import Enforce

#: Members of the settings that switch hooks off; the second counts in managed ones alone.
OFF, MANAGED_ONLY = "disableAllHooks", "allowManagedHooksOnly"
#: Matchers that every tool's name fits; so does none at all.
_ALL = (EVERY, "", None)
Command = tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """One start of the dispatcher on an event that says nothing.

    Attributes:
        command: what was started.
        seconds: how long it took; None where it did not start.
        fault: what is wrong; empty where it works.
    """

    command: Command
    seconds: float | None
    fault: str = ""


@dataclass(frozen=True)
class Standing:
    """Our hooks in one settings file.

    Attributes:
        spot: the file.
        events: the events that have ours.
        enforce: each mode that is said there, once.
        commands: each command that is said there, once.
        is_wide: whether calls of every tool are looked at.
        faults: what is wrong with the file and what is said there.
    """

    spot: Spot
    events: tuple[str, ...]
    enforce: tuple[str, ...]
    commands: tuple[Command, ...]
    is_wide: bool
    faults: tuple[str, ...]


def standing(spot: Spot, machine: Machine) -> Standing:
    """Look at one settings file."""
    try:
        places = places_in(spot.path)
    except Skills2Error as error:
        return Standing(spot, (), (), (), False, (error.message,))
    events = tuple(dict.fromkeys(place.event for place in places))
    modes = tuple(dict.fromkeys(_mode(place) or "unknown" for place in places))
    commands = tuple(dict.fromkeys(command for place in places for command in _commands(place)))
    wide = any(place.event == TOOLS and _is_wide(place) for place in places)
    faults = _faults(places, events, modes, commands)
    strange = filter(None, (_strange(command, spot, machine) for command in commands))
    return Standing(spot, events, modes, commands, wide, (*faults, *strange))


def _faults(
    places: list[Place],
    events: Iterable[str],
    modes: tuple[str, ...],
    commands: tuple[Command, ...],
) -> list[str]:
    if not places:
        return []
    absent = [event for event in EVENTS if event not in events]
    found = [f"{', '.join(absent)}: no hook of ours"] if absent else []
    found += [f"two modes at once: {', '.join(modes)}"] if len(modes) > 1 else []
    found += (
        ["two environments are called"] if len({command[:1] for command in commands}) > 1 else []
    )
    twice = len(places) > len({place.event for place in places})
    return found + (["an event has two hooks of ours"] if twice else [])


def switched_off(spots: Iterable[Spot], machine: Machine) -> list[str]:
    """What switches hooks off, as ``file: member`` each."""
    managed = managed_settings(machine)
    paths = [(spot.path, (OFF,)) for spot in spots] + [(managed, (OFF, MANAGED_ONLY))]
    return [
        f"{path}: {member}"
        for path, names in paths
        for member in names
        if _settings(path).get(member) is True
    ]


def unheld(found: Iterable[Standing], index: str, cwd: Path) -> list[Row]:
    """The skills that restrict tools while no hook that is read here sees other tools called.

    Args:
        found: the settings that are read together.
        index: the folder of the index of triggers.
        cwd: the project's folder.
    """
    settings = list(found)
    if not any(it.events for it in settings) or any(it.is_wide for it in settings):
        return []
    try:
        with Index(index) as opened:
            return [row for row in opened.rows() if row.restrict and is_here(row, str(cwd))]
    except (OSError, ValueError, IndexError):
        return []


def tried(found: Iterable[Standing], machine: Machine) -> list[Trial]:
    """Start the dispatcher once in each mode that settings call it in.

    The command is made here, as an install would enter it: one that merely looks like it may come
    with a project from anywhere, and is named as a fault and not started.
    """
    said = {command for it in found for command in it.commands}
    ours = (called(machine, mode) for mode in MODES)
    return [_tried(own) for own in ours if any(_is_same(command, own) for command in said)]


def called(machine: Machine, enforce: Enforce) -> Command:
    """The command that an install enters."""
    group = groups(machine, enforce, every_tool=False)[EVENTS[0]]
    return tuple(words_of(group["hooks"][0]))


def _tried(command: Command) -> Trial:
    """One start on an empty object, which the dispatcher has nothing to say to."""
    with tempfile.TemporaryDirectory(prefix="skills2-") as place:
        begin = time.perf_counter()
        try:
            done = subprocess.run(
                command, input=b"{}", capture_output=True, timeout=TIMEOUT, cwd=place, check=False
            )
        except subprocess.TimeoutExpired:
            return Trial(command, None, f"{command[0]} does not end within {TIMEOUT} s")
        except OSError as error:
            return Trial(command, None, f"{command[0]} does not start: {error.strerror}")
        seconds = time.perf_counter() - begin
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return Trial(command, seconds, ": ".join([f"it ends with {done.returncode}", *said]))
    return Trial(command, seconds, "it speaks where it has nothing to say" if done.stdout else "")


def _strange(command: Command, spot: Spot, machine: Machine) -> str:
    """Why a command is not tried; empty where it is."""
    where = (
        f"--settings {shlex.quote(str(spot.path))}"
        if spot.scope == "file"
        else f"--scope {spot.scope}"
    )
    again = f"skills2 hooks install {where}"
    if len(command) == 1:
        return f"a hook is entered as one line for a shell; enter it anew: {again}"
    if any(_is_same(command, called(machine, mode)) for mode in MODES):
        return ""
    return (
        f"{shown(command[0])} is called, of another environment or version, and was not started; "
        f"to have this one called: {again}"
    )


def _is_same(command: Command, own: Command) -> bool:
    """Whether a command starts what ours does; an interpreter has names beside each other.

    Nothing outside its folder is looked at, for a path in settings may lead anywhere.
    """
    if command[1:] != own[1:]:
        return False
    one, other = command[0], own[0]
    if os.path.dirname(one) != os.path.dirname(other):  # noqa: PTH120 - as it is written
        return False
    return os.path.realpath(one) == os.path.realpath(other)


def _handlers(place: Place) -> list[object]:
    return handlers_of(place.value) if place.is_group else [place.value]


def _is_wide(place: Place) -> bool:
    return place.is_group and place.value.get("matcher") in _ALL


def _mode(place: Place) -> str | None:
    return mode_of({"hooks": _handlers(place)})


def _commands(place: Place) -> list[Command]:
    return [tuple(words_of(handler)) for handler in _handlers(place)]


def _settings(path: Path) -> dict[str, object]:
    """The settings of a file; nothing where they cannot be read."""
    try:
        data = file.read(path)
        value = json.loads(file.text_of(data)) if data else {}
    except (Skills2Error, OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
