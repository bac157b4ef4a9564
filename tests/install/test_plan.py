"""Install and its reverse on disk: what changes, what stays, what is refused."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from skills2_nb.contract.loader import package_digest
from skills2_nb.errors import RefusedError, SetupError, UnreadableError, UsageError
from skills2_nb.install import file, plan
from skills2_nb.install.clients import CLIENTS, entry
from skills2_nb.library import installed
from skills2_nb.library.installed import installed_digest

CLAUDE = '{\r\n    "numStartups": 7,\r\n    "mcpServers": {\r\n        "git": {}\r\n    }\r\n}'


def tree(folder):
    """Every file below a folder with its bytes and mode, our own records left out."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "skills2" not in path.relative_to(folder).parts
    }


def folders(folder):
    return {path for path in folder.rglob("*") if path.is_dir()}


@pytest.fixture
def claude_json():
    path = Path.home() / ".claude.json"
    path.write_bytes(CLAUDE.encode())
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("before", [None, b"{}", b'\xef\xbb\xbf{"a": 1,\n\n "a": 2}', b"\n"])
def test_there_and_back(client, scope, before, machine, package, put_in, take_out, tmp_path):
    path = CLIENTS[client].settings(scope, machine)
    if before is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(before)
    was, were = (tree(machine.home), tree(tmp_path)), folders(tmp_path)
    done = put_in(client, scope)
    place = CLIENTS[client].skills(scope, machine) / package.name
    assert tree(place) == tree(package)
    assert installed_digest(place) == package_digest(package) == package_digest(place)
    servers = json.loads(path.read_text(encoding="utf-8-sig"))[CLIENTS[client].key]
    assert servers == {"skills2": entry(machine)}
    assert not done.is_empty
    now = tree(machine.home), tree(tmp_path)
    again = put_in(client, scope)
    assert again.is_empty and again.is_noted
    assert (tree(machine.home), tree(tmp_path)) == now
    take_out()
    assert (tree(machine.home), tree(tmp_path)) == was
    assert folders(tmp_path) == were
    assert installed.read() == installed.Record()


def test_the_file_stays_private_and_its_copy_too(claude_json, put_in, take_out):
    put_in()
    copy = file.backup_of(claude_json)
    assert copy.read_bytes() == CLAUDE.encode()
    for path in (claude_json, copy, installed.home() / installed.FILE):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    take_out()
    assert claude_json.read_bytes() == CLAUDE.encode()
    assert not copy.exists()


def test_a_new_file_of_the_users_is_private(put_in):
    put_in()
    assert stat.S_IMODE((Path.home() / ".claude.json").stat().st_mode) == 0o600


def test_the_copy_is_made_once_and_stays_where_others_changed_the_file(
    claude_json, put_in, take_out
):
    put_in()
    value = json.loads(claude_json.read_text())
    value["mcpServers"]["late"] = {"command": "x"}
    claude_json.write_text(json.dumps(value, indent=2))
    take_out()
    del value["mcpServers"]["skills2"]
    assert json.loads(claude_json.read_text()) == value
    put_in()
    assert file.backup_of(claude_json).read_bytes() == CLAUDE.encode()


def test_a_link_is_written_through(claude_json, put_in, take_out, tmp_path):
    real = tmp_path / "dotfiles.json"
    claude_json.rename(real)
    claude_json.symlink_to(real)
    put_in()
    assert claude_json.is_symlink()
    assert "skills2" in json.loads(real.read_text())["mcpServers"]
    take_out()
    assert claude_json.is_symlink()
    assert real.read_bytes() == CLAUDE.encode()


