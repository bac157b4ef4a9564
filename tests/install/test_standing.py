"""How hooks stand: what is wrong with them is found."""

import json
import sys
from dataclasses import replace

import pytest

from skills2_nb.hooks.home import MODES
from skills2_nb.hooks.starter import EVENTS
from skills2_nb.install import standing as module
from skills2_nb.install.clients import Machine
from skills2_nb.install.dispatcher import groups
from skills2_nb.install.hook_rows import Spot
from skills2_nb.install.standing import called, standing, switched_off, tried, unheld
from tests.hooks.client import skill, write_index


@pytest.fixture
def spot(tmp_path):
    return Spot("user", tmp_path / "settings.json")


def written(spot, hooks, machine):
    spot.path.write_text(json.dumps({"hooks": hooks}))
    return standing(spot, machine)


def entered(machine, mode="advise", python=None):
    moved = replace(machine, python=python or machine.python)
    return {e: [group] for e, group in groups(moved, mode, every_tool=False).items()}


def test_nothing_there_is_no_fault(spot, machine):
    assert standing(spot, machine) == module.Standing(spot, (), (), (), False, ())
    spot.path.write_text("{}")
    assert standing(spot, machine).faults == ()


def test_all_of_it(spot, machine):
    found = written(spot, entered(machine, "block"), machine)
    assert (found.events, found.enforce, found.faults) == (EVENTS, ("block",), ())
    ((python, *_, main, mode),) = found.commands
    assert (python, main, mode) == (machine.python, str(machine.main), "block")


def less(hooks, machine):
    del hooks["Stop"], hooks["PreToolUse"]


def mixed(hooks, machine):
    hooks["Stop"] = entered(machine, "block")["Stop"]


def moved(hooks, machine):
    hooks["Stop"] = entered(machine, python="/old/python")["Stop"]


def twice(hooks, machine):
    hooks["Stop"] *= 2


WRONG = [
    (less, "PreToolUse, Stop: no hook of ours"),
    (mixed, "two modes at once: advise, block"),
    (moved, "two environments are called"),
    (twice, "an event has two hooks of ours"),
]


@pytest.mark.parametrize(("change", "fault"), WRONG)
def test_what_is_wrong_in_a_file(change, fault, spot, machine):
    hooks = entered(machine)
    change(hooks, machine)
    found = [it for it in written(spot, hooks, machine).faults if "was not started" not in it]
    assert found == [fault]


def test_a_file_that_cannot_be_read(spot, machine):
    spot.path.write_text('{\n// mine\n"hooks": {}}')
    (fault,) = standing(spot, machine).faults
    assert "line 2: it has comments" in fault


def entered_by(tmp_path, text=None):
    """A machine whose dispatcher is a script of the test's, and settings that call it."""
    main = tmp_path / "skills2_nb/hooks/main.py"
    main.parent.mkdir(parents=True)
    main.write_text(text or "")
    return Machine(tmp_path, tmp_path, main=main)


@pytest.mark.parametrize("mode", MODES)
def test_the_dispatcher_itself_works(mode, spot, home):
    here = Machine.here()
    (done,) = tried([written(spot, entered(here, mode), here)], here)
    assert done.fault == "" and done.command[-1] == mode
    assert done.seconds is not None and 0 < done.seconds < module.TIMEOUT


SCRIPTS = [
    ("print('hello')", "it speaks where it has nothing to say"),
    ("import sys; sys.exit(3)", "it ends with 3"),
    ("import sys; print('why', file=sys.stderr); sys.exit(2)", "it ends with 2: why"),
    ("import time; time.sleep(60)", "does not end within 0.5 s"),
]


@pytest.mark.parametrize(("text", "fault"), SCRIPTS)
def test_a_dispatcher_that_does_not_work(text, fault, spot, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.5 if "sleep" in text else 20)
    here = entered_by(tmp_path, text)
    (done,) = tried([written(spot, entered(here), here)], here)
    assert fault in done.fault


def test_an_interpreter_that_does_not_start(spot, tmp_path):
    (tmp_path / "python").write_text("no program")
    (tmp_path / "python").chmod(0o700)
    here = Machine(tmp_path, tmp_path, python=str(tmp_path / "python"))
    (done,) = tried([written(spot, entered(here), here)], here)
    assert "does not start" in done.fault


def test_another_name_of_the_interpreter_is_the_same(spot, tmp_path):
    (tmp_path / "python3").symlink_to(sys.executable)
    (tmp_path / "python").symlink_to("python3")
    there = Machine(tmp_path, tmp_path, python=str(tmp_path / "python3"))
    here = Machine(tmp_path, tmp_path, python=str(tmp_path / "python"))
    found = written(spot, entered(there), here)
    assert found.faults == ()
    assert [trial.command[0] for trial in tried([found], here)] == [here.python]
    (tmp_path / "other").touch()
    beside = written(spot, entered(replace(here, python=str(tmp_path / "other"))), here)
    assert "was not started" in beside.faults[0] and tried([beside], here) == []


