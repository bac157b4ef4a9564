"""How hooks stand: what is wrong with them is found."""

import json
from pathlib import Path

import pytest

from skills2_nb.install import standing as module
from skills2_nb.install.dispatcher import EVENTS, groups
from skills2_nb.install.hook_rows import Spot
from skills2_nb.install.standing import standing, switched_off, tried


@pytest.fixture
def spot(tmp_path):
    return Spot("user", tmp_path / "settings.json")


def written(spot, hooks):
    spot.path.write_text(json.dumps({"hooks": hooks}))
    return standing(spot)


def entered(machine, mode="advise", python=None):
    moved = type(machine)(machine.home, machine.cwd, python=python or machine.python)
    return {e: [group] for e, group in groups(moved, mode, every_tool=False).items()}


def test_nothing_there_is_no_fault(spot):
    assert standing(spot) == module.Standing(spot, (), (), (), ())
    spot.path.write_text("{}")
    assert standing(spot).faults == ()


def test_all_of_it(spot, machine):
    found = written(spot, entered(machine, "block"))
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
    assert written(spot, hooks).faults == (fault,)


def test_a_file_that_cannot_be_read(spot):
    spot.path.write_text('{\n// mine\n"hooks": {}}')
    (fault,) = standing(spot).faults
    assert "line 2: it has comments" in fault


def command(machine, main):
    moved = type(machine)(machine.home, machine.cwd, main=main)
    handler = groups(moved, "advise", every_tool=False)["Stop"]["hooks"][0]
    return (type(machine)(machine.home, machine.cwd).python, *handler["args"])


def test_the_dispatcher_itself_works(machine, home):
    done = tried(command(machine, machine.main))
    assert done.fault == ""
    assert done.seconds is not None and 0 < done.seconds < module.TIMEOUT


SCRIPTS = [
    ("print('hello')", "it speaks where it has nothing to say"),
    ("import sys; sys.exit(3)", "it ends with 3"),
    ("import sys; print('why', file=sys.stderr); sys.exit(2)", "it ends with 2: why"),
    ("import time; time.sleep(60)", "does not end within 0.5 s"),
    (None, "main.py is not there any more"),
]


@pytest.mark.parametrize(("text", "fault"), SCRIPTS)
def test_a_dispatcher_that_does_not_work(text, fault, machine, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.5 if text and "sleep" in text else 20)
    main = tmp_path / "skills2_nb/hooks/main.py"
    main.parent.mkdir(parents=True)
    if text:
        main.write_text(text)
    assert fault in tried(command(machine, main)).fault


def test_an_interpreter_that_is_gone(machine, tmp_path):
    gone = (str(tmp_path / "python"), "-I", "-S", str(machine.main), "advise")
    assert tried(gone).fault == f"{gone[0]} is not there any more"
    Path(gone[0]).write_text("no program")
    Path(gone[0]).chmod(0o700)
    assert "does not start" in tried(gone).fault


def test_a_line_for_a_shell_is_to_be_entered_anew(machine):
    assert "skills2 hooks install" in tried((f"python {machine.main} advise",)).fault


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