def test_one_entry_serves_every_skill_and_goes_with_the_last(
    claude_json, put_in, take_out, package, machine
):
    put_in()
    other = package.parent / "other-numbers"
    shutil.copytree(package, other)
    for name in ("SKILL.md", "skill.toml"):
        text = (other / name).read_text().replace(package.name, other.name)
        (other / name).write_text(text)
    (other / "export.lock").unlink()
    done = put_in(folder=other)
    assert (len(done.folders), len(done.files)) == (1, 0)
    skills = machine.home / ".claude/skills"
    rows = [(str(claude_json), str(skills / package.name))]
    plan.carry_out(lambda record: plan.removing(package.name, rows, record, machine), [])
    assert sorted(path.name for path in skills.iterdir()) == [other.name]
    assert "skills2" in json.loads(claude_json.read_text())["mcpServers"]
    take_out()
    assert claude_json.read_bytes() == CLAUDE.encode()
    assert not skills.exists()


def test_a_package_that_another_client_needs_stays(put_in, take_out, machine, package):
    put_in("claude")
    put_in("cursor")
    place = machine.home / ".claude/skills" / package.name
    assert take_out("cursor").folders == ()
    assert place.is_dir()
    take_out("claude")
    assert not place.exists()


def test_a_package_that_lies_there_is_left_where_it_is(put_in, take_out, machine, package):
    place = machine.home / ".claude/skills" / package.name
    shutil.copytree(package, place)
    was = tree(place)
    for source in (place, package):
        assert put_in(folder=source).folders == ()
        assert installed_digest(place) is None
        take_out()
        assert tree(place) == was


def test_what_is_there_already_is_only_noted(put_in, take_out, machine, package, claude_json):
    """As on a machine whose record was lost: what is right is taken for ours where it must be."""
    put_in()
    was = tree(machine.home)
    (installed.home() / installed.FILE).unlink()
    done = put_in()
    assert (done.is_empty, done.is_noted) == (True, False)
    assert tree(machine.home) == was
    take_out()
    assert json.loads(claude_json.read_text()) == json.loads(CLAUDE)
    assert (machine.home / ".claude/skills" / package.name).is_dir()


def test_an_update_changes_what_changed(put_in, package, machine):
    put_in()
    (package / "SKILL.md").write_text((package / "SKILL.md").read_text() + "\nMore.\n")
    (package / "references").mkdir()
    (package / "references/new.md").write_text("new")
    (package / "evals/cases.jsonl").unlink()
    done = put_in(force=True)
    (change,) = done.folders
    assert list(change.write) == ["SKILL.md", "references/new.md"]
    assert change.remove == ("evals/cases.jsonl",)
    place = machine.home / ".claude/skills" / package.name
    assert tree(place) == tree(package)
    assert installed_digest(place) == package_digest(package)


def edited(place):
    with (place / "SKILL.md").open("a") as text:
        text.write("mine")


def extra(place):
    (place / "notes.md").write_text("mine")


@pytest.mark.parametrize("change", [edited, extra])
def test_what_was_edited_since_is_not_taken_away(change, put_in, take_out, machine, package):
    put_in()
    place = machine.home / ".claude/skills" / package.name
    change(place)
    was, settings = tree(place), (Path.home() / ".claude.json").read_bytes()
    with pytest.raises(RefusedError, match="changed since the install"):
        take_out()
    assert (tree(place), (Path.home() / ".claude.json").read_bytes()) == (was, settings)
    take_out(force=True)
    assert not place.exists()


def test_what_was_edited_since_is_not_overwritten(put_in, machine, package):
    put_in()
    place = machine.home / ".claude/skills" / package.name
    edited(place)
    with pytest.raises(RefusedError, match=r"SKILL\.md changed since the install"):
        put_in()
    with pytest.raises(RefusedError, match=r"SKILL\.md changed since the export"):
        put_in(folder=place)
    (place / "export.lock").unlink()
    with pytest.raises(RefusedError, match=r"SKILL\.md changed since the install"):
        put_in(folder=place)
    assert (place / "SKILL.md").read_text().endswith("mine")
    assert put_in(force=True).folders
    assert tree(place) == tree(package)