def planted(place, machine):
    """Commands that are known by the mark of ours, and would leave a file if they were started."""
    evil = str(place / "evil.sh")
    args = [*called(machine, "advise")[1:]]
    elsewhere = str(place / "skills2_nb/hooks/main.py")
    return [
        ("sh", ["-c", f"touch {place}/PWNED", "skills2_nb/hooks/main.py"]),
        (evil, args),
        (f"{evil}\x1b[2J", args),
        (machine.python, [*args[:3], f"open({str(place / 'PWNED')!r}, 'w')", *args[4:]]),
        (machine.python, [*args[:4], elsewhere, "advise"]),
        (machine.python, [elsewhere, "advise"]),
        (machine.python, [*args, "more"]),
    ]


@pytest.mark.parametrize("at", range(7))
def test_what_only_looks_like_ours_is_named_and_not_started(at, spot, tmp_path):
    here = Machine.here()
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/PWNED\n")
    evil.chmod(0o700)
    script = tmp_path / "skills2_nb/hooks/main.py"
    script.parent.mkdir(parents=True)
    script.write_text(f"open({str(tmp_path / 'PWNED')!r}, 'w')")
    program, args = planted(tmp_path, here)[at]
    handler = {"type": "command", "command": program, "args": args}
    found = written(spot, {event: [{"hooks": [handler]}] for event in EVENTS}, here)
    assert tried([found], here) == []
    assert not (tmp_path / "PWNED").exists()
    (fault,) = found.faults
    assert "was not started" in fault and "hooks install --scope user" in fault
    assert fault.isprintable()


def test_a_line_for_a_shell_is_to_be_entered_anew(spot, machine):
    handler = {"type": "command", "command": f"python {machine.main} advise"}
    found = written(spot, {event: [{"hooks": [handler]}] for event in EVENTS}, machine)
    assert tried([found], machine) == []
    assert "as one line for a shell" in found.faults[0]


RESTRICTED = [
    (False, "", {"all"}),
    (True, "", set()),
    (False, "here", {"mine", "all"}),
    (True, "here", set()),
]


@pytest.mark.parametrize(("wide", "root", "names"), RESTRICTED)
def test_who_restricts_tools_while_no_hook_sees_them(wide, root, names, spot, machine, tmp_path):
    places = {"mine": str(machine.cwd), "all": "", "other": str(tmp_path / "elsewhere")}
    kept = [
        skill(tmp_path, name, "x", root=place, restrict=True)
        for name, place in places.items()
        if root or not place or name == "other"
    ]
    write_index(tmp_path / "index", *kept, skill(tmp_path, "open", "y"))
    group = {e: [g] for e, g in groups(machine, "advise", every_tool=wide).items()}
    found = [standing(Spot("local", tmp_path / "no.json"), machine), written(spot, group, machine)]
    rows = unheld(found, str(tmp_path / "index"), machine.cwd)
    assert {row.name for row in rows} == names
    assert unheld(found, str(tmp_path / "nowhere"), machine.cwd) == []
    assert unheld(found[:1], str(tmp_path / "index"), machine.cwd) == []


@pytest.mark.parametrize(
    ("matcher", "wide"), [("*", True), ("", True), (None, True), ("Bash", False)]
)
def test_what_a_matcher_sees(matcher, wide, spot, machine):
    hooks = entered(machine)
    hooks["PreToolUse"][0]["matcher"] = matcher
    assert written(spot, hooks, machine).is_wide is wide
    del hooks["PreToolUse"][0]["matcher"]
    assert written(spot, hooks, machine).is_wide


@pytest.mark.parametrize("text", ["", "[]", "{", '{"disableAllHooks": false}', "\xff"])
def test_what_switches_nothing_off(text, spot, machine, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "managed_settings", lambda _: tmp_path / "managed.json")
    spot.path.write_bytes(text.encode("latin-1"))
    assert switched_off([spot], machine) == []


def test_what_switches_hooks_off(spot, machine, monkeypatch, tmp_path):
    managed = tmp_path / "managed.json"
    monkeypatch.setattr(module, "managed_settings", lambda _: managed)
    both = json.dumps({"disableAllHooks": True, "allowManagedHooksOnly": True})
    spot.path.write_text(both)
    managed.write_text(both)
    assert switched_off([spot], machine) == [
        f"{spot.path}: disableAllHooks",
        f"{managed}: disableAllHooks",
        f"{managed}: allowManagedHooksOnly",
    ]
