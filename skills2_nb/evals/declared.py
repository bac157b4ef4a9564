"""What a skill declares, as plain values."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from skills2_nb.audit.auditor import Basis
from skills2_nb.audit.strength import Strength, merge
from skills2_nb.audit.weakness import StepStrength, by_step
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.evals import apart
from skills2_nb.evals.result import Result
from skills2_nb.evals.strength import keep
from skills2_nb.formats.cases import to_dict


def declared(basis: Basis, results: Iterable[Result], folders: tuple[Path, ...]) -> dict[str, Any]:
    """What a gate holds a skill to, besides how its cases went.

    Args:
        basis: the skill and its settings.
        results: what came of its cases; a skill with effects is judged by their audits alone.
        folders: where relative paths among inputs are sought.

    Returns:
        ``weights``, ``f1_floor``, ``anchors``; ``cases`` as their file has them; and ``steps``,
        each with its order and what its invariants notice.
    """
    skill, settings = basis.skill, basis.settings
    effects = any(spec.effects for spec in skill.steps)
    strength = _seen(results) if effects else measured(basis, folders)
    return {
        "weights": list(settings.weights),
        "f1_floor": settings.f1_floor,
        "anchors": list(basis.anchors),
        "cases": [to_dict(case) for case in basis.cases],
        "steps": [
            _step(skill, spec, each, counted=not effects)
            for spec, each in zip(skill.steps, by_step(skill, strength), strict=True)
        ],
    }


def measured(basis: Basis, folders: tuple[Path, ...]) -> Strength:
    """What the invariants notice of every change, over the cases; kept for the audits to come.

    Args:
        folders: where relative paths among inputs are sought.
    """
    found = apart.of_cases(basis.skill, basis.cases, folders, thorough=True)
    if found.tallies:
        keep(basis.skill, basis.cases, found)
    return found


def text_of(fn: Any) -> str:
    """The text of a function, the same for the same code: no comments, no layout, no docstring.

    Empty where there is no source to read.
    """
    try:
        raw = textwrap.dedent(inspect.getsource(fn))
    except (OSError, TypeError):
        return ""
    try:
        tree = ast.parse(raw)
    except SyntaxError:  # a lambda in the middle of a call
        return " ".join(raw.split())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _seen(results: Iterable[Result]) -> Strength:
    audits = [result.audit for result in results if result.audit is not None]
    found = [audit.strength for audit in audits if audit.strength is not None]
    return functools.reduce(merge, found, Strength())


def _step(skill: Skill, spec: StepSpec, seen: StepStrength, *, counted: bool) -> dict[str, Any]:
    """One step; where not every change was tried (``counted``), there are no counts."""
    by_name = {item.name: item for item in seen.invariants}
    is_measured = seen.calls > 0
    return {
        "id": spec.id,
        "order": skill.rank(spec.id),
        "required": spec.required,
        "when": spec.guard.name if spec.guard is not None else "",
        "guard": text_of(spec.guard.fn) if spec.guard is not None else "",
        "requires": list(skill.requires(spec.id)),
        "hollow": not spec.substantive,
        "report": list(spec.report),
        "unchecked": list(seen.unchecked),
        "measured": is_measured,
        "invariants": [
            {
                "name": item.name,
                "text": text_of(item.fn),
                "effective": by_name[item.name].effective if is_measured else None,
                "killed": by_name[item.name].killed if is_measured and counted else None,
                "made": by_name[item.name].made if is_measured and counted else None,
            }
            for item in spec.invariants
        ],
    }
