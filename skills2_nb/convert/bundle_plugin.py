"""A skill as a plugin, its server and hooks beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from skills2_nb.convert.bundle import Bundle, hidden
from skills2_nb.convert.bundle_kit import KIT, license_text
from skills2_nb.convert.bundle_readme import readme
from skills2_nb.convert.bundle_source import SKILL_MD, Source
from skills2_nb.convert.prose_rules import NAME
from skills2_nb.convert.step_rules import LONGEST_TOOL
from skills2_nb.errors import RefusedError, UsageError
from skills2_nb.formats.package import LOCK, lock
from skills2_nb.hooks.home import DEFAULT
from skills2_nb.hooks.starter import EVERY, groups
from skills2_nb.hooks.uses import PLUGIN_SERVER, prefix

ROOT, DATA = "${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"
INDEX = "hooks/index/"
_AUTHOR = re.compile(r"\s*([^<>]*?)\s*(?:<([^<>\s]+)>)?\s*")
_LICENSE = re.compile(r"(?:LICEN[SC]E|COPYING)(?:\.(?:md|txt))?", re.IGNORECASE)


@dataclass(frozen=True)
class Choices:
    """What a plugin says beyond its skill.

    Attributes:
        name: the plugin's; empty: the skill's.
        author: ``Name <mail>``; empty: as the skill's front matter has it.
        license: the text of LICENSE; None: the skill's own file, or what its front matter names.
    """

    name: str = ""
    author: str = ""
    license: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Served:
    """What a plugin's server and hooks go by.

    Attributes:
        tools: what Claude Code calls the tool of each verb.
        index: the trigger index of the skill, by file name, made with these names.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    index: Mapping[str, bytes] = field(default_factory=dict)


def plugin(source: Source, choices: Choices, served: Served) -> Bundle:
    """The files of a plugin that holds one skill.

    Raises:
        UsageError: the plugin's name or the author is not as it should be.
        RefusedError: a tool's name is too long, or there is no description.
    """
    name = choices.name or source.name
    _check(source, name, served.tools)
    license, notes = _license(source, choices)
    files = {f"skills/{source.name}/{path}": data for path, data in source.files.items()}
    if source.is_exported:
        files[f"skills/{source.name}/{LOCK}"] = lock(source.files).encode("utf-8")
    manifest = _manifest(source, name, choices)
    if "author" not in manifest:
        notes.append("plugin.json names no author: give one with --author 'Name <mail>'.")
    files[".claude-plugin/plugin.json"] = _json(manifest)
    files["README.md"] = readme(source, name, has_license=license is not None)
    if license is not None:
        files["LICENSE"] = license
    if source.has_steps:
        files |= _served(source, name)
        files |= {INDEX + path: data for path, data in served.index.items()}
    files[LOCK] = lock(files).encode("utf-8")
    return Bundle(name, files, (), (*hidden(source), *notes, *_strange_tools(source, name)))


def _check(source: Source, name: str, tools: Mapping[str, str]) -> None:
    if not NAME.fullmatch(name):
        raise UsageError(f"a plugin cannot be called {name!r}; write lower-case words and hyphens")
    if not source.description:
        raise RefusedError(
            f"{source.name}: there is no description in its front matter, so nobody can tell when "
            "to use it; write one."
        )
    longest = max(tools.values(), key=len, default="")
    over = len(longest) - LONGEST_TOOL
    if over > 0:
        raise RefusedError(
            f"the tool name {longest} has {len(longest)} characters, and clients allow "
            f"{LONGEST_TOOL}; give the plugin a name that is {over} shorter: --name "
            f"{name[: max(1, len(name) - over)].rstrip('-')}, or shorten the step's id."
        )


def _manifest(source: Source, name: str, choices: Choices) -> dict[str, Any]:
    """plugin.json; hooks/hooks.json is found without it, and named in it would count twice."""
    front = source.front
    said = front.get("license")
    manifest: dict[str, Any] = {
        "name": name,
        "version": source.manifest.version,
        "description": source.description,
        "author": _author(source, choices.author),
        "license": said if isinstance(said, str) else "",
        "keywords": list(dict.fromkeys(map(_plain, source.manifest.triggers.keywords))),
    }
    return {key: value for key, value in manifest.items() if value}


def _plain(keyword: str) -> str:
    """A keyword as a catalogue has it: of several texts for one thing the first."""
    return " ".join(part.partition(" | ")[0].strip() for part in keyword.split(" + "))


def _author(source: Source, told: str) -> dict[str, str]:
    metadata = source.front.get("metadata")
    kept = metadata.get("author") if isinstance(metadata, Mapping) else None
    text = told or next((one for one in (source.front.get("author"), kept) if _is_text(one)), "")
    match = _AUTHOR.fullmatch(text)
    if match is None or not match[1]:
        if told:
            raise UsageError(f"--author {told!r} is no `Name <mail>`")
        return {}
    return {key: value for key, value in (("name", match[1]), ("email", match[2])) if value}


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _license(source: Source, choices: Choices) -> tuple[bytes | None, list[str]]:
    """The text of LICENSE, and what is to be said where there is none."""
    if choices.license is not None:
        return choices.license, []
    own = next((path for path in source.files if _LICENSE.fullmatch(path)), None)
    if own is not None:
        return source.files[own], []
    said = source.front.get("license")
    if isinstance(said, str) and said.strip():
        text = f"{source.name} is licensed under: {' '.join(said.split())}\n"
        return text.encode("utf-8"), [
            "LICENSE has its name alone; --license FILE puts its text there."
        ]
    return None, [
        "There is no LICENSE, so nobody may pass the plugin on: write `license:` into the front "
        "matter, put a file LICENSE into the skill, or name one with --license FILE."
    ]


def _served(source: Source, name: str) -> dict[str, bytes]:
    """The server, the hooks, and what they are started by."""
    hooks = {f"hooks/{p.name}": p.read_bytes() for p in sorted((KIT / "hooks").glob("*.py"))}
    restricts = source.manifest.runtime.restrict_tools
    return hooks | {
        ".mcp.json": _json({"mcpServers": {PLUGIN_SERVER: _entry(source.name)}}),
        "hooks/hooks.json": _json(_hooks(EVERY if restricts else f"{prefix(name)}.*")),
        "hooks/LICENSE": license_text(),
        "kit.py": (KIT / "convert" / "launcher.py").read_bytes(),
    }


def _entry(skill: str) -> dict[str, Any]:
    return {
        "command": "python3",
        "args": [f"{ROOT}/kit.py", "serve", "--plugin", f"{ROOT}/skills/{skill}"],
        "env": {"SKILLS2_HOME": DATA},
    }


def _hooks(tools: str) -> dict[str, Any]:
    made = groups("python3", [f"{ROOT}/hooks/main.py", DEFAULT, ROOT, DATA], tools)
    said = "The skill's checklist goes in with the prompt, the audit of its run comes back."
    return {"description": said, "hooks": {event: [group] for event, group in made.items()}}


def _strange_tools(source: Source, name: str) -> list[str]:
    named = f"{prefix()}{source.name}__"
    if named.encode() not in source.files[SKILL_MD]:
        return []
    return [
        f"SKILL.md names tools as settings have them ({named}...); in the "
        f"plugin they are called {prefix(name)}..."
    ]


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
