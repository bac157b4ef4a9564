"""A skill notebook of any size, to measure with; nbdev's comments in it are for nbdev."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FRONT = """---
name: bench-skill
description: Adds numbers one after the other, to see how long an export takes.
---"""

PROSE = """## Step {n}

Take what **step {before}** left and add `{n}` to it. Say the figure and what it means, in one line.
"""

STEP = '''#| export
@step(order={n}, invariants=["grows"])
def add_{n}(value: int) -> Sum:
    """Add {n} to the value."""
    total = value + {n}
    return Sum(before=value, total=total)'''

SETUP = '''#| default_exp skill
#| export
from pydantic import BaseModel

from skills2_nb import step


class Sum(BaseModel):
    """A value and what became of it."""

    before: int
    total: int


def grows(value: int, total: int) -> bool:
    """Adding never makes less."""
    return total >= value'''


def cell(number: int, kind: str, source: str, role: str | None = None) -> dict[str, Any]:
    """One nbformat cell with a steady id."""
    tags = {"tags": [role]} if role else {}
    code: dict[str, Any] = {}
    if kind == "code":
        code = {"execution_count": None, "outputs": []}
    lines = source.strip("\n").splitlines(keepends=True)
    return {"cell_type": kind, "id": f"c{number}", "metadata": tags, "source": lines} | code


def write(path: Path, cells: int) -> Path:
    """Write a notebook of that many cells: front matter, set-up, then prose and step in turn."""
    made = [cell(1, "raw", FRONT), cell(2, "code", SETUP, "setup")]
    for number in range(3, cells + 1):
        n = number // 2
        made.append(
            cell(number, "code", STEP.format(n=n), "step")
            if number % 2 == 0
            else cell(number, "markdown", PROSE.format(n=n, before=n - 1))
        )
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    language = {"name": "python", "version": "3.11.0"}
    notebook = {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": language},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(notebook, indent=1) + "\n", encoding="utf-8")
    return path
