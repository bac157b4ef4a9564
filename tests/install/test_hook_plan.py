"""Hooks in settings files on disk: with a skill, by themselves, and gone again."""

import json
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.hooks.starter import EVENTS
from skills2_nb.install import file
from skills2_nb.install.dispatcher import groups
from skills2_nb.install.hook_plan import hooks_coming, hooks_going
from skills2_nb.install.hook_rows import Spot, spots
from skills2_nb.install.plan import Hooks, carry_out, removing
from skills2_nb.library import installed
from tests.install.test_groups import HABITS

HOOKS = Hooks()
BOM = b"\xef\xbb\xbf"
FILES = {
    **{name: text.encode() for name, text in HABITS.items()},
    "a byte order mark": BOM + HABITS["CRLF"].encode(),
    "no file": None,
}


@pytest.fixture
def settings():
    """The user's settings, which are not there yet."""
    path = Path.home() / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    return path


@pytest.fixture
def come(machine):
    def call(scope="user", enforce=None, spot=None):
        chosen = spot or next(item for item in spots(machine) if item.scope == scope)
        return carry_out(lambda record: hooks_coming(chosen, machine, record, enforce), [])

    return call


@pytest.fixture
def go(machine):
    def call(*scopes):
        chosen = [item for item in spots(machine) if not scopes or item.scope in scopes]
        return carry_out(lambda record: hooks_going(chosen, record), [])

    return call


def hooks_of(path):
    return json.loads(path.read_text(encoding="utf-8-sig"))["hooks"]


def mode(path):
    return {group["hooks"][0]["args"][-1] for event in hooks_of(path).values() for group in event}


@pytest.mark.parametrize("name", FILES)
def test_there_again_otherwise_and_back(name, settings, machine, come, go):
    before = FILES[name]
    if before is not None:
        settings.write_bytes(before)
    come()
    first = settings.read_bytes()
    assert (before or b"")[:3] != BOM or first.startswith(BOM)
    again = come()
    assert again.is_empty and again.is_noted and settings.read_bytes() == first
    come(enforce="block")
    wanted = groups(machine, "block", every_tool=False)
    assert {event: hooks_of(settings)[event][-1] for event in EVENTS} == wanted
    copy = file.backup_of(settings)
    assert (copy.read_bytes() if copy.exists() else None) == before
    go()
    assert (settings.read_bytes() if settings.exists() else None) == before
    assert not copy.exists()
    assert installed.read() == installed.Record()
    assert go().is_empty


@pytest.mark.parametrize("scope", ["user", "project", "local"])
def test_each_scope_has_its_file_and_folders_that_were_made_go(scope, machine, come, go):
    (spot,) = (item for item in spots(machine) if item.scope == scope)
    before = set(machine.cwd.rglob("*"))
    come(scope)
    assert list(hooks_of(spot.path)) == list(EVENTS)
    assert stat.S_IMODE(spot.path.stat().st_mode) == (0o644 if scope == "project" else 0o600)
    go()
    assert set(machine.cwd.rglob("*")) == before and not spot.path.exists()


def test_in_the_home_the_project_is_no_file_of_its_own(machine):
    found = spots(type(machine)(machine.home, machine.home))
    assert [spot.scope for spot in found] == ["user", "local"]


def test_left_out_the_mode_is_what_is_there_or_the_users(settings, come, go, machine):
    come(enforce="block")
    come()
    assert mode(settings) == {"block"}
    come("local")
    local = machine.cwd / ".claude/settings.local.json"
    assert mode(local) == {"block"}
    come("local", "off")
    come("local")
    assert (mode(local), mode(settings)) == ({"off"}, {"block"})
    go("local")
    assert not local.exists() and settings.exists()


def test_an_interpreter_that_moved_is_put_in_its_place(settings, machine, go):
    settings.write_text(HABITS["two steps"])
    spot = spots(machine)[0]
    for python in ("/old/python", "/new/python"):
        moved = type(machine)(machine.home, machine.cwd, python=python)
        carry_out(lambda record, moved=moved: hooks_coming(spot, moved, record), [])
        assert settings.read_text().count(python) == len(EVENTS)
    assert "/old/" not in settings.read_text()
    go()
    assert settings.read_text() == HABITS["two steps"]


def test_without_a_record_ours_are_known_by_their_mark(settings, home, come, go):
    settings.write_text(HABITS["two steps"])
    come()
    (home / installed.FILE).unlink()
    assert come().is_empty
    go()
    assert json.loads(settings.read_text()) == json.loads(HABITS["two steps"])


