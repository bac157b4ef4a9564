"""What a run asks of its caller, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skills2_nb.contract.binding import producers
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import Parameter, StepSpec


def checklist(skill: Skill, inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps of a run, in order.

    Returns:
        ``{"step", "summary", "owed", "report", "arguments": {<name>: <who fills it>}}`` each. Who
        fills an argument is said as a binding would do it: ``step#/field``, ``inputs#/name``,
        ``default``, or ``you``.
    """
    return [
        {
            "step": spec.id,
            "summary": spec.summary,
            "owed": "if its guard is true" if spec.when is not None else spec.required,
            "report": list(spec.report),
            "arguments": {p.name: filler(skill, spec, p, inputs) for p in spec.parameters},
        }
        for spec in skill.steps
    ]


def filler(skill: Skill, spec: StepSpec, parameter: Parameter, inputs: Mapping[str, Any]) -> str:
    """Who fills an argument that the caller leaves out; ``you`` where nobody does."""
    if parameter.name in spec.bind:
        return spec.bind[parameter.name]
    for id_ in skill.ancestors(spec.id):
        if parameter.is_model and parameter.bare is skill.step(id_).output_type:
            return f"{id_}#"
    makers = producers(skill, spec, parameter.name)
    if makers:
        return f"{makers[0]}#/{parameter.name}"
    if parameter.name in inputs:
        return f"inputs#/{parameter.name}"
    return "you" if parameter.required else "default"
