"""How the hooks stand: where they are, and whether they work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.errors import Skills2Error
from skills2_nb.install import file
from skills2_nb.install.clients import Machine
from skills2_nb.install.dispatcher import (
    EVENTS,
    TIMEOUT,
    handlers_of,
    is_ours,
    managed_settings,
    mode_of,
    words_of,
)
from skills2_nb.install.groups import Place
from skills2_nb.install.hook_rows import Spot
from skills2_nb.install.hooking import places_in

#: Members of the settings that switch hooks off; the second counts in managed ones alone.
OFF, MANAGED_ONLY = "disableAllHooks", "allowManagedHooksOnly"
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
        faults: what is wrong with the file and what is said there.
    """

    spot: Spot
    events: tuple[str, ...]
    enforce: tuple[str, ...]
    commands: tuple[Command, ...]
    faults: tuple[str, ...]


def standing(spot: Spot) -> Standing:
    """Look at one settings file."""
    try:
        places = places_in(spot.path)
    except Skills2Error as error:
        return Standing(spot, (), (), (), (error.message,))
    events = tuple(dict.fromkeys(place.event for place in places))
    modes = tuple(dict.fromkeys(_mode(place) or "unknown" for place in places))
    commands = tuple(dict.fromkeys(command for place in places for command in _commands(place)))
    return Standing(spot, events, modes, commands, tuple(_faults(places, events, modes, commands)))


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


def tried(command: Command) -> Trial:
    """Start the dispatcher once on an empty object, which it has nothing to say to."""
    found = _absent(command)
    if found:
        return Trial(command, None, found)
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


def _absent(command: Command) -> str:
    """Which file of a command is not there; empty where all are."""
    if len(command) == 1:
        return "a hook is entered as one line for a shell; enter it anew: skills2 hooks install"
    if shutil.which(command[0]) is None:
        return f"{command[0]} is not there any more"
    scripts = [word for word in command[1:] if is_ours({"args": [word]}) and os.path.isabs(word)]  # noqa: PTH117 - any system's
    gone = [word for word in scripts if not Path(word).is_file()]
    return f"{gone[0]} is not there any more" if gone else ""


def _handlers(place: Place) -> list[object]:
    return handlers_of(place.value) if place.is_group else [place.value]


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
