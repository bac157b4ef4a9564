"""Cases of a package as cells that an author would write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from skills2_nb.convert.case_text import call_text
from skills2_nb.convert.steps import Step
from skills2_nb.formats.cases import Case, StepCase, to_dict
from skills2_nb.formats.draft import Draft

_TAG = ("cases",)
#: Words that ``<step>.case(...)`` keeps for itself.
_CONTROL = frozenset({"id", "expect", "fails"})


def case_cells(
    cases: Iterable[Case], steps: Sequence[Step], *, imported: bool
) -> list[tuple[str, Draft]]:
    """Cells of cases in their order, each with the id of the step it belongs to, or none.

    Cases of one step that stand together share a cell of calls, ``<step>.case(...)``; cases of
    whole runs stand as ``case(...)``. What no call can say is JSON Lines.

    Args:
        cases: in the order of the file.
        steps: the steps of the notebook that is made.
        imported: whether an exported cell imports ``case``.
    """
    by_id = {step.id: step for step in steps}
    return [
        (step_id, cell)
        for step_id, group in groupby(cases, key=lambda case: getattr(case, "step", ""))
        for cell in _cells(list(group), by_id.get(step_id), imported=imported)
    ]


def as_lines(text: str) -> Draft:
    """The cases as they stand in their file, in a raw cell."""
    return Draft("raw", text.strip("\n"), _TAG)


def _cells(cases: Sequence[Case], step: Step | None, *, imported: bool) -> Iterator[Draft]:
    steps = [step] if step else []
    calls = [call_text(case, steps) if _can_be_typed(case, step) else None for case in cases]
    for plain, group in groupby(zip(cases, calls, strict=True), key=lambda pair: pair[1] is None):
        pairs = list(group)
        if plain:
            lines = [json.dumps(to_dict(case), ensure_ascii=False) for case, _ in pairs]
            yield Draft("raw", "\n".join(lines), _TAG)
        else:
            top = [] if step or imported else ["from skills2_nb import case\n"]
            yield Draft("code", "\n".join([*top, *(call for _, call in pairs if call)]), _TAG)


def _can_be_typed(case: Case, step: Step | None) -> bool:
    """Whether every word of a case can stand before ``=`` and means what it should there."""
    if not isinstance(case, StepCase):
        return True
    names = {parameter.name for parameter in step.parameters} if step else set()
    return set(case.args) <= names and not names & _CONTROL
