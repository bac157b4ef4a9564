"""Cells that adopting adds: front matter, words, case."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from skills2_nb.convert.adopt_kinds import NUMBERS
from skills2_nb.convert.adopt_values import Found
from skills2_nb.convert.document import LONGEST_DESCRIPTION
from skills2_nb.convert.prose import first_paragraph, outside_fences
from skills2_nb.convert.steps import docstring_of
from skills2_nb.formats.notebook import Notebook

READOUT = "write_readout"
_MOST_FIGURES = 8


@dataclass(frozen=True)
class Figure:
    """A number that an answer can carry: its name, where a run has it, how it is annotated."""

    name: str
    ref: str
    annotation: str
    table: str = ""


def title_of(notebook: Notebook) -> str:
    """The notebook's first heading, else its file's name in words."""
    for cell in notebook.cells:
        for line in outside_fences(cell.text) if cell.kind == "markdown" else ():
            found = re.match(r" {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$", line)
            if found:
                return _plain(found.group(1))
    return re.sub(r"[-_ ]+", " ", notebook.stem).strip().capitalize() or "Analysis"


def front_matter(notebook: Notebook, name: str) -> str:
    """The front matter: the name, and the first paragraph as the description."""
    body = "\n\n".join(cell.text for cell in notebook.cells if cell.kind == "markdown")
    said = _plain(first_paragraph(body))
    title = title_of(notebook)
    told = said if said else f"{title}."
    if len(told.split()) < 4 and title not in told:
        told = f"{title}. {told}"
    told = told[:LONGEST_DESCRIPTION].rstrip()
    return f"---\nname: {name}\ndescription: {json.dumps(told, ensure_ascii=False)}\n---"


def steps_in_words(steps: Sequence[Found], docs: Mapping[str, str], *, readout: bool) -> str:
    """A markdown cell that names the steps in their order."""
    lines = [f"{number}. {step.id}: {docs[step.id]}" for number, step in enumerate(steps, 1)]
    if readout:
        lines.append(f"{len(steps) + 1}. {READOUT}: Say the figures; its text is the answer.")
    return "\n".join(["Call the steps in this order:", "", *lines])


def doc_of(step: Found, titles: Mapping[int, str]) -> str:
    """What a step does, in a line: its docstring, the heading above it, or its name."""
    said = docstring_of(step.function) if step.function is not None else None
    if said:
        return said.strip().split("\n", 1)[0]
    title = titles.get(step.units[0].cell, "") if step.function is None else ""
    title = re.sub(r'["\\\\]', "", title).strip().rstrip(".")
    if title:
        return f"{title[:1].upper()}{title[1:]}."
    if step.function is None:
        return f"Compute {', '.join(name for name, _ in step.outputs)}."
    words = step.id.strip("_").replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}."


def figures_of(steps: Sequence[Found]) -> tuple[Figure, ...]:
    """The figures that the steps give, the last step's first to be kept, in order of steps."""
    found: dict[str, Figure] = {}
    for step in steps:
        for figure in _of_step(step):
            name = figure.name
            if name in found:
                name = f"{step.id}_{figure.name}"
            if name.isidentifier() and name not in ("readout", "output", "inputs", "run"):
                found[name] = Figure(name, figure.ref, figure.annotation)
    chosen = list(found.values())[-_MOST_FIGURES:]
    if chosen:
        return tuple(chosen)
    return tuple(_rows_of(steps))


def case_code(title: str, inputs: Mapping[str, str], steps: Sequence[str]) -> str:
    """The first case: the values that the notebook had."""
    lines = [f"    {_quoted(title)},", '    id="as-in-the-notebook",']
    if inputs:
        pairs = ", ".join(f'"{name}": {value}' for name, value in inputs.items())
        lines.append(f"    inputs={{{pairs}}},")
    called = ", ".join(f'"{name}"' for name in steps)
    lines.append(f"    must_call=[{called}],")
    return "\n".join(["case(", *lines, ")"])


def with_inputs(steps: Sequence[Found]) -> list[Found]:
    """The steps with the run's input that gives each of their parameters.

    Two steps may take different values under one name: the second has its own input then, and is
    bound to it.
    """
    inputs: dict[str, str] = {}
    offered = {name for step in steps for name in step.fields}
    made = []
    for step in steps:
        params = []
        for param in step.params:
            value = param.value or param.constant
            if value:
                name = param.name
                if inputs.get(name, value) != value or (name in offered and param.value):
                    name = f"{step.id}_{param.name}"
                    param = replace(param, ref=f"inputs#/{name}")
                inputs[name] = value
                param = replace(param, input=name)
            params.append(param)
        made.append(replace(step, params=tuple(params)))
    return made


def _of_step(step: Found) -> list[Figure]:
    names = step.result.split(",")
    if step.kind.name == "dict" and step.fields:
        parts = [(name, f"{step.id}#/{name}", kind) for name, kind in step.kind.parts]
    elif step.kind.name == "tuple":
        pairs = zip(names, step.kind.parts, strict=False)
        parts = [(name, f"{step.id}#/{key}", kind) for name, (key, kind) in pairs]
    else:
        parts = [(step.result or step.id, f"{step.id}#", step.kind)]
    return [
        Figure(name, ref, kind.annotation)
        for name, ref, kind in parts
        if kind.name in NUMBERS and name not in ("_", "")
    ]


def _rows_of(steps: Sequence[Found]) -> list[Figure]:
    """Where no step gives a number: how many rows the last table has."""
    for step in reversed(steps):
        if step.kind.name == "frame":
            name = step.outputs[0][0] if step.outputs else step.result or step.id
            return [Figure(name, f"{step.id}#", "Table", table=name)]
        for field, kind in step.kind.parts if step.fields else ():
            if kind.name == "frame":
                return [Figure(field, f"{step.id}#/{field}", "Table", table=field)]
    return []


def _plain(text: str) -> str:
    """Words without Markdown's marks, links, tags and angle brackets, on one line."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]*>", "", text)
    text = re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", text)
    text = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(text.replace("<", "less than ").replace(">", "more than ").split())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
