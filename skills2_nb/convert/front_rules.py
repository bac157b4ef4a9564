"""Lint of front matter that other readers refuse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from skills2_nb.convert.context import Context
from skills2_nb.convert.document import kept_front, line_of
from skills2_nb.formats.frontmatter import FrontMatterError, inside, parse
from skills2_nb.formats.problem import Problem, found

#: The fields of the Agent Skills specification.
SPEC_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
#: The fields that Claude Code adds.
CLAUDE_KEYS = (
    *("when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable"),
    *("disallowed-tools", "model", "effort", "context", "agent", "background", "hooks", "paths"),
    *("shell", "display-name", "default-enabled", "fallback"),
)
RESERVED = ("claude", "anthropic")
LONGEST_COMPATIBILITY = 500
_UNCLOSED = re.compile(r"---[ \t]*\n[A-Za-z][\w-]*:(?:[ \t]|$)", re.MULTILINE)
_FLOW = re.compile(r"^([A-Za-z][\w-]*):[ \t]*[\[{]", re.MULTILINE)
_CUT_SHORT = re.compile(r"^(name|description|license|compatibility):[ \t]+(?![\"'|>#])\S.*?[ \t]#")


def unread_front(context: Context) -> Iterator[Problem]:
    """F315, F316: front matter that stayed text, or none at all, kept as the file had it."""
    document = context.document
    if document.front is not None or document.skill_md.layout.front:
        return
    body = document.body
    text = kept_front(body)
    if text is not None:
        why, mend = _fault(text)
        if why:
            yield _at_top(context, "F315", f"the front matter does not parse: {why}", mend)
            return
    elif _UNCLOSED.match(body):
        message = "the front matter is never closed, so it is text"
        yield _at_top(context, "F315", message, f"write `---` below it; {_MOVE}")
        return
    yield _at_top(
        context,
        "F316",
        "SKILL.md has no front matter, and most agents skip such a skill",
        "put a raw cell at the top: `---`, name: ..., description: ..., `---`, and delete the "
        "`skills2` metadata of the cell that was the first",
    )


def byte_order_mark(context: Context) -> Iterator[Problem]:
    """F317: a mark before the first fence, which strict readers take for text."""
    if context.document.skill_md.layout.bom:
        yield _at_top(
            context,
            "F317",
            "SKILL.md begins with a byte order mark (BOM), with which strict readers see no front "
            "matter",
            "delete `bom` in the first cell's `skills2` metadata",
        )


def lists(context: Context) -> Iterator[Problem]:
    """F318: lists and mappings in brackets; allowed-tools as a list."""
    text = _text(context)
    inline = {match.group(1) for match in _FLOW.finditer(text)}
    fields = context.document.fields
    for key in inline & set(fields):
        if key != "allowed-tools":
            mend = "write one item a line, below the key"
            yield _at(context, "F318", f"{key} stands in brackets, in one line", mend, key)
    if isinstance(fields.get("allowed-tools"), list):
        tools = " ".join(map(str, fields["allowed-tools"]))
        yield _at(
            context,
            "F318",
            "allowed-tools is a list, and the specification has one text",
            f"write allowed-tools: {tools}",
            "allowed-tools",
        )


def hyphens(context: Context) -> Iterator[Problem]:
    """F319: some readers end the front matter at any three hyphens."""
    for number, line in enumerate(_text(context).split("\n"), 2):
        if "---" in line and context.document.front is not None:
            yield context.document.front.problem(
                "F319",
                "the line holds `---`, at which some readers end the front matter",
                "write a dash or a comma instead",
                line=number,
            )


def cut_short(context: Context) -> Iterator[Problem]:
    """F320: ` #` begins a comment in a value without quotes."""
    for number, line in enumerate(_text(context).split("\n"), 2):
        match = _CUT_SHORT.match(line)
        if match and context.document.front is not None:
            yield context.document.front.problem(
                "F320",
                f"{match.group(1)} ends before ` #`, which begins a comment",
                "put the value in quotes, if the rest belongs to it",
                line=number,
            )


def reserved_name(context: Context) -> Iterator[Problem]:
    """F321: names that claude.ai and the Skills API refuse."""
    name = context.document.name.lower()
    word = next((word for word in RESERVED if word in name), None)
    if word:
        message = f"the name holds {word!r}, and uploads refuse such a name"
        yield _at(context, "F321", message, "choose another name, if it is to be uploaded", "name")


def keys(context: Context) -> Iterator[Problem]:
    """F322, F323: keys beyond the six of the specification."""
    for key in context.document.fields:
        if key in CLAUDE_KEYS:
            message = f"Claude Code alone reads {key!r}; uploads refuse it"
            yield _at(context, "F323", message, "keep it for Claude Code; else drop it", key)
        elif key not in SPEC_KEYS:
            yield _at(
                context,
                "F322",
                f"the specification has no key {key!r}; uploads and strict readers refuse it",
                f"write it below metadata, or drop it; the keys are {', '.join(SPEC_KEYS)}",
                key,
            )


def forms(context: Context) -> Iterator[Problem]:
    """F324: metadata within metadata, texts that are none, a compatibility too long."""
    fields = context.document.fields
    metadata = fields.get("metadata")
    if "metadata" in fields and not _is_flat(metadata):
        message = "metadata is no plain list of `key: text` lines"
        yield _at(context, "F324", message, "write one text a key", "metadata")
    for key in ("license", "compatibility"):
        if key in fields and not isinstance(fields[key], str):
            yield _at(context, "F324", f"{key} is no text", "write one text, in quotes", key)
    said = fields.get("compatibility")
    if isinstance(said, str) and len(said) > LONGEST_COMPATIBILITY:
        message = f"compatibility has {len(said)} characters"
        yield _at(context, "F324", message, f"cut it to {LONGEST_COMPATIBILITY}", "compatibility")


_MOVE = "then move the front matter to a raw cell of its own at the top"


def _fault(text: str) -> tuple[str, str]:
    try:
        fields = parse(text)
    except FrontMatterError as error:
        return str(error), f"{error.mend or 'correct it'}; {_MOVE}"
    return ("", "") if fields else ("it holds no `key: value` line", "write name and description")


def _is_flat(value: Any) -> bool:
    return isinstance(value, Mapping) and not any(
        isinstance(item, (Mapping, list)) for item in value.values()
    )


def _text(context: Context) -> str:
    """The YAML of a front matter that reads; empty for any other."""
    document = context.document
    return inside(document.front.text) if document.front is not None and document.fields else ""


def _at(context: Context, code: str, message: str, mend: str, key: str) -> Problem:
    front = context.document.front
    if front is None:
        return _at_top(context, code, message, mend)
    return front.problem(code, message, mend, line=line_of(front, key))


def _at_top(context: Context, code: str, message: str, mend: str) -> Problem:
    """A problem of the cell that keeps how SKILL.md is laid out, or of the first."""
    cells = context.notebook.cells
    cell = next((a.cell for a in context.assignments if a.cell.layout), cells[0] if cells else None)
    return found(
        code,
        message,
        mend,
        file=context.file,
        cell=cell.number if cell else None,
        cell_id=cell.id if cell else None,
    )


RULES: tuple[Callable[[Context], Iterable[Problem]], ...] = (
    unread_front,
    byte_order_mark,
    lists,
    hyphens,
    cut_short,
    reserved_name,
    keys,
    forms,
)
