"""The six fields, as every reader takes them."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.convert.bundle_front import LOST, allowed, uploaded
from skills2_nb.convert.bundle_source import Source
from skills2_nb.convert.front_rules import CLAUDE_KEYS
from skills2_nb.errors import RefusedError
from skills2_nb.formats.frontmatter import parse
from skills2_nb.formats.manifest import Manifest
from skills2_nb.formats.skill_md import split

BODY = "# Weekly\n\nText.\n"


def source(front: str, name: str = "weekly", body: str = BODY, start: str = "") -> Source:
    data = f"{start}---\n{front}\n---\n\n{body}".encode()
    return Source(name, split(data).fields, {"SKILL.md": data}, Manifest(name))


def made(front: str, **settings: str) -> str:
    return uploaded(source(front, **settings)).data.decode()


HEAD = "name: weekly\ndescription: Counts.\n"
WRITTEN = [
    ("description: Counts.", 'description: "Counts."'),
    ("description: |\n  Counts\n\n  the   week.", 'description: "Counts the week."'),
    ('description: "say \\"so\\" at C:\\\\temp"', 'description: "say \\"so\\" at C:\\\\temp"'),
    ("description: a --- b", 'description: "a -\\x2d- b"'),
    ("description: a ----- b", 'description: "a -\\x2d-\\x2d- b"'),
    ('description: "fix #123: now"', 'description: "fix #123: now"'),
    ('description: "a\\u2028b\\x85c"', 'description: "a b c"'),
    ("description: x\nlicense: MIT", 'license: "MIT"'),
    ("description: x\nmetadata: {a: 1, b: yes}", 'metadata:\n  a: "1"\n  b: "true"'),
    ('description: x\nmetadata:\n  "a b": c', 'metadata:\n  "a b": "c"'),
    (
        "description: x\nmetadata:\n  a---b: c\n  'no': d",
        'metadata:\n  "a-\\x2d-b": "c"\n  "no": "d"',
    ),
    ("description: x\nmetadata:\n  a:\n    b: [1]", 'metadata:\n  a: "{\\"b\\": [1]}"'),
    ("description: x\nallowed-tools: [Read, Grep]", 'allowed-tools: "Read Grep"'),
    (
        "description: x\nallowed-tools: Read, Bash(git add:*)",
        'allowed-tools: "Read Bash(git add:*)"',
    ),
    (
        "description: x\nlicense: MIT\nname: weekly",
        'name: weekly\ndescription: "x"\nlicense: "MIT"',
    ),
]


@pytest.mark.parametrize(("front", "line"), WRITTEN)
def test_each_field_is_one_line_in_double_quotes(front: str, line: str) -> None:
    text = made(front)
    head = text.split("\n---\n")[0]
    assert f"\n{line}" in head
    assert text.endswith(f"\n---\n\n{BODY}")
    assert "---" not in head.removeprefix("---")


WRONG = [
    ("license: MIT", "weekly", "no description"),
    ("description: ''", "weekly", "no description"),
    (f"description: {'x' * 1025}", "weekly", "1025 characters, 1024 are allowed"),
    ("description: makes <b> bold", "weekly", "angle bracket"),
    ("description: x", "my-claude", "'claude', which uploads reserve"),
    ("description: x", "anthropic-x", "'anthropic', which uploads reserve"),
    (f"description: x\ncompatibility: {'x' * 501}", "weekly", "more than 500"),
    ("description: x\nmetadata: text", "weekly", "metadata is no list"),
    ("description: x\nlicense: [MIT]", "weekly", "license is no text"),
]


@pytest.mark.parametrize(("front", "name", "said"), WRONG)
def test_what_an_upload_would_refuse_is_refused_here(front: str, name: str, said: str) -> None:
    with pytest.raises(RefusedError, match="cannot be uploaded") as caught:
        uploaded(source(front, name))
    assert said in caught.value.message


def test_everything_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(RefusedError) as caught:
        uploaded(source("description: <b>\nmetadata: 3", "claude"))
    assert caught.value.message.count(";") == 2


@pytest.mark.parametrize("name", ["true", "123", "null", "1e3", "on"])
def test_a_name_stays_a_text(name: str) -> None:
    assert parse(made(f"name: '{name}'\ndescription: x", name=name)[4:].split("\n---")[0]) == {
        "name": name,
        "description": "x",
    }


def test_line_ends_and_mark_go_and_the_prose_stays() -> None:
    text = f"\ufeff---\n{HEAD}---\n\n{BODY}".replace("\n", "\r\n").encode()
    found = Source("weekly", split(text).fields, {"SKILL.md": text}, Manifest("weekly"))
    data = uploaded(found).data
    assert data == f'---\nname: weekly\ndescription: "Counts."\n---\n\n{BODY}'.encode()


def test_needs_are_told_where_the_author_said_nothing() -> None:
    front = uploaded(source(HEAD.strip()), "Python with pydantic").data.decode()
    assert 'compatibility: "Python with pydantic"' in front
    front = uploaded(source(f"{HEAD}compatibility: Linux"), "Python").data.decode()
    assert 'compatibility: "Linux"' in front


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>"), min_size=1)


@given(TEXT, st.dictionaries(TEXT, TEXT, max_size=3))
def test_what_is_written_is_read_again(description: str, metadata: dict[str, str]) -> None:
    wanted = " ".join(description.split())
    if not wanted or len(wanted) > 1024:
        return
    fields = {"name": "weekly", "description": description, "metadata": metadata}
    found = Source("weekly", fields, {"SKILL.md": b"---\nname: weekly\n---\n"}, Manifest("weekly"))
    text = uploaded(found).data.decode()
    read = split(text.encode()).fields
    assert read["description"] == wanted
    assert read.get("metadata", {}) == metadata
    assert text.count("---") == 2


TOOLS = [
    (["Read", "Bash(git add:*)"], "Read Bash(git add:*)"),
    ("Read,Grep,  Glob", "Read Grep Glob"),
    ("Bash(git log, x) Read", "Bash(git log, x) Read"),
    ("", ""),
]


@pytest.mark.parametrize(("given", "wanted"), TOOLS)
def test_tools_are_one_text_with_spaces(given: object, wanted: str) -> None:
    assert allowed(given) == wanted


def test_each_key_of_claude_code_has_a_word_on_what_is_lost() -> None:
    assert set(LOST) <= set(CLAUDE_KEYS)
    assert set(CLAUDE_KEYS) - set(LOST) == {"display-name", "default-enabled", "fallback"}


@pytest.mark.parametrize(("front", "line"), WRITTEN)
def test_the_reference_reader_takes_it(front: str, line: str, tmp_path: Path) -> None:
    pytest.importorskip("skills_ref")
    folder = tmp_path / "weekly"
    folder.mkdir()
    (folder / "SKILL.md").write_text(made(front), encoding="utf-8")
    from skills_ref.parser import read_properties
    from skills_ref.validator import validate

    assert validate(folder) == []
    wanted = " ".join(split(made(front).encode()).fields["description"].split())
    assert read_properties(folder).description == wanted


def test_the_reference_tool_takes_it(tmp_path: Path) -> None:
    pytest.importorskip("skills_ref")
    folder = tmp_path / "weekly"
    folder.mkdir()
    (folder / "SKILL.md").write_text(made(WRITTEN[3][0]), encoding="utf-8")
    tool = Path(sys.executable).with_name("agentskills")
    done = subprocess.run([tool, "validate", folder], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout
