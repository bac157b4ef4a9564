"""The tools that skills make: names, schemas, texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from skills2_nb.formats.manifest import StepEntry
from skills2_nb.hooks import uses
from skills2_nb.library import tool_names
from skills2_nb.library.activation import Card, Contract
from skills2_nb.serve import schemas
from skills2_nb.serve.schemas import RUN_ID, TEXTS, Schema

SERVER, ALONE = uses.SERVER, uses.PLUGIN_SERVER
#: More tools than this are not listed one by one.
MOST_TOOLS = 64
#: A client cuts instructions and a description behind so many bytes.
MOST_TEXT = 2_048
#: What a run has beside its steps.
RUN_TOOLS = ("start_run", "end_run", "audit_run")
#: What stands for the steps where there are too many.
FIXED = ("list_skills", "activate_skill", "call_step", "read_skill_resource")
SCRIPT = "run_skill_script"
GLOBAL = ("list_skills", "list_steps")
#: What a listed tool's ``_meta`` says of it: whose it is, and its word there.
SKILL, VERB = "skills2/skill", "skills2/verb"


@dataclass(frozen=True)
class ToolFacts:
    """What a client is told of a tool.

    Attributes:
        verb: a step's id, or the word of a tool of the kit's own.
        skill: whose it is; empty for a global tool.
        hints: of MCP: whether it only reads, may be repeated, reaches the world outside.
    """

    name: str
    verb: str
    title: str
    description: str
    input: Schema
    skill: str = ""
    output: Schema | None = None
    hints: Mapping[str, bool] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Characters that a listing takes in a model's context, about four to a token."""
        return len(self.name) + len(self.description) + len(json.dumps(self.input))


#: A tool's name where many skills are served, and where one is.
named, alone = tool_names.named, tool_names.alone


def of_skill(made: Contract) -> list[ToolFacts]:
    """The tools of one skill: its steps in order, and those of a run."""
    steps = [_step(made, step) for step in made.steps]
    return [_start(made), *steps, _end(made), _audit(made)]


def of_all(contracts: Iterable[Contract], *, scripts: bool = False) -> list[ToolFacts]:
    """The tools of skills that are few enough to be listed one by one; the first of a name wins."""
    tools = {facts.name: facts for facts in (_list_skills(), _list_steps())}
    for made in contracts:
        for facts in of_skill(made):
            tools.setdefault(facts.name, facts)
    if scripts:
        tools |= {facts.name: facts for facts in (_read(), _script())}
    return list(tools.values())


def of_one(made: Contract, *, scripts: bool = False) -> list[ToolFacts]:
    """The tools of the one skill of a plugin, each called by its verb alone."""
    beside = [_read(), _script()] if scripts else []
    return [replace(facts, name=alone(facts.verb)) for facts in of_skill(made)] + beside


def fixed(*, scripts: bool = False) -> list[ToolFacts]:
    """The tools that stand for any number of skills."""
    return [_list_skills(), _activate(), _call(), _read(), *([_script()] if scripts else [])]


def instructions(cards: Sequence[Card], *, lazy: bool, alone: bool = False) -> str:
    """What a client is told of the server, within ``MOST_TEXT`` bytes for any number of skills.

    Args:
        alone: whether the tools go by their verbs alone.
    """
    prefix = "" if alone else "<skill>__"
    how = (
        "activate_skill gives a skill's text and steps; call_step calls start_run, the steps and "
        "end_run."
        if lazy
        else f"Begin with {prefix}start_run(prompt, inputs), which gives the checklist; call the "
        "steps in its order; leave out arguments, they are bound from earlier results; hand the "
        f"answer to {prefix}end_run."
    )
    lines = [f"Skills whose steps are checked and recorded. {how}", "Skills:"]
    left = MOST_TEXT - len("\n".join(lines).encode()) - len("\n- and 0000000 more: list_skills")
    for at, made in enumerate(cards):
        line = f"- {made.name}: {_first_sentence(made.description)}"[:240]
        left -= len(line.encode()) + 1
        if left < 0:
            return "\n".join([*lines, f"- and {len(cards) - at} more: list_skills"])
        lines.append(line)
    return "\n".join(lines)


def _step(made: Contract, step: StepEntry) -> ToolFacts:
    reads = not step.effects
    return ToolFacts(
        named(made.name, step.id),
        step.id,
        f"{made.name}: {step.id.replace('_', ' ')}",
        _described(made, step),
        schemas.step_input(made, step.id),
        made.name,
        schemas.step_output(made, step.id),
        {
            "readOnlyHint": reads,
            "destructiveHint": not reads and set(step.effects) != {"network"},
            "idempotentHint": reads,
            "openWorldHint": "network" in step.effects,
        },
    )


