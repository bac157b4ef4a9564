"""Which package a run is of, and how its tools are called."""

import json
import shutil

import pytest

from skills2_nb.evals.run_package import folder_of, folders_of, tool_named
from skills2_nb.evals.stop_event import read_event
from skills2_nb.library import index
from skills2_nb.library.installed import Placed, Record
from skills2_nb.library.tool_names import alone, named
from tests.evals.small_skill import packaged
from tests.evals.stops import SKILL, job, session


@pytest.fixture
def package(tmp_path):
    return packaged(tmp_path / "made")


def copied(package, place):
    shutil.copytree(package, place)
    return place


def event(cwd, plugin=None):
    path = job(session(), "x", cwd)
    facts = json.loads(path.read_text()) | {"plugin": plugin and str(plugin)}
    path.write_text(json.dumps(facts))
    return read_event(path)


def test_the_places_in_their_order(package, tmp_path, home, monkeypatch):
    desk = tmp_path / "desk"
    first = copied(package, desk / "skills" / SKILL)
    second = copied(package, desk / ".claude" / "skills" / SKILL)
    users = copied(package, home.parent / ".claude" / "skills" / SKILL)
    placed = Placed(SKILL, "0.1.0", "d", {}, True)
    record = Record(packages={str(package): placed, str(first): placed, "/gone": placed})
    monkeypatch.setattr("skills2_nb.library.installed.read", lambda: record)
    assert list(folders_of(SKILL, event(desk))) == [first, second, users, package]
    assert list(folders_of("other", event(desk))) == []
    plugin = tmp_path / "plugin"
    own = copied(package, plugin / "skills" / SKILL)
    assert folder_of(SKILL, event(desk, plugin)) == own


def test_the_package_that_was_told_comes_before_what_a_repository_brings(package, tmp_path, home):
    users = copied(package, home.parent / ".claude" / "skills" / SKILL)
    index.refresh()
    brought = copied(package, tmp_path / "repository" / "skills" / SKILL)
    assert list(folders_of(SKILL, event(tmp_path / "repository"))) == [users, brought]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "a\\b", "a\0b"])
def test_names_that_are_none(name, tmp_path):
    assert list(folders_of(name, event(tmp_path))) == []


def test_tools_as_the_client_shows_them(tmp_path):
    assert tool_named("a", "b", event(tmp_path)) == "mcp__skills2__a__b"
    plugin = tmp_path / "plug.in"
    plugin.mkdir()
    assert tool_named("a", "b", event(tmp_path, plugin)) == "mcp__plugin_plug_in_s__b"


@pytest.mark.parametrize(
    ("skill", "verb"), [("a", "b" * 80), ("a" * 60, "b"), ("a__b", "c"), ("a.b", "c"), ("a", "ü")]
)
def test_tools_are_called_as_the_servers_call_them(skill, verb, tmp_path):
    assert tool_named(skill, verb, event(tmp_path)) == f"mcp__skills2__{named(skill, verb)}"
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    shown = tool_named(skill, verb, event(tmp_path, plugin))
    assert shown == f"mcp__plugin_plugin_s__{alone(verb)}"
