"""The notebook that a new skill starts from."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from skills2_nb.errors import UsageError
from skills2_nb.formats.paths import is_safe_path
from skills2_nb.hooks.uses import prefix

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: Tool names, ``mcp__skills2__<skill>__<step>``, have 64 characters at most; the longest step of
#: the template leaves this many for the skill.
LONGEST = 64 - len(prefix()) - len("__find_busiest_day")


def checked(name: str) -> str:
    """The name, if a skill may have it.

    Raises:
        UsageError: it breaks the name rule; the message has a name that keeps it.
    """
    if _NAME.fullmatch(name) and len(name) <= LONGEST and is_safe_path(name):
        return name
    near = "-".join(re.findall("[a-z0-9]+", name.lower()))[:LONGEST].strip("-")
    near = f"{near}-skill" if near and not is_safe_path(near) else near
    raise UsageError(
        f"a skill cannot be named {name[:80]!r}: a name has small letters, digits and single "
        f"hyphens between them, at most {LONGEST} characters"
        + (f"; for example {near}" if near else "")
    )


def notebook(name: str) -> bytes:
    """The template with its placeholders filled in; same name, same bytes."""
    text = files("skills2_nb.cli").joinpath("template.ipynb").read_text(encoding="utf-8")
    title = name.replace("-", " ").capitalize()
    text = text.replace("{{name}}", _as_yaml(name)).replace("{{title}}", title)
    return text.encode("utf-8")


def _as_yaml(name: str) -> str:
    """The name as YAML reads it back as text, within a JSON string."""
    from skills2_nb.formats.frontmatter import parse

    plain = parse(f"name: {name}")["name"] == name
    return name if plain else json.dumps(json.dumps(name))[1:-1]
