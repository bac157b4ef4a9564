"""Who plays the model: the chain, or a case's own calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk

#: The output field that the chain hands to the user as its answer.
READOUT = "readout"


@dataclass(frozen=True)
class Outcome:
    """A run that a runner has brought to its end.

    Attributes:
        outputs: the results by step, as plain values.
        answer: what the user would read; None where a step failed.
        error: what stopped the run, else None.
        step: the step that stopped it.
    """

    run: Run
    outputs: dict[str, Any]
    answer: str | None
    error: BaseException | None = None
    step: str | None = None


def chain(
    skill: Skill,
    inputs: Mapping[str, Any] | None = None,
    *,
    prompt: str | None = None,
    vouched: str = "cli",
    writer: str = "cli",
    folders: tuple[Path, ...] | None = None,
    body: str = "",
    answer: str | None = None,
    on_step: Callable[[str], None] | None = None,
) -> Outcome:
    """Call the owed steps in order by binding, then end the run with the answer.

    The answer is the ``readout`` of the last owed step, else ``body``; a run that a step stopped
    ends without one.

    Args:
        inputs: the run's inputs.
        prompt: what the user asked.
        vouched: who vouches for inputs and prompt.
        body: the skill's prose.
        answer: an answer to record in place of the chain's own.
        on_step: is told each step's id before it is called.
    """
    run = Run.start(skill, inputs, prompt=prompt, vouched=vouched, writer=writer, folders=folders)
    try:
        walked = walk(run, on_step=on_step)
        outputs = {id_: call.output for id_, call in run.state.last.items()}
        if walked.error is not None:
            run.end(by="cli", answer=answer)
            return Outcome(run, outputs, answer, walked.error, walked.step)
        given = answer if answer is not None else readout(run, body)
        run.end(by="cli", answer=given)
        return Outcome(run, outputs, given)
    finally:
        run.close()


def explicit(
    skill: Skill,
    calls: Sequence[Mapping[str, Any]],
    inputs: Mapping[str, Any] | None = None,
    *,
    prompt: str | None = None,
    vouched: str = "cli",
    writer: str = "cli",
    folders: tuple[Path, ...] | None = None,
    body: str = "",
) -> Outcome:
    """Make the calls that a case lists, whatever becomes of each, then end the run.

    The answer is the ``readout`` of the last owed step, else ``body``, as of a model that says
    something all the same.

    Args:
        calls: ``{"step", "args", "refs"}`` each.
        inputs: as in :func:`chain`, and so are the rest.

    Returns:
        The outcome; its error is the last one.
    """
    run = Run.start(skill, inputs, prompt=prompt, vouched=vouched, writer=writer, folders=folders)
    failed: tuple[BaseException | None, str | None] = (None, None)
    try:
        for item in calls:
            try:
                run.call(item["step"], item.get("args"), item.get("refs"))
            except (Exception, SystemExit) as error:
                failed = (error, item["step"])
        given = readout(run, body)
        run.end(by="cli", answer=given)
        outputs = {id_: call.output for id_, call in run.state.last.items()}
        return Outcome(run, outputs, given, *failed)
    finally:
        run.close()


def readout(run: Run, body: str) -> str:
    """The ``readout`` of the last owed step, else ``body``."""
    owed = run.skill.owed(run.state)
    call = run.state.newest(owed[-1].id) if owed else None
    output = call.output if call is not None else None
    text = output.get(READOUT) if isinstance(output, Mapping) else None
    return text if isinstance(text, str) and text else body