def _described(made: Contract, step: StepEntry) -> str:
    at = [entry.id for entry in made.steps].index(step.id) + 1
    parts = [
        step.summary or step.id.replace("_", " "),
        f"Step {at} of {len(made.steps)} of {made.name}.",
    ]
    if step.when:
        parts.append("Due only where its guard holds.")
    if step.requires:
        parts.append(f"After {', '.join(step.requires)}.")
    if step.effects:
        parts.append(f"Effects: {', '.join(step.effects)}.")
    if step.report:
        parts.append(f"The answer has to give: {', '.join(step.report)}.")
    parts.append("Arguments left out are bound from earlier results and the run's inputs.")
    return _cut(" ".join(parts))


_RECORDS = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": False,
    "openWorldHint": False,
}
_READS = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}


def _start(made: Contract) -> ToolFacts:
    named_inputs = sorted({name for s in made.schemas.values() for name in s.parameters})
    return ToolFacts(
        named(made.name, "start_run"),
        "start_run",
        f"{made.name}: start a run",
        _cut(
            f"Begin {made.name} and get the checklist. Give the user's words as prompt, and as "
            f"inputs whatever the steps may bind by name ({', '.join(named_inputs)}). "
            f"{made.card.description}"
        ),
        _object(
            prompt={"type": "string", "description": "what the user asked, word for word"},
            inputs={"type": "object", "description": "values by name, for the steps to bind"},
        ),
        made.name,
        hints=_RECORDS,
    )


def _end(made: Contract) -> ToolFacts:
    return ToolFacts(
        named(made.name, "end_run"),
        "end_run",
        f"{made.name}: end the run",
        f"End this session's run of {made.name}; give the answer as the user will read it.",
        _object(
            answer={"type": "string", "description": "the answer, word for word"}, run_id=RUN_ID
        ),
        made.name,
        hints=_RECORDS,
    )


def _audit(made: Contract) -> ToolFacts:
    return ToolFacts(
        named(made.name, "audit_run"),
        "audit_run",
        f"{made.name}: audit the run",
        f"Judge this session's newest run of {made.name} by its journal: score, verdict, findings.",
        _object(run_id=RUN_ID),
        made.name,
        hints=_RECORDS,
    )


def _list_skills() -> ToolFacts:
    text = "List the skills served here: name, what it is for, number of steps, and faults."
    return ToolFacts("list_skills", "list_skills", "List skills", text, _object(), hints=_READS)


def _list_steps() -> ToolFacts:
    return ToolFacts(
        "list_steps",
        "list_steps",
        "List steps",
        "List a skill's steps in order: tool, summary, what it stands on, what it reports.",
        _object(skill=_SKILL) | {"required": ["skill"]},
        hints=_READS,
    )


def _activate() -> ToolFacts:
    return ToolFacts(
        "activate_skill",
        "activate_skill",
        "Activate a skill",
        "Get a skill's text, its steps with their schemas, and its files.",
        _object(skill=_SKILL) | {"required": ["skill"]},
        hints=_READS,
    )


def _call() -> ToolFacts:
    return ToolFacts(
        "call_step",
        "call_step",
        "Call a step",
        "Call a step of a skill, or start_run, end_run or audit_run. Arguments left out are bound "
        "from earlier results and the run's inputs.",
        _object(
            skill=_SKILL,
            step={"type": "string", "description": "a step, start_run, end_run or audit_run"},
            arguments={"type": "object", "description": "as activate_skill describes them"},
        )
        | {"required": ["skill", "step"]},
        hints={"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True},
    )


def _read() -> ToolFacts:
    return ToolFacts(
        "read_skill_resource",
        "read_skill_resource",
        "Read a file of a skill",
        "Read a file of a skill's folder, such as references/guide.md.",
        _object(skill=_SKILL, path={"type": "string", "description": "relative to the folder"})
        | {"required": ["skill", "path"]},
        hints=_READS,
    )


def _script() -> ToolFacts:
    return ToolFacts(
        SCRIPT,
        SCRIPT,
        "Run a script of a skill",
        "Run a file of a skill's scripts/ folder, bounded in time, output, files and network.",
        _object(
            skill=_SKILL,
            path={"type": "string", "description": "such as scripts/check.py"},
            arguments={**TEXTS, "description": "words handed to it; no shell reads them"},
        )
        | {"required": ["skill", "path"]},
        hints={"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False},
    )


_SKILL: Schema = {"type": "string", "description": "the skill's name"}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".") or "no description"


def _cut(text: str) -> str:
    data = text.strip().encode()
    if len(data) <= MOST_TEXT:
        return text.strip()
    return data[: MOST_TEXT - 3].decode("utf-8", "ignore") + "…"
