"""What a model is told of a skill, of its package."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from skills2_nb.hooks.event import untagged
from skills2_nb.hooks.uses import PLUGIN_SERVER, SERVER, prefix
from skills2_nb.library.activation import Contract
from skills2_nb.library.tool_names import shown

#: Characters of a text.
MOST_TEXT = 2_500
_DESCRIPTION, _SHORT = 600, 200
_NAMES = 400


def told(made: Contract, plugin: str = "") -> str:
    """The checklist of a skill: facts alone, no times, at most ``MOST_TEXT`` characters.

    What an author wrote stands within one line of ours, whatever signs it holds. A text that is
    too long loses the summaries of the steps first, then its last steps.

    Args:
        plugin: the name of the plugin that holds this one skill; empty for the kit's own server.
    """
    for description, summaries in ((_DESCRIPTION, True), (_SHORT, True), (_SHORT, False)):
        head, tail = _head(made, plugin, description), _tail(made)
        steps = list(_steps(made, plugin, summaries=summaries))
        text = "\n".join([*head, *steps, *tail])
        if len(text) <= MOST_TEXT:
            return text
    room = MOST_TEXT - len("\n".join([*head, *tail])) - len("\n0000 more steps") - 1
    kept: list[str] = []
    for line in steps:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    more = f"{len(steps) - len(kept)} more steps"
    return "\n".join([*head, *kept, more, *tail])[:MOST_TEXT]


def clean(text: str) -> str:
    """Foreign text on one line: no control, format or private signs, single spaces."""
    made = []
    for sign in text:
        kind = unicodedata.category(sign)
        if kind not in _DROPPED:
            made.append(" " if kind in _BREAKS else sign)
    return " ".join("".join(made).split())


_DROPPED = frozenset({"Cf", "Cs", "Co"})
_BREAKS = frozenset({"Cc", "Cn", "Zl", "Zp"})


def cut(text: str, most: int) -> str:
    """Foreign text on one line, without tags, of at most so many characters."""
    text = untagged(clean(text))
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _head(made: Contract, plugin: str, description: int) -> list[str]:
    name, server = cut(made.name, 64), PLUGIN_SERVER if plugin else SERVER
    about = cut(made.card.description, description)
    lines = [
        f"Skill {name} {cut(made.version, 32)}: its steps are tools, checked and recorded.",
        *([f"What it is for, in its author's words: {about}"] if about else []),
        f"Tools, of the MCP server {server}: {_pattern(made, plugin)}.",
    ]
    if not plugin:
        lines.append(
            f"Where {prefix()}call_step is listed instead, it takes skill, step and "
            f"arguments, and {prefix()}activate_skill gives the steps' schemas."
        )
    lines += [
        "start_run opens a run with the user's prompt and inputs; end_run closes it with the "
        "answer as the user reads it.",
        "An audit judges the run by its journal: steps owed and their order, their checks, and "
        "every figure of the answer.",
    ]
    needed, given = inputs(made)
    if needed:
        lines.append(f"Arguments that the caller fills, as inputs of the run: {_listed(needed)}.")
    if given:
        lines.append(f"With a default: {_listed(given)}.")
    lines.append("All other arguments are bound from earlier results.")
    lines.append(f"Steps of {name}, in order:")
    return lines


def _tail(made: Contract) -> list[str]:
    fields = list(dict.fromkeys(field for step in made.steps for field in step.report))
    if not fields:
        return []
    return [f"Report fields that the answer has to carry: {_listed(fields)}."]


def _steps(made: Contract, plugin: str, *, summaries: bool) -> Iterator[str]:
    for number, step in enumerate(made.steps, start=1):
        owed = " (owed where its guard holds)" if step.when else ""
        if not step.required and not step.when:
            owed = " (not required)"
        name = shown(made.name, step.id, plugin)
        tool = "" if name == f"{_before(made, plugin)}{step.id}" else f" [tool {name}]"
        about = f": {cut(step.summary, 160)}" if summaries and clean(step.summary) else ""
        yield f"{number}. {cut(step.id, 64)}{tool}{owed}{about}"


def _pattern(made: Contract, plugin: str) -> str:
    before = _before(made, plugin)
    start, end = (shown(made.name, verb, plugin) for verb in ("start_run", "end_run"))
    steps = [f"{before}<step>"] if start == f"{before}start_run" else []
    return ", ".join([*steps, start, end])


def _before(made: Contract, plugin: str) -> str:
    """What stands before a step's id in the plain name of its tool."""
    return prefix(plugin) if plugin else f"{prefix()}{made.name}__"


def _listed(names: list[str]) -> str:
    return cut(", ".join(clean(name) for name in names), _NAMES)


def inputs(made: Contract) -> tuple[list[str], list[str]]:
    """The inputs of a run that no step gives: those needed, and those with a default."""
    needed: dict[str, None] = {}
    given: dict[str, None] = {}
    offers = _offers(made)
    for step in made.steps:
        schemas = made.schema(step.id)
        required = schemas.input.get("required", ())
        for name, schema in schemas.parameters.items():
            bound = step.bind.get(name, "")
            if bound.startswith(_INPUT):
                needed[bound.removeprefix(_INPUT)] = None
            elif not bound and offers[step.id].isdisjoint({name, *_models(schema)}):
                (needed if name in required else given)[name] = None
    return list(needed), [name for name in given if name not in needed]


_INPUT = "inputs#/"


def _offers(made: Contract) -> dict[str, set[str]]:
    """What the steps that each step stands on give: fields, and models as a whole."""
    found: dict[str, set[str]] = {}
    before: set[str] = set()
    for step in made.steps:  # by order, and a step stands on those of lower order alone
        if step.requires is None:
            found[step.id] = set(before)
        else:
            known = [id_ for id_ in step.requires if id_ in found]
            found[step.id] = set().union(*(found[id_] | _gives(made, id_) for id_ in known))
        before |= _gives(made, step.id)
    return found


def _gives(made: Contract, step: str) -> set[str]:
    output = made.schema(step).output
    return {*output.get("properties", {}), *_models(output)}


def _models(schema: Any) -> set[str]:
    """The names of the models that a schema allows, marked so that no field is taken for one."""
    if not isinstance(schema, Mapping):
        return set()
    found = {name for item in schema.get("anyOf", ()) for name in _models(item)}
    if "$ref" in schema:
        found.add(f"<{str(schema['$ref']).rpartition('/')[2]}>")
    elif schema.get("properties"):
        found.add(f"<{schema.get('title', '')}>")
    return found
