"""What a skill says of itself: summary, steps, text, files."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from skills2_nb.library import resources
from skills2_nb.library.activation import Contract, prose
from skills2_nb.serve import schemas
from skills2_nb.serve.replies import Reply, refused, said

Named = Callable[[Contract, str], str]


class Scripts(Protocol):
    """Runs a script of a skill within bounds."""

    async def __call__(self, made: Contract, path: str, words: Sequence[str]) -> dict[str, Any]:
        """``{"ended", "exit_code", "stdout", "stderr"}``; raises what is no run of it."""
        ...


def summary(made: Contract) -> dict[str, Any]:
    """A skill in a list."""
    return {
        "name": made.name,
        "version": made.version,
        "description": made.card.description,
        "steps": len(made.steps),
        "timeout": made.runtime.timeout,
        **_live(made),
    }


def steps(made: Contract, named: Named) -> dict[str, Any]:
    """The steps of a skill in order."""
    return {
        "skill": made.name,
        "start": named(made, "start_run"),
        "steps": [
            {
                "tool": named(made, step.id),
                "step": step.id,
                "order": step.order,
                "summary": step.summary,
                "required": step.required,
                "conditional": step.when is not None,
                "requires": None if step.requires is None else list(step.requires),
                "effects": list(step.effects),
                "report": list(step.report),
                "arguments": list(made.schema(step.id).parameters),
            }
            for step in made.steps
        ],
        "finish": named(made, "end_run"),
        **_live(made),
    }


def _live(made: Contract) -> dict[str, Any]:
    """What is to be said of a skill that a kernel runs."""
    if made.notebook is None:
        return {}
    return {"live": made.notebook, **({"ghosts": list(made.ghosts)} if made.ghosts else {})}


def activated(made: Contract, named: Named) -> dict[str, Any]:
    """A skill's text, its steps with their schemas, and its files."""
    listed = steps(made, named)
    for item in listed["steps"]:
        item["input"] = schemas.step_input(made, item["step"])
        item["output"] = made.schema(item["step"]).output or None
    folder = made.card.folder
    return {**listed, "instructions": prose(folder), "resources": resources.paths(folder)}


def resource(made: Contract, path: str) -> Reply:
    """A file of a skill: text as it is, other bytes as base64."""
    found = resources.read(made.card.folder, path)
    facts = {"skill": made.name, "path": path, "mime": found.mime, "bytes": len(found.data)}
    if found.text is not None:
        return Reply(facts | {"text": found.text}, found.text)
    return said(facts | {"base64": base64.b64encode(found.data).decode("ascii")})


async def script(scripts: Scripts | None, made: Contract, path: str, words: Any) -> Reply:
    """Run a script, where that is allowed."""
    if scripts is None:
        return refused(
            "off", "scripts are not run here; whoever started the server has to --allow-scripts"
        )
    given = [] if words is None else words
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        return refused("invalid", "run_skill_script takes arguments as a list of texts")
    if any(map(_odd, given)):
        return refused("invalid", "no program takes an argument with a NUL or half a sign in it")
    done = await scripts(made, path, given)
    told = f"{shlex.join([path, *given])}: {done['ended']}"
    return said({"skill": made.name, **done}, told)


def _odd(word: str) -> bool:
    """Whether no system hands the word to a program."""
    return "\0" in word or any("\ud800" <= sign <= "\udfff" for sign in word)