def test_what_others_write_in_between_stays(settings, come, go):
    settings.write_text(HABITS["two steps"])
    come()
    value = json.loads(settings.read_text())
    value["permissions"] = {"allow": ["Bash(ls)"]}
    settings.write_text(json.dumps(value, indent=2) + "\n")
    go()
    before = json.loads(HABITS["two steps"])
    assert settings.read_text() == (
        json.dumps({**before, "permissions": value["permissions"]}, indent=2) + "\n"
    )
    assert file.backup_of(settings).read_text() == HABITS["two steps"]


def test_what_another_program_writes_at_the_same_moment_is_not_lost(settings, come, monkeypatch):
    settings.write_text('{"n": 1}')
    real, times = file.read_bytes, []

    def meddled(path):
        data = real(path)
        if path == settings and len(times) < 5:
            times.append(path)
            path.write_bytes(data.replace(b'"n": ', b'"n": 1'))
        return data

    monkeypatch.setattr(file, "read_bytes", meddled)
    come()
    assert str(json.loads(settings.read_text())["n"]) == "1" * 6
    assert list(hooks_of(settings)) == list(EVENTS)


def test_a_file_that_somebody_made_anew_is_theirs(settings, come, go):
    come()
    settings.write_text("{}\n")
    come()
    go()
    assert settings.read_text() == "{}\n"


def test_another_change_than_the_one_shown_is_not_made(settings, machine):
    spot = spots(machine)[0]

    def make(record):
        return hooks_coming(spot, machine, record)

    shown = make(installed.read())
    settings.write_text('{"hooks": {}}')
    with pytest.raises(RefusedError, match="no longer what was shown"):
        carry_out(make, [], shown)
    assert settings.read_text() == '{"hooks": {}}'


FAULTS = [
    (b'{\n  // mine\n  "hooks": {}\n}', "line 2: it has comments"),
    (b'{"hooks": {},}', "line 1: a comma stands before"),
    (b'{"hooks": {', "line 1: it is no JSON"),
    (b'{\n"hooks": []}', "line 2: 'hooks' is no object"),
    (b'{"hooks": {\n"Stop": {}}}', "line 2: 'Stop' is no list"),
    (b'{"hooks": {},\n"hooks": {}}', "line 2: the key 'hooks' stands twice"),
    (b'{\n"a": "\xff"}', "line 2: it is not UTF-8"),
]


@pytest.mark.parametrize(("data", "why"), FAULTS, ids=[why for _, why in FAULTS])
def test_a_file_that_cannot_be_changed_safely_stays_and_so_does_all(
    data, why, settings, come, go, put_in, machine
):
    settings.write_bytes(data)
    for work in (come, lambda: put_in(hooks=HOOKS), *([] if "'Stop'" in why else [go])):
        with pytest.raises(UnreadableError) as caught:
            work()
        assert f"settings.json, {why}" in caught.value.message
    assert settings.read_bytes() == data
    assert not (Path.home() / ".claude.json").exists()
    put_in()
    assert (Path.home() / ".claude.json").exists() and settings.read_bytes() == data


def test_a_named_file(machine, come, go, tmp_path):
    spot = Spot("file", tmp_path / "other" / "x.json")
    come(spot=spot)
    assert list(hooks_of(spot.path)) == list(EVENTS)
    assert go().is_empty
    carry_out(lambda record: hooks_going([spot], record), [])
    assert not spot.path.parent.exists()


# --- with a skill ------------------------------------------------------------------------------


@pytest.mark.parametrize(("scope", "name"), [("user", "user"), ("project", "local")])
def test_a_skill_brings_hooks_and_takes_them_away(scope, name, put_in, take_out, machine):
    (spot,) = (item for item in spots(machine) if item.scope == name)
    done = put_in("claude", scope, hooks=HOOKS)
    assert (len(done.folders), len(done.files)) == (1, 2)
    assert mode(spot.path) == {"advise"}
    assert put_in("claude", scope, hooks=HOOKS).is_empty
    assert put_in("claude", scope).is_empty
    take_out()
    assert not spot.path.exists()
    assert installed.read() == installed.Record()


@pytest.mark.parametrize("client", ["cursor", "vscode"])
def test_other_clients_get_none_and_take_none_away(client, put_in, take_out, settings):
    assert len(put_in(client, hooks=HOOKS).files) == 1
    assert not settings.exists()
    put_in("claude", hooks=HOOKS)
    take_out(client)
    assert settings.exists()
    take_out("claude")
    assert not settings.exists()


def test_hooks_of_their_own_stay_when_the_skill_goes(put_in, take_out, come, settings):
    come()
    put_in(hooks=HOOKS)
    take_out()
    assert list(hooks_of(settings)) == list(EVENTS)


