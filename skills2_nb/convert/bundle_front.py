"""Front matter that every reader of skills takes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from skills2_nb.convert.bundle_source import SKILL_MD, Source
from skills2_nb.convert.document import LONGEST_DESCRIPTION
from skills2_nb.convert.front_rules import CLAUDE_KEYS, LONGEST_COMPATIBILITY, RESERVED, SPEC_KEYS
from skills2_nb.errors import RefusedError
from skills2_nb.formats.problem import Problem, found
from skills2_nb.formats.skill_md import join, split

#: What an agent loses that reads the six fields alone; of other keys nothing is known.
LOST = {
    "when_to_use": "say in the description when to use the skill",
    "argument-hint": "nobody sees the hint there",
    "arguments": "$name in the prose stays as it stands there",
    "disable-model-invocation": "the model may use the skill by itself there",
    "user-invocable": "the user may call the skill there",
    "disallowed-tools": "no tool is withheld there",
    "model": "the model of the conversation is used there",
    "effort": "the effort of the conversation holds there",
    "context": "the skill runs in the conversation itself there",
    "agent": "the skill runs in the conversation itself there",
    "background": "the skill runs in the conversation itself there",
    "hooks": "the hooks of the skill do not run there",
    "paths": "the skill is offered whatever files are in play there",
    "shell": "commands in the prose are not run there",
}
_SEPARATOR = re.compile(r"[\s,]+(?![^()]*\))")
_TYPED = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_HYPHENS = re.compile(r"-{3,}")
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True)
class Front:
    """A SKILL.md as uploads take it.

    Attributes:
        data: the file: six fields at most, each on a line of its own in double quotes; LF, no mark.
        dropped: a problem for each key that did not come along.
    """

    data: bytes
    dropped: tuple[Problem, ...]


def uploaded(source: Source, needs: str = "") -> Front:
    """The SKILL.md of a skill for an upload; its prose is what it was.

    Args:
        source: the skill.
        needs: what it needs to run, for a skill that does not say so itself.

    Raises:
        RefusedError: uploads would refuse it; everything that is wrong is named.
    """
    document = split(source.files[SKILL_MD])
    fields = dict(source.front)
    if needs and not fields.get("compatibility"):
        fields["compatibility"] = needs
    made, wrong = _fields(source.name, fields)
    if wrong:
        raise RefusedError(
            f"{source.name} cannot be uploaded: {'; '.join(wrong)}. Change it in the notebook's "
            "front matter, or in SKILL.md where there is no notebook."
        )
    lines = [line for key, value in made.items() for line in _lines(key, value)]
    layout = replace(
        document.layout, newline="lf", line_ends="", bom=False, fence=("---", "---"), front=True
    )
    front = "\n".join(["---", *lines, "---"])
    dropped = tuple(_dropped(source, key) for key in source.front if key not in SPEC_KEYS)
    return Front(join(replace(document, front=front, layout=layout)), dropped)


def _fields(name: str, fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The six fields in the order of the specification, and what is wrong with them."""
    wrong = [*_of_name(name), *_of_description(fields.get("description"))]
    made: dict[str, Any] = {"name": name, "description": _line(fields.get("description"))}
    for key in ("license", "compatibility"):
        if fields.get(key) not in (None, ""):
            made[key] = _line(fields[key])
            if isinstance(fields[key], (list, dict)):
                wrong.append(f"{key} is no text")
    if len(made.get("compatibility", "")) > LONGEST_COMPATIBILITY:
        wrong.append(f"compatibility has more than {LONGEST_COMPATIBILITY} characters")
    metadata = fields.get("metadata")
    if isinstance(metadata, Mapping):
        made["metadata"] = {str(key): _text(value) for key, value in metadata.items()}
    elif metadata is not None:
        wrong.append("metadata is no list of `key: text` lines")
    tools = fields.get("allowed-tools")
    if tools:
        made["allowed-tools"] = allowed(tools)
    return {key: made[key] for key in SPEC_KEYS if made.get(key)}, wrong


def allowed(tools: Any) -> str:
    """``allowed-tools`` as the one text with spaces that the specification has."""
    listed = tools if isinstance(tools, list) else _SEPARATOR.split(str(tools).strip())
    return " ".join(_line(tool) for tool in listed if _line(tool))


def _of_name(name: str) -> list[str]:
    word = next((word for word in RESERVED if word in name), None)
    return [f"the name holds {word!r}, which uploads reserve"] if word else []


def _of_description(value: Any) -> list[str]:
    text = _line(value)
    if not isinstance(value, str) or not text:
        return ["the front matter has no description, or does not parse"]
    wrong = []
    if len(text) > LONGEST_DESCRIPTION:
        wrong.append(
            f"the description has {len(text)} characters, {LONGEST_DESCRIPTION} are allowed"
        )
    if "<" in text or ">" in text:
        wrong.append("the description holds an angle bracket")
    return wrong


def _lines(key: str, value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{key}:", *(f"  {_key(name)}: {_quoted(text)}" for name, text in value.items())]
    return [f"{key}: {value if key == 'name' and _is_plain(value) else _quoted(value)}"]


def _is_plain(name: str) -> bool:
    """Whether YAML takes a name for a text as it stands."""
    return name[0].isalpha() and name not in _TYPED


def _key(name: str) -> str:
    plain = re.fullmatch(r"[A-Za-z][\w.-]*", name, re.ASCII) and "---" not in name
    return name if plain and name.lower() not in _TYPED else _quoted(name)


def _quoted(text: str) -> str:
    """A text in double quotes, which JSON and YAML write alike; never with ``---`` in it.

    Some readers end the front matter at any three hyphens, even within quotes.
    """
    quoted = json.dumps(text, ensure_ascii=False)
    quoted = _HYPHENS.sub(lambda run: run.group().replace("--", r"-\x2d"), quoted)
    return _UNPRINTABLE.sub(lambda sign: f"\\u{ord(sign.group()):04x}", quoted)


def _line(value: Any) -> str:
    return " ".join(_text(value).split())


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _dropped(source: Source, key: str) -> Problem:
    file = f"{source.name}/{SKILL_MD}"
    if key in CLAUDE_KEYS:
        lost = LOST.get(key, "it means nothing there")
        return found(
            "F323", f"{key} is left out of the upload: Claude Code alone reads it", lost, file=file
        )
    return found(
        "F322",
        f"{key} is left out of the upload: the specification has no such key",
        "write it below metadata, if a reader needs it",
        file=file,
    )
