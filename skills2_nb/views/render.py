"""One value in every form a front end may ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check, RunState
from skills2_nb.views import exporting, fragment, markdown, terminal
from skills2_nb.views.rows import Argument
from skills2_nb.views.values import shown

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit
    from skills2_nb.contract.trial import Trial
    from skills2_nb.convert.exporter import Export
    from skills2_nb.formats.problem import Problem

AUDIT_MIMETYPE = "application/vnd.skills2.audit+json"


@dataclass(frozen=True)
class Bundle:
    """What a front end is handed: the same thing by media type. Displays itself in Jupyter.

    Attributes:
        data: ``text/plain`` and ``text/html`` always; ``text/markdown`` and JSON where there is
            one.
    """

    data: Mapping[str, Any]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.data["text/plain"])

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return dict(self.data), dict(self.metadata)


def audit(
    audit: Audit,
    skill: Skill | None = None,
    state: RunState | None = None,
    *,
    cells: Mapping[str, int] | None = None,
) -> Bundle:
    """An audited run; its JSON is the fixed shape, ``{"classic": ..., "strict": ...}``."""
    return Bundle(
        {
            "text/plain": terminal.report(audit, skill, state, cells=cells),
            "text/markdown": markdown.audit(audit, skill, state, cells=cells),
            "text/html": str(fragment.audit(audit, skill, state, cells=cells)),
            AUDIT_MIMETYPE: audit.to_dict(),
        }
    )


def result(
    spec: StepSpec, inputs: Mapping[str, Any], output: Any, checks: Sequence[Check] = ()
) -> Bundle:
    """A plain call of a step, with typed arguments and result."""
    return Bundle(
        {
            "text/plain": terminal.result(spec, shown(output), checks),
            "text/html": str(fragment.result(spec, inputs, output, checks)),
        }
    )


def problems(found: Iterable[Problem], *, file: str | None = None) -> Bundle:
    """Lint problems."""
    listed = list(found)
    return Bundle(
        {
            "text/plain": exporting.problems(listed),
            "text/html": str(fragment.problems(listed, file=file)),
        }
    )


def explain(step: str, arguments: Sequence[Argument]) -> Bundle:
    """Where each argument of a step came from, or would come from."""
    return Bundle(
        {
            "text/plain": terminal.explain(step, arguments),
            "text/html": str(fragment.explain(step, arguments)),
        }
    )


def trial(done: Trial) -> Bundle:
    """One case with its tick or cross."""
    return Bundle({"text/plain": terminal.trial(done), "text/html": str(fragment.trial(done))})


def exported(done: Export, *, folder: str | None = None) -> Bundle:
    """What an export wrote."""
    return Bundle(
        {
            "text/plain": exporting.exported(done, folder=folder),
            "text/html": str(fragment.exported(done, folder=folder)),
        }
    )
