"""Cases as the text of calls, written and changed in place."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skills2_nb.convert.steps import Step
from skills2_nb.formats.cases import Case, StepCase, to_dict

#: Columns a call may have before it is broken up.
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Splice:
    """A stretch of a text and what stands there from now on."""

    start: int
    end: int
    text: str


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """A text with its stretches replaced; they do not overlap."""
    for splice in sorted(splices, key=lambda each: (each.start, each.end), reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def place(text: str, line: int, column: int) -> int:
    """The index of a place that ``ast`` gives: 1-based line, column in UTF-8 bytes."""
    lines = text.split("\n")
    inside = lines[line - 1].encode("utf-8")[:column].decode("utf-8")
    return sum(len(each) + 1 for each in lines[: line - 1]) + len(inside)


def call_text(case: Case, steps: Sequence[Step]) -> str | None:
    """A case as a call; None where its step has no function."""
    named = {**arguments(case), "id": case.id}
    if isinstance(case, StepCase):
        name = function_of(case.step, steps)
        if name is None:
            return None
        head, words = f"{name}.case", [f"{key}={said(value)}" for key, value in named.items()]
    else:
        prompt = said(named.pop("prompt"))
        head = "case"
        words = [prompt, *(f"{key}={said(value)}" for key, value in named.items())]
    line = f"{head}({', '.join(words)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    return f"{head}(\n" + "".join(f"    {word},\n" for word in words) + ")"


def call_splices(
    text: str, call: ast.Call, old: Case, new: Case, step: Step | None, *, pin: bool
) -> list[Splice] | None:
    """The stretches of a call that make another case of it; None where it must be written anew.

    Args:
        text: the cell's text that the call stands in.
        step: of a step case, the step it calls.
        pin: whether the call shall say its id from now on.
    """
    before, after = arguments(old), arguments(new)
    if pin:
        after["id"] = new.id
    nodes = _nodes(call, step)
    if type(old) is not type(new) or set(before) - set(after):
        return None
    made = []
    for key, value in after.items():
        if key in before and before[key] == value:
            continue
        if key in nodes:
            made.append(Splice(*_span(text, nodes[key]), said(value)))
        elif key in before:
            return None
        else:
            added = _added(text, call, f"{key}={said(value)}")
            if added is None:
                return None
            made.append(added)
    return made


def arguments(case: Case) -> dict[str, Any]:
    """The arguments by name that a call of a case has, without its id."""
    made = to_dict(case)
    made.pop("id")
    if not isinstance(case, StepCase):
        return made
    made.pop("step")
    return {**made.pop("args", {}), **made}


def function_of(step: str, steps: Sequence[Step]) -> str | None:
    """The name of the function that is a step."""
    return next((each.name for each in steps if each.id == step), None)


def said(value: Any) -> str:
    """A JSON value as Python writes it."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{said(k)}: {said(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(said(item) for item in value) + "]"
    return repr(value)


def _nodes(call: ast.Call, step: Step | None) -> dict[str, ast.expr]:
    """The expressions a call gives, by the name of what they are for."""
    names = [parameter.name for parameter in step.parameters] if step else ["prompt"]
    made = dict(zip(names, call.args, strict=False))
    return made | {word.arg: word.value for word in call.keywords if word.arg}


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    end = place(text, node.end_lineno or node.lineno, node.end_col_offset or 0)
    return place(text, node.lineno, node.col_offset), end


def _added(text: str, call: ast.Call, word: str) -> Splice | None:
    """Where one more argument goes; None where parentheses hide the place."""
    given = [*call.args, *(each.value for each in call.keywords)]
    _, end = _span(text, call)
    if not given:
        return Splice(end - 1, end - 1, word)
    last = max(given, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    start = _span(text, last)[1]
    if ")" in text[start : end - 1] or "#" in text[start : end - 1]:
        return None
    several = last.lineno != call.lineno
    line = text[: _span(text, last)[0]].rpartition("\n")[2]
    margin = " " * (len(line) - len(line.lstrip()))
    return Splice(start, start, f",\n{margin}{word}" if several else f", {word}")