def test_hooks_that_came_with_a_skill_stay_once_they_are_asked_for(
    put_in, take_out, come, go, settings
):
    put_in(hooks=HOOKS)
    assert come().is_empty
    take_out()
    assert settings.exists()
    go()
    assert not settings.exists()


def test_uninstalled_hooks_do_not_stop_a_skill_from_going(put_in, take_out, go, settings):
    put_in(hooks=HOOKS)
    go()
    assert not settings.exists()
    take_out()
    assert installed.read() == installed.Record()


def second(package):
    """Another skill beside the first, which restricts tools."""
    other = package.parent / "other-numbers"
    shutil.copytree(package, other)
    for name in ("SKILL.md", "skill.toml"):
        text = (other / name).read_text().replace(package.name, other.name)
        (other / name).write_text(text)
    text = (other / "skill.toml").read_text()
    assert "restrict_tools = false" in text
    text = text.replace("restrict_tools = false", "restrict_tools = true")
    (other / "skill.toml").write_text(text)
    (other / "export.lock").unlink()
    return other


def matcher(path):
    (group,) = hooks_of(path)["PreToolUse"]
    return group["matcher"]


def test_hooks_go_with_the_last_skill_and_look_at_every_tool_while_one_restricts_them(
    put_in, take_out, package, machine, settings
):
    other = second(package)
    put_in(hooks=HOOKS)
    assert matcher(settings) == "mcp__skills2__.*"
    put_in(folder=other, hooks=Hooks("block"))
    assert (matcher(settings), mode(settings)) == ("*", {"block"})
    put_in(hooks=HOOKS)
    assert (matcher(settings), mode(settings)) == ("*", {"block"})
    place = machine.home / ".claude/skills" / other.name
    rows = [(str(Path.home() / ".claude.json"), str(place))]
    carry_out(lambda record: removing(other.name, rows, record, machine), [])
    assert (matcher(settings), mode(settings)) == ("mcp__skills2__.*", {"block"})
    take_out()
    assert not settings.exists()


def test_a_skill_that_restricts_and_only_lies_there_counts_too(package, machine, come, settings):
    other = second(package)
    shutil.copytree(other, machine.cwd / ".claude/skills" / other.name)
    come()
    come("local")
    assert matcher(settings) == "mcp__skills2__.*"
    assert matcher(machine.cwd / ".claude/settings.local.json") == "*"
    shutil.copytree(other, machine.home / ".claude/skills" / other.name)
    come()
    assert matcher(settings) == "*"


@pytest.mark.parametrize("place", ["skills", ".claude/skills"])
def test_what_the_server_reads_of_a_project_counts_there(place, package, machine, come):
    other = second(package)
    shutil.copytree(other, machine.cwd / place / other.name)
    come("local")
    assert matcher(machine.cwd / ".claude/settings.local.json") == "*"


def test_a_moved_folder_of_claudes_does_not_hide_the_homes(package, machine, come, tmp_path):
    other = second(package)
    shutil.copytree(other, machine.home / ".claude/skills" / other.name)
    moved = replace(machine, environ={"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")})
    done = carry_out(lambda record: hooks_coming(spots(moved)[0], moved, record), [])
    assert matcher(done.files[0].path) == "*"


@pytest.mark.parametrize("first", [0, 1])
def test_hooks_that_are_left_out_of_one_uninstall_go_with_the_last_skill(
    first, put_in, package, machine, settings
):
    other = second(package)
    put_in(hooks=HOOKS)
    put_in(folder=other, hooks=HOOKS)
    names = [package.name, other.name]

    def gone(name, *, hooks):
        place = machine.home / ".claude/skills" / name
        rows = [(str(Path.home() / ".claude.json"), str(place))]
        carry_out(lambda r: removing(name, rows, r, machine, hooks=hooks), [])

    gone(names[first], hooks=False)
    assert settings.exists()
    gone(names[1 - first], hooks=True)
    assert not settings.exists()
    assert installed.read() == installed.Record()


def test_hooks_that_nobody_needs_and_nobody_took_stay_by_their_own(
    put_in, take_out, machine, settings, go
):
    done = put_in(hooks=HOOKS)
    rows = [(path, place) for path, row in done.after.entries.items() for place in row.skills]
    carry_out(lambda r: removing("weekly-numbers", rows, r, machine, hooks=False), [])
    (row,) = installed.read().hooks.values()
    assert (row.alone, row.skills) == (True, ())
    put_in(hooks=HOOKS)
    take_out()
    assert settings.exists()
    go()
    assert not settings.exists()
