"""The manifest as far as a notebook tells it by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skills2_nb.convert import prose
from skills2_nb.convert.dependencies import dependencies, python_of
from skills2_nb.convert.document import Document
from skills2_nb.convert.source import Code
from skills2_nb.convert.steps import Step
from skills2_nb.formats.manifest import Manifest, RuntimeSettings, StepEntry, Triggers, merge


def manifest_of(
    document: Document,
    codes: Sequence[Code],
    steps: Sequence[Step],
    python: str | None,
    hand: Mapping[str, Any],
) -> Manifest:
    """The manifest: what code and prose say, the hand-written tables over it.

    Args:
        document: name, description and body.
        codes: the exported cells.
        steps: the steps in cell order.
        python: the version of the notebook's kernel, where the file tells it.
        hand: checked tables of the manifest cell.
    """
    body = document.body
    numbered = all(step.order is not None for step in steps)
    generated = Manifest(
        name=document.name,
        triggers=Triggers(
            phrases=prose.phrases(document.description, body),
            keywords=prose.keywords(document.name, document.description, body),
        ),
        anchors=prose.anchors(body),
        runtime=RuntimeSettings(
            python=python_of(python),
            dependencies=dependencies(item for code in codes for item in code.names.imports),
        ),
        steps=tuple(
            entry(step, numbered=numbered)
            for step in sorted(steps, key=lambda s: (s.rank, s.position))
        ),
    )
    return merge(generated, hand)


def entry(step: Step, *, numbered: bool = False) -> StepEntry:
    """A step as skill.toml lists it.

    Args:
        numbered: every step of the skill has a number, so the author's stand; else the places.
    """
    given = step.order if numbered else None
    return StepEntry(
        id=step.id,
        order=step.rank if given is None else given,
        fn=f"runtime.steps:{step.name}",
        required=step.required,
        requires=step.requires,
        invariants=tuple(f"runtime.validators:{name}" for name in step.invariants),
        output=f"runtime.models:{step.output}" if step.output else None,
        when=f"runtime.validators:{step.when}" if step.when else None,
        effects=step.effects,
        bind=dict(step.bind),
        report=step.report,
        summary=step.summary,
        stub=step.is_stub,
    )
