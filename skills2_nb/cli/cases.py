"""What a run starts from: options, a case, or the first case."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.cli.screen import aside
from skills2_nb.cli.values import pairs, read_object
from skills2_nb.contract.inputs import typed
from skills2_nb.contract.loader import load
from skills2_nb.contract.spec import Parameter
from skills2_nb.errors import Skills2Error, UnreadableError, UsageError
from skills2_nb.evals.proof import opened
from skills2_nb.formats.cases import RunCase
from skills2_nb.formats.package import read_package
from skills2_nb.library.discovery import Target


@dataclass(frozen=True)
class Start:
    """Inputs and prompt of a run.

    Attributes:
        said: where they came from if nobody gave them.
        vouched: ``case`` where a case gave all of them, else ``cli``.
    """

    inputs: dict[str, Any] = field(default_factory=dict)
    prompt: str | None = None
    said: str = ""
    vouched: str = "cli"


def begin(
    target: Target,
    *,
    inputs: str | None,
    words: tuple[str, ...],
    prompt: str | None,
    case: str | None,
) -> Start:
    """Put together what the command line gave.

    Args:
        inputs: a file with a JSON object, or ``-``.
        words: ``key=value`` each; they win.
        case: a case's id, which gives what neither of the two gives.

    Raises:
        UsageError: there is no such case.
    """
    given = read_object(inputs) if inputs else {}
    texts = pairs(words)
    cases = run_cases(target)
    given |= _typed(target, texts)
    chosen = _case(target, cases, case) if case is not None or not (given or inputs) else None
    if chosen is None:
        return Start(given, prompt)
    said = f"Case {chosen.id}: {chosen.prompt}" if prompt is None else f"Case {chosen.id}."
    vouched = "cli" if given or prompt else "case"
    return Start({**chosen.inputs, **given}, prompt or chosen.prompt, said, vouched)


def _typed(target: Target, texts: Mapping[str, str]) -> dict[str, Any]:
    """Texts in the types that the skill's steps want; as JSON where it cannot be loaded.

    Why it cannot be loaded is told by the run, which loads it too.
    """
    parameters: list[Parameter] = []
    if texts:
        with suppress(Skills2Error), opened(target) as folder, aside():
            parameters = [each for spec in load(folder).steps for each in spec.parameters]
    return typed(texts, parameters)


def with_input(target: Target, name: str, value: Any) -> Start:
    """The first case whose input ``name`` is ``value``.

    Raises:
        UsageError: the skill has none.
    """
    for case in run_cases(target):
        if case.inputs.get(name) == value and not case.calls:
            said = f"Case {case.id}: {case.prompt}"
            return Start(dict(case.inputs), case.prompt, said, "case")
    raise UsageError(f"{target.path} has no case with {name} = {value!r}; export it again")


def run_cases(target: Target) -> list[RunCase]:
    """The run cases of a skill.

    Raises:
        UsageError: it has no step, so there is nothing to run.
        UnreadableError: its files cannot be read.
    """
    with opened(target) as folder:
        package = read_package(folder)
    if package.manifest.steps:
        return [case for case in package.cases if isinstance(case, RunCase)]
    if package.problems:
        raise UnreadableError(f"{target.path}: {package.problems[0].sentence()}")
    raise UsageError(
        f"{target.path.name} has no step, so there is nothing to run; give it a cell with the tag "
        "`step` and one @step function"
    )


def _case(target: Target, found: list[RunCase], id: str | None) -> RunCase | None:
    """The case of that id; without one, the first that expects to pass by the chain."""
    if id is None:
        return next((c for c in found if c.expected_audit == "pass" and not c.calls), None)
    for each in found:
        if each.id == id:
            return each
    known = ", ".join(each.id for each in found)
    raise UsageError(
        f"{target.name} has no case {id!r}; " + (f"there is {known}" if known else "it has none")
    )