def test_a_folder_of_somebody_elses_is_not_touched(put_in, machine, package):
    place = machine.home / ".claude/skills" / package.name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text("theirs")
    with pytest.raises(RefusedError, match="did not put it there"):
        put_in()
    assert tree(place).keys() == {"SKILL.md"}
    assert not (Path.home() / ".claude.json").exists()
    put_in(force=True)
    assert tree(place) == tree(package)


@pytest.mark.parametrize("made", ["link", "file", "link inside"])
def test_links_and_files_in_the_way_are_refused(made, put_in, machine, package, tmp_path):
    place = machine.home / ".claude/skills" / package.name
    place.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    if made == "link":
        place.symlink_to(tmp_path / "elsewhere")
    elif made == "file":
        place.write_text("x")
    else:
        place.mkdir()
        (place / "runtime").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match=r"delete the link|move it away"):
        put_in(force=True)
    assert not any((tmp_path / "elsewhere").iterdir())


THEIRS = '{"mcpServers": {"skills2": {"command": "theirs"}}, "n": 1.50}'


def test_an_entry_of_somebody_elses_is_not_overwritten_and_comes_back(put_in, take_out, machine):
    path = Path.home() / ".claude.json"
    path.write_text(THEIRS)
    with pytest.raises(RefusedError, match="an entry 'skills2' already"):
        put_in()
    assert path.read_text() == THEIRS
    put_in(force=True)
    assert json.loads(path.read_text())["mcpServers"]["skills2"] == entry(machine)
    take_out()
    assert path.read_text() == THEIRS


def test_an_entry_that_was_edited_since_stays(put_in, take_out, claude_json):
    put_in()
    claude_json.write_text(claude_json.read_text().replace("connect", "connect-mine"))
    for work in (put_in, take_out):
        with pytest.raises(RefusedError, match=r"edited since"):
            work()
    take_out(force=True)
    assert "skills2" not in claude_json.read_text()


def test_an_environment_that_moved_gets_its_new_command(put_in, take_out, claude_json, machine):
    put_in()
    (machine.scripts / "skills2").unlink()
    put_in()
    servers = json.loads(claude_json.read_bytes())["mcpServers"]
    assert servers["skills2"]["command"] == machine.python
    take_out()
    assert claude_json.read_bytes() == CLAUDE.encode()


BROKEN = [
    (b'{\n  // mine\n  "servers": {}\n}', "line 2: it has comments"),
    (b'{"servers": {},}', "line 1: a comma stands before"),
    (b'{"servers": {', "line 1: it is no JSON"),
    (b'{"servers": []}', "line 1: 'servers' is no object"),
    (b'{\n"a": "\xff"}', "line 2: it is not UTF-8"),
    ("{}".encode("utf-16"), "line 1: it is not UTF-8"),
]


@pytest.mark.parametrize(("data", "why"), BROKEN, ids=[why for _, why in BROKEN])
def test_a_file_that_cannot_be_changed_safely_stays(data, why, put_in, machine, package):
    path = machine.cwd / ".vscode/mcp.json"
    path.parent.mkdir()
    path.write_bytes(data)
    with pytest.raises(UnreadableError) as caught:
        put_in("vscode", "project")
    assert f"mcp.json, {why}" in caught.value.message
    assert 'put this into "servers" by hand: "skills2": {"type": "stdio"' in caught.value.message
    assert path.read_bytes() == data
    assert not (machine.cwd / ".claude").exists()


def test_settings_that_are_a_folder(put_in, machine):
    (machine.cwd / ".mcp.json").mkdir()
    with pytest.raises(UnreadableError, match="is a folder"):
        put_in("claude", "project")


def test_what_another_program_writes_in_between_is_not_lost(claude_json, put_in, monkeypatch):
    """A client that is open writes its settings at any time."""
    real, times = file.read_bytes, []

    def meddled(path):
        data = real(path)
        if path == claude_json and len(times) < 6:
            times.append(path)
            path.write_bytes(data.replace(b'"numStartups": ', b'"numStartups": 1'))
        return data

    monkeypatch.setattr(file, "read_bytes", meddled)
    put_in()
    value = json.loads(claude_json.read_text())
    assert str(value["numStartups"]) == "1" * 6 + "7"
    assert "skills2" in value["mcpServers"]


