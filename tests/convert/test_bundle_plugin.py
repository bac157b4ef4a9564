"""What a plugin holds."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.convert.bundle import Bundle
from skills2_nb.convert.bundle_plugin import Choices, Served, plugin
from skills2_nb.convert.bundle_source import Source, source_of
from skills2_nb.errors import RefusedError, UsageError
from skills2_nb.formats.package import lock, parse_lock
from skills2_nb.hooks.starter import EVENTS, STARTER, TIMEOUT, TOOLS
from skills2_nb.hooks.uses import prefix
from skills2_nb.library import tool_names
from tests.convert.bundles import write_notebook, write_prose

SERVED = Served({"start_run": f"{prefix('trial-skill')}start_run"}, {"triggers.tsv": b"#skills2"})


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return source_of(write_notebook(tmp_path_factory.mktemp("made")))


def with_front(source: Source, **fields: Any) -> Source:
    return replace(source, front={**source.front, **fields})


def manifest(made: Bundle) -> dict[str, Any]:
    return dict(json.loads(made.files[".claude-plugin/plugin.json"]))


def test_the_skill_its_server_its_hooks_and_its_papers(source: Source) -> None:
    made = plugin(source, Choices(author="Ana", license=b"MIT\n"), SERVED)
    own = {path.removeprefix("skills/trial-skill/") for path in made.files if "skills/" in path}
    assert own == {*source.files, "export.lock"}
    rest = {path for path in made.files if not path.startswith(("skills/", "hooks/"))}
    assert rest == {
        *(".claude-plugin/plugin.json", ".mcp.json", "kit.py", "README.md", "LICENSE"),
        "export.lock",
    }
    hooks = {path.removeprefix("hooks/") for path in made.files if path.startswith("hooks/")}
    assert {"hooks.json", "main.py", "dispatch.py", "LICENSE", "index/triggers.tsv"} <= hooks
    assert made.notes == ()
    assert parse_lock(made.files["export.lock"].decode()).keys() == made.files.keys() - {
        "export.lock"
    }
    kept = parse_lock(made.files["skills/trial-skill/export.lock"].decode())
    assert kept == parse_lock(lock(source.files))


def test_same_skill_same_bytes(source: Source) -> None:
    assert plugin(source, Choices(), SERVED) == plugin(source, Choices(), SERVED)


def test_the_manifest_has_the_types_that_the_client_asks_for(source: Source) -> None:
    front = with_front(source, license="MIT", metadata={"author": "Ana <ana@example.org>"})
    made = manifest(plugin(front, Choices(), SERVED))
    assert made["author"] == {"name": "Ana", "email": "ana@example.org"}
    assert (made["name"], made["version"], made["license"]) == ("trial-skill", "0.1.0", "MIT")
    assert made["description"] == source.description
    assert "hooks" not in made


def test_keywords_are_words_of_a_catalogue(source: Source) -> None:
    told = ("MAU | WAU", "MAU", "active users | customers + fell | dropped")
    triggers = replace(source.manifest.triggers, keywords=told)
    asked = replace(source, manifest=replace(source.manifest, triggers=triggers))
    assert manifest(plugin(asked, Choices(), SERVED))["keywords"] == ["MAU", "active users fell"]


@pytest.mark.parametrize("author", [{"a": "b"}, ["Ana"], 7, " ", None])
def test_an_author_of_another_shape_is_none(source: Source, author: Any) -> None:
    made = plugin(with_front(source, author=author), Choices(), SERVED)
    assert "author" not in manifest(made) and any("names no author" in note for note in made.notes)


def test_hooks_are_of_the_exec_form_and_named_nowhere_else(source: Source) -> None:
    whole = json.loads(plugin(source, Choices(), SERVED).files["hooks/hooks.json"])
    assert list(whole["hooks"]) == list(EVENTS)
    for event, (group,) in whole["hooks"].items():
        (handler,) = group["hooks"]
        assert handler == {
            "type": "command",
            "command": "python3",
            "args": [
                *("-I", "-S", "-c", STARTER),
                *("${CLAUDE_PLUGIN_ROOT}/hooks/main.py", "advise"),
                *("${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"),
            ],
            "timeout": TIMEOUT,
        }
        wanted = "mcp__plugin_trial-skill_s__.*" if event == TOOLS else None
        assert group.get("matcher") == wanted


def test_a_skill_that_restricts_tools_looks_at_every_call(source: Source) -> None:
    runtime = replace(source.manifest.runtime, restrict_tools=True)
    strict = replace(source, manifest=replace(source.manifest, runtime=runtime))
    files = plugin(strict, Choices(), SERVED).files
    assert json.loads(files["hooks/hooks.json"])["hooks"]["PreToolUse"][0]["matcher"] == "*"
    text = files["README.md"].decode()
    assert "other tools are held back" in text and "Nothing is blocked" not in text


def test_the_server_is_called_s_and_keeps_its_state_in_data(source: Source) -> None:
    made = plugin(source, Choices(name="other"), SERVED)
    assert made.name == "other"
    assert json.loads(made.files[".mcp.json"]) == {
        "mcpServers": {
            "s": {
                "command": "python3",
                "args": [
                    *("${CLAUDE_PLUGIN_ROOT}/kit.py", "serve", "--plugin"),
                    "${CLAUDE_PLUGIN_ROOT}/skills/trial-skill",
                ],
                "env": {"SKILLS2_HOME": "${CLAUDE_PLUGIN_DATA}"},
            }
        }
    }
    assert tool_names.shown("trial-skill", "add", "other") == "mcp__plugin_other_s__add"


def test_prose_alone_needs_no_server(tmp_path: Path) -> None:
    made = plugin(source_of(write_prose(tmp_path)), Choices(author="A", license=b"x"), Served())
    assert sorted(made.files) == [
        *(".claude-plugin/plugin.json", "LICENSE", "README.md", "export.lock"),
        "skills/weekly/SKILL.md",
    ]
    assert b"nothing is\nrecorded" in made.files["README.md"]


LICENSES = [
    ({}, {}, None, "There is no LICENSE"),
    ({"license": "MIT"}, {}, b"trial-skill is licensed under: MIT\n", "its name alone"),
    ({"license": "MIT"}, {"LICENSE.txt": b"all of it"}, b"all of it", ""),
    ({}, {"LICENCE": b"all of it"}, b"all of it", ""),
    ({"license": ["MIT"]}, {"assets/LICENSE": b"of the data"}, None, "There is no LICENSE"),
]


@pytest.mark.parametrize(("front", "files", "text", "said"), LICENSES)
def test_license(front: Any, files: Any, text: bytes | None, said: str, source: Source) -> None:
    found = replace(with_front(source, **front), files={**source.files, **files})
    made = plugin(found, Choices(author="Ana"), SERVED)
    assert made.files.get("LICENSE") == text
    assert [note for note in made.notes if said in note] == list(made.notes)
    assert bool(made.notes) is bool(said)
    given = plugin(found, Choices(author="Ana", license=b"mine"), SERVED)
    assert (given.files["LICENSE"], given.notes) == (b"mine", ())


AUTHORS = [
    ("Ana", {"name": "Ana"}),
    ("Ana Ahn <a@b.org>", {"name": "Ana Ahn", "email": "a@b.org"}),
    ("  Zoë  ", {"name": "Zoë"}),
]


@pytest.mark.parametrize(("text", "wanted"), AUTHORS)
def test_author(text: str, wanted: dict[str, str], source: Source) -> None:
    assert manifest(plugin(source, Choices(author=text), SERVED))["author"] == wanted
    said = with_front(source, author=text)
    assert manifest(plugin(said, Choices(), SERVED))["author"] == wanted


@pytest.mark.parametrize("text", ["<a@b.org>", "Ana <a@b", "a <b> <c>"])
def test_an_author_without_a_name_is_refused(text: str, source: Source) -> None:
    with pytest.raises(UsageError, match="no `Name <mail>`"):
        plugin(source, Choices(author=text), SERVED)
    assert "author" not in manifest(plugin(with_front(source, author=text), Choices(), SERVED))


@pytest.mark.parametrize("name", ["Other", "a b", "../x", "ä", "-a"])
def test_a_plugins_name_is_words_and_hyphens(name: str, source: Source) -> None:
    with pytest.raises(UsageError, match="lower-case words and hyphens"):
        plugin(source, Choices(name=name), SERVED)


def test_a_tool_name_that_is_too_long_comes_with_a_shorter_plugins_name(source: Source) -> None:
    name = "a-plugin-with-a-name-of-more-than-forty-letters"
    with pytest.raises(RefusedError, match="clients allow 64") as caught:
        plugin(source, Choices(name), Served({"s": f"{prefix(name)}start_run"}))
    shorter = caught.value.message.partition("--name ")[2].partition(",")[0]
    assert name.startswith(shorter)
    assert len(f"{prefix(shorter)}start_run") <= 64
    plugin(source, Choices(shorter), Served({"s": f"{prefix(shorter)}start_run"}))


def test_a_plugin_without_a_description_is_refused(source: Source) -> None:
    with pytest.raises(RefusedError, match="no description"):
        plugin(with_front(source, description=""), Choices(), SERVED)


def test_tools_named_as_settings_have_them_are_told(source: Source) -> None:
    text = source.files["SKILL.md"] + b"\nCall mcp__skills2__trial-skill__add.\n"
    found = replace(source, files={**source.files, "SKILL.md": text})
    (note,) = plugin(found, Choices(author="A", license=b"x"), SERVED).notes
    assert "mcp__plugin_trial-skill_s__..." in note


def test_the_readme_says_what_where_and_what_for(source: Source) -> None:
    text = plugin(source, Choices(), SERVED).files["README.md"].decode()
    for said in ("# trial-skill\n", source.description, "| `add` | Add up. |", "data folder"):
        assert said in text
    assert "Nothing is blocked." in text and "held back" not in text
    assert "a mark is put there" in text
    assert "{" not in text
    assert text.count("`hooks/LICENSE`") == 1
