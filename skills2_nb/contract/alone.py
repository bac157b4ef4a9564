"""A skill's steps from a shell, where no kit is installed.

A ``.skill`` file carries this folder along, so that ``python runtime`` in the skill's own folder
runs and records the steps with nothing but pydantic.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from skills2_nb.contract.errors import ContractError, PackageError, Skills2Error, told
from skills2_nb.contract.loader import load
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk

USAGE = """\
python runtime list                     the steps and what they take
python runtime run [INPUTS]             every step in order, and the answer
python runtime start [INPUTS] [PROMPT]  begin a run, to call its steps one by one
python runtime call RUN STEP [ARGS]     call a step; arguments left out are bound
python runtime end RUN [ANSWER]         end the run
INPUTS and ARGS are JSON objects, or - for one on stdin."""
GOOD, REFUSED, MISUSED, SETUP = 0, 1, 2, 4
_MOST_WORDS = {"list": 0, "run": 1, "start": 2, "call": 3, "end": 2}
_LEAST_WORDS = {"call": 2, "end": 1}


class MisusedError(Skills2Error):
    """The command line is not as it should be."""

    kind = "usage"
    exit_code = MISUSED


def main(folder: Path, words: Sequence[str] | None = None) -> int:
    """Do what a command line says with the skill in ``folder``; its exit code.

    The result is a JSON object on stdout. What is wrong is one sentence on stderr, and for a
    broken contract the same object as a tool gives, on stdout.
    """
    given = list(sys.argv[1:] if words is None else words)
    if not given or given[0] in ("-h", "--help", "help"):
        _put(USAGE)
        return GOOD if given else MISUSED
    try:
        result = _done(folder, given[0], given[1:])
    except ContractError as error:
        _put(json.dumps({"error": error.to_dict()}, ensure_ascii=False, indent=1))
        return _failed(error.message, REFUSED)
    except PackageError as error:
        return _failed(error.message, SETUP if "ModuleNotFoundError" in error.message else MISUSED)
    except Skills2Error as error:
        return _failed(error.message, error.exit_code)
    except (Exception, SystemExit) as error:  # a step may raise anything
        return _failed(told(error), REFUSED)
    _put(json.dumps(result, ensure_ascii=False, indent=1))
    return REFUSED if "error" in result else GOOD


def _done(folder: Path, verb: str, words: list[str]) -> dict[str, Any]:
    work = _VERBS.get(verb)
    least, most = _LEAST_WORDS.get(verb, 0), _MOST_WORDS.get(verb, 0)
    if work is None:
        raise MisusedError(f"there is no command {verb!r}\n{USAGE}")
    if not least <= len(words) <= most:
        raise MisusedError(f"{verb} takes other words\n{USAGE}")
    return work(load(folder), *words)


def _list(skill: Skill) -> dict[str, Any]:
    steps = [
        {
            "step": spec.id,
            "summary": spec.summary,
            "required": spec.required,
            "conditional": spec.when is not None,
            "report": list(spec.report),
            "input": spec.input_json_schema(),
        }
        for spec in skill.steps
    ]
    return {"skill": skill.name, "version": skill.version, "steps": steps}


def _run(skill: Skill, inputs: str = "{}") -> dict[str, Any]:
    run = Run.start(skill, _object(inputs), writer="cli")
    done = walk(run)
    made = {id_: call.output for id_, call in run.state.last.items()}
    facts: dict[str, Any] = {"run": run.id, "skill": skill.name, "steps": made}
    if done.error is not None:
        run.end(by="cli")
        error = done.error
        plain = error.to_dict() if isinstance(error, ContractError) else {"message": told(error)}
        return facts | {"error": {"step": done.step, **plain}}
    answer = _readout(made)
    run.end(by="cli", answer=answer)
    return facts | {"answer": answer}


def _start(skill: Skill, inputs: str = "{}", prompt: str | None = None) -> dict[str, Any]:
    run = Run.start(skill, _object(inputs), prompt=prompt, writer="cli")
    facts = {"run": run.id, "skill": skill.name, "next": run.ready()}
    run.close()
    return facts


def _call(skill: Skill, id: str, step: str, args: str = "{}") -> dict[str, Any]:
    run = Run.resume(skill, id, writer="cli")
    try:
        run.call(step, _object(args))
        return {"step": step, "output": run.state.last[step].output, "next": run.ready()}
    finally:
        run.close()


def _end(skill: Skill, id: str, answer: str | None = None) -> dict[str, Any]:
    run = Run.resume(skill, id, writer="cli")
    owed = [spec.id for spec in skill.owed(run.state) if spec.id not in run.state.last]
    run.end(by="cli", answer=answer)
    return {"run": run.id, "ended": True, "missing": owed}


_VERBS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "list": _list,
    "run": _run,
    "start": _start,
    "call": _call,
    "end": _end,
}


def _readout(made: Mapping[str, Any]) -> str | None:
    """The text that the last step wrote for its reader, where it wrote one."""
    last = list(made.values())[-1] if made else None
    text = last.get("readout") if isinstance(last, Mapping) else None
    return text if isinstance(text, str) else None


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(sys.stdin.read() if text == "-" else text)
    except ValueError as error:
        raise MisusedError(f"{text!r} is no JSON ({error}); write an object") from None
    if not isinstance(value, dict):
        raise MisusedError(f"{text!r} is no JSON object; write {{...}}")
    return value


def _put(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _failed(sentence: str, code: int) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code