def test_a_file_that_never_rests_is_left_alone(claude_json, put_in, monkeypatch):
    real = file.read_bytes

    def meddled(path):
        data = real(path)
        if path == claude_json:
            path.write_bytes(data + b"\n")
        return data

    monkeypatch.setattr(file, "read_bytes", meddled)
    with pytest.raises(file.ChangedError, match="at the same moment"):
        put_in()
    assert "skills2" not in claude_json.read_text()


def test_another_plan_than_the_one_shown_is_not_carried_out(claude_json, machine, package):
    from skills2_nb.install.source import source_of
    from skills2_nb.library.discovery import Target

    source = source_of(Target(package.name, "package", package))

    def make(record):
        return plan.installing(source, CLIENTS["claude"], "user", machine, record)

    shown = make(installed.read())
    claude_json.write_text(CLAUDE.replace("7", "8"))
    place = machine.home / ".claude/skills" / package.name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_bytes((package / "SKILL.md").read_bytes())
    with pytest.raises(RefusedError):
        plan.carry_out(make, [place], shown)
    shutil.rmtree(place)
    claude_json.write_text(CLAUDE.replace('"git": {}', '"git": 1'))
    plan.carry_out(make, [place], make(installed.read()))
    assert place.is_dir()


def test_a_change_elsewhere_in_the_file_is_no_other_plan(claude_json, machine, package):
    from skills2_nb.install.source import source_of
    from skills2_nb.library.discovery import Target

    source = source_of(Target(package.name, "package", package))

    def make(record):
        return plan.installing(source, CLIENTS["claude"], "user", machine, record)

    shown = make(installed.read())
    claude_json.write_bytes(CLAUDE.replace("7", "8").encode())
    plan.carry_out(make, [], shown)
    value = json.loads(claude_json.read_text())
    assert value["numStartups"] == 8 and "skills2" in value["mcpServers"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_place_that_cannot_be_written_is_said_before_anything_changes(put_in, machine):
    machine.cwd.chmod(0o500)
    with pytest.raises(SetupError, match="permission denied"):
        put_in("cursor", "project")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_is_read_only_stays_as_it_is(claude_json, put_in):
    claude_json.chmod(0o400)
    with pytest.raises(SetupError, match="permission denied"):
        put_in()
    assert claude_json.read_bytes() == CLAUDE.encode()


def test_two_reverses_at_once_do_it_once(claude_json, put_in, machine, package):
    put_in()
    rows = [(str(claude_json), str(machine.home / ".claude/skills" / package.name))]

    def make(record):
        return plan.removing(package.name, rows, record, machine)

    assert not plan.carry_out(make, []).is_empty
    assert plan.carry_out(make, []).is_empty
    assert claude_json.read_bytes() == CLAUDE.encode()


def test_a_full_disk_changes_nothing(claude_json, put_in, machine, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file.tempfile, "TemporaryFile", full)
    with pytest.raises(SetupError, match="the disk is full"):
        put_in()
    assert claude_json.read_bytes() == CLAUDE.encode()
    assert not (machine.home / ".claude/skills").exists()


def test_a_record_that_is_damaged_is_said(home, put_in):
    put_in()
    (home / installed.FILE).write_text('{"schema": 1, "packages": []}')
    with pytest.raises(UnreadableError, match=r"installed\.json is damaged"):
        put_in()
    assert installed_digest(Path.home() / ".claude/skills/weekly-numbers") is None


@pytest.mark.parametrize("kind", ["pipe", "loop", "device"])
def test_settings_that_are_no_plain_file(kind, put_in):
    path = Path.home() / ".claude.json"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if kind == "loop" else os.devnull)
    with pytest.raises(UnreadableError, match=r"no plain file|leads to itself"):
        put_in()
    assert not (Path.home() / ".claude").exists() and os.path.lexists(path)
