"""Figures of an answer that a journal contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from skills2_nb.audit.anchoring import anchor
from skills2_nb.audit.constants import constants_in
from skills2_nb.audit.sources import (
    constant_sources,
    input_sources,
    report_field,
    result_sources,
    stamps_within,
    text_sources,
)
from skills2_nb.contract.state import RunState
from skills2_nb.evals.duties import Duty


def contradicted(
    duties: Sequence[Duty], state: RunState, answer: str, folder: Path | None
) -> Iterator[str]:
    """Each figure of an answer against which the run has another, as a sentence.

    Args:
        folder: the package, whose prose and code give further figures that an answer may name.
    """
    schemas = {duty.step: duty.schema for duty in duties}
    fields = [
        report_field(duty.step, name, state.last[duty.step].output, duty.schema)
        for duty in duties
        if duty.step in state.last
        for name in duty.report
    ]
    if not fields:
        return
    sources = [
        source
        for step, call in state.last.items()
        for source in result_sources(step, call.output, schemas.get(step, {}))
    ]
    sources += input_sources(state.inputs)
    sources += stamps_within(sources)
    for place, text in (("prompt", state.prompt or ""), ("body", _prose(folder))):
        sources += text_sources(text, place, "prompt" if place == "prompt" else "constant")
    sources += constant_sources(() if folder is None else constants_in(folder))
    for item in anchor(answer, fields, sources, (), (state.skill,)).findings:
        if item.code == "CONTRADICTED":
            yield item.message


def _prose(folder: Path | None) -> str:
    try:
        return (folder / "SKILL.md").read_text(encoding="utf-8") if folder is not None else ""
    except (OSError, ValueError):
        return ""
